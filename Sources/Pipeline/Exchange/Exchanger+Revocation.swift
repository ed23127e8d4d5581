internal import JOSE
package import Providers
package import Standards
internal import Stores
internal import Transport

/// The revocation endpoint of a provider, and this server's client at that provider (RFC 7009 §2.1).
package struct Revocation: Sendable {
    fileprivate let endpoint: String
    fileprivate let clientID: String
    fileprivate let authentication: ClientAuthentication
    fileprivate let provider: Provider
}

extension Exchanger {
    /// Finds the revocation endpoint of a provider.
    ///
    /// - Parameter provider: The provider.
    /// - Returns: The endpoint; `nil` if the provider has none.
    /// - Throws: `DocumentError` if its discovery document cannot be fetched.
    package func revocation(at provider: Provider) async throws -> Revocation? {
        if let openIDConnect = provider.openIDConnect {
            let endpoints = try await openIDConnect.endpoints()
            return Revocation(
                endpoints.revocation, clientID: openIDConnect.clientID,
                authentication: openIDConnect.clientAuthentication, of: provider)
        }
        guard let oauth2 = provider.oauth2 else { return nil }
        return Revocation(
            oauth2.revocationEndpoint, clientID: oauth2.clientID, authentication: oauth2.clientAuthentication,
            of: provider)
    }

    /// Revokes a token at the provider that issued it.
    ///
    /// - Parameters:
    ///   - token: The token. Providers accept one that they do not know (RFC 7009 §2.2).
    ///   - revocation: The endpoint.
    /// - Throws: `ProviderFailure` if the provider does not confirm.
    package func revoke(_ token: Secret, by revocation: Revocation) async throws {
        let request = OutboundRequest.post(
            revocation.endpoint, form: [("token", token.secretText)], clientID: revocation.clientID,
            authentication: revocation.authentication, timeout: revocation.provider.timeout)
        try await withoutCredential {
            let response = try await transport.send(request.addressed(to: revocation.provider, .token))
            guard response.status == 200 else { throw ProviderFailure(response) }
        }
    }
}

extension Revocation {
    fileprivate init?(
        _ endpoint: String?, clientID: String, authentication: ClientAuthentication, of provider: Provider
    ) {
        guard let endpoint else { return nil }
        self.init(
            endpoint: endpoint, clientID: clientID, authentication: authentication, provider: provider)
    }
}
