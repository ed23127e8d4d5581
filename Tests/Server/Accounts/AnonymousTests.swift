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

    private static func ask(_ street: Street, _ field: String...) async throws -> OutboundResponse? {
        try await street.raw(
            Street.request(
                "POST /v1/anonymous HTTP/1.1", header: ["Content-Type: application/json"] + field, body: body.text))
    }

    @Test("AN-03, AN-06: each is somebody new, under a random uid, and no provider's")
    func success() async throws {
        try await Street.open { street in
            var uids: Set<String> = []
            for _ in 0..<20 {
                let answer = try await street.post("/v1/anonymous", Self.body)
                #expect(answer.status == 200, "\(answer.text)")
                expectSafeHeader(answer)
                #expect(
                    answer.json?.object?.keys.sorted()
                        == ["custom_token", "expires_in", "is_new_user", "provider", "uid"])
                #expect(answer.json?["provider"] == "anonymous")
                #expect(answer.json?["is_new_user"] == true)
                let uid = answer.json?["uid"]?.string ?? ""
                #expect(uid.hasPrefix("anonymous:") && uid.utf8.count >= 10 + 22, "128 bits, and a prefix: \(uid)")
                let token = Payload.of(answer.json?["custom_token"]?.string)
                #expect(token?["uid"]?.string == uid)
                #expect(token?["claims"] == ["idp": "anonymous"])
                uids.insert(uid)
            }
            #expect(uids.count == 20)
        }
    }

    @Test(
        "AN-03: nobody says who an anonymous account is",
        arguments: ["uid", "claims", "provider", "email", "credential", "idempotency_key", "tenant_id"])
    func unknown(member: String) async throws {
        try await Street.open { street in
            try expectRefusal(
                try await street.post("/v1/anonymous", Self.body.setting(member, to: "admin")), "unknown_field")
        }
    }

    @Test("A client that is not known, or may not, makes none")
    func refusals() async throws {
        try await Street.open { street in
            try expectRefusal(try await street.post("/v1/anonymous", ["client_id": "x-only"]), "anonymous_disabled")
            try expectRefusal(try await street.post("/v1/anonymous", ["client_id": "nobody"]), "unknown_client")
            try expectRefusal(try await street.post("/v1/anonymous", [:]), "missing_field")
            try expectRefusal(try await street.get("/v1/anonymous"), "method_not_allowed")
        }
    }

    @Test("AN-02: an address makes so many, whatever it says of itself")
    func rate() async throws {
        try await Street.open(Self.twice(trusting: false)) { street in
            for number in 1...2 {
                #expect(try await Self.ask(street, "X-Forwarded-For: 192.0.2.\(number)")?.status == 200)
            }
            for field in ["X-Forwarded-For: 192.0.2.9", "Forwarded: for=192.0.2.9", "X-Real-IP: 192.0.2.9"] {
                let answer = try await Self.ask(street, field)
                try expectRefusal(answer, "rate_limited", retry: "same")
                #expect(answer?[field: "Retry-After"] == "30")
            }
            // A limit of its own: whoever signs in otherwise is not kept from it.
            #expect(try await street.exchange(try await street.codeBody()).status == 200)
            street.clock.advance(by: .seconds(30))
            #expect(try await Self.ask(street)?.status == 200)
        }
    }

    @Test("AN-02: behind a proxy of ours an IPv6 address counts by its /64")
    func network() async throws {
        try await Street.open(Self.twice(trusting: true)) { street in
            for address in ["2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff"] {
                #expect(try await Self.ask(street, "X-Forwarded-For: \(address)")?.status == 200)
            }
            for address in ["2001:db8:0:1::2", "2001:0db8:0000:0001:0:0:0:3", "198.51.100.1, 2001:db8:0:1::4"] {
                try expectRefusal(
                    try await Self.ask(street, "X-Forwarded-For: \(address)"), "rate_limited", retry: "same")
            }
            #expect(try await Self.ask(street, "X-Forwarded-For: 2001:db8:0:2::1")?.status == 200)
        }
    }
}
