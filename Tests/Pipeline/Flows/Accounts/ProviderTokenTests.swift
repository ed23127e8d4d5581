import Accounts
import Exchange
import Flows
import JOSE
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Refreshed tokens of providers")
struct ProviderTokenTests {
    private static let revocation = Yahoo.issuer + "/oauth2/revoke"
    private static let revocationOfX = X.api + "/2/oauth2/revoke"
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
        deployment.peer.script(.post, Self.revocation, .status(200))
        deployment.scriptX()
        deployment.peer.script(.post, Self.revocationOfX, .status(200))
    }

    /// Refreshes as the user of an account that signed in by `way`.
    private func refresh(_ way: Way) async throws -> RefreshOutcome {
        try await deployment.flows.accounts.refresh(
            deployment.user(way.uid),
            RefreshRequest(
                client: DeploymentPlan.app, provider: way.provider, refreshToken: RefreshToken("refresh-token")))
    }

    /// Makes Yahoo answer the refresh with an ID token, after the sign-in.
    private func scriptRefresh(_ change: (inout IDTokenBuilder) -> Void) throws {
        var token = IDTokenBuilder.yahoo(nonce: "nonce", at: deployment.clock.now)
        token.claims["nonce"] = nil
        change(&token)
        deployment.peer.script(
            .post, Yahoo.token, .json(try Deployment.tokens(token, accessToken: Yahoo.accessToken)))
    }

    @Test("An ID token that came along shows the person; it needs no nonce")
    func idToken() async throws {
        _ = try await deployment.exchange(deployment.fresh(.yahooCode), of: Yahoo.id)
        try scriptRefresh { _ in }
        let outcome = try await refresh(.yahooCode)
        #expect(outcome.tokens.accessToken?.secretText == Yahoo.accessToken)
        #expect(outcome.tokens.idToken != nil)
        let request = try #require(deployment.peer.requests(to: Yahoo.token).last)
        #expect(try request.form["grant_type"] == "refresh_token")
        #expect(try request.form["refresh_token"] == "refresh-token")
        #expect(request[field: "Authorization"]?.hasPrefix("Basic ") == true)
        #expect(deployment.peer.requests(to: Self.revocation).isEmpty)
    }

    @Test("An ID token of another person is refused, and the tokens are revoked")
    func otherPerson() async throws {
        _ = try await deployment.exchange(deployment.fresh(.yahooCode), of: Yahoo.id)
        try scriptRefresh { $0.claims["sub"] = .string("another") }
        await expectRefusal(Refusal.userMismatch.spent) { try await refresh(.yahooCode) }
        let revoked = try deployment.peer.requests(to: Self.revocation).compactMap { try $0.form["token"] }
        #expect(revoked == ["refresh-token", Yahoo.accessToken])
    }

    @Test("An ID token for another audience or of another issuer is refused, and the tokens are revoked")
    func invalidIDToken() async throws {
        _ = try await deployment.exchange(deployment.fresh(.yahooCode), of: Yahoo.id)
        for (claim, value, error) in [
            ("aud", JSON.string("another"), JOSEError.audienceMismatch(expected: [Yahoo.clientID])),
            ("iss", .string("https://other.example"), .issuerMismatch(expected: [Yahoo.issuer])),
        ] {
            try scriptRefresh { $0.claims[claim] = value }
            await expectRefusal(error.refusal.ofIssuedToken) { try await refresh(.yahooCode) }
        }
        #expect(deployment.peer.requests(to: Self.revocation).count == 4)
    }

    @Test("X: the id of users/me must be that of the linked identity")
    func x() async throws {
        _ = try await deployment.exchange(deployment.fresh(.xCode), of: X.id)
        #expect(try await refresh(.xCode).tokens.accessToken?.secretText == "x-access-token")
        deployment.peer.script(.get, X.usersMe, .json(X.me(id: "1580661436132757506")))
        await expectRefusal(Refusal.userMismatch.spent) { try await refresh(.xCode) }
        #expect(!deployment.peer.requests(to: Self.revocationOfX).isEmpty)
    }

    @Test("A refresh token that the provider replaces survives one passing failure of the call that shows the person")
    func replacedRefreshToken() async throws {
        _ = try await deployment.exchange(deployment.fresh(.xCode), of: X.id)
        deployment.peer.script(.post, X.token, .json(#"{"access_token":"x-access-token","refresh_token":"next"}"#))
        deployment.peer.script(.get, X.usersMe, .status(503), .json(X.me()))
        #expect(try await refresh(.xCode).tokens.refreshToken?.secretText == "next")
        #expect(deployment.peer.requests(to: Self.revocationOfX).isEmpty)
        deployment.peer.script(.get, X.usersMe, .status(503))
        await expectRefusal(ProviderFailure.unavailable(retryAfter: nil).refusal.spent) { try await refresh(.xCode) }
        let revoked = try deployment.peer.requests(to: Self.revocationOfX).compactMap { try $0.form["token"] }
        #expect(revoked == ["next", "x-access-token"])
    }

    @Test(
        "A passing failure of that call leaves a refresh token that the provider does not replace usable",
        arguments: [
            X.tokens, #"{"access_token":"x-access-token","refresh_token":"refresh-token"}"#,
        ])
    func keptRefreshToken(tokens: String) async throws {
        _ = try await deployment.exchange(deployment.fresh(.xCode), of: X.id)
        deployment.peer.script(.post, X.token, .json(tokens))
        let failure = TransportError.timedOut(host: "api.x.com", requestSent: true)
        deployment.peer.script(.get, X.usersMe, .failure(failure))
        await expectRefusal(failure.refusal.unspent) { try await refresh(.xCode) }
        #expect(deployment.peer.requests(to: Self.revocationOfX).isEmpty)
    }

    @Test("A refused refresh token is reported as such, and a busy provider may be asked again")
    func refusals() async throws {
        _ = try await deployment.exchange(deployment.fresh(.yahooCode), of: Yahoo.id)
        for status in [400, 401] {
            deployment.peer.script(.post, Yahoo.token, .json(#"{"error":"INVALID_REFRESH_TOKEN"}"#, status: status))
            await expectRefusal(Reason.tokenRejected) {
                try await refresh(.yahooCode)
            }
        }
        deployment.peer.script(.post, Yahoo.token, .status(503))
        await expectRefusal(ProviderFailure.unavailable(retryAfter: nil).refusal.unspent) {
            try await refresh(.yahooCode)
        }
    }
}
