import Curl
import Testing
import Transport

@Suite("Responses", .timeLimit(.minutes(5)))
struct AnswerTests {
    @Test(
        "UP-01: A redirect is returned as a response and not followed",
        arguments: [301, 302, 303, 307, 308], [OutboundRequest.Method.get, .post])
    func redirect(_ status: Int, _ method: OutboundRequest.Method) async throws {
        let elsewhere = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer() }
        }
        defer { elsewhere.stop() }
        let locations = [elsewhere.url("/x"), "//127.0.0.1:\(elsewhere.port)/", "/same", "file:///etc/passwd"]
        let server = try LoopbackServer { connection in
            for location in locations where connection.nextRequest() != nil {
                connection.answer(status: "\(status) Moved", header: ["Location: \(location)"])
            }
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        for location in locations {
            let response = try await curl.transport.send(OutboundRequest(method, server.url()))
            #expect(response.status == status)
            #expect(response[field: "Location"] == location)
        }
        #expect(elsewhere.accepted == 0)
        #expect(server.requests.count == locations.count)
    }

    @Test("UP-16: A response without a status line is refused as notHTTP")
    func http09() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            connection.send("{\"access_token\":\"x\"}\r\n")
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: TransportError.notHTTP(host: "127.0.0.1")) { try await curl.get(server.url()) }
    }

    @Test("UP-16: A NUL in a header field is refused as notHTTP")
    func nul() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            connection.send("HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: TransportError.notHTTP(host: "127.0.0.1")) { try await curl.get(server.url()) }
    }

    @Test("UP-16: Alt-Svc, HSTS and cookies do not affect the next call")
    func memory() async throws {
        let server = try LoopbackServer { connection in
            while connection.nextRequest() != nil {
                connection.answer(
                    "ok",
                    header: [
                        "Alt-Svc: h2=\"127.0.0.1:1\"; ma=3600; persist=1", "Set-Cookie: a=b",
                        "Strict-Transport-Security: max-age=3600",
                    ])
            }
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        for _ in 1...2 { #expect(try await curl.get(server.url()).text == "ok") }
        #expect(server.requests.map(\.[field: "Cookie"]) == [nil, nil])
    }

    @Test("Interim responses and trailers are not part of the header, and folded fields are joined")
    func headerForms() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            connection.send("HTTP/1.1 103 Early Hints\r\nX-Interim: 1\r\n\r\n")
            connection.send(
                "HTTP/1.1 200 OK\nX-Bare:line feed\nX-Folded: a\n  b\nX-Blank:\nTransfer-Encoding: chunked\n\n")
            connection.send("0\r\nX-Trailer: 1\r\n\r\n")
            connection.awaitEnd()
        }
        defer { server.stop() }
        let response = try await CurlTransport().get(server.url())
        #expect(
            response.header == [
                HeaderField("X-Bare", "line feed"), HeaderField("X-Folded", "a b"), HeaderField("X-Blank", ""),
                HeaderField("Transfer-Encoding", "chunked"),
            ])
        #expect(response.body.isEmpty)
    }

    @Test("UP-07: A response that is cut off after any byte ends as interrupted", arguments: [true, false])
    func cut(isChunked: Bool) async throws {
        let whole =
            isChunked
            ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n2\r\n1}\r\n0\r\n\r\n"
            : "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}"
        let server = try LoopbackServer { connection in
            guard let length = connection.nextRequest().flatMap({ Int($0.path.dropFirst()) }) else { return }
            connection.send(Array(whole.utf8.prefix(length)))
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        // A response that is cut within the first five bytes is not recognised as HTTP. libcurl does not wait for the
        // very last line feed.
        for length in 5..<(whole.utf8.count - (isChunked ? 1 : 0)) {
            await #expect(throws: TransportError.interrupted(host: "127.0.0.1"), "\(length)") {
                try await curl.post(server.url("/\(length)"))
            }
        }
        #expect(try await curl.post(server.url("/\(whole.utf8.count)")).text == "{\"a\":1}")
    }

    @Test("UP-07: A connection that ends without a response ends the call as interrupted", arguments: [true, false])
    func nothing(isReset: Bool) async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            if isReset { connection.reset() }
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: TransportError.interrupted(host: "127.0.0.1")) { try await curl.get(server.url()) }
        #expect(server.requests.count == 1)
    }
}
