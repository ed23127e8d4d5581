import Foundation
import Synchronization
import Testing

@testable import TokenExchangeClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the running server does not do: servers of other versions, and values of standards.
@Suite("The library")
struct ClientLibraryTests {
    /// Makes a client of a server with one response.
    private static func client(
        _ body: String, status: Int = 200, server: String = "https://auth.example.com"
    ) throws -> TokenExchangeClient {
        TokenExchangeClient(
            server: try #require(URL(string: server)), clientID: "my-app", idToken: { "token" },
            http: { request in
                let url = try #require(request.url)
                let response = try #require(
                    HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil))
                return (Data(body.utf8), response)
            })
    }

    @Test("Unknown members of a response are ignored, and missing ones have a default")
    func otherVersions() async throws {
        let newer = try await Self.client(
            #"{"custom_token": "t", "uid": "u", "provider": "yahoo.com", "provider_uid": "p", "new": {"a": [1]}}"#
        ).signInAnonymously()
        #expect(newer.uid == "u" && !newer.isNewUser)
        #expect(try newer.tokens.customToken == "t")
        #expect(newer.profile == Profile(nil) && newer.audienceProof == nil)
        #expect(
            try await Self.client(#"{"firebase_user": "archived"}"#).deleteAccount() == nil,
            "An unknown word of a newer server is not an error.")
    }

    @Test("A session of the system ended by the user, unless its error has a reason")
    func closedSession() {
        #expect(TokenExchangeError.isClosedByUser([:]))
        #expect(!TokenExchangeError.isClosedByUser([NSLocalizedFailureReasonErrorKey: "No associated domain."]))
    }

    @Test("A listener that the system refuses is named, with what a sandboxed application needs")
    func refusedListener() {
        #expect(
            TokenExchangeError(browser: LoopbackError.system(1)).message
                == "The browser failed: the listener on 127.0.0.1 failed (errno 1). On macOS a sandboxed application needs the "
                + "entitlement com.apple.security.network.server.")
    }

    @Test("An otpauth URI that is no URL is an unexpected response")
    func enrollment() async throws {
        let client = try Self.client(#"{"factor_id": "f", "secret": "JBSW", "otpauth_uri": ""}"#)
        try await expectError(.unexpectedResponse, "auth/internal-error") { try await client.addSecondFactor() }
    }

    @Test("The text of an unknown reason and of an unknown advice is kept or ignored")
    func unknownReason() async throws {
        let client = try Self.client(
            #"{"error": "invalid_grant", "reason": "stale_moon", "code": "auth/moon", "retry": "later", "x": 1}"#,
            status: 400)
        let error = try await expectError("stale_moon", "auth/moon") { try await client.signInAnonymously() }
        #expect(error.retry == nil && error.status == 400 && error.providers.isEmpty)
        #expect("\(error)" == "stale_moon (auth/moon): The server responded with the status 400.")
    }

    @Test(
        "A response that is not the server's is reported as such",
        arguments: [(200, "<html>"), (200, "{}"), (200, #"{"uid": "u", "provider": "p"}"#), (502, "<html>")])
    func foreign(status: Int, body: String) async throws {
        let client = try Self.client(body, status: status)
        try await expectError(.unexpectedResponse, "auth/internal-error") { try await client.signInAnonymously() }
    }

    @Test("A time that is no number of seconds does not end the program", arguments: ["-5", "nan", "inf", "1e9", ""])
    func times(text: String) async throws {
        let pauses = Pauses()
        let grant =
            #"{"device_code": "d", "user_code": "u", "verification_uri": "v", "expires_in": 1, "interval": 1e99}"#
        let client = TokenExchangeClient(
            server: try #require(URL(string: "https://auth.example.com")), clientID: "my-app", browser: nil,
            idToken: nil, appCheckToken: nil,
            http: { request in
                let url = try #require(request.url)
                let isDevice = url.path == "/device_authorization"
                let response = HTTPURLResponse(
                    url: url, statusCode: isDevice ? 200 : 503, httpVersion: nil, headerFields: ["Retry-After": text])
                let body = isDevice ? grant : #"{"reason": "overloaded", "retry": "same"}"#
                return (Data(body.utf8), try #require(response))
            }, timing: pauses.timing(advancing: ServerClock()))
        let error = try await expectError("overloaded", "auth/internal-error") { try await client.signInAnonymously() }
        #expect(error.retryAfter == nil)
        try await expectError("overloaded", "auth/internal-error") {
            for try await _ in client.deviceSignIn() {}
        }
        #expect(pauses.all == [0.5, 1, 600, 0.5, 1])
        for seconds: TimeInterval in [-5, .nan, -TimeInterval.infinity] { try await Timing.system.pause(seconds) }
    }

    @Test(
        "A server without TLS is refused, except on loopback addresses",
        arguments: [
            ("http://auth.example.com", false), ("ftp://127.0.0.1", false), ("auth.example.com", false),
            ("http://127.0.0.1.example.com", false), ("https://auth.example.com", true),
            ("http://127.0.0.1:8080", true),
            ("http://localhost:8080", true), ("http://[::1]:8080", true), ("https://auth.example.com/", true),
        ])
    func transport(server: String, isAllowed: Bool) async throws {
        let client = try Self.client(#"{"custom_token": "t", "uid": "u", "provider": "anonymous"}"#, server: server)
        if isAllowed {
            #expect(try await client.signInAnonymously().uid == "u")
        } else {
            try await expectError(.insecureServer, "auth/argument-error") { try await client.signInAnonymously() }
            let browser = Browser(redirectURI: "a:/b") { $0 }
            try await expectError(.insecureServer, "auth/argument-error") {
                try await client.signIn(with: .yahoo, in: browser)
            }
        }
    }

    @Test(
        "A browser session of the system waits for a private-use scheme or for a universal link",
        arguments: [
            ("com.example.app:/oauth", .scheme("com.example.app")), ("COM.example:", .scheme("com.example")),
            ("https://app.example.com/oauth", .https(host: "app.example.com", path: "/oauth")),
            ("https://app.example.com", .https(host: "app.example.com", path: "/")),
        ] as [(String, SessionRedirect)])
    func sessionRedirect(uri: String, redirect: SessionRedirect) throws {
        #expect(try SessionRedirect(uri) == redirect)
    }

    @Test(
        "A redirect URI that no browser session of the system can receive is refused before it is opened",
        arguments: [
            "http://127.0.0.1/callback", "http://app.example.com/oauth", "https:///oauth", "https:/oauth",
            "https://app.example.com:8443/oauth", "https://app.example.com/oauth?a=b",
            "https://app.example.com/oauth#a", "/oauth", "",
        ])
    func noSessionRedirect(uri: String) async throws {
        try await expectError(.browserFailed, "auth/argument-error") { try SessionRedirect(uri) }
    }

    @Test("Only a private-use scheme is received on systems before iOS 17.4 and macOS 14.4")
    func privateUseScheme() async throws {
        #expect(try SessionRedirect("com.example.app:/oauth").privateUseScheme == "com.example.app")
        let error = try await expectError(.browserFailed, "auth/argument-error") {
            try SessionRedirect("https://app.example.com/oauth").privateUseScheme
        }
        #expect(error.message.contains("com.example.app:/oauth"), "It says what to write instead.")
    }

    @Test("X has one id under both of its names")
    func x() { #expect(Provider.x.rawValue == "twitter.com" && Provider.twitter == .x) }

    @Test("A device code whose URL is none is not shown")
    func noVerificationURL() async throws {
        let client = try Self.client(
            #"{"device_code": "d", "user_code": "u", "verification_uri": "", "expires_in": 1}"#)
        var iterator = client.deviceSignIn().makeAsyncIterator()
        try await expectError(.unexpectedResponse, "auth/internal-error") { try await iterator.next() }
    }

    @Test("A redirect is not followed, because the body of the request contains credentials")
    func redirect() async throws {
        let listener = try LoopbackListener()
        let client = TokenExchangeClient(
            server: try #require(URL(string: "http://127.0.0.1:\(listener.port)")), clientID: "my-app")
        let signIn = Task { try await client.signInAnonymously() }
        let connection = try await listener.accept()
        let request = String(decoding: try await connection.read(upTo: 4096), as: UTF8.self)
        #expect(request.hasPrefix("POST /v1/anonymous HTTP/1.1\r\n"), "\(request)")
        let answer = "HTTP/1.1 307 Moved\r\nLocation: /other\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        try await connection.finish(writing: Array(answer.utf8))
        let error = try await expectError(.unexpectedResponse, "auth/internal-error") { try await signIn.value }
        #expect(error.status == 307)
    }

    @Test("No secret is in the text of a value")
    func secrets() async throws {
        let result = try await Self.client(
            """
            {"custom_token": "secret-1", "uid": "u", "provider": "yahoo.com",
             "oauth": {"access_token": "secret-2", "refresh_token": "secret-3"}}
            """
        ).signInAnonymously()
        #expect(result.providerTokens?.refreshToken == "secret-3")
        var dumped = ""
        dump(result, to: &dumped)
        let session = FirebaseTokens.session(
            FirebaseSession(idToken: "secret-8", refreshToken: "secret-9", expiresIn: 0))
        for tokens in [result.tokens, session] {
            dump(tokens, to: &dumped)
            dumped += "\(tokens) \(String(reflecting: tokens))"
        }
        dump(Credential.idToken("secret-4", nonce: "secret-5"), to: &dumped)
        dump(PendingCredential(handle: "secret-6"), to: &dumped)
        dump(FactorCode.totp("secret-7"), to: &dumped)
        dumped += "\(result) \(PendingCredential(handle: "secret-6")) \(String(reflecting: result))"
        #expect(!dumped.contains("secret"), "\(dumped)")
    }

    @Test("A request contains its members, escaped")
    func request() async throws {
        let bodies = Mutex<[String]>([])
        let client = TokenExchangeClient(
            server: try #require(URL(string: "https://auth.example.com/")), clientID: "a+b &ä",
            http: { request in
                let url = request.url?.absoluteString ?? ""
                bodies.withLock { $0.append(url + " " + String(decoding: request.httpBody ?? Data(), as: UTF8.self)) }
                throw URLError(.notConnectedToInternet)
            })
        var iterator = client.deviceSignIn(with: "x", scopes: ["a", "b"]).makeAsyncIterator()
        try await expectError(.networkFailed, "auth/network-request-failed") { try await iterator.next() }
        #expect(
            bodies.withLock { $0 } == [
                "https://auth.example.com/device_authorization client_id=a%2Bb%20%26%C3%A4&provider=x&scope=a%20b"
            ])
    }

    #if !canImport(CryptoKit)
        @Test(
            "SHA-256 has the values of FIPS 180-4 and the NIST's examples",
            arguments: [
                (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
                (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
                (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
                (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
                (1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
            ])
        func hash(count: Int, digest: String) {
            let message = [UInt8](repeating: UInt8(ascii: "a"), count: count)
            #expect(SHA256.hash(message).map { String(format: "%02x", $0) }.joined() == digest)
        }
    #endif

    @Test("The code challenge is that of RFC 7636, appendix B, and every flow has another verifier")
    func proofKey() {
        let key = ProofKey(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(ProofKey().verifier.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
        #expect(ProofKey().verifier != ProofKey().verifier)
    }
}
