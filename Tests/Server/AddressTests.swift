import Server
import Support
import Testing
import Transport

@Suite("Addresses", .serialized, .timeLimit(.minutes(5)))
struct AddressTests {
    private static func once(trusting: Bool) -> Plan {
        var plan = Plan.limits { $0.startsPerAddress = RateLimit(count: 1, period: .seconds(60)) }
        plan.trustsLoopback = trusting
        return plan
    }

    private static func ask(_ server: TestServer, _ field: String...) async throws -> OutboundResponse? {
        try await server.raw(TestServer.request(header: ["Content-Type: application/json"] + field))
    }

    @Test(
        "HT-08: a peer that is not a trusted proxy is counted by its own address, whatever its fields say",
        arguments: [
            "X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP", "X_Forwarded_For", "CF-Connecting-IP",
            "X-Client-IP",
        ])
    func untrusted(name: String) async throws {
        try await TestServer.open(Self.once(trusting: false)) { server in
            let value = name == "Forwarded" ? "for=" : ""
            #expect(try await Self.ask(server, "\(name): \(value)192.0.2.1")?.status == 200)
            try expectRefusal(
                try await Self.ask(server, "\(name): \(value)192.0.2.2"), "rate_limited", retry: "same")
        }
    }

    @Test("HT-08: a peer that is not a trusted proxy and sends X-Forwarded-For is reported once")
    func reported() async throws {
        @Sendable func reports(_ server: TestServer) -> Int {
            server.log.lines.count {
                $0.hasPrefix("warning X-Forwarded-For is ignored") && $0.contains("127.0.0.1")
                    && $0.contains("as a block (with /32, or /128 for IPv6)")
            }
        }
        try await TestServer.open(Self.once(trusting: false)) { server in
            _ = try await Self.ask(server)
            #expect(reports(server) == 0)
            for _ in 0..<3 { _ = try await Self.ask(server, "X-Forwarded-For: 192.0.2.1") }
            #expect(reports(server) == 1)
        }
        try await TestServer.open(Self.once(trusting: true)) { server in
            _ = try await Self.ask(server, "X-Forwarded-For: 192.0.2.1")
            #expect(reports(server) == 0)
        }
    }

    @Test(
        "A trusted proxy that sends the address only in another field is reported once, with the name of the field",
        arguments: ["X-Real-IP", "Forwarded", "CF-Connecting-IP", "True-Client-IP"])
    func otherField(name: String) async throws {
        @Sendable func reports(_ server: TestServer) -> Int {
            server.log.lines.count {
                $0.hasPrefix("warning a trusted proxy sends no X-Forwarded-For") && $0.contains(name.lowercased())
            }
        }
        try await TestServer.open(Self.once(trusting: true)) { server in
            _ = try await Self.ask(server)
            _ = try await Self.ask(server, "\(name): for=203.0.113.9", "X-Forwarded-For: 203.0.113.9")
            #expect(reports(server) == 0)
            for _ in 0..<2 { _ = try await Self.ask(server, "\(name): for=203.0.113.9;proto=https") }
            #expect(reports(server) == 1)
        }
        try await TestServer.open(Self.once(trusting: false)) { server in
            _ = try await Self.ask(server, "\(name): for=203.0.113.9")
            #expect(reports(server) == 0)
        }
    }

