import Firebase
import Fixtures
import JOSE
import Jansson
import OpenSSL
import Standards
import Support
import Testing
import Transport

@Suite("Google access token")
struct AccessTokenTests {
    private let google: ScriptedGoogle

    init() throws {
        google = try ScriptedGoogle()
    }

    private func source(retries: RetryPolicy? = nil, scopes: [String] = ["s1", "s2"]) throws -> AccessTokenSource {
        .serviceAccount(
            try ScriptedGoogle.serviceAccount(), endpoint: ScriptedGoogle.tokenEndpoint, scopes: scopes,
            transport: google.peer.transport, time: google.clock.source, retries: retries ?? google.retries())
    }

    private func expect(
        _ error: AccessTokenError, _ answer: ScriptedAnswer, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        google.peer.script(.post, ScriptedGoogle.tokenEndpoint, answer)
        let source = try source()
        await #expect(throws: error, sourceLocation: sourceLocation) { try await source.token(nil) }
    }

    @Test("A service account sends an assertion for Google's audience that is valid for an hour and signed by its key")
    func assertion() async throws {
        google.peer.script(.post, ScriptedGoogle.tokenEndpoint, ScriptedGoogle.tokenAnswer("ya29.a"))
        #expect(try await source().token(nil).secretText == "ya29.a")
        let request = try #require(google.peer.requests.first)
        #expect(request[field: "Content-Type"] == "application/x-www-form-urlencoded")
        #expect(try request.form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer")
        let assertion = try MintedToken(Secret(try #require(try request.form["assertion"])))
        #expect(
            assertion.header
                == .object(["alg": .string("RS256"), "typ": .string("JWT"), "kid": .string("account-key-1")]))
        #expect(
            assertion.payload
                == .object([
                    "iss": .string(ScriptedGoogle.account), "scope": .string("s1 s2"),
                    "aud": .string("https://oauth2.googleapis.com/token"),
                    "iat": .integer(1_700_000_000), "exp": .integer(1_700_003_600),
                ]))
        #expect(try assertion.isSigned(by: TestKeys.shared.account.publicKey))
    }

    @Test(
        "The region of a server is that of Cloud Run, or that of the zone of a virtual machine",
        arguments: [
            (["region": "projects/12/regions/europe-west3"], "europe-west3"),
            (["zone": "projects/12/zones/us-central1-a\n"], "us-central1"), ([:], nil),
            (["region": "<html>", "zone": "projects/12/zones/$(id)-a"], nil),
        ] as [([String: String], String?)])
    func region(items: [String: String], region: String?) async {
        let transport = HTTPTransport { request in
            let prefix = ScriptedGoogle.metadata + "/computeMetadata/v1/instance/"
            #expect(request.reachesMetadataServer && request.header == [HeaderField("Metadata-Flavor", "Google")])
            guard request.url.hasPrefix(prefix), let text = items[String(request.url.dropFirst(prefix.count))] else {
                return OutboundResponse(status: 404)
            }
            return OutboundResponse(status: 200, body: Array(text.utf8))
        }
        #expect(await ServerRegion.find(origin: ScriptedGoogle.metadata, transport: transport) == region)
    }

    @Test("A machine calls the metadata server with the header field that no web page can send")
    func metadata() async throws {
        google.peer.script(.get, ScriptedGoogle.metadataToken, ScriptedGoogle.tokenAnswer("ya29.m"))
        let source = AccessTokenSource.metadata(
            origin: ScriptedGoogle.metadata, transport: google.peer.transport, time: google.clock.source,
            retries: google.retries())
        #expect(try await source.token(nil).secretText == "ya29.m")
        #expect(google.peer.requests.first?[field: "Metadata-Flavor"] == "Google")
    }

    @Test("The emulator's token is always the same")
    func fixed() async throws {
        let source = AccessTokenSource.fixed(Secret("owner"))
        #expect(try await source.token(Secret("owner")).secretText == "owner")
    }

