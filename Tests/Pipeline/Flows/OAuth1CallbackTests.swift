import Accounts
import Exchange
import Flows
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("Callbacks of OAuth 1.0a")
struct OAuth1CallbackTests {
    /// A callback that does not belong to the flow is refused, asks nobody, and leaves the flow as good as before.
    private func check(
        _ query: String, is expected: Refusal, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let deployment = try Deployment()
        let flow = try await Way.xOAuth1Callback.begin(in: deployment)
        await expectRefusal(expected, sourceLocation: sourceLocation) {
            try await deployment.finish(flow, flow.callback(query), of: X.id)
        }
        #expect(deployment.peer.requests(to: X.accessToken).isEmpty, sourceLocation: sourceLocation)
        #expect(deployment.store.calls.isEmpty, sourceLocation: sourceLocation)
        _ = try await deployment.finish(flow, flow.callback(verifier: "7588892"), of: X.id)
    }

    @Test("A callback with the flow's request token ends it, under a signature with that token's secret")
    func baseline() async throws {
        let deployment = try Deployment()
        let flow = try await Way.xOAuth1Callback.begin(in: deployment)
        let outcome = try await deployment.finish(flow, flow.callback(verifier: "7588892"), of: X.id)
        #expect(outcome.account.uid.text == "twitter.com:" + X.userID)
        let request = try #require(deployment.peer.requests(to: X.accessToken).first)
        let audit = try #require(OAuth1Audit(request))
        #expect(audit.isSigned(consumerSecret: X.consumerSecret, tokenSecret: "request-secret"))
        #expect(audit.parameters["oauth_verifier"] == "7588892")
        #expect(outcome.providerTokens?.oauthTokenSecret?.secretText == X.oauthTokenSecret)
    }

    @Test(
        "O1-08, O1-10: A callback with another request token, or with none, is refused",
        arguments: [
            "oauth_token=another&oauth_verifier=v", "oauth_token=&oauth_verifier=v", "oauth_verifier=v",
            "oauth_token=Request-Token&oauth_verifier=v", "oauth_token=request-token%20&oauth_verifier=v", "a=b",
        ])
    func otherToken(_ query: String) async throws {
        try await check(query, is: .stateMismatch)
    }

    @Test(
        "O1-09: A callback without a verifier is refused, and the log says what it has",
        arguments: [
            ("", CallbackFault.noVerifier), ("&oauth_verifier=", .noVerifier), ("&code=c", .codeForVerifier),
        ])
    func noVerifier(_ rest: String, _ fault: CallbackFault) async throws {
        try await check("oauth_token=request-token" + rest, is: .malformedCallback(fault))
    }

    @Test("O1-12: A user who presses cancel ends the flow")
    func denied() async throws {
        let deployment = try Deployment()
        let flow = try await Way.xOAuth1Callback.begin(in: deployment)
        await expectRefusal(ProviderRefusal.accessDenied.refusal) {
            try await deployment.finish(flow, flow.callback("denied=request-token"), of: X.id)
        }
        #expect(deployment.store.spentKinds == [.session])
        #expect(deployment.peer.requests(to: X.accessToken).isEmpty)
        await expectRefusal(Refusal.replayed(.session)) {
            try await deployment.finish(flow, flow.callback(verifier: "v"), of: X.id)
        }
    }

    @Test("O1-12: Cancelling another flow ends nothing", arguments: ["denied=another", "denied="])
    func deniedOther(_ query: String) async throws {
        try await check(query, is: .stateMismatch)
        try await check(query + "&oauth_token=request-token&oauth_verifier=v", is: .stateMismatch)
    }

    @Test(
        "O1-14: A response with a repeated parameter, or in the wrong form, is refused",
        arguments: [
            ("oauth_token=request-token&oauth_verifier=v&oauth_verifier=w", CallbackFault.repeated),
            ("oauth_token=request-token&oauth_token=another&oauth_verifier=v", .repeated),
            ("oauth_token=request-token&oauth_verifier=%zz", .unreadable),
            ("oauth_token=request-token&oauth_verifier=v#x", .fragment),
            ("oauth_token=request-token&oauth_verifier=v&access_token=t", .token),
        ])
    func malformed(_ query: String, _ fault: CallbackFault) async throws {
        try await check(query, is: .malformedCallback(fault))
    }

    @Test("X2-11: A response of OAuth 2.0 does not end a flow of OAuth 1.0a")
    func answerOfOAuth2() async throws {
        let deployment = try Deployment()
        let other = try await Way.xOAuth2Callback.begin(in: deployment)
        try await check("code=c&state=" + (other.parameters["state"] ?? ""), is: .stateMismatch)
        try await check("code=c&state=request-token", is: .stateMismatch)
    }

    @Test("X2-11: Nor the reverse")
    func answerOfOAuth1() async throws {
        let deployment = try Deployment()
        let flow = try await Way.xOAuth2Callback.begin(in: deployment)
        let state = flow.parameters["state"] ?? ""
        for query in ["oauth_token=request-token&oauth_verifier=v", "oauth_token=\(state)&oauth_verifier=v"] {
            await expectRefusal(Refusal.stateMissing) {
                try await deployment.finish(flow, flow.callback(query), of: X.id)
            }
        }
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("If X issues the same request token twice, it can still be used only once")
    func sameRequestToken() async throws {
        let deployment = try Deployment()
        let first = try await Way.xOAuth1Callback.begin(in: deployment)
        let second = try await Way.xOAuth1Callback.begin(in: deployment)
        _ = try await deployment.finish(first, first.callback(verifier: "v"), of: X.id)
        await expectRefusal(Refusal.replayed(.authorizationCode)) {
            try await deployment.finish(second, second.callback(verifier: "w"), of: X.id)
        }
        #expect(deployment.peer.requests(to: X.accessToken).count == 1)
    }
}
