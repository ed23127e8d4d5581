import Support
import Testing
import Transport

@Suite("Methods and paths", .serialized, .timeLimit(.minutes(5)))
struct PathTests {
    @Test(
        "HT-09: an endpoint has one path, and every other spelling of it is nothing",
        arguments: [
            "//v1/nonce", "/v1//nonce", "/./v1/nonce", "/v1/nonce/", "/x/../v1/nonce", "/v1/%6eonce", "/v1/nonce%00",
            "/v1/nonce;a=b", "/V1/NONCE", "/v1/nonce.", "\\v1\\nonce", "/v1\\nonce", "v1/nonce", "/v1/nonce#a", "*",
            "http://127.0.0.1//", "/.", "/v1", "/v1/nonce%3Fa",
        ])
    func path(path: String) async throws {
        try await TestServer.open { server in
            let response = try await server.raw(TestServer.request("POST \(path) HTTP/1.1"))
            // The parser refuses an invalid request target.
            if response?.status == 400, response?.body.isEmpty == true { return }
            try expectRefusal(response, "not_found")
        }
    }

    @Test(
        "The log has the path that is similar to the one of the request, and a person gets a page",
        arguments: [
            ("//v1/nonce", "/v1/nonce"), ("/V1/NONCE/", "/v1/nonce"), ("/CALLBACK/Yahoo.com", "/callback/{provider}"),
            ("/v1/nonces", nil), ("/.env", nil),
        ])
    func similar(path: String, similar: String?) async throws {
        try await TestServer.open { server in
            let response = try await server.get(path)
            #expect(response.status == 404)
            let findings = server.log.lines.filter { $0.contains("the path differs from") }
            #expect(findings.count == (similar == nil ? 0 : 1))
            if let similar {
                #expect(findings[0].contains("differs from \(similar) only in slashes or in the case of its letters"))
            }
            let isPage = response[field: "Content-Type"]?.hasPrefix("text/html") == true
            #expect(isPage == (similar == "/callback/{provider}"))
        }
    }

    @Test(
        "The log has the endpoint in front of whose path something stands, and the listener of health checks",
        arguments: [
            ("/auth/v1/nonce", "the path is /v1/nonce with something in front of it: if a proxy adds that,"),
            ("/a/b/callback/yahoo.com", "the path is /callback/{provider} with something in front of it"),
            ("/readyz", "the public listener has /readyz only with server.admin_listen: off;"),
            ("/metrics", "/metrics is at the address of server.admin_listen, and nowhere with admin_listen: off"),
            ("/a/b/callback?code=c&state=s", "if a provider sent it, register the redirect URI that"),
            ("/v1/nonce/v2", "No endpoint has this path."),
        ])
    func elsewhere(path: String, finding: String) async throws {
        try await TestServer.open { server in
            let response = try await server.get(path)
            #expect(response.status == 404)
            #expect(server.log.lines.contains { $0.contains(finding) }, "\(server.log.text)")
        }
    }

    @Test("A person whom a provider sends to a path that no endpoint has gets a page, and a program does not")
    func navigation() async throws {
        try await TestServer.open { server in
            for (header, isPage) in [
                ([], false), ([HeaderField("Sec-Fetch-Mode", "cors")], false),
                ([HeaderField("Sec-Fetch-Mode", "navigate")], true),
            ] {
                let response = try await server.get("/login?code=c&state=s", header: header)
                #expect(response.status == 404)
                #expect((response[field: "Content-Type"]?.hasPrefix("text/html") == true) == isPage)
            }
            let other = try await server.get("/v1/nonce", header: [HeaderField("Sec-Fetch-Mode", "navigate")])
            #expect(other.reason == "method_not_allowed")
        }
    }

    @Test("HT-09: the absolute form of a target is its path, with the same rules")
    func absoluteForm() async throws {
        try await TestServer.open { server in
            // RFC 9112 §3.2.2: a server must accept it.
            for (target, reason) in [
                ("http://127.0.0.1/v1/nonce", nil), ("http://127.0.0.1/v1/nonce?a=b", "malformed_body"),
                ("http://127.0.0.1//v1/nonce", "not_found"),
            ] {
                let response = try await server.raw(TestServer.request("POST \(target) HTTP/1.1"))
                #expect(response?.reason == reason)
            }
        }
    }