    @Test(
        "A peer that is not a trusted proxy and sends the address in another field is reported once",
        arguments: ["X-Real-IP", "Forwarded", "X-Client-IP", "CF-Connecting-IP"])
    func ignoredField(name: String) async throws {
        try await TestServer.open(Self.once(trusting: false)) { server in
            for _ in 0..<2 { _ = try await Self.ask(server, "\(name): for=_x;proto=https") }
            let reports = server.log.lines.filter {
                $0.hasPrefix("warning \(name.lowercased()) is ignored: the peer is not a trusted")
            }
            #expect(
                reports.count == 1 && reports[0].contains("let it append the address of its client to X-Forwarded-For"))
        }
    }

    @Test(
        "A browser that asks for a page at another host than public_url is reported once",
        arguments: [
            (["Host: te-abc-ew.a.run.app"], "te-abc-ew.a.run.app"), (["Host: AUTH.example.com:443"], nil),
            (["Host: 10.0.0.7:8080"], nil), (["Host: [2001:db8::1]"], nil),
            (["Host: te.default.svc.cluster.local"], nil),
            (["Host: te-abc-ew.a.run.app", "X-Forwarded-Host: auth.example.com"], nil),
            (["Host: auth.example.com", "X-Forwarded-Host: other.example, auth.example.com"], "other.example"),
        ] as [([String], String?)])
    func otherHost(fields: [String], reported: String?) async throws {
        try await TestServer.open { server in
            for line in ["GET /authorize", "GET /authorize", "GET /.well-known/oauth-authorization-server"] {
                _ = try await server.raw(([line + " HTTP/1.1"] + fields).joined(separator: "\r\n") + "\r\n\r\n")
            }
            let reports = server.log.lines.filter { $0.hasPrefix("warning a browser asks for a page at another host") }
            #expect(reports.count == (reported == nil ? 0 : 1))
            if let reported { #expect(reports.first?.contains(reported) == true, "\(reports)") }
        }
    }

    @Test(
        "A delivery network in front of the trusted proxy is reported once, if it names another client",
        arguments: [
            "CF-Connecting-IP", "True-Client-IP", "Fly-Client-IP", "X-Azure-ClientIP", "X-Azure-SocketIP",
            "Fastly-Client-IP", "CloudFront-Viewer-Address", "X-AppEngine-User-IP", "X-Vercel-Forwarded-For",
            "X-NF-Client-Connection-IP", "DO-Connecting-IP", "Incap-Client-IP", "X-Sucuri-ClientIP", "Ali-CDN-Real-IP",
        ])
    func deliveryNetwork(name: String) async throws {
        @Sendable func reports(_ server: TestServer) -> Int {
            server.log.lines.count {
                $0.hasPrefix("warning X-Forwarded-For and the field of a delivery network name different clients")
                    && $0.contains(name.lowercased()) && $0.contains("162.158.90.163")
            }
        }
        try await TestServer.open(Self.once(trusting: true)) { server in
            for value in ["203.0.113.9", "203.0.113.9:4711", "no address"] {
                _ = try await Self.ask(server, "\(name): \(value)", "X-Forwarded-For: 203.0.113.9")
            }
            #expect(reports(server) == 0)
            for _ in 0..<2 { _ = try await Self.ask(server, "\(name): 203.0.113.9", "X-Forwarded-For: 162.158.90.163") }
            #expect(reports(server) == 1)
        }
    }

    @Test(
        "Azure Front Door in front of the trusted proxy is reported, and not if the address is that of its client"
    )
    func azureFrontDoor() async throws {
        @Sendable func warnings(_ server: TestServer) -> Int {
            server.log.lines.count { $0.hasPrefix("warning X-Forwarded-For ") }
        }
        try await TestServer.open(Self.once(trusting: true)) { server in
            // The client has a proxy of its own, which the network also names.
            _ = try await Self.ask(
                server, "Via: 1.1 Azure", "X-Forwarded-For: 198.51.100.4, 203.0.113.5",
                "X-Azure-ClientIP: 198.51.100.4",
                "X-Azure-SocketIP: 203.0.113.5")
            #expect(warnings(server) == 0)
            _ = try await Self.ask(
                server, "Via: 1.1 Azure", "X-Forwarded-For: 203.0.113.5, 147.243.0.10:49828",
                "X-Azure-ClientIP: 203.0.113.5")
            #expect(server.log.lines.contains { $0.contains("x-azure-clientip") && $0.contains("147.243.0.10") })
            #expect(server.log.lines.contains { $0.contains("Via: 1.1 Azure") })
        }
    }

    @Test("The port that CloudFront appends to an IPv6 address is no part of it")
    func viewerAddress() async throws {
        try await TestServer.open(Self.once(trusting: true)) { server in
            _ = try await Self.ask(
                server, "X-Forwarded-For: 2001:db8::1", "CloudFront-Viewer-Address: 2001:db8::1:4711")
            #expect(!server.log.lines.contains { $0.contains("delivery network") })
        }
    }

    @Test(
        "A second proxy that is not trusted is reported once: Google's load balancer, and one in a private network",
        arguments: [
            ("34.120.1.2", "Via: 1.1 google", "34.120.1.2"),
            ("10.0.3.4", "X-Envoy-External-Address: 203.0.113.7", "10.0.3.4"),
            // What CloudFront and others send by default.
            ("130.176.98.10", "Via: 2.0 7b21d.cloudfront.net (CloudFront)", "Via: 1.1 (CloudFront)"),
            ("130.176.98.10", "X-Amz-Cf-Id: abc==", "x-amz-cf-id"), ("172.71.8.9", "CDN-Loop: cloudflare", "cdn-loop"),
            ("23.45.6.7", "Via: 1.1 v1-akamaitech.net(ghost) (AkamaiGHost)", "Via: 1.1 (AkamaiGHost)"),
        ])
    func unlistedProxy(address: String, field: String, named: String) async throws {
        @Sendable func reports(_ server: TestServer) -> Int {
            server.log.lines.count {
                $0.hasPrefix("warning X-Forwarded-For of a trusted proxy ends with the address of another proxy")
                    && $0.contains(named)
            }
        }
        try await TestServer.open(Self.once(trusting: true)) { server in
            for values in [address, "10.1.1.1, \(address)", "203.0.113.7, 198.51.100.4"] {
                _ = try await Self.ask(server, "X-Forwarded-For: \(values)", "X-Other: \(field)")
            }
            #expect(reports(server) == 0)
            for _ in 0..<2 { _ = try await Self.ask(server, "X-Forwarded-For: 203.0.113.7,\(address)", field) }
            #expect(reports(server) == 1)
        }
    }

    @Test("A trusted proxy that names only trusted proxies, as ingress-nginx behind a load balancer, is reported once")
    func onlyProxies() async throws {
        @Sendable func reports(_ server: TestServer) -> Int {
            server.log.lines.count {
                $0.hasPrefix("warning X-Forwarded-For of a trusted proxy names only trusted proxies")
                    && $0.contains("\"proxy\": 127.0.0.1") && $0.contains("use-forwarded-headers")
            }
        }
        let replaced = ["X-Real-IP: 127.0.0.1", "X-Original-Forwarded-For: 203.0.113.7"]
        try await TestServer.open(Self.once(trusting: true)) { server in
            for values in ["203.0.113.7, 127.0.0.1", "unknown, 127.0.0.1"] {
                _ = try await Self.ask(server, "X-Forwarded-For: \(values)", replaced[0], replaced[1])
            }
            #expect(reports(server) == 0)
            for _ in 0..<2 { _ = try await Self.ask(server, "X-Forwarded-For: 127.0.0.1", replaced[0], replaced[1]) }
            #expect(reports(server) == 1)
        }
    }

    @Test("A request's line in the log has its duration, in milliseconds")
    func duration() async throws {
        try await TestServer.open(Self.once(trusting: false)) { server in
            _ = try await Self.ask(server)
            let line = server.log.lines.last { $0.hasPrefix("info request ") } ?? ""
            #expect(line.contains(/"duration_ms": "?[0-9]+\.[0-9]{3}/), "\(line)")
        }
    }

    @Test(
        "The limit of a private address names it in the log, with what hides the addresses of people; that of a public one not",
        arguments: [
            ("10.200.0.1", "10.200.0.1"), ("100.64.0.9", "100.64.0.9"), ("169.254.7.1", "169.254.7.1"),
            ("fd00:1::7", "fd00:1::/64"), ("fe80::7", "fe80::/64"), ("192.0.2.1", nil), ("2001:db8::7", nil),
        ] as [(String, String?)])
    func privateAddress(address: String, shown: String?) async throws {
        try await TestServer.open(Self.once(trusting: true)) { server in
            for _ in 0..<2 { _ = try await Self.ask(server, "X-Forwarded-For: \(address)") }
            let line = try #require(server.log.lines.last { $0.contains("rate_limited") })
            #expect(line.contains("source NAT") == (shown != nil), "\(line)")
            #expect(
                line.contains("limits.start_per_address is used up" + (shown.map { " by \($0)" } ?? "")), "\(line)")
            #expect(line.contains(address) == (shown == address), "\(line)")
        }
    }

    @Test("HT-08: a trusted proxy is believed in X-Forwarded-For")
    func trusted() async throws {
        try await TestServer.open(Self.once(trusting: true)) { server in
            #expect(try await Self.ask(server, "X-Forwarded-For: 192.0.2.1")?.status == 200)
            #expect(try await Self.ask(server, "X-Forwarded-For: 192.0.2.2")?.status == 200)
            try expectRefusal(
                try await Self.ask(server, "X-Forwarded-For: 192.0.2.1"), "rate_limited", retry: "same")
        }
    }

    @Test(
        "HT-08: a trusted proxy is believed in no other field",
        arguments: ["X-Real-IP", "Forwarded", "X_Forwarded_For", "True-Client-IP"])
    func trustedInOneField(name: String) async throws {
        try await TestServer.open(Self.once(trusting: true)) { server in
            #expect(try await Self.ask(server, "\(name): 192.0.2.1")?.status == 200)
            try expectRefusal(try await Self.ask(server, "\(name): 192.0.2.2"), "rate_limited", retry: "same")
        }
    }

    @Test("HT-08: only the right-most entries, which trusted proxies wrote, count")
    func spoofed() async throws {
        try await TestServer.open(Self.once(trusting: true)) { server in
            #expect(try await Self.ask(server, "X-Forwarded-For: 198.51.100.1, 192.0.2.1")?.status == 200)
            try expectRefusal(
                try await Self.ask(server, "X-Forwarded-For: 198.51.100.2, 192.0.2.1, 127.0.0.1"), "rate_limited",
                retry: "same")
            try expectRefusal(
                try await Self.ask(server, "X-Forwarded-For: 198.51.100.3", "X-Forwarded-For: 192.0.2.1"),
                "rate_limited", retry: "same")
            #expect(try await Self.ask(server, "X-Forwarded-For: 198.51.100.1, garbage")?.status == 200)
        }
    }

    @Test(
        "HT-08: an address in X-Forwarded-For may have a port, brackets and quotation marks",
        arguments: [
            ("203.0.113.139:17085", "203.0.113.139"), ("\"203.0.113.139\"", "203.0.113.139"),
            ("\t203.0.113.139:0 ", "203.0.113.139"), ("2001:db8::7", "2001:db8::8"),
            ("[2001:db8::7]:443", "2001:db8::7"), ("[2001:db8::7]", "2001:db8::7"),
            ("\"[2001:db8::7]:443\"", "2001:db8::7"), ("fe80::1%eth0", "fe80::1"), ("[fe80::1%25eth0]:443", "fe80::1"),
        ])
    func port(entry: String, address: String) async throws {
        try await TestServer.open(Self.once(trusting: true)) { server in
            #expect(try await Self.ask(server, "X-Forwarded-For: \(entry), 127.0.0.1:4711")?.status == 200)
            try expectRefusal(
                try await Self.ask(server, "X-Forwarded-For: \(address)"), "rate_limited", retry: "same")
            #expect(try await Self.ask(server)?.status == 200, "The proxy has a limit of its own.")
            #expect(!server.log.lines.contains { $0.contains("entry without an address") })
        }
    }

    @Test(
        "HT-08: an entry without an address counts against the proxy, whatever is left of it, and is reported once",
        arguments: [
            ("unknown", "the word unknown"), ("", "an empty entry"), ("_hidden", "an entry that is no IP address"),
            ("203.0.113.139:", "an entry that is no IP address"),
            ("203.0.113.139:123456", "an entry that is no IP address"),
            ("203.0.113.139:http", "an entry that is no IP address"),
            ("[203.0.113.139]:80", "an entry that is no IP address"),
            ("[2001:db8::7", "an entry that is no IP address"), ("[2001:db8::7]443", "an entry that is no IP address"),
            ("\"203.0.113.139", "an entry that is no IP address"), ("unix:", "an entry that is no IP address"),
            ("a.example:80", "an entry that is no IP address"),
        ])
    func unreadable(entry: String, form: String) async throws {
        try await TestServer.open(Self.once(trusting: true)) { server in
            #expect(try await Self.ask(server, "X-Forwarded-For: 192.0.2.1, \(entry)")?.status == 200)
            for claim in ["192.0.2.2", "192.0.2.3"] {
                try expectRefusal(
                    try await Self.ask(server, "X-Forwarded-For: \(claim), \(entry)"), "rate_limited", retry: "same")
            }
            #expect(try await Self.ask(server, "X-Forwarded-For: 192.0.2.1")?.status == 200)
            let reports = server.log.lines.filter { $0.contains("has an entry without an address") }
            #expect(reports.count == 1)
            #expect(reports.allSatisfy { $0.hasPrefix("warning") && $0.contains(form) && $0.contains("127.0.0.1") })
        }
    }

    @Test("HT-08: an entry without an address to the left of the client is never read")
    func unreadableClaim() async throws {
        try await TestServer.open(Self.once(trusting: true)) { server in
            #expect(try await Self.ask(server, "X-Forwarded-For: unknown, 192.0.2.1")?.status == 200)
            try expectRefusal(
                try await Self.ask(server, "X-Forwarded-For: 192.0.2.1"), "rate_limited", retry: "same")
            #expect(!server.log.lines.contains { $0.contains("entry without an address") })
        }
    }

    @Test("HT-08: with cloud-run every peer is the front end, whose entry is the last one")
    func everyPeer() async throws {
        var plan = Self.once(trusting: false)
        plan.trustsEveryPeer = true
        try await TestServer.open(plan) { server in
            #expect(try await Self.ask(server, "X-Forwarded-For: 198.51.100.1, 192.0.2.1")?.status == 200)
            for spoofed in ["198.51.100.2, 192.0.2.1", "192.0.2.9, 10.0.0.1, 192.0.2.1", "192.0.2.1"] {
                try expectRefusal(
                    try await Self.ask(server, "X-Forwarded-For: \(spoofed)"), "rate_limited", retry: "same")
            }
            #expect(try await Self.ask(server, "X-Forwarded-For: 192.0.2.1, 192.0.2.2")?.status == 200)
            #expect(!server.log.text.contains("X-Forwarded-For"))
        }
    }

    @Test("HT-08: with cloud-run and the address of a load balancer, the entry before that address is the client")
    func everyPeerBehindBalancer() async throws {
        var plan = Self.once(trusting: true)
        plan.trustsEveryPeer = true
        try await TestServer.open(plan) { server in
            #expect(try await Self.ask(server, "X-Forwarded-For: 198.51.100.1, 192.0.2.1, 127.0.0.1")?.status == 200)
            try expectRefusal(
                try await Self.ask(server, "X-Forwarded-For: 198.51.100.2, 192.0.2.1, 127.0.0.1"), "rate_limited",
                retry: "same")
            // A call of the address of the service, without the load balancer.
            #expect(try await Self.ask(server, "X-Forwarded-For: 192.0.2.5, 192.0.2.2")?.status == 200)
            try expectRefusal(
                try await Self.ask(server, "X-Forwarded-For: 192.0.2.6, 192.0.2.2"), "rate_limited", retry: "same")
        }
    }

    @Test("HT-08: with google-load-balancer the last entry is the load balancer, and the one before it the client")
    func loadBalancer() async throws {
        var plan = Self.once(trusting: true)
        plan.lastHopIsProxy = true
        try await TestServer.open(plan) { server in
            #expect(try await Self.ask(server, "X-Forwarded-For: 198.51.100.1, 192.0.2.1, 203.0.113.7")?.status == 200)
            for spoofed in ["198.51.100.2, 192.0.2.1, 203.0.113.7", "192.0.2.1, 203.0.113.8", "a, 192.0.2.1, b"] {
                try expectRefusal(
                    try await Self.ask(server, "X-Forwarded-For: \(spoofed)"), "rate_limited", retry: "same")
            }
            #expect(try await Self.ask(server, "X-Forwarded-For: 192.0.2.1, 192.0.2.2, 203.0.113.7")?.status == 200)
        }
    }

    @Test("HT-08: with google-load-balancer a single entry, which it cannot have appended, counts against the peer")
    func singleEntry() async throws {
        var plan = Self.once(trusting: true)
        plan.lastHopIsProxy = true
        try await TestServer.open(plan) { server in
            #expect(try await Self.ask(server, "X-Forwarded-For: 192.0.2.1")?.status == 200)
            try expectRefusal(
                try await Self.ask(server, "X-Forwarded-For: 192.0.2.2"), "rate_limited", retry: "same")
            #expect(server.log.text.contains("only one entry, and the load balancer appends two"))
        }
    }

    @Test("HT-08: a combining mark after a comma does not hide an address")
    func hiddenComma() async throws {
        try await TestServer.open(Self.once(trusting: true)) { server in
            #expect(try await Self.ask(server, "X-Forwarded-For: \u{600}, 192.0.2.1")?.status == 200)
            try expectRefusal(
                try await Self.ask(server, "X-Forwarded-For: 192.0.2.1"), "rate_limited", retry: "same")
        }
    }

    @Test("An address may ask again when the time that Retry-After named has passed")
    func again() async throws {
        try await TestServer.open(Self.once(trusting: false)) { server in
            #expect(try await Self.ask(server)?.status == 200)
            let refusal = try await Self.ask(server)
            try expectRefusal(refusal, "rate_limited", retry: "same")
            #expect(refusal?[field: "Retry-After"] == "60")
            server.clock.advance(by: .seconds(59))
            #expect(try await Self.ask(server)?[field: "Retry-After"] == "1")
            server.clock.advance(by: .seconds(1))
            #expect(try await Self.ask(server)?.status == 200)
        }
    }

    @Test("HT-09: a request that is refused for its path or method does not count against the rate")
    func free() async throws {
        try await TestServer.open(Self.once(trusting: false)) { server in
            for _ in 0..<3 { try expectRefusal(try await server.get("/v1/nonce"), "method_not_allowed") }
            #expect(try await Self.ask(server)?.status == 200)
        }
    }
}
