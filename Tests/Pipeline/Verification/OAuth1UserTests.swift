import Exchange
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Users of OAuth 1.0a flows")
struct OAuth1UserTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
        deployment.scriptX()
    }

    /// The script contains the response of X's token endpoint.
    private func verify() async throws -> VerifiedIdentity {
        let oauth1 = try deployment.xOAuth1
        let tokens = try await deployment.exchanger.exchange(
            verifier: Secret("7588892"),
            for: TemporaryCredentials(identifier: Secret("request-token"), sharedSecret: Secret("request-secret")),
            with: oauth1, of: deployment.x)
        return try await deployment.verifier.completed(
            deployment.verifier.verify(tokens, with: oauth1, of: deployment.x))
    }

    private func scriptNoUserID() {
        deployment.peer.script(
            .post, X.accessToken, .form("oauth_token=\(X.oauthToken)&oauth_token_secret=\(X.oauthTokenSecret)"))
    }

    @Test("The id is the one that X sent with the token, and verify_credentials adds the profile")
    func baseline() async throws {
        let identity = try await verify()
        #expect(identity.provider == X.id)
        #expect(identity.subject.text == X.userID)
        #expect(identity.audienceProof == .authorizationCode)
        #expect(identity.profile.name == "X Dev")
        #expect(identity.profile.screenName == "XDevelopers")
        #expect(identity.profile.email == "dev@example.org")
        #expect(identity.tokens.accessToken?.secretText == X.oauthToken)
        #expect(identity.tokens.oauthTokenSecret?.secretText == X.oauthTokenSecret)
        #expect(identity.tokens.idToken == nil)
        #expect(identity.returnable.isEmpty)
        #expect(deployment.peer.requests(to: X.usersMe).isEmpty)
        let request = try #require(deployment.peer.requests(to: X.verifyCredentials).first)
        let audit = try #require(OAuth1Audit(request))
        #expect(audit.isSigned(consumerSecret: X.consumerSecret, tokenSecret: X.oauthTokenSecret))
        #expect(audit.parameters["oauth_token"] == X.oauthToken)
        #expect(try request.query["include_email"] == "true")
        #expect(!request.url.contains(X.oauthTokenSecret) && !request.url.contains(X.consumerSecret))
    }

    @Test(
        "If verify_credentials is refused by price or tier, users/me is called under the same signature",
        arguments: [402, 403, 404, 410])
    func fallback(_ status: Int) async throws {
        deployment.peer.script(
            .get, X.verifyCredentials, .json(#"{"errors":[{"code":453,"message":"x"}]}"#, status: status))
        let identity = try await verify()
        #expect(identity.subject.text == X.userID)
        #expect(identity.profile.name == "X Dev")
        let request = try #require(deployment.peer.requests(to: X.usersMe).first)
        let audit = try #require(OAuth1Audit(request))
        #expect(audit.isSigned(consumerSecret: X.consumerSecret, tokenSecret: X.oauthTokenSecret))
    }

    @Test(
        "If both are refused permanently, the id is still the one that X sent with the token",
        arguments: [
            (402, ProviderFailure.refusedClient(.credit)), (403, .refusedProfile(.user, status: 403)),
            (401, .refusedProfile(.user, status: 401)),
        ])
    func bothClosed(_ status: Int, _ failure: ProviderFailure) async throws {
        deployment.peer.script(.get, X.verifyCredentials, .status(status))
        deployment.peer.script(.get, X.usersMe, .status(status))
        let identity = try await verify()
        #expect(identity.subject.text == X.userID)
        #expect(identity.isProfileWhole)
        #expect(identity.profileRefusal == failure)
        #expect(identity.profile.screenName == "XDevelopers")
        #expect(identity.profile.name == nil && identity.profile.email == nil)
    }

    @Test("The advice about a refused profile names no key that the section of X does not have")
    func advice() async throws {
        let answer = ScriptedAnswer.json(
            #"{"errors":[{"code":32,"message":"Could not authenticate you."}]}"#, status: 401)
        deployment.peer.script(.get, X.verifyCredentials, answer)
        deployment.peer.script(.get, X.usersMe, answer)
        let refusal = try await verify().profileRefusal
        #expect(
            refusal == .refusedProfile(.user, status: 401, says: "code: 32; message: Could not authenticate you."))
        let advice = try #require(refusal?.advice)
        #expect(advice.contains("compare the address of its user endpoint") && !advice.contains("endpoints."))
    }

    @Test("If the address is refused permanently, an outage of users/me costs only the name")
    func fallbackOutage() async throws {
        deployment.peer.script(.get, X.verifyCredentials, .status(403))
        deployment.peer.script(.get, X.usersMe, .status(500))
        let identity = try await verify()
        #expect(identity.isProfileWhole)
        #expect(identity.profileRefusal == .refusedProfile(.user, status: 403))
    }

    @Test(
        "A temporary failure of verify_credentials is not taken for a response, and no other call is made",
        arguments: [
            (429, ProviderFailure.throttled(retryAfter: nil)), (500, .failed(status: 500)),
            (503, .unavailable(retryAfter: nil)),
        ])
    func passing(_ status: Int, _ failure: ProviderFailure) async {
        deployment.peer.script(.get, X.verifyCredentials, .status(status))
        await expectRefusal(failure.refusal) { try await verify() }
        #expect(deployment.peer.requests(to: X.usersMe).isEmpty)
    }

    @Test(
        "A person whom X has suspended, locked or deleted is reported as such",
        arguments: [(403, 63), (403, 64), (403, 326), (404, 50)])
    func suspended(_ status: Int, _ code: Int) async {
        deployment.peer.script(
            .get, X.verifyCredentials, .json(#"{"errors":[{"code":\#(code),"message":"x"}]}"#, status: status))
        await expectRefusal(ProviderFailure.accountDisabled.refusal) { try await verify() }
        #expect(deployment.peer.requests(to: X.usersMe).isEmpty)
    }

    @Test("O1-14: If verify_credentials is about another person, no identity is proven")
    func mismatch() async throws {
        deployment.peer.script(.get, X.verifyCredentials, .json(X.person(id: "12345")))
        await expectRefusal(ProviderFailure.otherPersonInUserInfo.refusal) {
            try await verify()
        }
    }

    @Test("O1-14: If users/me is about another person, no identity is proven")
    func fallbackMismatch() async throws {
        deployment.peer.script(.get, X.verifyCredentials, .status(403))
        deployment.peer.script(.get, X.usersMe, .json(X.me(id: "12345")))
        await expectRefusal(ProviderFailure.otherPersonInUserInfo.refusal) {
            try await verify()
        }
    }

    @Test("If X sends no id with the token, it comes from verify_credentials")
    func noUserID() async throws {
        scriptNoUserID()
        let identity = try await verify()
        #expect(identity.subject.text == X.userID)
        #expect(identity.audienceProof == .authorizationCode)
    }

    @Test("If verify_credentials is refused, the id comes from users/me")
    func noUserIDAndFallback() async throws {
        scriptNoUserID()
        deployment.peer.script(.get, X.verifyCredentials, .status(403))
        #expect(try await verify().subject.text == X.userID)
    }

    @Test("If no response contains an id, no identity is proven and nothing is given back")
    func noIDAtAll() async throws {
        scriptNoUserID()
        deployment.peer.script(.get, X.verifyCredentials, .status(429))
        deployment.peer.script(.get, X.usersMe, .status(429))
        await expectRefusal(ProviderFailure.throttled(retryAfter: nil).refusal.spent) {
            try await verify()
        }
        #expect(deployment.store.spentKinds == [.authorizationCode])
    }

    @Test("The id does not come from the token's own text")
    func tokenPrefix() async throws {
        deployment.peer.script(
            .post, X.accessToken, .form("oauth_token=999-abc&oauth_token_secret=s&user_id=\(X.userID)"))
        #expect(try await verify().subject.text == X.userID)
    }
}
