package import OAuth
package import Providers
internal import Transport

extension Exchanger {
    /// Ends a token at the provider that issued it (RFC 7009 §2.1).
    ///
    /// - Returns: false where the provider has no endpoint for it.
    /// - Throws: ``ExchangeError/provider(_:givenBack:)``; a token that the provider does not know is no error there.
    package func revoke(_ token: Secret, at provider: Provider) async throws(ExchangeError) -> Bool {
        if let openIDConnect = provider.openIDConnect {
            let endpoint: String?
            do {
                endpoint = try await openIDConnect.endpoints().revocation
            } catch {
                throw .provider(.document(error), givenBack: true)
            }
            return try await revoke(
                token, endpoint: endpoint, clientID: openIDConnect.clientID,
                authentication: openIDConnect.clientAuthentication, of: provider)
        }
        guard let oauth2 = provider.oauth2 else { return false }
        return try await revoke(
            token, endpoint: oauth2.revocationEndpoint, clientID: oauth2.clientID,
            authentication: oauth2.clientAuthentication, of: provider)
    }

    private func revoke(
        _ token: Secret, endpoint: String?, clientID: String, authentication: ClientAuthentication,
        of provider: Provider
    ) async throws(ExchangeError) -> Bool {
        guard let endpoint else { return false }
        let response: OutboundResponse
        do {
            response = try await transport.send(
                .post(
                    endpoint, form: [("token", token.secretText)], clientID: clientID, authentication: authentication,
                    timeout: provider.timeout))
        } catch {
            throw .provider(.noAnswer(error), givenBack: true)
        }
        guard response.status == 200 else { throw .provider(ProviderFailure(response), givenBack: true) }
        return true
    }
}