    @Test("A refusal is distinguished from a temporary failure", arguments: [400, 401, 403, 404])
    func refused(status: Int) async throws {
        try await expect(
            .refused(status: status, words: "invalid_grant", key: Self.key),
            .json(#"{"error":"invalid_grant"}"#, status: status))
        #expect(google.peer.requests.count == 1)
    }

    private static let key = "the service account minter@project.iam.gserviceaccount.com with the key account-key-1"

    @Test("A refused key is named with its service account, and the text ends with one full stop")
    func refusedKey() async throws {
        google.peer.script(
            .post, ScriptedGoogle.tokenEndpoint,
            .json(#"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#, status: 400))
        let source = try source()
        let error = await #expect(throws: AccessTokenError.self) { try await source.token(nil) }
        #expect(
            error?.sentence
                == "Google refuses to issue one to \(Self.key), with the status 400: invalid_grant: Invalid JWT Signature"
        )
    }

    @Test(
        "A refusal has Google's words, of OAuth, of its APIs or of a metadata server, without what could be a credential",
        arguments: [
            (
                #"{"error":"invalid_target","error_description":"The target service indicated by the \"audience\" parameters is invalid."}"#,
                #"invalid_target: The target service indicated by the "audience" parameters is invalid"#
            ),
            (
                #"{"error":{"code":403,"message":"The caller does not\nhave permission"}}"#,
                "The caller does not have permission"
            ),
            (
                "Unable to generate access token; IAM returned 403 Forbidden: Permission 'iam.serviceAccounts.getAccessToken' "
                    + "denied on resource (or it may not exist).\nThis error could be caused by a missing IAM policy binding",
                "Unable to generate access token; IAM returned 403 Forbidden: Permission 'iam.serviceAccounts.getAccessToken' "
                    + "denied on resource (or it may not exist). This error could be caused by a missing IAM policy binding"
            ),
            (
                #"{"error":"invalid_grant: \#(String(repeating: "e", count: 81)) is bad"}"#,
                "invalid_grant: [left out] is bad"
            ),
            ("<html>Forbidden</html>", nil), ("", nil),
        ] as [(String, String?)])
    func words(body: String, words: String?) async throws {
        try await expect(
            .refused(status: 403, words: words, key: Self.key), .body(body, type: "text/plain", status: 403))
        let sentence = AccessTokenError.refused(status: 403, words: words).sentence
        #expect(
            sentence
                == (words.map { "Google refuses to issue one, with the status 403: \($0)" }
                    ?? "the answer has the status 403 and no words of Google"))
        // The same words have other causes with other credentials, so that each remedy names its condition.
        let advice = AccessTokenError.refused(status: 403, words: words).advice
        #expect(advice?.contains("With firebase.google_credentials, compare") == true)
        #expect(advice?.contains("If a proxy or a firewall answers in place of Google") == (words == nil))
    }

    @Test("408, 429 and 5xx are temporary failures", arguments: [408, 429, 500, 503])
    func busy(status: Int) async throws {
        try await expect(.busy(status: status), .status(status))
    }

    @Test("Without a response there is no token")
    func unreachable() async throws {
        try await expect(.unreachable(.untrusted(host: "h")), .failure(.untrusted(host: "h")))
    }

    @Test(
        "A response without a lifetime, or without a token that fits into a header field, is refused",
        arguments: [
            "x", "[]", #"{"expires_in":3599,"token_type":"Bearer"}"#,
            #"{"access_token":"","expires_in":3599,"token_type":"Bearer"}"#,
            #"{"access_token":"a b","expires_in":3599,"token_type":"Bearer"}"#,
            #"{"access_token":"a\r\nX: y","expires_in":3599,"token_type":"Bearer"}"#,
            #"{"access_token":"a","token_type":"Bearer"}"#,
            #"{"access_token":"a","expires_in":0,"token_type":"Bearer"}"#,
            #"{"access_token":"a","expires_in":"3599","token_type":"Bearer"}"#,
            #"{"access_token":"a","expires_in":3599}"#, #"{"access_token":"a","expires_in":3599,"token_type":"mac"}"#,
        ])
    func malformed(body: String) async throws {
        try await expect(.malformed, .json(body))
    }

    @Test("A redirect is refused")
    func redirect() async throws {
        try await expect(.malformed, .status(302))
    }

    @Test(
        "After a temporary failure the request is repeated after each pause",
        arguments: [
            ScriptedAnswer.status(503), .status(429), .status(408), .failure(.unreachable(host: "h")),
            .failure(.timedOut(host: "h", requestSent: true)), .failure(.interrupted(host: "h")),
            .failure(.overloaded(host: "h")), .failure(.proxyFailed(proxy: "p:3128", host: "h", status: nil)),
            .failure(.proxyFailed(proxy: "p:3128", host: "h", status: 503)),
        ])
    func repetition(trouble: ScriptedAnswer) async throws {
        google.peer.script(.post, ScriptedGoogle.tokenEndpoint, trouble, trouble, ScriptedGoogle.tokenAnswer("ya29.a"))
        let source = try source(retries: google.retries(.seconds(1), .seconds(2)))
        #expect(try await source.token(nil).secretText == "ya29.a")
        #expect(google.peer.requests.count == 3)
        #expect(google.clock.now == TestClock.start + .seconds(3))
    }

    @Test("Failed calls are repeated only while most calls succeed")
    func throttle() async throws {
        let retries = google.retries(.seconds(1))
        func attempts(_ answer: ScriptedAnswer) async throws -> Int {
            google.peer.script(.get, ScriptedGoogle.metadataToken, answer)
            let before = google.peer.requests.count
            _ = try await retries.send(
                OutboundRequest(.get, ScriptedGoogle.metadataToken), over: google.peer.transport,
                time: google.clock.source)
            return google.peer.requests.count - before
        }
        var counts: [Int] = []
        for _ in 0..<4 { counts.append(try await attempts(.status(503))) }
        #expect(counts == [2, 2, 1, 1])
        for _ in 0..<30 { #expect(try await attempts(.status(200)) == 1) }
        #expect(try await attempts(.status(503)) == 2)
    }

    @Test("Calls for access tokens and to Identity Toolkit share one budget of repetitions", arguments: [true, false])
    func sharedThrottle(tokensFirst: Bool) async throws {
        let throttle = RetryThrottle()
        let retries = google.retries(.seconds(1), throttle: throttle)
        let toolkit = IdentityToolkit(
            IdentityToolkitEndpoint(
                origin: "https://toolkit.example", projectID: "project", tenantID: nil,
                tokens: .fixed(Secret("owner")), transport: google.peer.transport, time: google.clock.source,
                retries: IdentityToolkitRetryPolicy(throttle, attempts: 2) { _ in }))
        func attempts(_ status: Int, ofTokens: Bool) async throws -> Int {
            google.peer.script(.get, ScriptedGoogle.metadataToken, .json("{}", status: status))
            google.peer.script(
                .post, "https://toolkit.example/v1/projects/project/accounts:lookup", .json("{}", status: status))
            let before = google.peer.requests.count
            if ofTokens {
                _ = try await retries.send(
                    OutboundRequest(.get, ScriptedGoogle.metadataToken), over: google.peer.transport,
                    time: google.clock.source)
            } else {
                _ = try? await toolkit.lookup(uids: ["a"])
            }
            return google.peer.requests.count - before
        }
        var counts: [Int] = []
        for _ in 0..<3 { counts.append(try await attempts(503, ofTokens: tokensFirst)) }
        #expect(counts == [2, 2, 1])
        #expect(try await attempts(503, ofTokens: !tokensFirst) == 1)
        // Successes of one kind fill the budget for the other.
        for _ in 0..<30 { #expect(try await attempts(200, ofTokens: tokensFirst) == 1) }
        #expect(try await attempts(503, ofTokens: !tokensFirst) == 2)
    }

    @Test("The pauses and the deadline limit the attempts")
    func deadline() async throws {
        google.peer.script(.post, ScriptedGoogle.tokenEndpoint, .status(503))
        let few = try source(retries: google.retries(.seconds(1)))
        await #expect(throws: AccessTokenError.busy(status: 503)) { try await few.token(nil) }
        #expect(google.peer.requests.count == 2)
        let late = try source(retries: google.retries(.seconds(4), .seconds(6), .seconds(1), deadline: .seconds(10)))
        await #expect(throws: AccessTokenError.busy(status: 503)) { try await late.token(nil) }
        #expect(google.peer.requests.count == 4)
    }

    @Test(
        "After a permanent failure the request is not repeated",
        arguments: [
            TransportError.untrusted(host: "h"), .refusedURL, .cancelled(requestSent: true), .notHTTP(host: "h"),
            .tooLarge(host: "h"), .proxyFailed(proxy: "p:3128", host: "h", status: 407),
            .proxyFailed(proxy: "p:3128", host: "h", status: 403),
        ])
    func noRepetition(error: TransportError) async throws {
        google.peer.script(.post, ScriptedGoogle.tokenEndpoint, .failure(error))
        let source = try source(retries: google.retries(.seconds(1)))
        await #expect(throws: AccessTokenError.unreachable(error)) { try await source.token(nil) }
        #expect(google.peer.requests.count == 1)
    }
}
