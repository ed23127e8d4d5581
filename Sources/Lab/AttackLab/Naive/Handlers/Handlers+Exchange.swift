internal import Jansson

extension Handlers {
    /// `POST /v1/nonce`.
    func nonce(_ incoming: IncomingRequest) async throws(Refusal) -> JSON {
        let body = try await JSONText(environment: environment).object(incoming)
        let fields = try Fields(body, known: ["client_id", "provider"])
        let (client, provider) = (try fields.text("client_id", upTo: 128), try fields.text("provider", upTo: 128))
        try incoming.checkOrigin(of: Client.named(client, environment: environment))
        _ = try admit(client, provider)
        let issued = try nonces.issue(client: client, provider: provider)
        return .object([
            "nonce": .string(issued.nonce), "nonce_verifier": .string(issued.verifier),
            "expires_in": .integer(NonceIssuer.lifetime),
        ])
    }

    /// `POST /v1/exchange`.
    func exchange(_ incoming: IncomingRequest) async throws(Refusal) -> JSON {
        let body = try await JSONText(environment: environment).object(incoming)
        // A client must not choose the uid.
        let further = environment.makes(.uidFromBody) ? ["uid"] : []
        let fields = try Fields(body, known: ["client_id", "provider", "credential"] + further)
        let (client, provider) = (try fields.text("client_id", upTo: 128), try fields.text("provider", upTo: 128))
        let object = try fields.object("credential")
        let credential = try Credential(object, environment: environment)
        try incoming.checkOrigin(of: Client.named(client, environment: environment))
        let identity = try await identity(by: credential, client: try admit(client, provider), provider: provider)
        let uid = further.isEmpty ? nil : body["uid"]?.string ?? object["uid"]?.string
        return .object(try await members(of: identity, asking: uid))
    }

    /// Verifies a credential and returns the identity.
    ///
    /// `ignoresAudience` is true at an endpoint that lacks the audience check, by mistake.
    func identity(
        by credential: Credential, client: Client, provider: String, ignoresAudience: Bool = false
    ) async throws(Refusal) -> Identity {
        switch (credential, provider) {
        case (.code(let code, let redirectURI, let verifier, let nonce), _):
            guard client.providerRedirectURIs.contains(where: { same($0, redirectURI) }) else { throw .redirectURI }
            if provider == Yahoo.id {
                guard verifier == nil else { throw .parameterNotAllowed }
                guard let nonce else { throw .missing("nonce") }
                return try await yahoo.identity(code: code, redirectURI: redirectURI, nonce: nonce)
            }
            guard verifier != nil || environment.makes(.verifierOptional) else { throw .proofKeyRequired }
            guard verifier.map(Challenge.isVerifier) ?? true else { throw .malformedBody }
            guard nonce == nil else { throw .parameterNotAllowed }
            return try await x.identity(code: code, redirectURI: redirectURI, codeVerifier: verifier)
        case (.idToken(let idToken, let nonce, let accessToken), Yahoo.id):
            guard let nonce else { throw .missing("nonce") }
            let name = try nonces.name(of: nonce, client: client.id, provider: provider)
            return try await yahoo.identity(
                idToken: idToken, accessToken: accessToken, nonce: (NonceIssuer.nonce(of: nonce), name),
                ignoresAudience: ignoresAudience)
        case (.pair(let token, let secret, let nonce, let claimedID), X.id):
            if environment.makes(.pairUnverified), let claimedID {
                return Identity(provider: X.id, subject: claimedID, profile: [:], proof: "none")
            }
            if environment.makes(.pairReplayable) {
                return try await x.identity(token: token, secret: secret, nonce: nil)
            }
            // The pair does not expire, so a fresh nonce makes the request valid only once.
            guard let nonce else { throw .missing("nonce") }
            let name = try nonces.name(of: nonce, client: client.id, provider: provider)
            return try await x.identity(token: token, secret: secret, nonce: name)
        case (.accessToken(let token), Yahoo.id) where environment.makes(.bearerOfYahoo):
            return try await yahoo.identity(bearer: token)
        case (.accessToken(let token), X.id) where environment.makes(.bearerOfX):
            return try await x.identity(bearer: token, proof: "userinfo")
        // An access token does not say to which application it was issued.
        case (.accessToken, _): throw .audienceUnverifiable
        case (.pending(let text), _):
            guard let identity = nonces.seal.identity(in: text, client: client.id) else { throw .sessionInvalid }
            return identity
        // This backend never issues credentials of these types.
        case (.foreign, _): throw .sessionInvalid
        case (.idToken, _), (.pair, _): throw .unsupportedCredential
        }
    }
}

/// The proof of an identity in a request.
enum Credential: Sendable {
    case code(String, redirectURI: String, verifier: String?, nonce: String?)
    case idToken(String, nonce: String?, accessToken: String?)
    /// `claimedID` is not verified.
    case pair(token: String, secret: String, nonce: String?, claimedID: String?)
    case accessToken(String)
    /// A sealed identity, which is accepted only because of a mistake.
    case pending(String)
    /// A type of the API that this backend does not implement.
    case foreign

    init(_ object: JSON, environment: BackendEnvironment) throws(Refusal) {
        guard let type = object["type"] else { throw .missing("credential.type") }
        let known = try Self.known(type.string ?? "", environment)
        let fields = try Fields(object, known: ["type"] + known + (environment.makes(.uidFromBody) ? ["uid"] : []))
        switch type.string {
        case "authorization_code":
            self = .code(
                try fields.text("code", upTo: 4096), redirectURI: try fields.text("redirect_uri"),
                verifier: try fields.optionalText("code_verifier", upTo: 1024),
                nonce: try fields.optionalText("nonce"))
        case "id_token":
            self = .idToken(
                try fields.text("id_token", upTo: environment.makes(.unboundedBody) ? Int.max : 32 * 1024),
                nonce: try fields.text("nonce"),
                accessToken: try fields.optionalText("access_token", upTo: 16 * 1024))
        case "oauth1_token":
            self = .pair(
                token: try fields.text("oauth_token"), secret: try fields.text("oauth_token_secret"),
                nonce: try fields.optionalText("nonce"),
                claimedID: environment.makes(.pairUnverified) ? try fields.optionalText("user_id") : nil)
        case "access_token":
            self = .accessToken(try fields.text("access_token", upTo: 16 * 1024))
            _ = try fields.optionalText("nonce")
        case "pending" where environment.makes(.identitySealed):
            self = .pending(try fields.text("pending_credential", upTo: 60 * 1024))
        default:
            for name in known { _ = try fields.text(name, upTo: 60 * 1024) }
            self = .foreign
        }
    }

    /// The members that a type allows.
    ///
    /// A credential with members of two types is refused.
    private static func known(_ type: String, _ environment: BackendEnvironment) throws(Refusal) -> [String] {
        switch type {
        case "authorization_code": ["code", "redirect_uri", "code_verifier", "nonce"]
        case "id_token": ["id_token", "nonce", "access_token"]
        case "oauth1_token":
            ["oauth_token", "oauth_token_secret", "nonce"] + (environment.makes(.pairUnverified) ? ["user_id"] : [])
        case "access_token": ["access_token", "nonce"]
        case "callback": ["session", "callback_url"]
        case "pending": ["pending_credential"]
        default: throw .unknownCredentialType.with(input: type)
        }
    }
}
