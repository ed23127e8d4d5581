import Flows
import JOSE
import Jansson
import Sandbox
import Support
import Testing
import Transport

@testable import Server

/// `POST /v1/events/{provider}`.
@Suite("Messages of providers", .serialized, .timeLimit(.minutes(5)))
struct EventTests {
    private static let path = "/v1/events/asking.example"
    private static let logout = "http://schemas.openid.net/event/backchannel-logout"
    private static let revoked = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"
    private static let form = "application/x-www-form-urlencoded"
    private static let securityEvent = "application/secevent+jwt"
    private static let subject = "ALICEWJNWVNQD4GXZ5NGMZUST4"
    private static let uid = "asking.example:" + subject

    /// Signs a message with the key of Yahoo's stand-in, which `asking.example` has as well.
    private static func token(
        _ server: TestServer, type: String = "logout+jwt", _ claims: JSON = [:]
    ) async throws -> String {
        let keys = try await server.standIns.order("GET", "/yahoo/keys")
        let payload: [String: JSON] = [
            "iss": keys["issuer"] ?? .null, "aud": .string(SandboxApplication.ours.yahoo.clientID),
            "sub": .string(subject),
            "iat": .integer(server.clock.now.seconds), "exp": .integer(server.clock.now.seconds + 120), "jti": "j1",
            "events": [logout: [:]],
        ]
        let header: JSON = ["alg": "ES256", "kid": keys["own_kid"] ?? .null, "typ": .string(type)]
        let signed = try await server.standIns.order(
            "POST", "/yahoo/sign",
            [
                "header_base64url": .string(Base64URL.encode(header.serialized())),
                "payload_base64url": .string(
                    Base64URL.encode(
                        JSON.object(payload.merging(claims.object ?? [:]) { $1 }.filter { $0.value != .null })
                            .serialized())), "key": "own",
            ])
        return signed["token"]?.string ?? ""
    }

    private static func post(
        _ server: TestServer, logout token: String, to path: String = path, header: [HeaderField] = []
    ) async throws -> OutboundResponse {
        try await server.post(path, text: "logout_token=\(token)", type: form, header: header)
    }

    /// Signs Alice in at `asking.example`, and makes her user at Firebase.
    private static func signIn(_ server: TestServer) async throws {
        let response = try await server.exchange(try await server.accessTokenBody())
        #expect(response.json?["uid"]?.string == uid, "\(response.text)")
        try await server.standIns.firebaseUser(uid)
    }

    private static func validSince(_ server: TestServer) async throws -> String? {
        try await server.standIns.foundFirebaseUser(uid)?["validSince"]?.string
    }

