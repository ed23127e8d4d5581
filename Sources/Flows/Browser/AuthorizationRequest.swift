internal import JOSE
internal import Jansson
internal import Standards
internal import Stores

/// The authorization request of an application at `GET /authorize` or `POST /par` (RFC 6749 §4.1.1, RFC 7636 §4.3),
/// checked against its registration.
package struct AuthorizationRequest {
    let client: ClientID
    /// A registered redirect URI of the client.
    let redirectURI: String
    let state: String?
    let responseMode: ResponseMode
    let codeChallenge: String
    /// The provider; if it is `nil`, the person chooses one.
    let provider: ProviderID?
    let scopes: [String]
    /// The parameters for the provider.
    ///
    /// The configuration of the provider decides which of them are sent.
    let parameters: [String: String]
    /// The flow of the provider; `nil` for its default flow.
    let flow: String?
    /// The purpose of a flow that does not sign in; `nil` for a sign-in.
    let intent: AccountIntent?
    /// The name of the intent's account.
    let account: AccountName?
    /// `true` if the request had `prompt=none`, with which no page may be shown (OpenID Connect Core §3.1.2.1).
    ///
    /// It is known also if the configuration of the provider does not let ``parameters`` contain `prompt`.
    let isSilent: Bool
    /// The pushed request that this is; `nil` if the application sent its parameters by the browser.
    private(set) var pushed: Pushed?

    /// What ends a pushed request, which a person, a preview or a reload may open several times in its lifetime
    /// (RFC 9126 §4): each time is a flow of its own, and one of them succeeds.
    struct Pushed {
        static let lifetime = Duration.seconds(90)

        let id: String
        let expiry: NumericDate

        /// The record that is spent by the button of a page if the request has an intent, and otherwise by the first
        /// callback that succeeds.
        ///
        /// Between the last opening and the callback are the lifetimes of the page and of the upstream request.
        var record: SpentRecord {
            SpentRecord(
                .pushedRequest, of: [Array(id.utf8)], issuedAt: expiry - Self.lifetime,
                expiresAt: expiry + SealedFlow.lifetime + SealedFlow.lifetime + .seconds(60))
        }
    }

    /// Returns the same request as one that was pushed.
    func with(_ pushed: Pushed) -> AuthorizationRequest {
        var request = self
        request.pushed = pushed
        return request
    }

    /// The records that the button of its page spends: a flow that asks for nothing but a choice can be begun again.
    var recordsOfButton: [SpentRecord] { intent == nil ? [] : pushed.map { [$0.record] } ?? [] }

    /// The records that the first callback spends that succeeds.
    var recordsOfCallback: [SpentRecord] { intent == nil ? pushed.map { [$0.record] } ?? [] : [] }

    var returnAddress: ReturnAddress {
        ReturnAddress(redirectURI: redirectURI, state: state, mode: responseMode)
    }

    var json: JSON {
        var members: [String: JSON] = [
            "client_id": .string(client.text), "redirect_uri": .string(redirectURI),
            "code_challenge": .string(codeChallenge), "scope": .array(scopes.map(JSON.string)),
            "parameters": .object(parameters.mapValues(JSON.string)),
        ]
        members["state"] = state.map(JSON.string)
        if responseMode != .query { members["response_mode"] = .string(responseMode.name) }
        members["provider"] = provider.map { .string($0.text) }
        members["flow"] = flow.map(JSON.string)
        members["intent"] = intent?.json
        members["account"] = account?.json
        if isSilent { members["silent"] = .bool(true) }
        members["pushed"] = pushed.map { .object(["id": .string($0.id), "exp": .integer($0.expiry.seconds)]) }
        return .object(members)
    }

    init?(_ content: JSON) {
        guard
            let client = content["client_id"]?.string, let redirectURI = content["redirect_uri"]?.string,
            let codeChallenge = content["code_challenge"]?.string, let scopes = content["scope"]?.array,
            let parameters = content["parameters"]?.object,
            let responseMode = ResponseMode(content["response_mode"]?.string, at: redirectURI)
        else { return nil }
        self.client = ClientID(client)
        self.redirectURI = redirectURI
        self.responseMode = responseMode
        self.codeChallenge = codeChallenge
        self.scopes = scopes.compactMap(\.string)
        self.parameters = parameters.compactMapValues(\.string)
        state = content["state"]?.string
        provider = content["provider"]?.string.map { ProviderID($0) }
        flow = content["flow"]?.string
        intent = content["intent"].flatMap(AccountIntent.init)
        account = content["account"].flatMap(AccountName.init)
        isSilent = content["silent"] == .bool(true)
        if let id = content["pushed"]?["id"]?.string, let expiry = content["pushed"]?["exp"]?.integer {
            pushed = Pushed(id: id, expiry: NumericDate(expiry))
        }
    }

    /// Returns the address for the response.
    ///
    /// It is checked before the browser is redirected to it (RFC 6749 §4.1.2.1).
    static func returnAddress(
        _ parameters: Parameters, of client: RegisteredClient
    ) throws -> ReturnAddress {
        guard let redirectURI = parameters["redirect_uri"] else {
            throw Refusal.parameterMissing("redirect_uri", in: parameters)
        }
        guard RedirectURI.isRegistered(redirectURI, among: client.redirectURIs) else {
            throw client.refusal(of: redirectURI)
        }
        let state = parameters["state"]
        guard (state ?? "").utf8.count <= maximumStateBytes else { throw Refusal.stateTooLong }
        // The error about a mode that this client or redirect URI cannot use is sent in the query.
        var mode = ResponseMode(parameters["response_mode"], at: redirectURI) ?? .query
        if !mode.isAllowed(for: client) { mode = .query }
        return ReturnAddress(redirectURI: redirectURI, state: state, mode: mode)
    }

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - known: The names of the parameters that a provider of the client accepts.
    ///   - intent: The intent of a caller with a Firebase ID token, and the name of the account.
    /// - Throws: The error of the first parameter that is wrong.
    init(
        _ parameters: Parameters, of client: RegisteredClient, returningTo address: ReturnAddress, known: Set<String>,
        intent: (AccountIntent, account: AccountName)? = nil
    ) throws {
        guard client.grants.contains(.authorizationCode) else {
            throw Refusal.grantNotAllowed(.authorizationCode, of: client)
        }
        guard let responseType = parameters["response_type"] else {
            throw Refusal.parameterMissing("response_type", in: parameters)
        }
        guard responseType == "code" else {
            throw Refusal(
                .unsupportedResponseType, "This response_type is not supported. Send response_type=code.",
                finding: "response_type is \(Self.word(responseType)), and not code")
        }
        let mode = parameters["response_mode"] ?? "query"
        guard ResponseMode.names.containsExactly(mode) else {
            throw Refusal.parameterMalformed(
                "response_mode",
                "is \(Self.word(mode)), and none of \(ResponseMode.names.joined(separator: ", "))")
        }
        guard mode == address.mode.name else { throw Refusal.responseModeNotAllowed }
        // Request objects (RFC 9101) are not supported. Without this check their restrictions would be ignored.
        guard parameters["request"] == nil else { throw Refusal.parameterNotAllowed("request") }
        // Ignoring `intent` here would sign in instead of linking. Linking must start at `/par` with a bearer token.
        guard parameters["intent"] == nil || intent != nil else { throw Refusal.parameterNotAllowed("intent") }
        self.client = client.id
        redirectURI = address.redirectURI
        state = address.state
        responseMode = address.mode
        codeChallenge = try Self.codeChallenge(parameters)
        provider = parameters["provider"].map { ProviderID($0) }
        scopes = try Self.scopes(parameters)
        flow = parameters["flow"]
        self.intent = intent?.0
        account = intent?.account
        isSilent = ProviderAuthorization.isSilent(parameters["prompt"])
        // OpenID Connect Core §3.1.2.1: "If this parameter contains none with any other value, an error is returned."
        guard !isSilent || parameters["prompt"] == "none" else {
            throw Refusal.parameterMalformed("prompt", "contains none, and is not exactly none")
        }
        // RFC 6749 §3.1: an unrecognized parameter is ignored.
        self.parameters = Dictionary(
            parameters.pairs.filter { known.containsExactly($0.name) && !ReservedParameters.contains($0.name) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The maximum length of `state`, which is sent in a cookie and returned in a URL.
    private static let maximumStateBytes = 1024

    /// The scopes that every request may contain.
    ///
    /// They have no effect, because this server issues no ID token.
    package static let openIDScopes = ["openid", "profile", "email"]

    /// Returns the requested scopes without those of OpenID Connect.
    static func scopes(_ parameters: Parameters) throws -> [String] {
        let scope = parameters["scope"] ?? ""
        guard scope.utf8.count <= 1024 else { throw Refusal.parameterMalformed("scope", "has more than 1024 octets") }
        return scope.split(separator: " ").map(String.init).filter { !openIDScopes.containsExactly($0) }
    }

    /// Returns a value as a finding may contain it, which has no text of a client.
    private static func word(_ value: String) -> String {
        [
            "plain", "token", "id_token", "id_token token", "token id_token", "code id_token", "code token",
            "code id_token token", "none", "Code", "s256", "SHA256", "SHA-256", "fragment", "jwt", "query.jwt",
        ].first { $0.exactlyEquals(value) } ?? "another value"
    }

    /// Returns the code challenge of the method `S256`, which is 32 octets in base64url (RFC 7636 §4.2).
    private static func codeChallenge(_ parameters: Parameters) throws -> String {
        guard let challenge = parameters["code_challenge"] else {
            throw Refusal.codeChallengeRequired(in: parameters)
        }
        // RFC 7636 §4.3: a missing method means "plain", which is not supported.
        let method = parameters["code_challenge_method"]
        guard method == "S256" else {
            let name = "code_challenge_method"
            let found = "\(name) is \(method.map(Self.word) ?? "missing, which means plain"), and not S256"
            let respelled = Refusal.respelled(name, among: parameters.pairs.map(\.name))
            throw Refusal.codeChallengeRequired(method == nil ? respelled ?? found : found)
        }
        guard let octets = try? Base64URL.decode(challenge), octets.count == 32
        else { throw Refusal.codeChallengeMalformed(challenge) }
        return challenge
    }
}
