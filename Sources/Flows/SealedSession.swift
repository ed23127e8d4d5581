internal import JOSE
internal import Jansson
internal import OAuth
internal import Stores

/// The content of a session: everything that the server needs when the person comes back from the provider.
struct SealedSession {
    static let lifetime = Duration.seconds(600)

    let id: String
    let provider: String
    let redirectURI: String
    let expiresAt: NumericDate
    let binding: Binding
    /// `true` if the authorization request had `prompt=none`.
    let isSilent: Bool
    /// Nil to sign in.
    let intent: AccountIntent?

    var beganAt: NumericDate { expiresAt - Self.lifetime }

    var json: JSON {
        var members: [String: JSON] = [
            "id": .string(id), "provider": .string(provider), "redirect_uri": .string(redirectURI),
            "exp": .integer(expiresAt.seconds),
        ]
        if isSilent { members["silent"] = .bool(true) }
        members["intent"] = intent?.json
        return .object(members.merging(binding.members) { $1 })
    }

    init(
        id: String, provider: String, redirectURI: String, expiresAt: NumericDate, binding: Binding,
        isSilent: Bool, intent: AccountIntent?
    ) {
        self.id = id
        self.provider = provider
        self.redirectURI = redirectURI
        self.expiresAt = expiresAt
        self.binding = binding
        self.isSilent = isSilent
        self.intent = intent
    }

    init?(_ content: JSON) {
        guard
            let id = content["id"]?.string, let provider = content["provider"]?.string,
            let redirectURI = content["redirect_uri"]?.string, let expiry = content["exp"]?.integer,
            let binding = Binding(content)
        else { return nil }
        self.init(
            id: id, provider: provider, redirectURI: redirectURI, expiresAt: NumericDate(expiry),
            binding: binding, isSilent: content["silent"]?.bool ?? false,
            intent: content["intent"].flatMap(AccountIntent.init))
    }

    var record: SpentRecord {
        SpentRecord(
            .session, of: [Array(id.utf8)], issuedAt: beganAt, expiresAt: expiresAt + .seconds(60))
    }
}

extension SealedSession {
    /// The values that tie the provider's response to one flow.
    enum Binding {
        /// `state` protects against forged callbacks, `nonce` and PKCE against injected codes.
        case authorizationCode(state: String, nonce: String?, codeVerifier: String?, maximumAge: Int64?)
        /// OAuth 1.0a has no `state`: the request token itself is the binding.
        case temporaryCredentials(identifier: String, sharedSecret: String)

        /// The value that the response will contain: `state`, or the request token.
        var handle: String {
            switch self {
            case .authorizationCode(let state, _, _, _): state
            case .temporaryCredentials(let identifier, _): identifier
            }
        }

        var members: [String: JSON] {
            var members: [String: JSON] = [:]
            switch self {
            case .authorizationCode(let state, let nonce, let codeVerifier, let maximumAge):
                members["state"] = .string(state)
                members["nonce"] = nonce.map(JSON.string)
                members["code_verifier"] = codeVerifier.map(JSON.string)
                members["max_age"] = maximumAge.map(JSON.integer)
            case .temporaryCredentials(let identifier, let sharedSecret):
                members["oauth_token"] = .string(identifier)
                members["oauth_token_secret"] = .string(sharedSecret)
            }
            return members
        }

        init?(_ content: JSON) {
            if let state = content["state"]?.string {
                self = .authorizationCode(
                    state: state, nonce: content["nonce"]?.string, codeVerifier: content["code_verifier"]?.string,
                    maximumAge: content["max_age"]?.integer)
            } else if let identifier = content["oauth_token"]?.string,
                let sharedSecret = content["oauth_token_secret"]?.string
            {
                self = .temporaryCredentials(identifier: identifier, sharedSecret: sharedSecret)
            } else {
                return nil
            }
        }
    }
}
