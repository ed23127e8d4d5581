import Curl
import Foundation
import Testing
import Transport

@Suite("Limits of a response", .timeLimit(.minutes(5)))
struct LimitTests {
    static let host = "127.0.0.1"

    /// The ways in which a response delimits its body.
    enum Framing: CaseIterable {
        case declared
        case chunked
        case untilClose

        func frame(_ body: String) -> String {
            switch self {
            case .declared:
                "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            case .chunked:
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
            case .untilClose:
                "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\(body)"
            }
        }
    }

    @Test("UP-04: A body of exactly the limit is accepted, and one byte more is refused", arguments: Framing.allCases)
    func limit(_ framing: Framing) async throws {
        let server = try LoopbackServer { connection in
            guard let length = connection.nextRequest().flatMap({ Int($0.path.dropFirst()) }) else { return }
            connection.send(framing.frame(String(repeating: "x", count: length)))
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        let taken = try await curl.transport.send(
            OutboundRequest(.get, server.url("/100000"), maximumBodyBytes: 100_000))
        #expect(taken.body.count == 100_000)
        await #expect(throws: TransportError.tooLarge(host: Self.host)) {
            try await curl.transport.send(OutboundRequest(.get, server.url("/100001"), maximumBodyBytes: 100_000))
        }
        await #expect(throws: TransportError.tooLarge(host: Self.host)) {
            try await curl.transport.send(OutboundRequest(.get, server.url("/1"), maximumBodyBytes: 0))
        }
    }

    @Test("UP-04, JW-10: A body without end is refused at the limit", arguments: [true, false])
    func endlessBody(isChunked: Bool) async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            connection.send("HTTP/1.1 200 OK\r\n\(isChunked ? "Transfer-Encoding: chunked\r\n" : "")\r\n")
            let part = String(repeating: "x", count: 0x4000)
            while connection.send(isChunked ? "4000\r\n\(part)\r\n" : part) {}
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: TransportError.tooLarge(host: Self.host)) { try await curl.get(server.url()) }
    }

    @Test("JW-10: A declared length of 50 MB is refused before the body")
    func declaredLength() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 52428800\r\n\r\n")
            connection.awaitEnd()
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: TransportError.tooLarge(host: Self.host)) { try await curl.get(server.url()) }
    }

    /// A server that sends each body with the content coding that the path names.
    private static func server(coding body: [UInt8]) throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = connection.nextRequest() {
                connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: \(request.path.dropFirst())\r\n"
                        + "Content-Length: \(body.count)\r\n\r\n")
                connection.send(body)
            }
        }
    }

    @Test(
        "Real-world 04: a body that the server compresses without being asked is decoded",
        arguments: [
            (
                "gzip",
                [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 74, 84, 178, 50, 172, 5, 0, 175, 172, 27, 86, 7, 0, 0, 0]
            ), ("deflate", [120, 156, 171, 86, 74, 84, 178, 50, 172, 5, 0, 8, 42, 2, 9]),
            ("identity", Array(#"{"a":1}"#.utf8)), ("UTF-8", Array(#"{"a":1}"#.utf8)),
            ("application/json", Array(#"{"a":1}"#.utf8)), ("utf-8,none", Array(#"{"a":1}"#.utf8)),
        ] as [(String, [UInt8])])
    func contentEncoding(_ coding: String, _ body: [UInt8]) async throws {
        let server = try Self.server(coding: body)
        defer { server.stop() }
        let curl = try CurlTransport()
        #expect(try await curl.get(server.url("/\(coding)")).body == Array(#"{"a":1}"#.utf8))
        #expect(server.requests.map { $0[field: "Accept-Encoding"] } == ["identity"])
    }

    @Test("UP-04, JW-10: The decoded size of a body counts against the limit")
    func bomb() async throws {
        let server = try Self.server(coding: try Self.packedMegabyte())
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: TransportError.tooLarge(host: Self.host)) { try await curl.get(server.url("/gzip")) }
    }

    @Test(
        "A body that is not what its coding says, or has a coding that is not decoded, is an error",
        arguments: ["br", "deflate", "zstd", "gzip,gzip", "UTF-8,br"])
    func otherCoding(_ coding: String) async throws {
        let server = try Self.server(coding: [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 74, 84, 178, 50, 172, 5, 0, 175, 172, 27, 86, 7, 0, 0, 0,
        ])
        defer { server.stop() }
        let curl = try CurlTransport()
        let error = TransportError.notHTTP(host: Self.host, coding: coding)
        await #expect(throws: error) { try await curl.get(server.url("/\(coding)")) }
        #expect(error.sentence == "the answer of \(Self.host) cannot be decoded: its Content-Encoding is \(coding)")
        #expect(TransportError.notHTTP(host: "h").sentence == "the answer of h is not HTTP")
    }

    @Test("UP-04, JW-10: The decompressed size of a transfer coding counts against the limit")
    func transferEncoding() async throws {
        let packed = try Self.packedMegabyte()
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            connection.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n\(String(packed.count, radix: 16))\r\n")
            connection.send(packed)
            connection.send("\r\n0\r\n\r\n")
            connection.awaitEnd()
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: TransportError.tooLarge(host: Self.host)) { try await curl.get(server.url()) }
    }

    @Test("UP-05: Header fields without end are refused at 64 KiB")
    func endlessHeader() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X-Padding: \(String(repeating: "x", count: 1000))\r\n") {}
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: TransportError.tooLarge(host: Self.host)) { try await curl.get(server.url()) }
    }

    @Test("UP-05: The limit of 64 KiB is for all header bytes together", arguments: [65536, 65537])
    func headerLimit(_ total: Int) async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            let rest = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
            var padding = total - rest.utf8.count
            var lines = ""
            while padding > 0 {
                let length = min(padding, 8192)
                lines += "X: \(String(repeating: "x", count: length - 5))\r\n"
                padding -= length
            }
            connection.send("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n")
            connection.awaitEnd()
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        if total <= 65536 {
            #expect(try await curl.get(server.url()).status == 200)
        } else {
            await #expect(throws: TransportError.tooLarge(host: Self.host)) { try await curl.get(server.url()) }
        }
    }

    @Test("UP-05: Interim responses count against the limit of the header")
    func interimFlood() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            while connection.send("HTTP/1.1 100 Continue\r\n\r\n") {}
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: TransportError.tooLarge(host: Self.host)) { try await curl.get(server.url()) }
    }

    @Test("UP-05: A single header line over the limit is refused", arguments: [70_000, 1_000_000])
    func longLine(_ length: Int) async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            connection.send("HTTP/1.1 200 OK\r\nX-Padding: \(String(repeating: "x", count: length))\r\n\r\n")
            connection.awaitEnd()
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: TransportError.tooLarge(host: Self.host)) { try await curl.get(server.url()) }
    }

    @Test("UP-05: A response with 10,000 cookies is refused")
    func cookies() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            let cookies = (0..<10_000).map { "Set-Cookie: c\($0)=x\r\n" }.joined()
            connection.send("HTTP/1.1 200 OK\r\n\(cookies)Content-Length: 0\r\n\r\n")
            connection.awaitEnd()
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: TransportError.tooLarge(host: Self.host)) { try await curl.get(server.url()) }
    }

    /// A compressed megabyte of zeros, about a thousandth of its size.
    private static func packedMegabyte() throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("zeros-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(count: 1 << 20).write(to: file)
        return try Command.run("gzip", from: "gzip", ["--stdout", file.path])
    }
}
