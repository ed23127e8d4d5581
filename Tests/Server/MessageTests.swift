import Support
import Testing
import Transport

@testable import Server

@Suite("Requests as HTTP messages", .serialized, .timeLimit(.minutes(5)))
struct MessageTests {
    private static let line = "GET /.well-known/oauth-authorization-server"
    private static let hidden = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(
        "RFC 9112 section 3.2: HTTP/1.1 without one right Host is refused, and the connection ends",
        arguments: [
            "", "Host: a\r\nHost: a\r\n", "Host: a\r\nhost: b\r\n", "Host:\r\n", "Host: a b\r\n", "Host: a/b\r\n",
            "Host: u@a\r\n", "Host: a:b\r\n", "Host: a, b\r\n", "Host: :80\r\n", "Host: [::1\r\n", "Host: a:1:2\r\n",
            "Host: \u{E9}\r\n", "Host: a:123456\r\n", "Host: [::1,]\r\n",
        ])
    func host(field: String) async throws {
        try await expectEnd("\(Self.line) HTTP/1.1\r\n\(field)\r\n")
    }

    @Test(
        "A host may be a name or an address, of this server or another, with a port",
        arguments: ["a", "auth.example.com", "127.0.0.1:8080", "[::1]", "[::1]:8080", "a:", "A_b-c~d", "x!$&'()*+;="])
    func rightHost(host: String) async throws {
        try await TestServer.open { server in
            let response = try await server.raw("\(Self.line) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(response?.status == 200)
        }
    }

    @Test("HTTP/1.0 needs no Host, and may have one right one")
    func oldVersion() async throws {
        try await TestServer.open { server in
            for field in ["", "Host: a\r\n"] {
                let response = try await server.raw("\(Self.line) HTTP/1.0\r\n\(field)\r\n")
                #expect(response?.status == 200)
            }
        }
        try await expectEnd("\(Self.line) HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n")
    }

    @Test(
        "RFC 9112 section 9.3: a connection of HTTP/1.0 ends after the response, unless the client asks to keep it",
        arguments: [("", false), ("Connection: keep-alive\r\n", true), ("Connection: close\r\n", false)])
    func oldConnection(field: String, isKept: Bool) async throws {
        try await TestServer.open { server in
            try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send("\(Self.line) HTTP/1.0\r\n\(field)\r\n")
                #expect(try await wire.response()?.status == 200)
                try? await wire.send(Self.hidden)
                if isKept {
                    #expect(try await wire.response()?.status == 200)
                } else {
                    #expect(await wire.rest().isEmpty)
                }
            }
            #expect(server.log.lines.count { $0.contains(#""protocol": HTTP/1.0"#) } == 1)
            #expect(server.log.lines.count { $0.contains(#""protocol": HTTP/1.1"#) } == (isKept ? 1 : 0))
        }
    }

    @Test("RFC 9112 section 6.1: HTTP/1.0 with chunks is refused, and nothing behind it is read")
    func chunks() async throws {
        try await expectEnd(
            "POST /v1/nonce HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    }

    @Test(
        "RFC 9112 section 6.1: a transfer coding that is not read is refused, and nothing behind it is read",
        arguments: [
            "gzip, chunked", "x, chunked", "gzip", "identity", "trailers", "chunked;a=b", "\"chunked\"",
            "gzip\r\nTransfer-Encoding: chunked",
        ])
    func coding(value: String) async throws {
        try await expectEnd(
            "POST /v1/nonce HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: \(value)\r\n\r\n0\r\n\r\n")
    }

    @Test("The admin listener refuses them, too")
    func admin() async throws {
        try await TestServer.open { server in
            try expectRefusal(try await server.raw("GET /healthz HTTP/1.1\r\n\r\n", admin: true), "malformed_body")
            let response = try await server.raw("GET /healthz HTTP/1.0\r\n\r\n", admin: true)
            #expect(response?.status == 200)
        }
    }

    @Test("A page reports the fault to a browser")
    func page() async throws {
        try await TestServer.open { server in
            let response = try await server.raw("GET /device HTTP/1.1\r\n\r\n")
            #expect(response?.status == 400)
            #expect(response?[field: "Content-Type"]?.hasPrefix("text/html") == true)
            #expect(response?[field: "Connection"] == "close")
        }
    }

    @Test("A field with the name of the internal mark that a client sends is ignored")
    func mark() async throws {
        try await TestServer.open { server in
            for value in ["host", "framing", "coding", ""] {
                let response = try await server.raw(
                    "\(Self.line) HTTP/1.1\r\nHost: a\r\nX-Message-Fault: \(value)\r\n\r\n")
                #expect(response?.status == 200)
            }
        }
        try await expectEnd("\(Self.line) HTTP/1.1\r\nX-Message-Fault: none\r\n\r\n")
    }

    @Test("A request before the faulty one is answered first")
    func order() async throws {
        try await TestServer.open { server in
            try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(TestServer.request() + "\(Self.line) HTTP/1.1\r\n\r\n" + Self.hidden)
                #expect(try await wire.response()?.status == 200)
                try expectRefusal(try await wire.response(), "malformed_body")
                #expect(await wire.rest().isEmpty)
            }
        }
    }

    /// Sends a request with another one behind it.
    private func expectEnd(_ request: String) async throws {
        try await TestServer.open { server in
            try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(request + Self.hidden)
                let response = try await wire.response()
                try expectRefusal(response, "malformed_body")
                #expect(response?[field: "Connection"] == "close")
                #expect(await wire.rest().isEmpty)
            }
        }
    }
}
