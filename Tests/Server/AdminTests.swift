import Jansson
import SQLiteStores
import Server
import Support
import Testing
import Transport

@Suite("Admin listener", .serialized, .timeLimit(.minutes(5)))
struct AdminTests {
    @Test("/healthz reports only that the process runs")
    func health() async throws {
        try await TestServer.open { server in
            let response = try await server.get("/healthz", admin: true)
            #expect(response.status == 200)
            #expect(response.text == #"{"status":"ok"}"#)
            expectSafeHeader(response)
        }
    }

    @Test("Readiness names only the failing components, with what the store says, and checks them once a second")
    func readiness() async throws {
        try await TestServer.open { server in
            let warnings = #""warnings":["keys of dark.example"]"#
            #expect(try await server.get("/readyz", admin: true).text == #"{"status":"ready",\#(warnings)}"#)
            try server.store.close()
            #expect(try await server.get("/readyz", admin: true).status == 200)
            server.clock.advance(by: .seconds(1))
            let response = try await server.get("/readyz", admin: true)
            #expect(response.status == 503)
            #expect(response.json?["failing"] == .array(["store"]))
            let causes = response.json?["warnings"]?.array?.compactMap(\.string) ?? []
            #expect(causes.count == 2 && causes.first == "keys of dark.example", "\(causes)")
            #expect(causes.last?.hasPrefix("store.unavailable.") == true, "\(causes)")
            server.concurrencyLimit.drain()
            #expect(
                try await server.get("/readyz", admin: true).text == #"{"failing":["draining"],"status":"unavailable"}"#
            )
            #expect(try await server.get("/healthz", admin: true).status == 200)
        }
    }

    @Test("A provider without keys is a warning while another works")
    func warnings() async throws {
        try await TestServer.open { server in
            try await server.standIns.fault("yahoo.certs", ["status": 503, "body": "{}"], times: 100)
            let response = try await server.get("/readyz", admin: true)
            #expect(response.status == 200)
            #expect(response.json?["failing"] == nil)
            #expect(response.json?["warnings"]?.array?.contains("keys of yahoo.com") == true)
        }
    }

    @Test("Metrics are put together once a second")
    func recentMetrics() async throws {
        try await TestServer.open { server in
            let line = #"token_exchange_requests_total{endpoint="other",status="404",reason="not_found"} 1"#
            _ = try await server.get("/metrics", admin: true)
            _ = try await server.get("/nothing")
            #expect(try await !server.get("/metrics", admin: true).text.contains(line))
            server.clock.advance(by: .seconds(1))
            #expect(try await server.get("/metrics", admin: true).text.contains(line))
        }
    }

    @Test("Metrics count by endpoint, status and reason, and requests cannot create labels")
    func metrics() async throws {
        try await TestServer.open { server in
            let body = try await server.idTokenBody()
            #expect(try await server.exchange(body).status == 200)
            _ = try await server.exchange(Bodies.inventedIDToken)
            for path in ["/a", "/b", "/c\"} 1", "/v1/exchange/x", "/v1/%6eonce", "/v1/nonce?hush"] {
                _ = try await server.raw("GET \(path.replacing(" ", with: "")) HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            // A client can have its response before the server ends the request.
            while server.concurrencyLimit.inFlight > 0 { try await Task.sleep(for: .milliseconds(2)) }
            let response = try await server.get("/metrics", admin: true)
            #expect(response[field: "Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = Set(response.text.split(separator: "\n").map(String.init))
            for line in [
                #"token_exchange_requests_total{endpoint="/v1/exchange",status="200",reason=""} 1"#,
                #"token_exchange_requests_total{endpoint="/v1/exchange",status="400",reason="nonce_mismatch"} 1"#,
                #"token_exchange_requests_total{endpoint="/v1/nonce",status="200",reason=""} 1"#,
                #"token_exchange_requests_total{endpoint="/v1/nonce",status="405",reason="method_not_allowed"} 1"#,
                #"token_exchange_requests_total{endpoint="other",status="404",reason="not_found"} 5"#,
                #"token_exchange_signins_total{provider="yahoo.com"} 1"#,
                "token_exchange_requests_in_flight 0",
            ] {
                #expect(lines.contains(line), "\(line)\n\(response.text)")
            }
            #expect(!response.text.contains("hush"))
        }
    }

    @Test(
        "HT-21: another path is not found, another method is not allowed, and the User-Agent skips no check",
        arguments: [
            "/", "/livez", "/healthz/", "/healthz?a=b", "/%68ealthz", "/v1/exchange", "/debug", "/openapi.json",
        ])
    func nothing(path: String) async throws {
        try await TestServer.open { server in
            let response = try await server.get(
                path, header: [HeaderField("User-Agent", "kube-probe/1.30")], admin: true)
            try expectRefusal(response, "not_found")
            #expect(response.text.contains("The admin listener has only the paths /healthz, /readyz and /metrics."))
        }
    }

    @Test("HT-21: health responds only to GET, and reads no body", arguments: ["/healthz", "/readyz", "/metrics"])
    func method(path: String) async throws {
        try await TestServer.open { server in
            for method in ["POST", "PUT", "HEAD", "OPTIONS", "TRACE"] {
                let response = try await server.raw(
                    TestServer.request("\(method) \(path) HTTP/1.1", body: ""), admin: true)
                #expect(response?.status == 405)
                #expect(response?[field: "Allow"] == "GET")
            }
            let sent = try await Wire.connect(to: server.adminPort) { wire in
                try await wire.send("GET \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 1073741824\r\n\r\n")
                return await wire.pour(96 << 20, chunked: false)
            }
            #expect(sent < 48 << 20)
            #expect(try await server.get(path, admin: true).status == 200)
        }
    }

    /// A server without places for requests, and with one request per address, on whose public listener probes call.
    private static let probed: Plan = {
        var plan = Plan.limits {
            $0.inFlight = 0
            $0.pagesPerAddress = RateLimit(count: 1, period: .seconds(60))
        }
        plan.answersProbes = true
        return plan
    }()

    @Test("Without an admin listener, the public one answers probes, also at capacity and above the rate")
    func publicProbes() async throws {
        try await TestServer.open(Self.probed) { server in
            try expectRefusal(try await server.raw(TestServer.request()), "overloaded", retry: "same")
            for _ in 0..<3 {
                for (path, text) in [("/healthz", #"{"status":"ok"}"#), ("/readyz", #"{"status":"ready"}"#)] {
                    let response = try #require(
                        try await server.raw(
                            "GET \(path) HTTP/1.1\r\nHost: a\r\nOrigin: \(Registrations.origin)\r\n\r\n"))
                    #expect(response.status == 200)
                    #expect(response.text == text, "Anyone may read it, so that it has no warnings.")
                    #expect(response[field: "Access-Control-Allow-Origin"] == nil)
                    expectSafeHeader(response)
                }
            }
            try server.store.close()
            server.clock.advance(by: .seconds(1))
            let failing = try await server.raw("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(failing?.text == #"{"failing":["store"],"status":"unavailable"}"#)
            server.concurrencyLimit.drain()
            let draining = try await server.raw("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(draining?.status == 503)
            #expect(draining?.text == #"{"failing":["draining"],"status":"unavailable"}"#)
            #expect(try await server.raw("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 200)
            #expect(!server.log.lines.contains { $0.contains("healthz") || $0.contains("readyz") })
            #expect(server.log.lines.count { $0.contains(" request ") } == 1, "\(server.log.text)")
            let metrics = try await server.get("/metrics", admin: true).text
            #expect(metrics.contains(#"{endpoint="/v1/nonce",status="503",reason="overloaded"} 1"#))
            #expect(!metrics.contains(#"endpoint="other""#) && !metrics.contains("healthz"))
        }
    }

    @Test("Without an admin listener, probes may use GET and HEAD, and nothing else becomes public")
    func publicProbeMethods() async throws {
        try await TestServer.open(.with { $0.answersProbes = true }) { server in
            for path in ["/healthz", "/readyz"] {
                let both = "HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\nGET \(path) HTTP/1.1\r\nHost: a\r\n\r\n"
                try await Wire.connect(to: server.publicPort) { wire in
                    try await wire.send(both)
                    #expect(try await wire.response(toHEAD: true)?.status == 200)
                    #expect(try await wire.response()?.status == 200)
                }
                for method in ["POST", "PUT", "OPTIONS", "TRACE"] {
                    let response = try await server.raw(TestServer.request("\(method) \(path) HTTP/1.1", body: ""))
                    try expectRefusal(response, "method_not_allowed")
                    #expect(response?[field: "Allow"] == "GET, HEAD")
                }
            }
            for path in ["/metrics", "/healthz/", "/healthz?a=b", "/readyz/", "/%68ealthz", "/livez"] {
                try expectRefusal(try await server.raw("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n"), "not_found")
            }
        }
    }

    @Test("Silent connections are closed at the deadline of the admin listener, and the oldest gives way before")
    func silence() async throws {
        var plan = Plan()
        plan.adminLimits.connections = 2
        try await TestServer.open(plan) { server in
            try await Wire.connect(to: server.adminPort) { first in
                try await Wire.connect(to: server.adminPort) { second in
                    for _ in 0..<3 {
                        let response = try await server.get("/healthz", admin: true)
                        #expect(response.status == 200)
                    }
                    #expect(await first.rest().isEmpty)
                    #expect(await second.rest().isEmpty)
                }
            }
        }
        #expect(ServerLimits().ofAdminListener().headerDeadline == .seconds(2))
    }

    @Test("HT-21: the User-Agent skips no check")
    func agent() async throws {
        try await TestServer.open { server in
            let header = ["Content-Type: application/json", "User-Agent: GoogleHC/1.0", "Origin: https://evil.example"]
            try expectRefusal(try await server.raw(TestServer.request(header: header)), "origin_not_allowed")
        }
    }
}
