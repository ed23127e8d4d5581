import Exchange
import Flows
import Providers
import Standards
import Stores
import Support
import Testing
import Transport

@Suite("Exchange of OAuth 1.0a verifiers")
struct OAuth1ExchangeTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
        deployment.scriptX()
    }

    private func exchange(token: String = "request-token", verifier: String = "7588892") async throws
        -> ProviderTokens
    {
        try await deployment.exchanger.exchange(
            verifier: Secret(verifier),
            for: TemporaryCredentials(identifier: Secret(token), sharedSecret: Secret("request-secret")),
            with: deployment.xOAuth1, of: deployment.x)
    }

    private func check(
        _ answer: ScriptedAnswer, is expected: Refusal, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        deployment.peer.script(.post, X.accessToken, answer)
        await expectRefusal(expected, sourceLocation: sourceLocation) { try await exchange() }
    }

    private func malformed(_ part: String) -> Refusal {
        ProviderFailure.malformedResponse(part).refusal.spent
    }

    @Test("A verifier is exchanged for token credentials, and for the id that X sends with them")
    func baseline() async throws {
        let tokens = try await exchange()
        #expect(tokens.provider == X.id)
        #expect(tokens.tokenCredentials?.identifier.secretText == X.oauthToken)
        #expect(tokens.tokenCredentials?.sharedSecret.secretText == X.oauthTokenSecret)
        #expect(tokens.userID?.text == X.userID)
        #expect(tokens.screenName == "XDevelopers")
        #expect(tokens.idToken == nil && tokens.accessToken == nil && tokens.refreshToken == nil)
        #expect(deployment.store.spentKinds == [.authorizationCode])
    }

    @Test("O1-17: The request is signed with the client's and the request token's secret, and contains neither")
    func request() async throws {
        _ = try await exchange(verifier: "a&b=c")
        let request = try #require(deployment.peer.requests.first)
        #expect(request.url == X.accessToken)
        #expect(request.body.isEmpty)
        let audit = try #require(OAuth1Audit(request))
        #expect(audit.parameters["oauth_verifier"] == "a&b=c")
        #expect(audit.isSigned(consumerSecret: X.consumerSecret, tokenSecret: "request-secret"))
        #expect(audit.parameters["oauth_token"] == "request-token")
        let texts = [request.url, request[field: "Authorization"] ?? "", String(decoding: request.body, as: UTF8.self)]
        for text in texts {
            #expect(!text.contains(X.consumerSecret) && !text.contains("request-secret"))
        }
    }

    @Test("A response without user_id is accepted; the user endpoint then returns the id")
    func noUserID() async throws {
        deployment.peer.script(.post, X.accessToken, .form("oauth_token=t&oauth_token_secret=s"))
        let tokens = try await exchange()
        #expect(tokens.userID == nil && tokens.screenName == nil)
    }

    @Test(
        "O1-14: A user_id that is not a number above 0 is refused",
        arguments: ["", "abc", "-1", "0", "1%20", "123456789012345678901", "%EF%BC%91"])
    func noNumber(_ id: String) async throws {
        try await check(.form("oauth_token=t&oauth_token_secret=s&user_id=\(id)"), is: malformed("user_id"))
    }

    @Test("O1-14: Repeated keys are refused", arguments: ["oauth_token", "user_id", "oauth_token_secret"])
    func repeated(_ name: String) async throws {
        try await check(.form(X.credentials + "&\(name)=1"), is: malformed(ProviderFailure.signedForm))
    }

    @Test(
        "O1-14: A page or JSON in the place of the form is no answer",
        arguments: [(ScriptedAnswer.page(), "it is a page"), (.json("{}"), "it is JSON")])
    func noForm(_ answer: ScriptedAnswer, _ found: String) async throws {
        let failure = ProviderFailure.malformedResponse(ProviderFailure.signedForm, found: found)
        try await check(answer, is: failure.refusal.spent)
        for part in ["oauth_token", "oauth_callback_confirmed", ProviderFailure.signedForm] {
            let advice = ProviderFailure.malformedResponse(part).advice
            #expect(advice?.hasPrefix("Compare endpoints.token (endpoints.api at twitter.com)") == true)
        }
    }

    @Test(
        "A page, and a status by which there is no such endpoint, are not taken for an answer about the verifier",
        arguments: [401, 403, 404])
    func noEndpoint(_ status: Int) async throws {
        let failure = ProviderFailure.notTokenEndpoint(status: status).refusal.spent
        try await check(.page(status: status), is: failure)
    }

    @Test("A missing endpoint is told by its status also without a page", arguments: [404, 405, 410])
    func absentEndpoint(_ status: Int) async throws {
        try await check(.json("{}", status: status), is: ProviderFailure.notTokenEndpoint(status: status).refusal.spent)
    }

    @Test("O1-14: A response of more than 16 KiB is refused")
    func large() async throws {
        let filler = String(repeating: "a", count: 16 * 1024 - X.credentials.utf8.count - 3)
        deployment.peer.script(.post, X.accessToken, .form(X.credentials + "&f=" + filler))
        _ = try await exchange()
        deployment.peer.script(.post, X.accessToken, .form(X.credentials + "&f=" + filler + "a"))
        await #expect(throws: malformed(ProviderFailure.signedForm)) { try await exchange(token: "another") }
    }

    @Test("O1-14: Token credentials without one of their two values are refused")
    func missing() async throws {
        try await check(.form("oauth_token=t&user_id=1"), is: malformed("oauth_token_secret"))
    }

    @Test("O1-09: A wrong verifier is refused by X", arguments: [400, 401, 403])
    func wrongVerifier(_ status: Int) async throws {
        try await check(.json(#"{"errors":[{"code":32}]}"#, status: status), is: Refusal.codeRejected)
        #expect(deployment.store.spentKinds == [.authorizationCode])
    }

    @Test("O1-11: A request token is accepted for one attempt")
    func replay() async throws {
        _ = try await exchange()
        await expectRefusal(Refusal.replayed(.authorizationCode)) {
            try await exchange(verifier: "other")
        }
        #expect(deployment.peer.requests(to: X.accessToken).count == 1)
    }

    @Test("O1-11: Of fifty parallel attempts only one is sent to X")
    func parallel() async throws {
        let successes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { (try? await exchange()) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(successes == 1)
        #expect(deployment.peer.requests(to: X.accessToken).count == 1)
    }

    @Test(
        "O1-15: A redirect is not followed, and the request token is spent", arguments: [301, 302, 307])
    func redirect(_ status: Int) async throws {
        try await check(
            .status(status, header: [HeaderField("Location", "//evil.example")]),
            is: ProviderFailure.notTokenEndpoint(status: status).refusal.spent)
        #expect(deployment.peer.requests.count == 1)
    }

    @Test("O1-19: A request token that X cannot have received can be used again")
    func givenBack() async throws {
        let host = "api.x.com"
        try await check(.status(429), is: ProviderFailure.throttled(retryAfter: nil).refusal.unspent)
        try await check(.status(503), is: ProviderFailure.unavailable(retryAfter: nil).refusal.unspent)
        try await check(
            .failure(.unreachable(host: host)),
            is: ProviderFailure.noAnswer(.unreachable(host: host)).refusal.unspent)
        deployment.peer.script(.post, X.accessToken, .form(X.credentials))
        _ = try await exchange()
    }

    @Test("O1-19: After a timeout or an error of X it stays spent")
    func spent() async throws {
        let error = TransportError.timedOut(host: "api.x.com", requestSent: true)
        try await check(.failure(error), is: ProviderFailure.noAnswer(error).refusal.spent)
        await expectRefusal(Refusal.replayed(.authorizationCode)) { try await exchange() }
        deployment.peer.script(.post, X.accessToken, .status(500))
        await expectRefusal(ProviderFailure.failed(status: 500).refusal.spent) {
            try await exchange(token: "second")
        }
        await expectRefusal(Refusal.replayed(.authorizationCode)) {
            try await exchange(token: "second")
        }
    }

    @Test("Without randomness nothing is spent")
    func noRandomness() async throws {
        deployment.random.fail(atCall: 1)
        await expectRefusal(RandomFailure().refusal) { try await exchange() }
        #expect(deployment.store.calls.isEmpty)
        _ = try await exchange()
    }
}

@Suite("Request tokens of OAuth 1.0a")
struct TemporaryCredentialsTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
        deployment.scriptX()
    }

    private func ask() async throws -> TemporaryCredentials {
        try await deployment.exchanger.temporaryCredentials(
            callback: "https://app.example/cb?a=b", with: deployment.xOAuth1, of: deployment.x)
    }

    private func check(
        _ answer: ScriptedAnswer, is failure: ProviderFailure, saying words: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        deployment.peer.script(.post, X.requestToken, answer)
        await expectRefusal(
            failure.refusal.unspent.quoting(words), sourceLocation: sourceLocation
        ) { try await ask() }
    }

    @Test("X responds with a request token and its secret")
    func baseline() async throws {
        let temporary = try await ask()
        #expect(temporary.identifier.secretText == "request-token")
        #expect(temporary.sharedSecret.secretText == "request-secret")
        #expect(deployment.store.calls.isEmpty)
    }

    @Test(
        "O1-17: The request has the callback, read access only and a signature, and no secret"
    )
    func request() async throws {
        _ = try await ask()
        let request = try #require(deployment.peer.requests.first)
        #expect(deployment.peer.requests.count == 1)
        #expect(request.url == X.requestToken)
        #expect(try request.form.pairs.map(\.name) == ["x_auth_access_type"])
        #expect(try request.form["x_auth_access_type"] == "read")
        let audit = try #require(OAuth1Audit(request))
        #expect(audit.isSigned(consumerSecret: X.consumerSecret, tokenSecret: ""))
        #expect(audit.parameters["oauth_callback"] == "https://app.example/cb?a=b")
        #expect(audit.parameters["oauth_consumer_key"] == X.consumerKey)
        #expect(audit.parameters["oauth_timestamp"] == "1700000000")
        #expect(audit.parameters["oauth_token"] == nil)
        #expect(!(request[field: "Authorization"] ?? "").contains(X.consumerSecret))
    }

    @Test(
        "O1-13: A response that does not confirm the callback is refused",
        arguments: [
            "", "&oauth_callback_confirmed=false", "&oauth_callback_confirmed=", "&oauth_callback_confirmed=TRUE",
            "&oauth_callback_confirmed=1",
        ])
    func unconfirmed(_ confirmation: String) async throws {
        try await check(
            .form("oauth_token=t&oauth_token_secret=s" + confirmation),
            is: .malformedResponse("oauth_callback_confirmed"))
    }

    @Test("O1-13: A response that confirms and denies the callback is refused")
    func confirmedTwice() async throws {
        try await check(
            .form("oauth_token=t&oauth_token_secret=s&oauth_callback_confirmed=true&oauth_callback_confirmed=false"),
            is: .malformedResponse(ProviderFailure.signedForm))
    }

    @Test(
        "A response without a token or its secret is refused",
        arguments: [
            ("oauth_token_secret=s", "oauth_token"), ("oauth_token=&oauth_token_secret=s", "oauth_token"),
            ("oauth_token=t", "oauth_token_secret"), ("oauth_token=t&oauth_token_secret=", "oauth_token_secret"),
        ])
    func missing(_ form: String, _ part: String) async throws {
        try await check(.form(form + "&oauth_callback_confirmed=true"), is: .malformedResponse(part))
    }

    @Test("A response that is not a form is refused", arguments: ["a=%zz", "a=%00", "a=1&a=2", "\u{1}"])
    func noForm(_ body: String) async throws {
        try await check(.form(body), is: .malformedResponse(ProviderFailure.signedForm))
    }

    @Test("A page or JSON with a status of success is told as that, and what has no token as another address")
    func otherAnswer() async throws {
        for (answer, found) in [(ScriptedAnswer.page(), "a page"), (.json(#"{"oauth_token":"t"}"#), "JSON")] {
            try await check(answer, is: .malformedResponse(ProviderFailure.signedForm, found: "it is \(found)"))
        }
        for body in ["", "OK"] { try await check(.form(body), is: .malformedResponse("oauth_token")) }
    }

    @Test("A redirect is told with its destination, and is not followed")
    func redirect() async throws {
        let location = HeaderField("Location", "https://api.twitter.com/oauth/request_token")
        let answer = ScriptedAnswer.status(301, header: [location])
        try await check(answer, is: .notTokenEndpoint(status: 301))
        deployment.peer.script(.post, X.requestToken, answer)
        let refusal = await refusal { try await ask() }
        #expect(refusal?.words == "redirects to https://api.twitter.com/oauth/request_token")
    }

    @Test(
        "A refusal concerns this server's registration, key or clock",
        arguments: [401, 403])
    func refused(_ status: Int) async throws {
        try await check(
            .json(#"{"errors":[{"code":415,"message":"Callback URL not approved"}]}"#, status: status),
            is: .refusedClient(.callbackNotApproved))
    }

    @Test("A page of a firewall, and an address without the endpoint, do not concern the consumer key")
    func noEndpoint() async throws {
        for status in [401, 403, 404] {
            try await check(.page(status: status), is: .notTokenEndpoint(status: status))
            let code = ScriptedAnswer.body("error code: 1010", type: "text/plain", status: status)
            try await check(code, is: .notTokenEndpoint(status: status))
        }
        try await check(.json("{}", status: 404), is: .notTokenEndpoint(status: 404))
    }

    @Test("The suspended account of a request without a person is that of the registration")
    func suspended() async throws {
        try await check(.json(#"{"errors":[{"code":64}]}"#, status: 403), is: .refusedClient(.suspended))
    }

    @Test("O1-15: A redirect is not followed and counts as a failure of X", arguments: [301, 302, 307])
    func redirect(_ status: Int) async throws {
        try await check(
            .status(status, header: [HeaderField("Location", "https://evil.example/oauth/request_token")]),
            is: .notTokenEndpoint(status: status), saying: "redirects to https://evil.example/oauth/request_token")
        #expect(deployment.peer.requests.count == 1)
    }

    @Test("O1-19: An outage of X is reported as one")
    func trouble() async throws {
        try await check(.status(429), is: .throttled(retryAfter: nil))
        try await check(.status(503), is: .unavailable(retryAfter: nil))
        try await check(.status(500), is: .failed(status: 500))
        let error = TransportError.timedOut(host: "api.x.com", requestSent: true)
        try await check(.failure(error), is: .noAnswer(error))
    }

    @Test("Without randomness no request is sent")
    func noRandomness() async throws {
        deployment.random.fail(atCall: 1)
        await expectRefusal(RandomFailure().refusal) { try await ask() }
        #expect(deployment.peer.requests.isEmpty)
    }
}
