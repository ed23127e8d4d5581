package import OpenSSL

/// The registration of an application at one of the providers of ``ProviderStandIn``.
package struct ProviderRegistration: Sendable, Equatable {
    package let clientID: String
    package let clientSecret: String
    /// They are compared exactly, but a loopback URI without a port matches every port (RFC 8252 §7.3).
    package internal(set) var redirectURIs: [String]

    /// The key of ``SandboxApplication/ours`` for a provider whose secrets are signed, of this process.
    package static let signingKey = Result { () throws(OpenSSLError) in try P256PrivateKey.generate() }
    package static let signingKeyID = "SANDBOX001"
    package static let signingTeamID = "SANDBOXTEA"
}

extension SandboxApplication {
    /// The registration at a provider when the sandbox starts.
    package func registration(at provider: DocumentedProvider) -> ProviderRegistration {
        let isOurs = name == Self.ours.name
        return ProviderRegistration(
            clientID: "sandbox-\(name)-at-\(provider.id)",
            // Characters that `Basic` and forms encode (RFC 6749 §2.3.1).
            clientSecret: "sandbox+secret/of=\(name)",
            redirectURIs: isOurs
                ? [
                    "http://127.0.0.1:8080/callback/\(provider.id)", "com.example.app:/\(provider.id)",
                    "http://127.0.0.1/callback",
                ] : ["http://127.0.0.1:6666/callback", "com.example.hostile:/provider", "http://127.0.0.1/hostile"])
    }
}
