import Support
import Testing
import Transport

@Suite("Cross-origin requests", .serialized, .timeLimit(.minutes(5)))
struct CORSTests {
    private static let strangers = [
        "null", "https://evil.example", "https://app.example.com.evil.example", "https://evilapp.example.com",
        "http://app.example.com", "https://app.example.com:8443", "https://app.example.com/", "HTTPS://APP.EXAMPLE.COM",
        "*", "https://app.example.com, https://evil.example",
    ]

    @Test("HT-13: an origin that is not exactly a client's is allowed nothing", arguments: strangers)
    func stranger(origin: String) async throws {
        try await TestServer.open { server in
            let response = try await server.raw(
                TestServer.request(header: ["Content-Type: application/json", "Origin: \(origin)"]))
            try expectRefusal(response, "origin_not_allowed")
            expectNothingAllowed(response)
            let preflight = try await server.raw(Self.preflight(origin))
            #expect(preflight?.status == 204)
            expectNothingAllowed(preflight)
        }
    }

    @Test("The log has the origin that a client lacks, also of a preflight, whose response has no text")
    func strangerInLog() async throws {
        try await TestServer.open { server in
            let origin = "https://other.example"
            _ = try await server.raw(
                TestServer.request(
                    header: ["Content-Type: application/json", "Origin: \(origin)", "Sec-Fetch-Mode: cors"]))
            #expect(
                server.log.lines.contains {
                    $0.contains("the origin is \(origin), and clients.")
                        && $0.contains("origins has \(Registrations.origin)")
                })
            _ = try await server.raw(Self.preflight(origin))
            let finding = "the origin of this preflight is \(origin), which origins of no client has"
            #expect(server.log.lines.contains { $0.contains(finding) && $0.contains("OPTIONS") })
            _ = try await server.raw(Self.preflight(Registrations.origin))
            #expect(server.log.lines.count { $0.contains("of this preflight") } == 1)
            _ = try await server.raw(Self.preflight(Registrations.origin + "/"))
            #expect(server.log.text.contains("is \(Registrations.origin)/…, which origins of no client has"))
            let metadata = ["GET /.well-known/openid-configuration HTTP/1.1", "Host: a", "Sec-Fetch-Mode: cors"]
            for asking in [origin, Registrations.origin] {
                _ = try await server.raw((metadata + ["Origin: \(asking)"]).joined(separator: "\r\n") + "\r\n\r\n")
            }
            #expect(server.log.text.contains("the origin of this request is \(origin), which origins of no client has"))
            #expect(server.log.lines.count { $0.contains("of this request") } == 1)
        }
    }

    @Test("The log names a script that fetches a page, to which the browser must go")
    func fetchedPage() async throws {
        try await TestServer.open { server in
            let finding = "a script of \(Registrations.origin) fetches this page"
            let fetch = ["Origin: \(Registrations.origin)", "Sec-Fetch-Mode: cors"]
            for (line, fields, count) in [
                ("GET /authorize", ["Sec-Fetch-Mode: navigate"], 0), ("POST /authorize", ["Origin: null"], 0),
                ("GET /authorize", fetch, 1),
                ("OPTIONS /authorize", ["Origin: \(Registrations.origin)", "Access-Control-Request-Method: GET"], 2),
                ("GET /.well-known/oauth-authorization-server", fetch, 2),
            ] {
                let response = try await server.raw(
                    ([line + " HTTP/1.1", "Host: auth.example.com"] + fields).joined(separator: "\r\n") + "\r\n\r\n")
                if line.hasSuffix("/authorize") { expectNothingAllowed(response) }
                #expect(server.log.lines.count { $0.contains(finding) } == count, "\(line)")
            }
        }
    }

    @Test("HT-13: a page of the client's own origin may read the response, without credentials")
    func own() async throws {
        try await TestServer.open { server in
            for body in [Bodies.nonce, Bodies.nonce.setting("provider", to: "nobody.example")] {
                let response = try await server.raw(
                    TestServer.request(
                        header: ["Content-Type: application/json", "Origin: \(Registrations.origin)"], body: body.text))
                #expect(response?[field: "Access-Control-Allow-Origin"] == Registrations.origin)
                #expect(response?[field: "Access-Control-Allow-Credentials"] == nil)
                #expect(response?[field: "Access-Control-Expose-Headers"] == "X-Request-Id, Retry-After")
                #expect(response?[field: "Vary"] == "Origin")
            }
        }
    }

    @Test("HT-13: an origin of one client is none of another's")
    func another() async throws {
        try await TestServer.open { server in
            let response = try await server.raw(
                TestServer.request(header: ["Content-Type: application/json", "Origin: \(Registrations.otherOrigin)"]))
            try expectRefusal(response, "origin_not_allowed")
            expectNothingAllowed(response)
        }
    }

    @Test(
        "HT-13: at every endpoint for applications, a preflight of any client's origin allows the methods that there are, and no credentials"
    )
    func preflight() async throws {
        try await TestServer.open { server in
            let methods = try #require(await Description(server)).methodsForApplications
            #expect(methods["/v1/account"] == ["DELETE", "GET"] && methods["/token"] == ["POST"])
            #expect(methods["/authorize"] == nil)
            for origin in [Registrations.origin, Registrations.otherOrigin] {
                for (path, methods) in methods {
                    let response = try await server.raw(Self.preflight(origin, path: path))
                    #expect(response?.status == 204)
                    #expect(response?[field: "Access-Control-Allow-Origin"] == origin)
                    let allowed = response?[field: "Access-Control-Allow-Methods"]?.split(separator: ", ")
                    #expect(allowed?.map(String.init).sorted() == methods, "\(path)")
                    #expect(
                        response?[field: "Access-Control-Allow-Headers"]
                            == "Authorization, Content-Type, X-Firebase-AppCheck")
                    #expect(response?[field: "Access-Control-Max-Age"] == "600")
                    #expect(response?[field: "Access-Control-Allow-Credentials"] == nil)
                    #expect(response?[field: "Vary"] == "Origin")
                }
            }
        }
    }

    @Test("A page may send fields that are not read here, such as those of error reporting and tracing")
    func furtherFields() async throws {
        try await TestServer.open { server in
            for (asked, allowed) in [
                (
                    "baggage,content-type,sentry-trace, traceparent",
                    "Authorization, Content-Type, X-Firebase-AppCheck, baggage, sentry-trace, traceparent"
                ),
                ("", "Authorization, Content-Type, X-Firebase-AppCheck"),
                (
                    "a b, c:d, " + String(repeating: "x", count: 65),
                    "Authorization, Content-Type, X-Firebase-AppCheck, ab"
                ),
            ] {
                let preflight = { (origin: String) in
                    TestServer.request(
                        "OPTIONS /token HTTP/1.1",
                        header: [
                            "Origin: \(origin)", "Access-Control-Request-Method: POST",
                            "Access-Control-Request-Headers: \(asked)", "Connection: close",
                        ], body: "")
                }
                let response = try await server.raw(preflight(Registrations.origin))
                #expect(response?[field: "Access-Control-Allow-Headers"] == allowed)
                expectNothingAllowed(try await server.raw(preflight("https://evil.example")))
            }
        }
    }

    @Test("A preflight to another path finds nothing there")
    func elsewhere() async throws {
        try await TestServer.open { server in
            try expectRefusal(
                try await server.raw(Self.preflight(Registrations.origin, path: "/v1/other")), "not_found")
            #expect(
                try await server.raw(Self.preflight(Registrations.origin, path: "/healthz"), admin: true)?.status == 405
            )
        }
    }

    @Test("A request without Origin is accepted")
    func noOrigin() async throws {
        try await TestServer.open { server in
            let response = try await server.post("/v1/nonce", Bodies.nonce)
            #expect(response.status == 200)
            expectNothingAllowed(response)
        }
    }

    private static func preflight(_ origin: String, path: String = "/v1/exchange") -> String {
        "OPTIONS \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: \(origin)\r\n"
            + "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type, authorization\r\n"
            + "Access-Control-Request-Private-Network: true\r\n\r\n"
    }

    private func expectNothingAllowed(_ response: OutboundResponse?) {
        let names = response?.header.map { $0.name.lowercased() } ?? ["no answer"]
        #expect(!names.contains { $0.hasPrefix("access-control-") || $0 == "no answer" }, "\(names)")
    }
}
