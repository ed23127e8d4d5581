package import OAuth
package import Providers
internal import Transport

/// Where a provider takes a token back, and as whom it is asked to (RFC 7009 §2.1).
package struct Revocation: Sendable {
    fileprivate let endpoint: String
    fileprivate let clientID: String
    fileprivate let authentication: ClientAuthentication
    fileprivate let timeout: Duration
    fileprivate let queue: CallQueue
}

extension Exchanger {
    /// - Returns: nil where the provider takes no token back.
    /// - Throws: ``ExchangeError/provider(_:givenBack:)`` where its discovery document cannot be had.
    package func revocation(at provider: Provider) async throws(ExchangeError) -> Revocation? {
        if let openIDConnect = provider.openIDConnect {
            do {
                return Revocation(
                    try await openIDConnect.endpoints().revocation, clientID: openIDConnect.clientID,
                    authentication: openIDConnect.clientAuthentication, of: provider)
            } catch {
                throw .provider(.document(error), givenBack: true)
            }
        }
        guard let oauth2 = provider.oauth2 else { return nil }
        return Revocation(
            oauth2.revocationEndpoint, clientID: oauth2.clientID, authentication: oauth2.clientAuthentication,
            of: provider)
    }

    /// Ends a token at the provider that issued it.
    ///
    /// - Throws: ``ExchangeError/provider(_:givenBack:)``; a token that the provider does not know is no error there.
    package func revoke(_ token: Secret, by revocation: Revocation) async throws(ExchangeError) {
        let response: OutboundResponse
        do {
            response = try await transport.send(
                .post(
                    revocation.endpoint, form: [("token", token.secretText)], clientID: revocation.clientID,
                    authentication: revocation.authentication, timeout: revocation.timeout
                ).queued(in: revocation.queue))
        } catch {
            throw .provider(.noAnswer(error), givenBack: true)
        }
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
