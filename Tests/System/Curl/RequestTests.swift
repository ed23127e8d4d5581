import Curl
import Testing
import Transport

@Suite("Requests", .timeLimit(.minutes(5)))
struct RequestTests {
    @Test("A call sends method, path, header fields and body as given, and no optional fields of libcurl")
    func wholeRequest() async throws {
        let server = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer("ok", header: ["X-Answer: 42"]) }
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        let body: [UInt8] = [0x00, 0xFF, 0x0D, 0x0A, 0x61]
        let response = try await curl.transport.send(
            OutboundRequest(
                .post, server.url("/token?a=b%20c"),
                header: [HeaderField("Authorization", "Basic eDp5"), HeaderField("X-Empty", "")], body: body))
        #expect(response.status == 200)
        #expect(response[field: "x-answer"] == "42")
        #expect(response.text == "ok")
        #expect(
            server.requests == [
                LoopbackRequest(
                    line: "POST /token?a=b%20c HTTP/1.1",
                    header: [
                        "Host: 127.0.0.1:\(server.port)", "User-Agent: token-exchange", "Accept: */*",
                        "Authorization: Basic eDp5", "X-Empty:", "Accept-Encoding: identity", "Content-Length: 5",
                    ],
                    body: body)
            ])
    }

    @Test("A POST with an empty body sends Content-Length 0")
    func emptyPost() async throws {
        let server = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer() }
        }
        defer { server.stop() }
        let response = try await CurlTransport().post(server.url("/request_token"))
        #expect(response.body.isEmpty)
        #expect(server.requests.map(\.[field: "Content-Length"]) == ["0"])
    }

    @Test("A PUT has no body and sends Content-Length 0, and the next call on its handle is a GET again")
    func put() async throws {
        let server = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer() }
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        _ = try await curl.transport.send(OutboundRequest(.put, server.url("/latest/api/token"), body: [0x61]))
        _ = try await curl.get(server.url("/next"))
        #expect(server.requests.map(\.line) == ["PUT /latest/api/token HTTP/1.1", "GET /next HTTP/1.1"])
        #expect(server.requests.first?[field: "Content-Length"] == "0")
        #expect(server.requests.allSatisfy { $0.body.isEmpty })
    }

    @Test("A body of two megabytes is sent without Expect: 100-continue")
    func largePost() async throws {
        let server = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer() }
        }
        defer { server.stop() }
        let body = String(repeating: "x", count: 2 << 20)
        _ = try await CurlTransport().post(server.url(), body)
        #expect(server.requests.map(\.body.count) == [2 << 20])
        #expect(server.requests.map(\.[field: "Expect"]) == [nil])
    }

    @Test("Every status is returned as a response", arguments: [200, 201, 204, 206, 400, 401, 404, 429, 500, 503, 599])
    func status(_ status: Int) async throws {
        let server = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer(status: "\(status) X") }
        }
        defer { server.stop() }
        #expect(try await CurlTransport().get(server.url()).status == status)
    }

    @Test("A header field that is malformed or frames the message is refused before a connection")
    func headerInjection() async throws {
        let server = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer() }
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        let fields = [
            HeaderField("X-A", "b\r\nX-Evil: 1"), HeaderField("X-A", "b\nX-Evil: 1"), HeaderField("X-A", "b\rc"),
            HeaderField("X-A", "b\0c"), HeaderField("X-A\r\nX-Evil", "1"), HeaderField("X-A: b", "c"),
            HeaderField("", "c"), HeaderField("X A", "c"), HeaderField("X-A", " "), HeaderField("X-A", "é"),
            HeaderField("Host", "elsewhere"), HeaderField("Proxy-Authorization", "Basic a"),
            HeaderField("content-length", "0"),
            HeaderField("Transfer-Encoding", "chunked"), HeaderField("Connection", "close"),
            HeaderField("Accept-Encoding", "gzip"), HeaderField("Expect", "100-continue"),
        ]
        for field in fields {
            await #expect(throws: TransportError.refusedURL, "\(field)") {
                try await curl.transport.send(OutboundRequest(.get, server.url(), header: [field]))
            }
        }
        #expect(server.accepted == 0)
    }

    @Test("KY-06: A missing certificate file is an error when the transport is made, not at the first call")
    func missingCABundle() {
        #expect(throws: CurlError.unreadableCABundle(path: "/nonexistent/ca.pem")) {
            try CurlTransport.with { $0.caBundle = "/nonexistent/ca.pem" }
        }
    }

    @Test("An error about the file with the trusted authorities says what to install")
    func missingCABundleInWords() {
        #expect(
            "\(CurlError.unreadableCABundle(path: "/nonexistent/ca.pem"))"
                == "the file /nonexistent/ca.pem with the trusted authorities is missing, or cannot be read: install the package "
                + "ca-certificates, or put the PEM bundle of this system there")
    }
}
