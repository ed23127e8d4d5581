import Jansson
import SQLiteStores
import Server
import Testing
import Transport

@Suite("Admin listener", .serialized, .timeLimit(.minutes(5)))
struct AdminTests {
    @Test("The process says that it is up, and no more")
    func health() async throws {
        try await Street.open { street in
            let answer = try await street.get("/healthz", admin: true)
            #expect(answer.status == 200)
            #expect(answer.text == #"{"status":"ok"}"#)
            expectSafeHeader(answer)
        }
    }

    @Test("Readiness names the parts that fail, and no more, and asks them once a second")
    func readiness() async throws {
        try await Street.open { street in
            let warnings = #""warnings":["keys of dark.example"]"#
            #expect(try await street.get("/readyz", admin: true).text == #"{"status":"ready",\#(warnings)}"#)
            try street.store.close()
            #expect(try await street.get("/readyz", admin: true).status == 200)
            street.clock.advance(by: .seconds(1))
            let answer = try await street.get("/readyz", admin: true)
            #expect(answer.status == 503)
            #expect(answer.text == #"{"failing":["store"],"status":"unavailable",\#(warnings)}"#)
            street.admission.drain()
            #expect(
                try await street.get("/readyz", admin: true).text == #"{"failing":["draining"],"status":"unavailable"}"#
            )
            #expect(try await street.get("/healthz", admin: true).status == 200)
        }
    }

    @Test("A provider without keys is a warning while another works")
    func warnings() async throws {
        try await Street.open { street in
            try await street.standIns.fault("yahoo.certs", ["status": 503, "body": "{}"], times: 100)
            let answer = try await street.get("/readyz", admin: true)
            #expect(answer.status == 200)
            #expect(answer.json?["failing"] == nil)
            #expect(answer.json?["warnings"]?.array?.contains("keys of yahoo.com") == true)
        }
    }

    @Test("Metrics are put together once a second")
    func recentMetrics() async throws {
        try await Street.open { street in
            let line = #"token_exchange_requests_total{endpoint="other",status="404",reason="not_found"} 1"#
            _ = try await street.get("/metrics", admin: true)
            _ = try await street.get("/nothing")
            #expect(try await !street.get("/metrics", admin: true).text.contains(line))
            street.clock.advance(by: .seconds(1))
            #expect(try await street.get("/metrics", admin: true).text.contains(line))
        }
    }

    @Test("Metrics count by endpoint, status and reason, and nobody outside makes new labels")
    func metrics() async throws {
        try await Street.open { street in
            let body = try await street.idTokenBody()
            #expect(try await street.exchange(body).status == 200)
            _ = try await street.exchange(Bodies.inventedIDToken)
            for path in ["/a", "/b", "/c\"} 1", "/v1/exchange/x", "/v1/%6eonce", "/v1/nonce?hush"] {
                _ = try await street.raw("GET \(path.replacing(" ", with: "")) HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            let answer = try await street.get("/metrics", admin: true)
            #expect(answer[field: "Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = Set(answer.text.split(separator: "\n").map(String.init))
            for line in [
                #"token_exchange_requests_total{endpoint="/v1/exchange",status="200",reason=""} 1"#,
                #"token_exchange_requests_total{endpoint="/v1/exchange",status="400",reason="nonce_mismatch"} 1"#,
                #"token_exchange_requests_total{endpoint="/v1/nonce",status="200",reason=""} 1"#,
                #"token_exchange_requests_total{endpoint="/v1/nonce",status="405",reason="method_not_allowed"} 1"#,
                #"token_exchange_requests_total{endpoint="other",status="404",reason="not_found"} 5"#,
                #"token_exchange_signins_total{provider="yahoo.com"} 1"#,
                "token_exchange_requests_in_flight 0",
            ] {
                #expect(lines.contains(line), "\(line)\n\(answer.text)")
            }
            #expect(!answer.text.contains("hush"))
        }
    }

    @Test(
        "HT-21: another path is nothing, another method is not allowed, and a prober's name opens no door",
        arguments: [
            "/", "/livez", "/healthz/", "/healthz?a=b", "/%68ealthz", "/v1/exchange", "/debug", "/openapi.json",
        ])
    func nothing(path: String) async throws {
        try await Street.open { street in
            try expectRefusal(
                try await street.get(path, header: [HeaderField("User-Agent", "kube-probe/1.30")], admin: true),
                "not_found")
        }
    }

    @Test("HT-21: health answers to GET alone, and reads no body", arguments: ["/healthz", "/readyz", "/metrics"])
    func method(path: String) async throws {
        try await Street.open { street in
            for method in ["POST", "PUT", "HEAD", "OPTIONS", "TRACE"] {
                let answer = try await street.raw(
                    Street.request("\(method) \(path) HTTP/1.1", body: ""), admin: true)
                #expect(answer?.status == 405)
                #expect(answer?[field: "Allow"] == "GET")
            }
            let sent = try await Wire.connect(to: street.adminPort) { wire in
                try await wire.send("GET \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 1073741824\r\n\r\n")
                return await wire.pour(96 << 20, chunked: false)
            }
            #expect(sent < 48 << 20)
            #expect(try await street.get(path, admin: true).status == 200)
        }
    }

    @Test("HT-21: the name of a prober excuses nobody from a check")
    func agent() async throws {
        try await Street.open { street in
            let header = ["Content-Type: application/json", "User-Agent: GoogleHC/1.0", "Origin: https://evil.example"]
            try expectRefusal(try await street.raw(Street.request(header: header)), "origin_not_allowed")
        }
    }
}
