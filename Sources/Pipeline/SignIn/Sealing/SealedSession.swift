internal import JOSE
internal import Jansson
internal import OAuth
internal import Stores

/// The content of a session: all that must be known again when the person comes back.
struct SealedSession {
    static let lifetime = Duration.seconds(600)

    let id: String
    let provider: String
    let redirectURI: String
    let expiresAt: NumericDate
    let binding: Binding

    /// What ties the callback to this session.
    enum Binding {
        /// `state` against forged callbacks, `nonce` and PKCE against injected codes.
        case authorizationCode(state: String, nonce: String?, codeVerifier: String?, maximumAge: Int64?)
        /// OAuth 1.0a has no `state`: the request token itself is the binding.
        case temporaryCredentials(identifier: String, sharedSecret: String)
    }

    var json: JSON {
        var members: [String: JSON] = [
            "id": .string(id), "provider": .string(provider), "redirect_uri": .string(redirectURI),
            "exp": .integer(expiresAt.seconds),
        ]
        switch binding {
        case .authorizationCode(let state, let nonce, let codeVerifier, let maximumAge):
            members["state"] = .string(state)
            members["nonce"] = nonce.map(JSON.string)
            members["code_verifier"] = codeVerifier.map(JSON.string)
            members["max_age"] = maximumAge.map(JSON.integer)
        case .temporaryCredentials(let identifier, let sharedSecret):
            members["oauth_token"] = .string(identifier)
            members["oauth_token_secret"] = .string(sharedSecret)
        }
        return .object(members)
    }

    init(id: String, provider: String, redirectURI: String, expiresAt: NumericDate, binding: Binding) {
        self.id = id
        self.provider = provider
        self.redirectURI = redirectURI
        self.expiresAt = expiresAt
        self.binding = binding
    }

    init?(_ content: JSON) {
        guard
            let id = content["id"]?.string, let provider = content["provider"]?.string,
            let redirectURI = content["redirect_uri"]?.string, let expiry = content["exp"]?.integer
        else { return nil }
        let binding: Binding
        if let state = content["state"]?.string {
            binding = .authorizationCode(
                state: state, nonce: content["nonce"]?.string, codeVerifier: content["code_verifier"]?.string,
                maximumAge: content["max_age"]?.integer)
        } else if let identifier = content["oauth_token"]?.string,
            let sharedSecret = content["oauth_token_secret"]?.string
        {
            binding = .temporaryCredentials(identifier: identifier, sharedSecret: sharedSecret)
        } else {
            return nil
        }
        self.init(
            id: id, provider: provider, redirectURI: redirectURI, expiresAt: NumericDate(expiry),
            binding: binding)
    }

    var record: SpentRecord {
        SpentRecord(.session, of: [Array(id.utf8)], expiresAt: expiresAt + .seconds(60))
    }
}
