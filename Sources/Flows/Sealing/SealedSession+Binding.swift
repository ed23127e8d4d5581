internal import Jansson

extension SealedSession {
    /// What ties the provider's answer to one flow.
    enum Binding {
        /// `state` against forged callbacks, `nonce` and PKCE against injected codes.
        case authorizationCode(state: String, nonce: String?, codeVerifier: String?, maximumAge: Int64?)
        /// OAuth 1.0a has no `state`: the request token itself is the binding.
        case temporaryCredentials(identifier: String, sharedSecret: String)

        /// What the answer will bring back.
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
