internal import JOSE
internal import Jansson
internal import Providers
internal import Standards
internal import Stores
internal import Transport
package import Verification

extension Deployment {
    /// Returns an identity at Yahoo, verified by an ID token that was never used before.
    ///
    /// `change` modifies the token before it is signed.
    package func yahooIdentity(
        subject: String = Yahoo.subject, _ change: (inout IDTokenBuilder) -> Void = { _ in }
    ) async throws -> VerifiedIdentity {
        var token = IDTokenBuilder.yahoo(nonce: "nonce", at: clock.now)
        token.claims["sub"] = .string(subject)
        token.claims["jti"] = .string(try random.source.unguessableText())
        change(&token)
        return try await verifier.verify(
            token.token(), accessToken: nil, with: openIDConnect(of: yahoo), of: yahoo,
            nonce: ExpectedNonce(values: ["nonce"]))
    }

    /// Returns an identity at X, verified by token credentials.
    package func xIdentity(id: String = X.userID) async throws -> VerifiedIdentity {
        scriptX(id: id)
        return try await verifier.completed(
            verifier.verify(X.pair, nonce: freshNonce(), with: xOAuth1, of: x))
    }

    /// Returns an identity at the generic provider, verified by introspection, which accepts a subject of any form.
    package func genericIdentity(subject: String) async throws -> VerifiedIdentity {
        scriptIntrospection(changing: ["sub": .string(subject)])
        scriptUserInfo(Generic.userInfo, subject: subject)
        return try await verifier.completed(
            verifier.verify(
                AccessToken(Generic.accessToken), nonce: freshNonce(), with: openIDConnect(of: generic), of: generic))
    }

    private func freshNonce() throws -> SpentRecord {
        SpentRecord(.nonce, of: [try random.source.bytes(32)], issuedAt: nil, expiresAt: clock.now + .seconds(660))
    }
}
