import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Posted token credentials of OAuth 1.0a")
struct PostedPairTests {
    private let proof: Proof
    private let deployment: Deployment

    init() throws {
        proof = try Proof()
        deployment = proof.deployment
        deployment.scriptX()
    }

    private func verify(_ pair: TokenCredentials = X.pair, nonce: UInt8 = 1) async throws -> VerifiedIdentity {
        try await deployment.verifier.verify(
            pair, nonce: proof.nonceRecord(nonce), with: deployment.xOAuth1, of: deployment.x)
    }

    /// Expects an error for a response.
    ///
    /// The error says whether the nonce was given back.
    private func check(
        _ answer: ScriptedAnswer, is expected: Refusal, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        deployment.peer.script(.get, X.verifyCredentials, answer)
        await expectRefusal(expected, sourceLocation: sourceLocation) { try await verify() }
        #expect(deployment.store.spentKinds == (expected.isUnspent ? [] : [.nonce]), sourceLocation: sourceLocation)
    }

    @Test("A pair that X accepts under this server's signature proves the identity that X returns")
    func baseline() async throws {
        let identity = try await verify()
        #expect(identity.provider == X.id)
        #expect(identity.subject.text == X.userID)
        #expect(identity.audienceProof == .consumerSignature)
        #expect(identity.profile.screenName == "XDevelopers")
        #expect(identity.tokens.accessToken?.secretText == X.oauthToken)
        #expect(identity.tokens.oauthTokenSecret?.secretText == X.oauthTokenSecret)
        #expect(identity.returnable.map(\.kind) == [.nonce])
        #expect(deployment.store.calls == [.spend([.nonce])])
        let request = try #require(deployment.peer.requests.first)
        #expect(deployment.peer.requests.count == 1)
        let audit = try #require(OAuth1Audit(request))
        #expect(audit.isSigned(consumerSecret: X.consumerSecret, tokenSecret: X.oauthTokenSecret))
        #expect(audit.parameters["oauth_consumer_key"] == X.consumerKey)
    }

