import Curl
import Foundation
import Testing
import Transport

@Suite("The outbound proxy", .timeLimit(.minutes(5)))
struct ProxyTests {
    private static let host = "idp.example"

    /// A proxy that connects every target to one port of this machine.
    private static func proxy(to port: UInt16) throws -> LoopbackServer {
        try LoopbackServer { connection in
            guard connection.nextRequest() != nil else { return }
            connection.send("HTTP/1.1 200 Connection established\r\nProxy-Agent: test\r\n\r\n")
            connection.relay(to: port)
        }
    }

    /// A proxy that sends the same text to every client.
    private static func proxy(sending text: String) throws -> LoopbackServer {
        try LoopbackServer { connection in
            guard connection.nextRequest() != nil else { return }
            connection.send(text)
        }
    }

    private static func transport(
        _ proxy: OutboundProxy, trusting peer: TLSPeer? = nil
    ) throws -> CurlTransport {
        try CurlTransport.with {
            $0.caBundle = peer?.caBundle
            $0.proxy = proxy
        }
    }

    private static func address(_ server: LoopbackServer) -> String { "127.0.0.1:\(server.port)" }

    @Test("A call by https goes through a connection of the proxy, which resolves the name")
    func tunnel() async throws {
        let peer = try TLSPeer { $0.names = "DNS:\(Self.host)" }
        let proxy = try Self.proxy(to: peer.port)
        defer { proxy.stop() }
        let curl = try Self.transport(OutboundProxy(address: Self.address(proxy)), trusting: peer)
        let response = try await curl.get("https://\(Self.host):8443/protocol")
        #expect(response.text.hasPrefix("HTTP/2.0 "))
        #expect(response[field: "Proxy-Agent"] == nil)
        #expect(proxy.requests.map(\.line) == ["CONNECT idp.example:8443 HTTP/1.1"])
        #expect(proxy.requests.first?[field: "Proxy-Authorization"] == nil)
        _ = try await curl.get("https://\(Self.host):8443/protocol")
        #expect(proxy.accepted == 1)
    }

    @Test("User name and password reach only the proxy, and the header fields of the request only the peer")
    func credentials() async throws {
        let server = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer("here") }
        }
        defer { server.stop() }
        let peer = try TLSPeer {
            $0.names = "DNS:\(Self.host)"
            $0.origin = server.port
        }
        let proxy = try Self.proxy(to: peer.port)
        defer { proxy.stop() }
        let (user, password) = ("te%41user", "p%5^gi$+h@/=:ü")
        let curl = try Self.transport(
            OutboundProxy(address: Self.address(proxy), user: user, password: password), trusting: peer)
        let response = try await curl.transport.send(
            OutboundRequest(
                .post, "https://\(Self.host)/token", header: [HeaderField("Authorization", "Basic Y2xpZW50OnM=")],
                body: Array("code=c".utf8)))
        #expect(response.text == "here")
        let tunnel = try #require(proxy.requests.first)
        #expect(
            tunnel[field: "Proxy-Authorization"] == "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
        #expect(tunnel[field: "Authorization"] == nil)
        let arrived = try #require(server.requests.first)
        #expect(arrived[field: "Authorization"] == "Basic Y2xpZW50OnM=")
        #expect(arrived[field: "Proxy-Authorization"] == nil)
        #expect(String(decoding: arrived.body, as: UTF8.self) == "code=c")
    }

    @Test("UP-02: A certificate is verified behind the proxy, too")
    func untrusted() async throws {
        let (peer, stranger) = (try TLSPeer { $0.names = "DNS:\(Self.host)" }, try TLSPeer())
        let proxy = try Self.proxy(to: peer.port)
        defer { proxy.stop() }
        let curl = try Self.transport(OutboundProxy(address: Self.address(proxy)), trusting: stranger)
        await #expect(throws: TransportError.untrusted(host: Self.host, because: .missingIssuer)) {
            try await curl.get("https://\(Self.host)/protocol")
        }
    }

    @Test(
        "A proxy that does not connect is the failure, with its status, and nothing was sent",
        arguments: [407, 403, 503, 302])
    func refusal(status: Int) async throws {
        let proxy = try Self.proxy(
            sending: "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\nConnection: close\r\n"
                + (status == 407 ? "Proxy-Authenticate: Basic realm=\"p\"\r\n\r\n" : "\r\n"))
        defer { proxy.stop() }
        let address = Self.address(proxy)
        let curl = try Self.transport(OutboundProxy(address: address, user: "u", password: "p"))
        let expected = TransportError.proxyFailed(proxy: address, host: Self.host, status: status)
        await #expect(throws: expected) { try await curl.post("https://\(Self.host)/token", "code=c") }
        #expect(!expected.requestMayHaveArrived)
        #expect(proxy.requests.map(\.body) == [[]])
    }

    @Test("A proxy without a listener, or without an answer, is the failure")
    func silence() async throws {
        let closing = try LoopbackServer { _ in }
        let silent = try LoopbackServer { $0.awaitEnd() }
        defer {
            closing.stop()
            silent.stop()
        }
        let refusing = try Sockets.unusedPort()
        for port in [refusing, closing.port, silent.port] {
            let address = "127.0.0.1:\(port)"
            let curl = try Self.transport(OutboundProxy(address: address))
            let reason = port == refusing ? "Connection refused" : nil
            let error = TransportError.proxyFailed(proxy: address, host: Self.host, status: nil, because: reason)
            await #expect(throws: error) {
                try await curl.get("https://\(Self.host)/", timeout: .milliseconds(500))
            }
        }
    }

    @Test("Calls to this machine, to its metadata server and to exempted hosts are direct, also those by plain http")
    func direct() async throws {
        let proxy = try Self.proxy(sending: "HTTP/1.1 502 No\r\n\r\n")
        defer { proxy.stop() }
        let server = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer("here") }
        }
        defer { server.stop() }
        let curl = try Self.transport(
            OutboundProxy(address: Self.address(proxy)) { $0 == "[::ffff:127.0.0.1]" })
        #expect(try await curl.get(server.url()).text == "here")
        let port = try Sockets.unusedPort()
        let mapped = TransportError.unreachable(host: "[::ffff:127.0.0.1]", port: "\(port)", number: ECONNREFUSED)
        await #expect(throws: mapped) {
            try await curl.get("https://[::ffff:127.0.0.1]:\(port)/")
        }
        await #expect(throws: TransportError.unreachable(host: "localhost", port: "\(port)", number: ECONNREFUSED)) {
            try await curl.get("https://localhost:\(port)/")
        }
        let permitted = curl.transport.permittingPlainHTTP(to: ["[::ffff:127.0.0.1]"])
        await #expect(throws: mapped) {
            try await permitted.send(OutboundRequest(.get, "http://[::ffff:127.0.0.1]:\(port)/"))
        }
        // The machine may have such a server, so that only the proxy shows that the call is direct.
        _ = try? await curl.get("https://169.254.169.254/", timeout: .milliseconds(200))
        #expect(proxy.accepted == 0)
    }

    @Test("A proxy is described without user name and password")
    func description() {
        let proxy = OutboundProxy(address: "proxy.example:3128", user: "ann", password: "hunter2")
        #expect("\(proxy)" == "proxy.example:3128" && String(reflecting: proxy) == "proxy.example:3128")
    }
}
