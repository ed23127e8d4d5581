import JOSE
import Standards
import Support
import Testing
import Transport

@Suite("Signed requests of OAuth 1.0a")
struct RequestSignerTests {
    private let random = TestRandom()
    private let signer: RequestSigner

    init() {
        signer = RequestSigner(
            client: ClientCredentials(identifier: "key", sharedSecret: Secret("consumer-secret")),
            random: random.source, time: TestClock().source)
    }

    private func signed(
        _ method: OutboundRequest.Method, query: Parameters = Parameters([]), form: Parameters = Parameters([])
    ) throws -> OutboundRequest {
        try signer.request(
            method, "https://api.x.com/a", token: (Secret("to ken"), Secret("token-secret")), query: query,
            protocolParameters: [("oauth_callback", "https://app.example/cb?a=b&c")], form: form,
            timeout: .seconds(3))
    }

    @Test("O1-17: A POST has its form in the body, and an independent reader verifies the signature")
    func post() throws {
        let request = try signed(.post, form: Parameters([("text", "a+b & ü")]))
        let audit = try #require(OAuth1Audit(request))
        #expect(audit.isSigned(consumerSecret: "consumer-secret", tokenSecret: "token-secret"))
        #expect(!audit.isSigned(consumerSecret: "consumer-secret", tokenSecret: "other"))
        #expect(!audit.isSigned(consumerSecret: "other", tokenSecret: "token-secret"))
        #expect(request.url == "https://api.x.com/a")
        #expect(String(decoding: request.body, as: UTF8.self) == "text=a%2Bb%20%26%20%C3%BC")
        #expect(request[field: "Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.timeout == .seconds(3))
    }

    @Test("O1-17: A GET has its signed query in the URL, and no body")
    func get() throws {
        let request = try signed(.get, query: Parameters([("user.fields", "id,name")]))
        let audit = try #require(OAuth1Audit(request))
        #expect(audit.isSigned(consumerSecret: "consumer-secret", tokenSecret: "token-secret"))
        #expect(request.url == "https://api.x.com/a?user.fields=id%2Cname")
        #expect(request.body.isEmpty)
        #expect(request[field: "Content-Type"] == nil)
    }

    @Test("The Authorization field contains the protocol parameters and no secret")
    func protocolParameters() throws {
        let audit = try #require(OAuth1Audit(try signed(.get)))
        var parameters = audit.parameters
        let nonce = parameters.removeValue(forKey: "oauth_nonce")
        let signature = parameters.removeValue(forKey: "oauth_signature")
        #expect(
            parameters == [
                "oauth_consumer_key": "key", "oauth_signature_method": "HMAC-SHA1", "oauth_timestamp": "1700000000",
                "oauth_version": "1.0", "oauth_token": "to ken", "oauth_callback": "https://app.example/cb?a=b&c",
            ])
        #expect(nonce?.utf8.count == 43)
        #expect(signature?.utf8.count == 28)
    }

    @Test("O1-17: The nonces of 1,000 requests are all different")
    func nonces() throws {
        let nonces = try (0..<1000).compactMap { _ in OAuth1Audit(try signed(.get))?.parameters["oauth_nonce"] }
        #expect(Set(nonces).count == 1000)
    }

    @Test("A failure of the random source is thrown, and no request is made")
    func noRandomness() {
        random.fail(atCall: 1)
        #expect(throws: RandomFailure()) { try signed(.get) }
    }
}