    @Test("A logout token ends the sessions of its person once, and is answered with 200 and an empty object")
    func logoutToken() async throws {
        let trail = Trail()
        try await TestServer.open(.google(.users) { $0.audit = trail.audit }) { server in
            try await Self.signIn(server)
            trail.forget()
            server.clock.advance(by: .seconds(10))
            let token = try await Self.token(server)
            let response = try await Self.post(server, logout: token)
            #expect(response.status == 200 && response.text == "{}")
            expectSafeHeader(response)
            #expect(try await Self.validSince(server) == "1700000010")
            #expect(
                trail.lines.map { $0.setting("time", to: nil).setting("request_id", to: nil) } == [
                    [
                        "audit": "event", "endpoint": "/v1/events", "provider": "asking.example",
                        "uid": .string(Self.uid), "event": "session_ended",
                    ]
                ])
            server.clock.advance(by: .seconds(10))
            try expectRefusal(try await Self.post(server, logout: token), "replayed")
            #expect(try await Self.validSince(server) == "1700000010")
            #expect(trail.lines.last?["reason"] == "replayed" && trail.lines.last?["provider"] == "asking.example")
            server.clock.advance(by: .seconds(1))
            let metrics = try await server.get("/metrics", admin: true).text
            #expect(
                metrics.contains(
                    #"token_exchange_provider_events_total{provider="asking.example",event="session_ended"} 1"#),
                "\(metrics)")
        }
    }

    @Test("A person without an account has the same answer")
    func unknownPerson() async throws {
        try await TestServer.open(.google(.users)) { server in
            try await Self.signIn(server)
            let known = try await Self.post(server, logout: try await Self.token(server))
            let unknown = try await Self.post(
                server, logout: try await Self.token(server, ["sub": "nobody", "jti": "j2"]))
            #expect(known.status == unknown.status && known.body == unknown.body)
            #expect(try await server.standIns.firebaseUsers().count == 1)
        }
    }

    @Test("A security event token is answered with 202 and no body, and its refusal with err and description")
    func securityEvents() async throws {
        try await TestServer.open(.google(.users)) { server in
            try await Self.signIn(server)
            server.clock.advance(by: .seconds(10))
            let person: JSON = [
                "format": "iss_sub", "iss": .string(server.standIns.addresses.yahoo), "sub": .string(Self.subject),
            ]
            let claims: JSON = ["events": [Self.revoked: [:]], "sub_id": person, "sub": .null, "exp": .null]
            func send(_ change: JSON = [:], path: String = Self.path) async throws -> OutboundResponse {
                let merged = JSON.object((claims.object ?? [:]).merging(change.object ?? [:]) { $1 })
                let token = try await Self.token(server, type: "secevent+jwt", merged)
                return try await server.post(path, text: token + "\n", type: Self.securityEvent)
            }
            let accepted = try await send()
            #expect(accepted.status == 202 && accepted.body.isEmpty)
            expectSafeHeader(accepted)
            #expect(try await Self.validSince(server) == "1700000010")
            // A provider that has missed the response sends the same token again.
            server.clock.advance(by: .seconds(10))
            let again = try await send(["iat": .integer(server.clock.now.seconds - 10)])
            #expect(again.status == 202 && again.body.isEmpty)
            #expect(try await Self.validSince(server) == "1700000010")
            for (response, reason, code) in [
                (try await send(["aud": "other", "jti": "j2"]), "audience_mismatch", "invalid_audience"),
                (try await send(["iss": "https://other.example", "jti": "j2"]), "issuer_mismatch", "invalid_issuer"),
                (try await send(["events": .null, "jti": "j2"]), "malformed_token", "invalid_request"),
                (try await send(path: "/v1/events/yahoo.com"), "provider_disabled", "access_denied"),
            ] {
                try expectRefusal(response, reason, further: ["err", "description"])
                #expect(response.json?["err"]?.string == code)
                #expect(response.json?["description"] == response.json?["error_description"])
                #expect(response[field: "Content-Language"] == "en")
            }
        }
    }

    @Test("A notification is a JSON object with a JWT")
    func notifications() async throws {
        try await TestServer.open(.google(.users)) { server in
            try await Self.signIn(server)
            server.clock.advance(by: .seconds(10))
            let event = #"{"type":"consent-revoked","sub":"\#(Self.subject)"}"#
            let token = try await Self.token(server, type: "JWT", ["events": .string(event), "sub": .null])
            let response = try await server.post(Self.path, ["payload": .string(token), "other": 1])
            #expect(response.status == 200 && response.text == "{}", "\(response.text)")
            #expect(try await Self.validSince(server) == "1700000010")
            server.clock.advance(by: .seconds(10))
            #expect(try await server.post(Self.path, ["payload": .string(token)]).status == 200)
            #expect(try await Self.validSince(server) == "1700000010")
            try expectRefusal(try await server.post(Self.path, ["token": .string(token)]), "missing_field")
        }
    }

    @Test("Bodies of another form are refused, and a form may have further parameters")
    func bodies() async throws {
        try await TestServer.open(.google(.users)) { server in
            let token = try await Self.token(server)
            for (text, type, reason) in [
                ("logout_token=", Self.form, "missing_field"), ("token=\(token)", Self.form, "missing_field"),
                ("logout_token=\(token)&logout_token=\(token)", Self.form, "duplicate_parameter"),
                (token, "text/plain", "unsupported_media_type"), (token, "application/json", "malformed_body"),
            ] {
                try expectRefusal(try await server.post(Self.path, text: text, type: type), reason)
            }
            try expectRefusal(try await Self.post(server, logout: token, to: Self.path + "?a=b"), "malformed_body")
            let encoded = HeaderField("Content-Encoding", "gzip")
            try expectRefusal(try await Self.post(server, logout: token, header: [encoded]), "unsupported_media_type")
            try expectRefusal(
                try await server.post(
                    Self.path, text: String(repeating: "a", count: 65_537), type: Self.securityEvent),
                "body_too_large", further: ["err", "description"])
            let response = try await server.post(
                Self.path, text: "other=1&logout_token=\(token)", type: Self.form + "; charset=UTF-8")
            #expect(response.status == 200, "\(response.text)")
        }
    }

    @Test("Only a configured provider that sends such messages has the endpoint")
    func providers() async throws {
        try await TestServer.open(.google(.users)) { server in
            let token = try await Self.token(server)
            try expectRefusal(
                try await Self.post(server, logout: token, to: "/v1/events/unknown.example"), "unknown_provider")
            for id in ["yahoo.com", "twitter.com"] {
                try expectRefusal(
                    try await Self.post(server, logout: token, to: "/v1/events/" + id), "provider_disabled")
            }
            try expectRefusal(try await server.get(Self.path), "method_not_allowed")
        }
    }

    @Test("If Firebase is out of service, the provider may send the same message again")
    func outage() async throws {
        try await TestServer.open(.google(.users)) { server in
            try await Self.signIn(server)
            server.clock.advance(by: .seconds(10))
            try await server.standIns.order("PUT", "/faults", ["target": "google.update", "times": 20, "status": 503])
            let token = try await Self.token(server)
            try expectRefusal(try await Self.post(server, logout: token), "directory_unavailable", retry: "same")
            let line = server.log.lines.last { $0.contains("directory_unavailable") } ?? ""
            #expect(line.contains("Identity Toolkit sends no usable answer") && !line.contains("StoreFault"), "\(line)")
            try await server.standIns.order("DELETE", "/faults")
            #expect(try await Self.post(server, logout: token).status == 200)
            #expect(try await Self.validSince(server) == "1700000010")
        }
    }

    @Test("A service account that may not end sessions is reported to the operator, with the role")
    func permission() async throws {
        try await TestServer.open(.google(.users)) { server in
            try await Self.signIn(server)
            try await server.standIns.order(
                "PUT", "/faults",
                [
                    "target": "google.update", "times": 20, "status": 403,
                    "body": #"{"error":{"code":403,"message":"denied","status":"PERMISSION_DENIED"}}"#,
                ])
            #expect(try await Self.post(server, logout: try await Self.token(server)).status == 200)
            #expect(server.log.text.contains("lacks the role Firebase Authentication Admin"))
        }
    }

    @Test("Only messages whose signature is not valid count against the rate of an address")
    func rate() async throws {
        let limit = RateLimit(count: 3, period: .seconds(60))
        try await TestServer.open(.google(.users) { $0.limits.exchangesPerAddress = limit }) { server in
            for number in 0..<8 {
                let token = try await Self.token(server, ["jti": .string("j\(number)")])
                #expect(try await Self.post(server, logout: token).status == 200)
            }
            let token = try await Self.token(server, ["jti": "last"])
            // Another customer of a hosted provider sends from the same addresses, with keys and issuer of its own.
            for _ in 0..<8 {
                try expectRefusal(try await Self.post(server, logout: "a.b.c"), "malformed_token")
                let other = try await Self.token(server, ["iss": "https://other.example"])
                try expectRefusal(try await Self.post(server, logout: other), "issuer_mismatch")
            }
            let forged = token.dropLast(8) + "AAAAAAAA"
            for _ in 0..<3 {
                try expectRefusal(try await Self.post(server, logout: String(forged)), "signature_invalid")
            }
            try expectRefusal(try await Self.post(server, logout: token), "rate_limited", retry: "same")
            server.clock.advance(by: .seconds(60))
            #expect(try await Self.post(server, logout: token).status == 200)
        }
    }

    @Test("No web page may read the response")
    func origins() async throws {
        try await TestServer.open(.google(.users)) { server in
            let origin = HeaderField("Origin", Registrations.origin)
            let response = try await Self.post(server, logout: try await Self.token(server), header: [origin])
            #expect(response.status == 200 && response[field: "Access-Control-Allow-Origin"] == nil)
            let preflight = try await server.raw(
                TestServer.request(
                    "OPTIONS \(Self.path) HTTP/1.1",
                    header: ["Origin: \(Registrations.origin)", "Access-Control-Request-Method: POST"], body: ""))
            try expectRefusal(preflight, "method_not_allowed")
        }
    }

    @Test("A logout token signs nobody in")
    func substitution() async throws {
        try await TestServer.open(.google(.users)) { server in
            let nonce = try await server.nonce()
            let token = try await Self.token(server, type: "JWT", ["nonce": .string(nonce.value)])
            let body = Bodies.exchange(
                "yahoo.com",
                ["type": "id_token", "id_token": .string(token), "nonce": .string(nonce.verifier)])
            try expectRefusal(try await server.exchange(body), "malformed_token")
        }
    }
}
