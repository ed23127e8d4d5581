package import Exchange
internal import JOSE
package import Providers
package import Standards

/// Tokens that a provider issued for a refresh token, and the person to whom they belong.
///
/// It is no ``VerifiedIdentity``: a refresh token does not show that the person is present, so that it signs in to no
/// account.
package struct RefreshedTokens: Sendable {
    /// The provider's identifier of the person.
    package let subject: Subject
    package let tokens: ReturnedTokens
}

extension Verifier {
    /// Finds out to whom refreshed tokens belong: by the ID token among them, or by the user endpoint.
    ///
    /// The user endpoint accepts the tokens of every application. Its response is sufficient only because `FreshTokens`
    /// were issued to this server.
    ///
    /// - Throws: `JOSEError`, `Refusal`, `ProviderFailure` or `DocumentError`.
    package func owner(
        of refreshed: FreshTokens, at provider: Provider
    ) async throws -> RefreshedTokens {
        let subject: Subject
        do {
            subject = try await self.subject(of: refreshed, at: provider)
        } catch {
            throw Refusal(error).ofIssuedTokenIfAtFault
        }
        return RefreshedTokens(
            subject: subject,
            tokens: ReturnedTokens(
                accessToken: refreshed.accessToken?.secret, idToken: refreshed.idToken?.secret,
                refreshToken: refreshed.refreshToken?.secret, oauthTokenSecret: nil, expiresIn: refreshed.expiresIn,
                scope: refreshed.scope))
    }

    private static let needsRefreshedIDToken =
        "The provider sends no ID token for a refresh token (OpenID Connect Core section 12.2), and its userinfo does not show to whom "
        + "the tokens belong. If it has a setting by which it sends one, switch that on; otherwise these tokens cannot be refreshed "
        + "here, and the application lets the user sign in again."

    private func subject(
        of refreshed: FreshTokens, at provider: Provider
    ) async throws -> Subject {
        guard let accessToken = refreshed.accessToken else {
            throw refreshed.deviation ?? ProviderFailure.malformedResponse("access_token")
        }
        if let openIDConnect = provider.openIDConnect {
            if let idToken = refreshed.idToken {
                return try await subject(of: idToken, beside: accessToken, with: openIDConnect)
            }
            let endpoints = try await openIDConnect.endpoints()
            // Only an ID token has further claims that identify the person, such as the tenant.
            guard let endpoint = endpoints.userInfo, openIDConnect.subjectClaims == ["sub"] else {
                throw ProviderFailure.malformedResponse("id_token", advice: Self.needsRefreshedIDToken)
            }
            return try await userInfoSubject(accessToken, at: endpoint, with: openIDConnect, of: provider)
        }
        guard let oauth2 = provider.oauth2 else { throw Refusal.audienceUnverifiable }
        return try await ask(accessToken, with: oauth2, of: provider).subject
    }

    /// Verifies a refreshed ID token (OpenID Connect Core §12.2).
    ///
    /// It need not contain the nonce of the authorization request, which is no longer known here. The caller compares the
    /// subject with that of the linked identity.
    private func subject(
        of idToken: UnverifiedIDToken, beside accessToken: AccessToken, with openIDConnect: OpenIDConnect
    ) async throws -> Subject {
        let jws = try CompactJWS.parse(
            idToken.secret.secretText, maximumBytes: CompactJWS.maximumDirectBytes)
        let claims = try await signed(jws, with: openIDConnect)
        let expectation = ClaimsExpectation(
            issuers: try await issuers(of: claims, with: openIDConnect), audiences: [openIDConnect.clientID],
            trustedAudiences: openIDConnect.furtherClientIDs + openIDConnect.trustedAudiences,
            authorizedParties: [openIDConnect.clientID] + openIDConnect.furtherClientIDs,
            nonce: .uncheckedBecauseProviderSendsNone,
            maximumAge: nil, maximumLifetime: openIDConnect.maximumLifetime, clockSkew: openIDConnect.clockSkew,
            maximumAuthenticationAge: nil)
        try check(claims, expectation, from: .redeemed)
        if claims["at_hash"] != nil {
            try AccessTokenHash.check(claims, accessToken: accessToken.secret.secretText)
        }
        return try openIDConnect.requiredSubject(of: claims)
    }
}
