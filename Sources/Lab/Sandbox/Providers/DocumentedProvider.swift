import Jansson

/// What a provider documents, as data: its endpoints, what they demand, and what they answer.
///
/// The values are in the extensions. ``ProviderStandIn`` plays each of them, and never asks which one it plays.
package struct DocumentedProvider: Sendable {
    /// Its id in `token-exchange`, which is that of a template if there is one, and the first segment of its paths at the stand-in.
    package let id: String
    package let title: String
    /// The path of each endpoint below `/{id}`, in which `{name}` is any segment.
    let paths: [Endpoint: String]
    /// The issuer of its ID tokens; `nil` for a provider without OpenID Connect.
    var issuer: Issuer?
    var clientAuthentication = ClientAuthentication.post
    var pkce = PKCE.checked
    /// The scopes that an application may request; a request for any other is refused.
    var scopes: Set<String> = []
    /// The address of the user is absent without this scope; `nil` if no scope decides about it.
    var emailScope: String?
    /// Whether the address is also absent unless the parameter `claims` requests it (OpenID Connect Core §5.5).
    var emailNeedsClaims = false
    /// Whether a request for a scope needs `response_mode=form_post`.
    var needsFormPost = false
    /// Whether the callback contains `iss` (RFC 9207).
    var namesIssuerInCallback = false
    /// The parameter `user` of the form at the first sign-in of a user; `nil` if there is none.
    var firstSignIn: AnswerTemplate?
    /// The parameters of the callback after the user refused.
    var denial = [("error", "access_denied")]
    /// The answer of the token endpoint; `$id_token` is the ID token.
    let tokens: AnswerTemplate
    /// Whether the token endpoint answers with a form unless the request accepts JSON.
    var answersWithForm = false
    var wrongCode = ErrorAnswer(400, #"{"error":"invalid_grant","error_description":"The code is not valid."}"#)
    var wrongClient = ErrorAnswer(401, #"{"error":"invalid_client","error_description":"The client is not valid."}"#)
    /// The answer of the user endpoint; `nil` if there is no such endpoint.
    var user: AnswerTemplate?
    /// The whole query that a request to the user endpoint must have.
    var userQuery: [String: String] = [:]
    var wrongToken = ErrorAnswer(401, #"{"error":"invalid_token","message":"The access token is not valid."}"#)
    /// The answer of the endpoint with the list of addresses.
    var emails: AnswerTemplate?
    var introspection: Introspection?
    /// Lines of the provider's section in the configuration, beside its URLs and credentials: those of the guide.
    var settings: [String] = []

    /// The issuer of a provider, as paths below `/{id}`, and its ID tokens.
    struct Issuer: Sendable {
        /// The issuer that is configured, and below which the metadata are.
        var path = ""
        /// The issuer that the metadata announce, if it is another one.
        var announced: String?
        /// The issuer of ID tokens, if it is another one.
        var ofTokens: String?
        /// Whether the template names the endpoints, so that the metadata are not read.
        var hasFixedEndpoints = false
        /// Whether the user endpoint is announced at another host than the issuer.
        var hasForeignUserEndpoint = false
        /// The claims beside `iss`, `aud`, `iat`, `exp` and `nonce`.
        let claims: AnswerTemplate
    }

    /// The way in which an application authenticates at the token endpoint (RFC 6749 §2.3.1).
    enum ClientAuthentication: Sendable {
        case basic, post
        /// With a secret in the body that is a JWT, signed with ``ProviderRegistration/signingKey``.
        case signed
    }

    /// The treatment of PKCE (RFC 7636).
    enum PKCE: Sendable {
        /// A challenge is accepted with `S256`, and then the verifier is required.
        case checked
        case ignored
        /// The token endpoint answers a request with a verifier in this way.
        case refused(ErrorAnswer)
    }

    /// An endpoint that names the application of an access token.
    struct Introspection: Sendable {
        /// The place of the access token in the request.
        enum Place: Sendable {
            case query(String), form(String), json(String)
            /// The field `Authorization` with this scheme.
            case authorization(String)
        }

        /// The proof that the asking application gives.
        enum Authentication: Sendable {
            case none, basic, post
            /// The parameter `access_token` with client id and secret, divided by `|`.
            case appToken
        }

        let place: Place
        let authentication: Authentication
        let answer: AnswerTemplate
        /// The answer about a token that is not known or has expired.
        let unknown: ErrorAnswer
        /// Whether a token of another application is answered like an unknown one.
        var hidesOthers = false
    }

    struct ErrorAnswer: Sendable {
        let status: Int
        let body: AnswerTemplate

        init(_ status: Int, _ body: AnswerTemplate) {
            self.status = status
            self.body = body
        }
    }

    package static let all: [DocumentedProvider] = [
        .google, .apple, .microsoft, .github, .facebook, .line, .linkedin, .discord, .spotify, .naver, .kakao, .slack,
        .twitch, .strava, .zoom,
    ]
}

extension DocumentedProvider {
    package init?(id: String) {
        guard let provider = Self.all.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else { return nil }
        self = provider
    }

    /// The provider and the endpoint at a path of the stand-in; `nil` if there is none.
    static func endpoint(at path: String) -> (provider: DocumentedProvider, endpoint: Endpoint)? {
        let split = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let segments = split.compactMap { PercentEncoding.decode($0, plusIsSpace: false) }
        guard segments.count == split.count, let id = segments.first, let provider = DocumentedProvider(id: id),
            let endpoint = provider.allPaths.first(where: { PathPattern.match(segments, $0.value) != nil })?.key
        else { return nil }
        return (provider, endpoint)
    }

    /// Whether its client secrets are signed with ``ProviderRegistration/signingKey``.
    package var hasSignedSecret: Bool {
        if case .signed = clientAuthentication { true } else { false }
    }

    /// The whole path of each endpoint.
    private var allPaths: [Endpoint: String] {
        var all = paths
        all[.providersDecision] = paths[.providersAuthorize].map { $0 + "/decision" }
        if let issuer { all[.providersDiscovery] = issuer.path + "/.well-known/openid-configuration" }
        return all.mapValues { "/" + id + $0 }
    }

    /// The URL of an endpoint at a stand-in with this origin; `nil` if the provider has no such endpoint.
    func url(of endpoint: Endpoint, at origin: String) -> String? {
        allPaths[endpoint].map { origin + $0 }
    }

    /// The section of the server's configuration: the template of the provider, with the URLs of the stand-in.
    ///
    /// - Parameters:
    ///   - origin: The origin of the stand-in.
    ///   - clientID: The client id of the server at the provider.
    ///   - clientSecret: The value of `client_secret` in YAML.
    /// - Returns: The lines of the section without indentation.
    package func configuration(origin: String, clientID: String, clientSecret: String) -> [String] {
        func lines(_ keys: [(String, Endpoint)]) -> [String] {
            keys.compactMap { key, endpoint in url(of: endpoint, at: origin).map { "  \(key): \"\($0)\"" } }
        }
        var section = ["client_id: \"\(clientID)\"", "client_secret: \(clientSecret)"] + settings
        var endpoints: [String] = []
        if let issuer {
            let base = origin + "/" + id + issuer.path
            if issuer.hasFixedEndpoints {
                endpoints = ["  issuer: \"\(base)\""]
                endpoints += lines([
                    ("authorization", .providersAuthorize), ("token", .providersToken), ("userinfo", .providersUser),
                    ("jwks", .providersKeys), ("revocation", .providersRevoke),
                ])
            } else {
                section.append("issuer: \"\(base)\"")
            }
            endpoints += lines([("introspection", .providersIntrospect)])
        } else {
            if namesIssuerInCallback { endpoints = ["  issuer: \"\(origin)/\(id)\""] }
            endpoints += lines([("authorization", .providersAuthorize), ("token", .providersToken)])
            let query = userQuery.map { "\($0)=\($1)" }.joined(separator: "&")
            if let user = url(of: .providersUser, at: origin) {
                endpoints.append("  userinfo: \"\(user)\(query.isEmpty ? "" : "?" + query)\"")
            }
            endpoints += lines([("revocation", .providersRevoke)])
            if let emails = url(of: .providersEmails, at: origin) {
                section += ["emails:", "  url: \"\(emails)\""]
            }
            if let introspection = url(of: .providersIntrospect, at: origin) {
                section += ["introspection:", "  url: \"\(introspection)\""]
            }
        }
        return section + (endpoints.isEmpty ? [] : ["endpoints:"] + endpoints)
    }
}

/// A JSON document with placeholders for what differs between users and requests.
///
/// The text `$name` stands for a value of any type, and its member or element is left out if there is none; with
/// `$name?` it is then null. `{name}` inside another text stands for a text.
struct AnswerTemplate: Sendable, ExpressibleByStringLiteral {
    private let text: String

    init(stringLiteral text: String) {
        self.text = text
    }

    /// - Parameter values: The values of the placeholders.
    /// - Throws: A response with status 500 if the text is not JSON.
    func json(_ values: [String: JSON]) throws(Refusal) -> JSON {
        guard let document = try? JSON.parse(Array(text.utf8), maximumBytes: 1 << 16) else {
            throw Refusal(.text("A documented answer is not JSON.", status: 500))
        }
        return Self.filled(document, values) ?? .null
    }

    private static func filled(_ value: JSON, _ values: [String: JSON]) -> JSON? {
        switch value {
        case .object(let members): .object(members.compactMapValues { filled($0, values) })
        case .array(let elements): .array(elements.compactMap { filled($0, values) })
        case .string(let text): text.hasPrefix("$") ? whole(text.dropFirst(), values) : .string(parts(text, values))
        default: value
        }
    }

    private static func whole(_ name: Substring, _ values: [String: JSON]) -> JSON? {
        name.hasSuffix("?") ? values[String(name.dropLast())] ?? .null : values[String(name)]
    }

    private static func parts(_ text: String, _ values: [String: JSON]) -> String {
        values.reduce(text) { filled, value in
            value.value.string.map { filled.replacing("{\(value.key)}", with: $0) } ?? filled
        }
    }
}
