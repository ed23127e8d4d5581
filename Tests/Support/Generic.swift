package import Standards

/// An OpenID Provider with discovery and introspection.
package enum Generic {
    package static let id = ProviderID("oidc.example")
    package static let clientID = "generic-client"
    package static let clientSecret = "generic-client-secret"
    package static let issuer = "https://id.example"
    package static let metadata = issuer + "/.well-known/openid-configuration"
    package static let authorization = issuer + "/authorize"
    package static let token = issuer + "/token"
    package static let userInfo = issuer + "/userinfo"
    package static let keys = issuer + "/jwks"
    package static let introspection = issuer + "/introspect"
    package static let subject = "248289761001"
    package static let accessToken = "generic-access-token"

    /// The metadata document of the provider; `members` replace members, or set them to `null`.
    package static func metadataText(changing members: [String: String] = [:]) -> String {
        var document = [
            "issuer": #""\#(issuer)""#, "authorization_endpoint": #""\#(authorization)""#,
            "token_endpoint": #""\#(token)""#, "userinfo_endpoint": #""\#(userInfo)""#, "jwks_uri": #""\#(keys)""#,
        ]
        for (name, value) in members { document[name] = value }
        return "{" + document.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
            + "}"
    }
}
