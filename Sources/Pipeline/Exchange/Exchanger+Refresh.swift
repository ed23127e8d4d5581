internal import JOSE
package import Providers
package import Standards
internal import Stores
internal import Transport

extension Exchanger {
    /// Refreshes tokens with this server's client credentials (RFC 6749 §6).
    ///
    /// The refresh token is not recorded as spent: whether it may be used again is the provider's decision.
    ///
    /// - Parameters:
    ///   - refreshToken: The refresh token.
    ///   - provider: The provider.
    /// - Returns: The new tokens. An ID token among them is not verified yet.
    /// - Throws: ``ExchangeError/refreshTokenRejected``, ``ExchangeError/refreshUnsupported``, or
    ///   ``ExchangeError/provider(_:)``; unspent if the provider did not take the refresh token.
    package func refresh(
        _ refreshToken: RefreshToken, at provider: Provider
    ) async throws(ExchangeFailure) -> FreshTokens {
        if let openIDConnect = provider.openIDConnect {
            let failure = { (error: DocumentError) in ExchangeFailure(.provider(.document(error)), isUnspent: true) }
            let endpoints = try await wrapping(failure, await openIDConnect.endpoints())
            // Without keys a new ID token could not be verified, and a refresh token that is valid once would be lost.
            _ = try await wrapping(failure, await openIDConnect.keys.value())
            return try await refresh(
                refreshToken, endpoint: endpoints.token, clientID: openIDConnect.clientID,
                authentication: openIDConnect.clientAuthentication, errorCodes: .none, of: provider)
        }
        guard let oauth2 = provider.oauth2 else { throw ExchangeFailure(.refreshUnsupported, isUnspent: true) }
        return try await refresh(
            refreshToken, endpoint: oauth2.tokenEndpoint, clientID: oauth2.clientID,
            authentication: oauth2.clientAuthentication, errorCodes: oauth2.errorCodes, of: provider)
    }

    private func refresh(
        _ refreshToken: RefreshToken, endpoint: String, clientID: String, authentication: ClientAuthentication,
        errorCodes: ErrorCodes, of provider: Provider
    ) async throws(ExchangeFailure) -> FreshTokens {
        let request = OutboundRequest.post(
            endpoint, form: [("grant_type", "refresh_token"), ("refresh_token", refreshToken.secret.secretText)],
            clientID: clientID, authentication: authentication, timeout: provider.timeout
        ).queued(in: provider.queue(.token))
        let response: OutboundResponse
        do {
            response = try await transport.send(request)
        } catch {
            let failure = ProviderFailure.noAnswer(error)
            throw ExchangeFailure(.provider(failure), isUnspent: failure.leavesCredentialUnspent)
        }
        do {
            return FreshTokens(tokens(try TokenResponse.parse(response, codes: errorCodes), of: provider))
        } catch {
            guard error.reason == .codeRejected else { throw error }
            throw ExchangeFailure(.refreshTokenRejected)
        }
    }
}
