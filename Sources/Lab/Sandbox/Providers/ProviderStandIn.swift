import Jansson
import OpenSSL

/// The stand-in for every ``DocumentedProvider``, each below its own path.
///
/// Known differences: all providers have one origin and one key for ID tokens, `http` redirect URIs are accepted on
/// loopback, and a code expires after ten minutes.
actor ProviderStandIn {
    /// The origin; empty until the listener is bound.
    private(set) var origin = ""
    let clock: SandboxClock
    let expected: ExpectedUser
    /// The registrations by provider and name of the application.
    private var registrations: [String: [String: ProviderRegistration]] = [:]
    var codes: [String: ProviderCode] = [:]
    var accessTokens: [String: ProviderAccessToken] = [:]
    var refreshTokens: [String: ProviderGrant] = [:]
    /// The client id and the key of each user who has signed in.
    private var known: Set<[String]> = []

    init(clock: SandboxClock, expected: ExpectedUser) {
        self.clock = clock
        self.expected = expected
        for provider in DocumentedProvider.all {
            for application in SandboxApplication.all {
                registrations[provider.id, default: [:]][application.name] = application.registration(at: provider)
            }
        }
    }

    func open(at origin: String) {
        self.origin = origin
    }

    func answer(_ request: IncomingRequest) -> Answer {
        guard let (provider, endpoint) = DocumentedProvider.endpoint(at: request.path),
            endpoint.methods.contains(request.method)
        else { return .text("Not found.", status: 404) }
        do throws(Refusal) {
            switch endpoint {
            case .providersDiscovery: return .document(try metadata(of: provider))
            case .providersKeys: return .document(.object(["keys": .array([try key.json])]))
            case .providersAuthorize: return try showConsent(request, of: provider)
            case .providersDecision: return try decide(request, of: provider)
            case .providersToken: return try token(request, of: provider)
            case .providersUser, .providersEmails: return try resource(request, endpoint, of: provider)
            case .providersIntrospect: return try introspect(request, of: provider)
            case .providersRevoke: return try revoke(request)
            default: return .text("Not found.", status: 404)
            }
        } catch {
            return error.answer
        }
    }

    /// The key that signs ID tokens.
    var key: StandInRSAKey {
        get throws(Refusal) {
            do {
                return try StandInRSAKey.providers.get()
            } catch {
                throw Refusal(.text("No key could be made.", status: 500))
            }
        }
    }

    // MARK: - Registrations

    func registrations(of application: String) -> [String: ProviderRegistration] {
        registrations.compactMapValues { $0[application] }
    }

    func registration(of application: String, at provider: DocumentedProvider) -> ProviderRegistration? {
        registrations[provider.id]?[application]
    }

    func registration(clientID: String, at provider: DocumentedProvider) -> ProviderRegistration? {
        registrations[provider.id]?.values.first { $0.clientID.utf8.elementsEqual(clientID.utf8) }
    }

    /// Replaces the redirect URIs of an application.
    func set(redirectURIs: [String], of application: String, at provider: DocumentedProvider) {
        registrations[provider.id]?[application]?.redirectURIs = redirectURIs
    }

    /// Adds the redirect URIs of a server and its home page to the registrations of ``SandboxApplication/ours``.
    func add(_ server: HomeServer, home: String) {
        for provider in DocumentedProvider.all {
            registrations[provider.id]?[SandboxApplication.ours.name]?.redirectURIs +=
                server.redirectURIs(of: provider.id, home: home)
        }
    }

    /// Whether this is the first sign-in of the user at the application; it is not the next time.
    func isFirstSignIn(_ grant: ProviderGrant) -> Bool {
        known.insert([grant.clientID, grant.user.key]).inserted
    }

    /// Makes the next sign-in of the user the first one at every provider.
    func forgetSignIns(of user: SandboxUser) {
        known = known.filter { $0.last != user.key }
    }

    // MARK: - Values

    /// The values of the placeholders in the answers about a grant.
    func values(of grant: ProviderGrant) -> [String: JSON] {
        let user = grant.user
        let digits = user.digits
        var values: [String: JSON] = [
            "key": .string(user.key), "name": .string(user.name), "screen_name": .string(user.screenName),
            "letters": .string(user.yahooSubject), "digits": .string(digits), "number": .init(Int64(digits)),
            "twelve_digits": .string(String(repeating: "0", count: 12 - digits.count) + digits),
            "picture": .string("https://people.example/\(user.key).png"), "client_id": .string(grant.clientID),
            "scope": .string(grant.scopes.joined(separator: " ")),
            "scope_commas": .string(grant.scopes.joined(separator: ",")),
            "scopes": .array(grant.scopes.map { .string($0) }),
            "issuer": .string(issuer(of: grant.provider)), "now": .integer(clock.now),
            "expiry": .integer(clock.now + 3600),
        ]
        values["given_name"] = user.givenName.map { .string($0) }
        values["family_name"] = user.familyName.map { .string($0) }
        values["locale"] = user.locale.map { .string($0) }
        values["nonce"] = grant.nonce.map { .string($0) }
        let isShared = grant.provider.emailScope.map(grant.scopes.contains) ?? true
        if let email = user.email, isShared, grant.hasClaims || !grant.provider.emailNeedsClaims {
            values["email"] = .string(email)
            values["email_verified"] = .bool(user.isEmailVerified)
            values["email_verified_text"] = .string(user.isEmailVerified ? "true" : "false")
        }
        return values
    }

    /// The issuer of ID tokens.
    private func issuer(of provider: DocumentedProvider) -> String {
        "\(origin)/\(provider.id)" + (provider.issuer.map { $0.ofTokens ?? $0.path } ?? "")
    }

    /// The provider metadata (OpenID Connect Discovery §3).
    private func metadata(of provider: DocumentedProvider) throws(Refusal) -> JSON {
        guard let issuer = provider.issuer else { throw Refusal(.text("Not found.", status: 404)) }
        var metadata: [String: JSON] = [
            "issuer": .string("\(origin)/\(provider.id)" + (issuer.announced ?? issuer.path)),
            "response_types_supported": .array([.string("code")]),
            "subject_types_supported": .array([.string("public")]),
            "id_token_signing_alg_values_supported": .array([.string("RS256")]),
            "scopes_supported": .array(provider.scopes.sorted().map { .string($0) }),
        ]
        for (name, endpoint) in [
            ("authorization_endpoint", Endpoint.providersAuthorize), ("token_endpoint", .providersToken),
            ("jwks_uri", .providersKeys), ("userinfo_endpoint", .providersUser),
            ("revocation_endpoint", .providersRevoke),
        ] {
            metadata[name] = provider.url(of: endpoint, at: origin).map { .string($0) }
        }
        if issuer.hasForeignUserEndpoint, let url = provider.url(of: .providersUser, at: origin) {
            // Another name of this machine.
            metadata["userinfo_endpoint"] = .string(url.replacing("127.0.0.1", with: "localhost"))
        }
        return .object(metadata)
    }
}

/// A user's consent for an application at a provider.
struct ProviderGrant: Sendable {
    let provider: DocumentedProvider
    let clientID: String
    let user: SandboxUser
    let scopes: [String]
    let nonce: String?
    /// Whether the request had the parameter `claims`.
    let hasClaims: Bool
}

/// An authorization code that was not redeemed yet.
struct ProviderCode: Sendable {
    let grant: ProviderGrant
    let redirectURI: String
    let codeChallenge: String?
    let expiresAt: Int64
}

struct ProviderAccessToken: Sendable {
    let grant: ProviderGrant
    let expiresAt: Int64
}

extension JSON {
    /// An integer, or null.
    fileprivate init(_ integer: Int64?) {
        self = integer.map { .integer($0) } ?? .null
    }
}
