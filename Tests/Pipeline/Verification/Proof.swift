import Exchange
import JOSE
import Providers
import Standards
import Stores
import Support
import Verification

/// A deployment for verifying ID tokens, with a valid one.
struct Proof {
    static let nonce = "the-nonce"
    static let audiences = [Yahoo.clientID, Yahoo.phoneClientID]

    let deployment: Deployment

    init(_ change: (inout DeploymentPlan) -> Void = { _ in }) throws {
        deployment = try Deployment(change)
    }

    /// A valid ID token of Yahoo.
    var token: IDTokenBuilder { .yahoo(nonce: Self.nonce, at: deployment.clock.now) }

    /// Returns the record of a nonce of this server, which differs by its number.
    func nonceRecord(_ number: UInt8 = 1) -> SpentRecord {
        SpentRecord(.nonce, of: [[number]], issuedAt: nil, expiresAt: deployment.clock.now + .seconds(660))
    }

    /// Verifies a posted ID token.
    func verify(
        _ token: IDTokenBuilder, accessToken: String? = nil, nonces: [String] = [nonce], record: SpentRecord? = nil
    ) async throws -> VerifiedIdentity {
        try await verify(token.compact(), accessToken: accessToken, nonces: nonces, record: record)
    }

    func verify(
        _ text: String, accessToken: String? = nil, nonces: [String] = [nonce], record: SpentRecord? = nil
    ) async throws -> VerifiedIdentity {
        let identity = try await deployment.verifier.verify(
            UnverifiedIDToken(text), accessToken: accessToken.map(AccessToken.init),
            with: deployment.openIDConnect(of: deployment.yahoo), of: deployment.yahoo,
            nonce: ExpectedNonce(values: nonces, record: record))
        return try await deployment.verifier.completed(identity)
    }

    /// Verifies the ID token of a code of Yahoo.
    func redeem(
        _ token: IDTokenBuilder, code: String = "code", nonces: [String] = [nonce], record: SpentRecord? = nil,
        maximumAuthenticationAge: Duration? = nil
    ) async throws -> VerifiedIdentity {
        try deployment.scriptYahoo(token)
        return try await redeemAsScripted(
            code: code, nonces: nonces, record: record, maximumAuthenticationAge: maximumAuthenticationAge)
    }

    func redeemAsScripted(
        code: String = "code", nonces: [String] = [nonce], record: SpentRecord? = nil,
        maximumAuthenticationAge: Duration? = nil
    ) async throws -> VerifiedIdentity {
        let openIDConnect = try deployment.openIDConnect(of: deployment.yahoo)
        let tokens = try await deployment.exchanger.exchange(
            AuthorizationGrant(
                code: Secret(code), redirectURI: DeploymentPlan.redirectURI, codeVerifier: nil),
            with: openIDConnect, of: deployment.yahoo)
        let identity = try await deployment.verifier.verify(
            tokens, with: openIDConnect, of: deployment.yahoo, nonce: ExpectedNonce(values: nonces, record: record),
            maximumAuthenticationAge: maximumAuthenticationAge)
        return try await deployment.verifier.completed(identity)
    }
}