    @Test("HT-09: a question mark with nothing behind it is a query, and has no place here")
    func emptyQuery() async throws {
        try await TestServer.open { server in
            try expectRefusal(
                try await server.raw(TestServer.request("POST /v1/nonce? HTTP/1.1")), "malformed_body")
        }
    }

    @Test(
        "KY-02: nothing but the endpoints is on the public listener",
        arguments: [
            "/.env", "/config", "/serviceAccount.json", "/service-account.json", "/debug/pprof", "/metrics",
            "/healthz", "/readyz", "/%2e%2e/", "/..%2f..%2fetc/passwd", "/swagger", "/openapi.yaml", "/favicon.ico",
        ])
    func nothing(path: String) async throws {
        try await TestServer.open { server in
            try expectRefusal(try await server.get(path), "not_found")
        }
    }

    @Test(
        "HT-06, EX-17: another method is answered 405 with the one that is allowed",
        arguments: ["GET", "PUT", "PATCH", "DELETE", "TRACE", "HEAD", "OPTIONS", "PROPFIND", "FOO", "get", "post"])
    func method(method: String) async throws {
        try await TestServer.open { server in
            for path in ["/v1/exchange", "/v1/signin", "/v1/nonce"] {
                let response = try await server.raw(
                    TestServer.request("\(method) \(path) HTTP/1.1", header: ["X-Secret: hush"], body: ""))
                #expect(response?.text.contains("hush") != true)
                // The parser may refuse an unknown method.
                if ["FOO", "get", "post"].contains(method), response?.status == 400 { continue }
                #expect(response?.status == 405)
                #expect(response?[field: "Allow"] == "POST")
                if method != "HEAD" { try expectRefusal(response, "method_not_allowed") }
            }
        }
    }

    @Test("HT-06: the description is returned only for GET")
    func description() async throws {
        try await TestServer.open { server in
            #expect(try await server.get("/openapi.json").status == 200)
            for method in ["POST", "HEAD", "OPTIONS"] {
                let response = try await server.raw(TestServer.request("\(method) /openapi.json HTTP/1.1", body: ""))
                #expect(response?.status == 405)
                #expect(response?[field: "Allow"] == "GET")
            }
        }
    }

    @Test("A response to HEAD has no body, so that the next response on its connection is read correctly")
    func head() async throws {
        try await TestServer.open { server in
            try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send("HEAD /v1/nonce HTTP/1.1\r\nHost: a\r\n\r\n" + TestServer.request())
                #expect(try await wire.response(toHEAD: true)?.status == 405)
                #expect(try await wire.response()?.status == 200)
            }
            try await Wire.connect(to: server.adminPort) { wire in
                try await wire.send("HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await wire.response(toHEAD: true)?.status == 405)
                #expect(try await wire.response()?.status == 200)
            }
        }
    }

    @Test(
        "HT-06: an invalid method ends with 400 or a closed connection, and is not repeated in the response",
        arguments: [
            "CONNECT 127.0.0.1:80 HTTP/1.1", "PRI * HTTP/2.0", "OPTIONS * HTTP/1.1",
            String(repeating: "A", count: 1024) + " / HTTP/1.1", "GET", " / HTTP/1.1", "POST /v1/nonce HTTP/3.0",
        ])
    func noMethod(line: String) async throws {
        try await TestServer.open { server in
            let request =
                "\(line)\r\nHost: 127.0.0.1\r\nX-Secret: hush\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            let bytes = try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(request)
                wire.finish()
                return await wire.rest()
            }
            let response = String(decoding: bytes, as: UTF8.self)
            #expect(
                ["", "HTTP/1.1 400", "HTTP/1.1 404", "HTTP/1.1 405"].contains(String(response.prefix(12))),
                "\(response)")
            #expect(!response.contains("hush"))
            #expect(try await server.post("/v1/nonce", Bodies.nonce).status == 200)
        }
    }
}
