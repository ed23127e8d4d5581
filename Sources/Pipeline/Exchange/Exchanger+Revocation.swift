package import OAuth
package import Providers
internal import Transport
internal import Wrapping

/// A provider's revocation endpoint, and this server's client there (RFC 7009 §2.1).
package struct Revocation: Sendable {
    fileprivate let endpoint: String
    fileprivate let clientID: String
    fileprivate let authentication: ClientAuthentication
    fileprivate let timeout: Duration
    fileprivate let queue: CallQueue
}

extension Exchanger {
    /// Finds the revocation endpoint of a provider.
    ///
    /// - Parameter provider: The provider.
    /// - Returns: The endpoint; `nil` if the provider has none.
    /// - Throws: ``ExchangeError/provider(_:givenBack:)`` if its discovery document cannot be fetched.
    package func revocation(at provider: Provider) async throws(ExchangeError) -> Revocation? {
        if let openIDConnect = provider.openIDConnect {
            let endpoints = try await wrapping(
                { ExchangeError.provider(.document($0), givenBack: true) }, await openIDConnect.endpoints())
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
    /// - Throws: ``ExchangeError/provider(_:givenBack:)`` if the provider does not confirm.
    package func revoke(_ token: Secret, by revocation: Revocation) async throws(ExchangeError) {
        let request = OutboundRequest.post(
            revocation.endpoint, form: [("token", token.secretText)], clientID: revocation.clientID,
            authentication: revocation.authentication, timeout: revocation.timeout)
        let response = try await wrapping(
            { ExchangeError.provider(.noAnswer($0), givenBack: true) },
            await transport.send(request.queued(in: revocation.queue)))
        guard response.status == 200 else { throw .provider(ProviderFailure(response), givenBack: true) }
    }
}

extension Revocation {
    fileprivate init?(
        _ endpoint: String?, clientID: String, authentication: ClientAuthentication, of provider: Provider
    ) {
        guard let endpoint else { return nil }
        self.init(
            endpoint: endpoint, clientID: clientID, authentication: authentication, timeout: provider.timeout,
            queue: provider.queue(.token))
    }
}
