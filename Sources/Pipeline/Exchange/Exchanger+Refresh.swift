internal import JOSE
package import Providers
package import Standards
internal import Transport

extension Exchanger {
    /// Refreshes tokens with this server's client credentials (RFC 6749 §6).
    ///
    /// The refresh token is not recorded as spent: whether it may be used again is the provider's decision.
    ///
    /// - Returns: The new tokens. An ID token among them is not verified yet.
    /// - Throws: `Refusal`, `ProviderFailure` or `DocumentError`; unspent if the provider did not take the refresh token.
    package func refresh(
        _ refreshToken: RefreshToken, at provider: Provider
    ) async throws -> FreshTokens {
        if let openIDConnect = provider.openIDConnect {
            let endpoints = try await openIDConnect.endpoints()
            // Without keys a new ID token could not be verified, and a refresh token that is valid once would be lost.
            _ = try await openIDConnect.keys.value()
            return try await refresh(
                refreshToken, as: openIDConnect.client(at: endpoints), errorCodes: openIDConnect.errorCodes,
                of: provider)
        }
        guard let oauth2 = provider.oauth2 else {
            throw Refusal(
                .unsupportedCredential,
                "This deployment uses only OAuth 1.0a with this provider, which has no refresh tokens. Use the pair of "
                    + "tokens from the sign-in, which does not expire.",
                isUnspent: true)
        }
        return try await refresh(refreshToken, as: oauth2.client, errorCodes: oauth2.errorCodes, of: provider)
    }

    private func refresh(
        _ refreshToken: RefreshToken, as client: ProviderClient, errorCodes: ErrorCodes, of provider: Provider
    ) async throws -> FreshTokens {
        let request = try client.post(
            form: [("grant_type", "refresh_token"), ("refresh_token", refreshToken.secret.secretText)],
            timeout: provider.timeout, time: time, random: random)
        let response = try await send(request, of: provider)
        do throws(Refusal) {
            return FreshTokens(
                tokens(
                    try TokenResponse.parse(
                        response, to: request, by: client, codes: errorCodes, isOpenID: provider.openIDConnect != nil),
                    of: provider))
        } catch  where error.reason == .codeRejected {
            throw Refusal(
                .tokenRejected,
                "The provider rejected the refresh token. Usually it is wrong, expired, revoked or used, or was issued to another "
                    + "client. Sign in at the provider again."
            ).quoting(error.words)
        }
    }
}
