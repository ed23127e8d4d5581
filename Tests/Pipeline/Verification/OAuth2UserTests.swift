import Exchange
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("X's user endpoint")
struct OAuth2UserTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
        deployment.scriptX()
    }

    private func verify(code: String = "code") async throws -> VerifiedIdentity {
        let oauth2 = try deployment.xOAuth2
        let tokens = try await deployment.exchanger.exchange(
            AuthorizationGrant(code: Secret(code), redirectURI: DeploymentPlan.redirectURI, codeVerifier: nil),
            with: oauth2, of: deployment.x)
        return try await deployment.verifier.verify(tokens, with: oauth2, of: deployment.x)
    }

    private func check(
        _ answer: ScriptedAnswer, is failure: ProviderFailure, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        deployment.peer.script(.get, X.usersMe, answer)
        await expectRefusal(
            failure.refusal.spent, sourceLocation: sourceLocation
        ) { try await verify() }
        #expect(deployment.store.spentKinds == [.authorizationCode], sourceLocation: sourceLocation)
    }

    @Test("The token of a redeemed code is sent to users/me, which returns the id")
    func baseline() async throws {
        let identity = try await verify()
        #expect(identity.provider == X.id)
        #expect(identity.subject.text == X.userID)
        #expect(identity.audienceProof == .authorizationCode)
        #expect(identity.profile.screenName == "XDevelopers")
        #expect(identity.profile.email == "dev@example.org")
        #expect(identity.profile.isEmailVerified == true)
        #expect(identity.tokens.accessToken?.secretText == "x-access-token")
        #expect(identity.tokens.scope == "tweet.read users.read users.email")
        #expect(identity.tokens.oauthTokenSecret == nil)
        #expect(identity.returnable.isEmpty)
        let request = try #require(deployment.peer.requests(to: X.usersMe).first)
        #expect(request.isPaid)
        #expect(request[field: "Authorization"] == "Bearer x-access-token")
        #expect(try request.query["user.fields"] == "id,name,username,profile_image_url,confirmed_email")
        #expect(!request.url.contains("x-access-token"))
    }

    @Test("With a body the request is a POST, and it has the header fields of the registration")
    func ownRequest() async throws {
        var oauth2 = try deployment.xOAuth2
        oauth2.user.body = #"{"query":"{viewer{id}}"}"#
        oauth2.user.header = ["x-api-key": "a1b2"]
        deployment.peer.script(.post, X.usersMe, .json(X.me(id: X.userID)))
        let tokens = try await deployment.exchanger.exchange(
            AuthorizationGrant(code: Secret("code"), redirectURI: DeploymentPlan.redirectURI, codeVerifier: nil),
            with: oauth2, of: deployment.x)
        let identity = try await deployment.verifier.verify(tokens, with: oauth2, of: deployment.x)
        #expect(identity.subject.text == X.userID)
        let request = try #require(deployment.peer.requests(to: X.usersMe).first)
        #expect(request.method == .post && request.body == Array(#"{"query":"{viewer{id}}"}"#.utf8))
        #expect(request[field: "Authorization"] == "Bearer x-access-token" && request[field: "x-api-key"] == "a1b2")
        #expect(request[field: "Content-Type"] == "application/json")
    }

    @Test("If X refuses the request with the address, it is repeated once without", arguments: [400, 403])
    func withoutEmail(_ status: Int) async throws {
        deployment.peer.script(
            .get, X.usersMe, .json(#"{"title":"Forbidden"}"#, status: status),
            .json(#"{"data":{"id":"2244994945","username":"XDevelopers"}}"#))
        let identity = try await verify()
        #expect(identity.subject.text == X.userID)
        #expect(identity.profile.email == nil && identity.profile.isEmailVerified == nil)
        #expect(identity.profileRefusal == .refusedProfile(.user, status: status, says: "title: Forbidden"))
        let requests = deployment.peer.requests(to: X.usersMe)
        #expect(requests.count == 2)
        #expect(try requests.last?.query["user.fields"] == "id,name,username,profile_image_url")
    }

    @Test("If X refuses the second request as well, there is no third one")
    func refusedTwice() async throws {
        await check(.status(403), is: .refusedClient(.unknownReason))
        #expect(deployment.peer.requests(to: X.usersMe).count == 2)
    }

    @Test("If the address was not requested, the request is not repeated")
    func noEmailAsked() async throws {
        let deployment = try Deployment { $0.xScopes = ["tweet.read", "users.read"] }
        deployment.scriptX()
        deployment.peer.script(.get, X.usersMe, .status(403))
        let oauth2 = try deployment.xOAuth2
        let tokens = try await deployment.exchanger.exchange(
            AuthorizationGrant(code: Secret("c"), redirectURI: DeploymentPlan.redirectURI, codeVerifier: nil),
            with: oauth2, of: deployment.x)
        await expectRefusal(ProviderFailure.refusedClient(.unknownReason).refusal.spent) {
            try await deployment.verifier.verify(tokens, with: oauth2, of: deployment.x)
        }
        #expect(deployment.peer.requests(to: X.usersMe).count == 1)
    }

    @Test(
        "A refusal by tier, credit or load is a failure of X, and the code stays spent",
        arguments: [
            (402, ProviderFailure.refusedClient(.credit)), (429, .throttled(retryAfter: nil)),
            (503, .unavailable(retryAfter: nil)), (500, .failed(status: 500)),
            (302, .refusedProfile(.user, status: 302)),
            (404, .refusedProfile(.user, status: 404)),
        ])
    func closed(_ status: Int, _ failure: ProviderFailure) async {
        await check(.status(status), is: failure)
        #expect(deployment.peer.requests(to: X.usersMe).count == 1)
    }

    @Test(
        "A person whom X has suspended, locked or deleted is reported as such",
        arguments: [(403, 63), (403, 64), (403, 326), (404, 50)])
    func suspended(_ status: Int, _ code: Int) async {
        await check(
            .json(#"{"errors":[{"code":\#(code),"message":"x"}]}"#, status: status), is: .accountDisabled)
    }

    @Test("If X has suspended the person, the request is not repeated without the address")
    func suspendedOnce() async throws {
        deployment.peer.script(
            .get, X.usersMe, .json(#"{"errors":[{"code":64}]}"#, status: 403), .json(X.me(id: X.userID)))
        await expectRefusal(ProviderFailure.accountDisabled.refusal.spent) { try await verify() }
        #expect(deployment.peer.requests(to: X.usersMe).count == 1)
    }

    @Test("A registration without a project is distinguished from one without the access tier")
    func enrolment() async {
        await check(
            .json(
                #"""
                {"title":"Client Forbidden","reason":"client-not-enrolled",
                "type":"https://api.twitter.com/2/problems/client-forbidden"}
                """#, status: 403), is: .refusedClient(.enrolment))
    }

    @Test("A refusal whose reason is not known is no access tier, and the operator reads what X says")
    func unknownReason() async throws {
        let says = """
            Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint. Supported authentication types are \
            [OAuth 1.0a User Context, OAuth 2.0 User Context].
            """
        let body = JSON.object([
            "title": .string("Unsupported Authentication"), "status": .integer(403),
            "detail": .string(says.replacing("endpoint. ", with: "endpoint.  ")),
            "type": .string("https://api.twitter.com/2/problems/unsupported-authentication"),
        ])
        deployment.peer.script(
            .get, X.usersMe, .json(String(decoding: body.serialized(), as: UTF8.self), status: 403))
        let refusal = await #expect(throws: Refusal.self) { try await verify() }
        #expect(refusal == ProviderFailure.refusedClient(.unknownReason).refusal.spent)
        #expect(refusal?.words == "title: Unsupported Authentication; detail: \(says)")
        let advice = (refusal?.cause as? any AdvisingCause)?.advice ?? ""
        #expect(advice.contains("type of the registration") && !advice.contains("tier"), "\(advice)")
    }

    @Test("If X refuses a token that it has just issued, the failure is that of X")
    func unknownToken() async {
        await check(.status(401), is: .refusedProfile(.user, status: 401))
    }

    @Test("O1-19: A missing response is a failure of X")
    func noAnswer() async {
        let error = TransportError.unreachable(host: "api.x.com")
        await check(.failure(error), is: .noAnswer(error))
    }

    @Test(
        "X2-04: A response without the id is refused",
        arguments: [
            "{}", #"{"data":{}}"#, #"{"data":{"id":2244994945}}"#, #"{"data":{"id":["2244994945"]}}"#,
            #"{"data":{"id":""}}"#, #"{"id":"2244994945"}"#,
            #"{"data":null}"#, #"{"data":{"id":"x"}}"#,
        ])
    func noID(_ body: String) async throws {
        let mapping = ProfileMapping(subject: "/data/id", form: .decimalText)
        await check(.json(body), is: .noUserID(at: mapping, in: try JSON.parse(tolerantly: Array(body.utf8))))
    }

    @Test("X2-04: A response with only an error is told as one")
    func onlyError() async {
        await check(
            .json(#"{"errors":[{"title":"Not Found"}]}"#),
            is: .refusedProfile(.user, status: 200, says: "title: Not Found"))
    }

    @Test("A response that is not JSON is refused")
    func noJSON() async {
        await check(.page(), is: .notJSON(.user, "a page"))
    }

    @Test("X2-04: An error about another part than the id does not matter")
    func partialError() async throws {
        deployment.peer.script(
            .get, X.usersMe, .json(#"{"data":{"id":"2244994945"},"errors":[{"title":"x"}],"id":"1"}"#))
        #expect(try await verify().subject.text == X.userID)
    }
}
