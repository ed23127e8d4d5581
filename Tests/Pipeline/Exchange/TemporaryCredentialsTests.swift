import Exchange
import OAuth
import Providers
import Support
import Testing
import Transport

@Suite("Request tokens of OAuth 1.0a")
struct TemporaryCredentialsTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
        deployment.scriptX()
    }

    private func ask(callback: String = "https://app.example/cb?a=b") async throws -> TemporaryCredentials {
        try await deployment.exchanger.temporaryCredentials(
            callback: callback, with: deployment.xOAuth1, of: deployment.x)
    }

    private func check(
        _ answer: ScriptedAnswer, is failure: ProviderFailure, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        deployment.peer.script(.post, X.requestToken, answer)
        await #expect(
            throws: ExchangeError.provider(failure, givenBack: true), sourceLocation: sourceLocation
        ) { try await ask() }
    }

    @Test("X answers with a request token and its secret")
    func baseline() async throws {
        let temporary = try await ask()
        #expect(temporary.identifier.secretText == "request-token")
        #expect(temporary.sharedSecret.secretText == "request-secret")
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("O1-17: The request names our callback, asks to read alone, and is signed with our secret, which it lacks")
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
        "O1-13: A server that does not confirm the callback is not followed",
        arguments: [
            "", "&oauth_callback_confirmed=false", "&oauth_callback_confirmed=", "&oauth_callback_confirmed=TRUE",
            "&oauth_callback_confirmed=1",
        ])
    func unconfirmed(_ confirmation: String) async throws {
        try await check(
            .form("oauth_token=t&oauth_token_secret=s" + confirmation),
            is: .malformedResponse("oauth_callback_confirmed"))
    }

    @Test("O1-13: Nor one that says two things of it")
    func confirmedTwice() async throws {
        try await check(
            .form("oauth_token=t&oauth_token_secret=s&oauth_callback_confirmed=true&oauth_callback_confirmed=false"),
            is: .malformedResponse("form"))
    }

    @Test(
        "An answer without a token or its secret is none",
        arguments: [
            ("oauth_token_secret=s", "oauth_token"), ("oauth_token=&oauth_token_secret=s", "oauth_token"),
            ("oauth_token=t", "oauth_token_secret"), ("oauth_token=t&oauth_token_secret=", "oauth_token_secret"),
        ])
    func missing(_ form: String, _ part: String) async throws {
        try await check(.form(form + "&oauth_callback_confirmed=true"), is: .malformedResponse(part))
    }

    @Test("What cannot be read as a form is no answer", arguments: ["a=%zz", "a=%00", "a=1&a=2", "\u{1}"])
    func noForm(_ body: String) async throws {
        try await check(.form(body), is: .malformedResponse("form"))
    }

    @Test(
        "A refusal is about us: the callback is not registered, the key is wrong, the clock is off",
        arguments: [401, 403])
    func refused(_ status: Int) async throws {
        try await check(
            .json(#"{"errors":[{"code":415,"message":"Callback URL not approved"}]}"#, status: status),
            is: .refusedClient(.callbackNotApproved))
    }

    @Test("O1-15: A redirect is not followed, and is a failure of X", arguments: [301, 302, 307])
    func redirect(_ status: Int) async throws {
        try await check(
            .status(status, header: [HeaderField("Location", "https://evil.example/oauth/request_token")]),
            is: .failed(status: status))
        #expect(deployment.peer.requests.count == 1)
    }

    @Test("O1-19: X's own trouble is said to be that")
    func trouble() async throws {
        try await check(.status(429), is: .throttled(retryAfter: nil))
        try await check(.status(503), is: .unavailable(retryAfter: nil))
        try await check(.status(500), is: .failed(status: 500))
        let error = TransportError.timedOut(host: "api.x.com", requestSent: true)
        try await check(.failure(error), is: .noAnswer(error))
    }

    @Test("Without randomness nothing is asked")
    func noRandomness() async throws {
        deployment.random.fail(atCall: 1)
        await #expect(throws: ExchangeError.random(RandomFailure())) { try await ask() }
        #expect(deployment.peer.requests.isEmpty)
    }
}
