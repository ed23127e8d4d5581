internal import OAuth
internal import Octets

extension Provider {
    /// Whether an application may ask for these scopes beside the configured ones.
    ///
    /// - `flow`: the default one where nil; nothing is allowed by a flow that the provider does not have. OAuth 1.0a
    ///   has no scopes: what a token may do is a setting at the provider.
    package func allows(scopes: [String], flow: String?) -> Bool {
        let configured: [String]
        switch protocols[flow ?? defaultFlow] {
        case .openIDConnect(let openIDConnect): configured = openIDConnect.scopes
        case .oauth2(let oauth2): configured = oauth2.scopes
        case .oauth1: return scopes.isEmpty
        case nil: return false
        }
        return scopes.allSatisfy { configured.containsExactly($0) || allowedScopes.containsExactly($0) }
    }

    /// `true` if an application may set this parameter of the authorization request.
    package func allows(parameter name: String) -> Bool {
        allowedParameters.containsExactly(name)
    }
}
