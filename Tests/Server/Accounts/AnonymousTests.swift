import Jansson
import Server
import Testing
import Transport

@Suite("Anonymous accounts", .serialized, .timeLimit(.minutes(5)))
struct AnonymousTests {
    private static let body: JSON = ["client_id": "my-app"]

    private static func twice(trusting: Bool) -> Plan {
        var plan = Plan.limits { $0.anonymousPerAddress = RateLimit(count: 2, period: .seconds(60)) }
        plan.trustsLoopback = trusting
        return plan
    }

    private static func ask(_ server: TestServer, _ field: String...) async throws -> OutboundResponse? {
        try await server.raw(
            TestServer.request(
                "POST /v1/anonymous HTTP/1.1", header: ["Content-Type: application/json"] + field, body: body.text))
    }

    @Test("AN-03, AN-06: each is a new account with a random uid and no provider")
    func success() async throws {
        try await TestServer.open { server in
            var uids: Set<String> = []
            for _ in 0..<20 {
                let response = try await server.post("/v1/anonymous", Self.body)
                #expect(response.status == 200, "\(response.text)")
                expectSafeHeader(response)
                #expect(
                    response.json?.object?.keys.sorted()
                        == ["custom_token", "expires_in", "is_new_user", "provider", "uid"])
                #expect(response.json?["provider"] == "anonymous")
                #expect(response.json?["is_new_user"] == true)
                let uid = response.json?["uid"]?.string ?? ""
                #expect(uid.hasPrefix("anonymous:") && uid.utf8.count >= 10 + 22, "128 bits, and a prefix: \(uid)")
                let token = Payload.of(response.json?["custom_token"]?.string)
                #expect(token?["uid"]?.string == uid)
                #expect(token?["claims"] == ["anonymous": true, "idp": "anonymous"])
                uids.insert(uid)
            }
            #expect(uids.count == 20)
        }
    }

    @Test(
        "AN-03: a request cannot choose the uid of an anonymous account",
        arguments: ["uid", "claims", "provider", "email", "credential", "idempotency_key", "tenant_id"])
    func unknown(member: String) async throws {
        try await TestServer.open { server in
            try expectRefusal(
                try await server.post("/v1/anonymous", Self.body.setting(member, to: "admin")), "unknown_field")
        }
    }

    @Test("A client that is not known, or may not, makes none")
    func refusals() async throws {
        try await TestServer.open { server in
            try expectRefusal(try await server.post("/v1/anonymous", ["client_id": "x-only"]), "anonymous_disabled")
            try expectRefusal(try await server.post("/v1/anonymous", ["client_id": "nobody"]), "unknown_client")
            try expectRefusal(try await server.post("/v1/anonymous", [:]), "missing_field")
            try expectRefusal(try await server.get("/v1/anonymous"), "method_not_allowed")
        }
    }

    @Test("AN-02: an address may create a limited number, whatever its header fields say")
    func rate() async throws {
        try await TestServer.open(Self.twice(trusting: false)) { server in
            for number in 1...2 {
                #expect(try await Self.ask(server, "X-Forwarded-For: 192.0.2.\(number)")?.status == 200)
            }
            for field in ["X-Forwarded-For: 192.0.2.9", "Forwarded: for=192.0.2.9", "X-Real-IP: 192.0.2.9"] {
                let response = try await Self.ask(server, field)
                try expectRefusal(response, "rate_limited", retry: "same")
                #expect(response?[field: "Retry-After"] == "30")
            }
            // A limit of its own: other sign-ins are not affected.
            #expect(try await server.exchange(try await server.codeBody()).status == 200)
            server.clock.advance(by: .seconds(30))
            #expect(try await Self.ask(server)?.status == 200)
        }
    }

    @Test("AN-02: behind a trusted proxy an IPv6 address counts by its /64")
    func network() async throws {
        try await TestServer.open(Self.twice(trusting: true)) { server in
            for address in ["2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff"] {
                #expect(try await Self.ask(server, "X-Forwarded-For: \(address)")?.status == 200)
            }
            for address in ["2001:db8:0:1::2", "2001:0db8:0000:0001:0:0:0:3", "198.51.100.1, 2001:db8:0:1::4"] {
                try expectRefusal(
                    try await Self.ask(server, "X-Forwarded-For: \(address)"), "rate_limited", retry: "same")
            }
            #expect(try await Self.ask(server, "X-Forwarded-For: 2001:db8:0:2::1")?.status == 200)
        }
    }
}

@Suite("Anonymous accounts that are linked", .serialized, .timeLimit(.minutes(5)))
struct AnonymousUpgradeTests {
    @Test("AN-05: an anonymous token proves nothing, and unlinks nothing")
    func proof() async throws {
        try await TestServer.open { server in
            let nobody = try await server.anonymous()
            let alice = try await server.atYahoo()
            let asIDToken = Bodies.exchange(
                "yahoo.com",
                [
                    "type": "id_token", "id_token": .string(nobody.idToken),
                    "nonce": .string(try await server.nonce().verifier),
                ])
            let response = try await alice.link(asIDToken)
            #expect(response.status == 400, "\(response.text)")
            #expect(try await server.exchange(asIDToken).status == 400)
            #expect(
                try await server.form(
                    "/token",
                    try await server.subjectToken().changing([
                        "subject_token": nobody.idToken
                    ])
                ).status == 400)
            try expectRefusal(
                try await alice.link(
                    Bodies.exchange("anonymous", ["type": "id_token", "id_token": "a", "nonce": "n"])),
                "unknown_provider")
            try expectRefusal(try await nobody.unlink("yahoo.com"), "no_such_provider")
            try expectRefusal(try await nobody.unlink("anonymous"), "no_such_provider")
            try expectRefusal(
                try await nobody.reauthenticate(try await server.freshCodeBody()), "user_mismatch")
        }
    }

    @Test("AN-07: an anonymous account that is linked keeps its uid and is permanent, without a recent sign-in")
    func upgrade() async throws {
        try await TestServer.open { server in
            let uid = try await server.anonymous().uid
            let nobody = try await server.person(uid, ["authenticated_seconds_ago": 86_400])
            #expect(try await nobody.account()?["anonymous"] == true)
            let response = try await nobody.link(try await server.codeBody())
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json?["account"]?["uid"]?.string == uid)
            #expect(response.json?["account"]?["anonymous"] == false)
            #expect(try await server.exchange(try await server.codeBody()).json?["uid"]?.string == uid)
            // From now on it is an account as any other.
            try expectRefusal(try await nobody.link(try await server.xCodeBody()), "requires_recent_login")
        }
    }

    @Test("AN-07: of two providers that are linked to it at once both are its own; of one identity, one")
    func race() async throws {
        try await TestServer.open { server in
            let nobody = try await server.anonymous()
            let bodies = [try await server.codeBody(), try await server.xCodeBody(), try await server.codeBody()]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for body in bodies { group.addTask { try await nobody.link(body).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == [200, 200, 200])
            #expect(try await nobody.providers() == ["twitter.com", "yahoo.com"])
        }
    }
}