    @Test(
        "O1-01, O1-18: A pair that X refuses under this server's signature is refused",
        arguments: [#"{"errors":[{"code":89}]}"#, #"{"errors":[{"code":32}]}"#, "Could not authenticate you"])
    func foreignPair(_ body: String) async {
        await check(.json(body, status: 401), is: .pairRejected)
        #expect(deployment.peer.requests(to: X.usersMe).isEmpty)
    }

    @Test("The operator reads why X refuses a pair, from either endpoint", arguments: [401, 403])
    func words(_ status: Int) async throws {
        let answer = ScriptedAnswer.json(
            #"{"errors":[{"code":32,"message":"Could not authenticate you."}]}"#, status: 401)
        deployment.peer.script(.get, X.verifyCredentials, status == 401 ? answer : .status(status))
        deployment.peer.script(.get, X.usersMe, answer)
        let refusal = await #expect(throws: (any Error).self) { try await verify() }.map(Refusal.init)
        #expect(refusal?.finding?.contains("it was revoked, or issued to another consumer key") == true)
        #expect(refusal?.words == "code: 32; message: Could not authenticate you.")
    }

    @Test("O1-06: A repeated request causes only one call to X")
    func replay() async throws {
        _ = try await verify()
        await expectRefusal(Refusal.replayed(.nonce)) { try await verify() }
        #expect(deployment.peer.requests.count == 1)
    }

    @Test("O1-06: Fifty parallel copies of a request cause only one call to X")
    func parallel() async throws {
        let successes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { (try? await verify()) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(successes == 1)
        #expect(deployment.peer.requests.count == 1)
    }

    @Test("The same pair with another nonce is another sign-in")
    func otherNonce() async throws {
        _ = try await verify(nonce: 1)
        #expect(try await verify(nonce: 2).subject.text == X.userID)
    }

    @Test("O1-06: A nonce is spent before the call to X, and stays spent if X may have received the call")
    func nonceSpent() async {
        let error = TransportError.timedOut(host: "api.x.com", requestSent: true)
        await check(.failure(error), is: ProviderFailure.noAnswer(error).refusal.spent)
    }

    @Test("O1-06: If the nonce cannot be spent, X is not called")
    func storeFails() async throws {
        deployment.store.fail(atCall: 1)
        await expectRefusal(StoreError.unavailable(.busy).refusal.unspent) {
            try await verify()
        }
        #expect(deployment.peer.requests.isEmpty)
    }

    @Test(
        "O1-06: The nonce is given back if X cannot have received the call",
        arguments: [
            TransportError.unreachable(host: "api.x.com"), .untrusted(host: "api.x.com"),
            .timedOut(host: "api.x.com", requestSent: false), .overloaded(host: "api.x.com"),
        ])
    func nothingArrived(_ error: TransportError) async throws {
        await check(.failure(error), is: ProviderFailure.noAnswer(error).refusal.unspent)
        deployment.peer.script(.get, X.verifyCredentials, .json(X.person()))
        #expect(try await verify().subject.text == X.userID)
    }

    @Test("O1-19: The nonce is given back if X refuses the call for now")
    func busy() async {
        await check(.status(503), is: ProviderFailure.unavailable(retryAfter: nil).refusal.unspent)
        deployment.peer.script(.get, X.usersMe, .status(429))
        await check(.status(429), is: ProviderFailure.throttled(retryAfter: nil).refusal.unspent)
    }

    @Test("If the store cannot give the nonce back, the error says so")
    func givingBackFails() async {
        deployment.peer.script(.get, X.verifyCredentials, .status(503))
        deployment.store.fail(atCall: 2)
        await expectRefusal(ProviderFailure.unavailable(retryAfter: nil).refusal.spent) {
            try await verify()
        }
        #expect(deployment.store.spentKinds == [.nonce])
    }

    @Test(
        "If verify_credentials is refused by price or tier, users/me decides under the same signature",
        arguments: [402, 403, 404, 410, 429])
    func fallback(_ status: Int) async throws {
        deployment.peer.script(.get, X.verifyCredentials, .status(status))
        let identity = try await verify()
        #expect(identity.subject.text == X.userID)
        #expect(identity.audienceProof == .consumerSignature)
        let request = try #require(deployment.peer.requests(to: X.usersMe).first)
        #expect(
            try #require(OAuth1Audit(request)).isSigned(
                consumerSecret: X.consumerSecret, tokenSecret: X.oauthTokenSecret))
    }

    @Test("O1-01: A pair that users/me refuses then is refused")
    func fallbackRefuses() async throws {
        deployment.peer.script(.get, X.usersMe, .status(401))
        await check(.status(403), is: .pairRejected)
    }

    @Test(
        "If both endpoints are refused to the registration, the pair proves no identity",
        arguments: [(402, ClientRefusal.credit), (403, .unknownReason)])
    func bothClosed(_ status: Int, _ refusal: ClientRefusal) async {
        deployment.peer.script(.get, X.usersMe, .status(status))
        await check(.status(status), is: ProviderFailure.refusedClient(refusal).refusal.spent)
    }

    private static let mapping = ProfileMapping(subject: "/id_str", form: .decimalText)

    @Test(
        "O1-04: A response without a valid id_str is refused",
        arguments: [
            #"{"id":2244994945}"#, #"{"id_str":2244994945}"#, #"{"id_str":"-1"}"#, #"{"id_str":"x"}"#,
            "{}", #"{"id_str":""}"#,
        ])
    func noID(_ body: String) async throws {
        let failure = ProviderFailure.noUserID(at: Self.mapping, in: try JSON.parse(tolerantly: Array(body.utf8)))
        await check(.json(body), is: failure.refusal.spent)
    }

    @Test("An error in place of the person is told as such")
    func errorInPlaceOfPerson() async {
        let failure = ProviderFailure.refusedProfile(.user, status: 200, says: "code: 32")
        await check(.json(#"{"errors":[{"code":32}]}"#), is: failure.refusal.spent)
    }

    @Test("O1-14: An HTML page or malformed JSON is refused")
    func garbage() async {
        await check(.page(), is: ProviderFailure.notJSON(.user, "a page").refusal.spent)
    }

    @Test("O1-14: A repeated id is refused")
    func twice() async {
        await check(
            .json(#"{"id_str":"1","id_str":"2"}"#),
            is: ProviderFailure.noUserID(at: Self.mapping, in: .object(["id_str": .null])).refusal.spent)
    }

    @Test("O1-15: A redirect is not followed", arguments: [301, 302, 307])
    func redirect(_ status: Int) async {
        await check(
            .status(status, header: [HeaderField("Location", "https://evil.example/")]),
            is: ProviderFailure.refusedProfile(.user, status: status, says: "redirects to https://evil.example/...")
                .refusal.spent)
        #expect(deployment.peer.requests.count == 1)
    }

    @Test(
        "O1-05: Any characters of a pair reach X as one signed value",
        arguments: ["a&b=c", "a,b\"c", "a\r\nHost: evil.example", "é %", "\0"])
    func encoding(_ text: String) async throws {
        _ = try await verify(TokenCredentials(identifier: Secret(text), sharedSecret: Secret(text)))
        let request = try #require(deployment.peer.requests.first)
        let audit = try #require(OAuth1Audit(request))
        #expect(audit.parameters["oauth_token"] == text)
        #expect(audit.isSigned(consumerSecret: X.consumerSecret, tokenSecret: text))
        let field = try #require(request[field: "Authorization"])
        #expect(!field.utf8.contains { $0 < 0x20 || $0 >= 0x7F })
    }

    @Test("Without randomness X is not called")
    func noRandomness() async throws {
        deployment.random.fail(atCall: 1)
        await expectRefusal(RandomFailure().refusal) { try await verify() }
        #expect(deployment.peer.requests.isEmpty)
    }
}
