import Curl
import Testing
import Transport

@Suite("TLS", .timeLimit(.minutes(5)))
struct TLSTests {
    /// A transport that trusts only the authority of the peer, or those of the distribution if `peer` is `nil`.
    private static func trusting(_ peer: TLSPeer?) throws(CurlError) -> CurlTransport {
        try CurlTransport.with { $0.caBundle = peer?.caBundle }
    }

    @Test("HTTP/2 is used if it is offered, over one connection")
    func http2() async throws {
        let peer = try TLSPeer()
        let curl = try Self.trusting(peer)
        let first = try await curl.get(peer.protocolURL).text
        #expect(first.hasPrefix("HTTP/2.0 "))
        for _ in 1...5 { #expect(try await curl.get(peer.protocolURL).text == first) }
    }

    @Test("HTTP/1.1 is used if HTTP/2 is not offered")
    func http11() async throws {
        let peer = try TLSPeer { $0.speaksHTTP2 = false }
        let curl = try Self.trusting(peer)
        #expect(try await curl.get(peer.protocolURL).text.hasPrefix("HTTP/1.1 "))
    }

    @Test("UP-10: Over HTTP/2, too, each of 200 parallel calls gets its own response")
    func parallel() async throws {
        let server = try LoopbackServer { connection in
            while let request = connection.nextRequest() {
                connection.answer("\(request.path)|\(String(decoding: request.body, as: UTF8.self))")
            }
        }
        defer { server.stop() }
        let peer = try TLSPeer { $0.origin = server.port }
        let curl = try Self.trusting(peer)
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    let response = try await curl.post(peer.url("/\(number)"), "code=\(number)")
                    #expect(response.text == "/\(number)|code=\(number)")
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(server.requests.map(\.path)).count == 200)
        #expect(server.requests.count == 200)
    }

    @Test("Cancelling a call over HTTP/2 does not affect the others")
    func cancellation() async throws {
        let gate = Gate()
        let server = try LoopbackServer(answeringAfter: gate)
        defer { server.stop() }
        let peer = try TLSPeer { $0.origin = server.port }
        let curl = try Self.trusting(peer)
        let cancelled = Task { try await curl.get(peer.url("/cancelled")) }
        async let kept = curl.get(peer.url("/kept"))
        await server.reaches { $0.requests == 2 }
        cancelled.cancel()
        await #expect(throws: TransportError.cancelled(requestSent: true)) { try await cancelled.value }
        gate.open()
        #expect(try await kept.text == "/kept")
        #expect(try await curl.get(peer.protocolURL).status == 200)
    }

    @Test("UP-11: A POST over HTTP/2 whose peer ends without a response is sent once, and fails")
    func post() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            connection.awaitEnd()
        }
        defer { server.stop() }
        let peer = try TLSPeer { $0.origin = server.port }
        let curl = try Self.trusting(peer)
        _ = try await curl.get(peer.protocolURL)
        let call = Task { try await curl.post(peer.url("/"), "code=c") }
        await server.reaches { $0.requests == 1 }
        try peer.kill()
        await #expect(throws: TransportError.interrupted(host: "localhost")) { try await call.value }
        #expect(server.requests.count == 1)
    }

    @Test("UP-02: A certificate of another authority is not trusted")
    func untrusted() async throws {
        let peer = try TLSPeer()
        let stranger = try TLSPeer()
        for curl in [try Self.trusting(nil), try Self.trusting(stranger)] {
            await #expect(throws: TransportError.untrusted(host: "localhost", because: .missingIssuer)) {
                try await curl.get(peer.protocolURL)
            }
        }
    }

    @Test(
        "An authority that the server sends, and this machine does not trust, is distinguished from a missing intermediate"
    )
    func ownAuthority() async throws {
        let peer = try TLSPeer { $0.sendsAuthority = true }
        let curl = try Self.trusting(nil)
        await #expect(throws: TransportError.untrusted(host: "localhost", because: .unknownAuthority)) {
            try await curl.get(peer.protocolURL)
        }
        #expect(try await Self.trusting(peer).get(peer.protocolURL).status == 200)
    }

    @Test("Plain HTTP at the port is distinguished from a certificate that is not trusted")
    func plainHTTP() async throws {
        let server = try LoopbackServer { connection in
            connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            connection.awaitEnd()
        }
        defer { server.stop() }
        let curl = try Self.trusting(nil)
        await #expect(throws: TransportError.untrusted(host: "127.0.0.1", because: .noTLS)) {
            try await curl.get("https://127.0.0.1:\(server.port)/")
        }
    }

    @Test("Each fault of TLS has a sentence and a remedy of its own")
    func remedies() {
        let faults: [TLSFault] = [
            .unknownAuthority, .missingIssuer, .outdated, .notYetValid, .otherName, .noTLS, .other,
        ]
        let errors = faults.map { TransportError.untrusted(host: "idp.example", because: $0) }
        #expect(Set(errors.map(\.sentence)).count == faults.count)
        #expect(Set(errors.compactMap(\.advice)).count == faults.count)
        #expect(errors[0].advice?.contains("run update-ca-certificates, and restart this server") == true)
        #expect(errors[1].advice?.contains("intermediate certificates") == true)
    }

    @Test("The advice on a host or proxy that is the machine itself says what that is in a container")
    func loopback() {
        for host in ["127.0.0.1", "localhost", "::1", "[::1]"] {
            let errors: [TransportError] = [
                .unreachable(host: host, port: "8443"),
                .proxyFailed(proxy: "\(host):3128", host: "idp.example", status: nil),
            ]
            for error in errors {
                #expect(
                    error.advice?.contains("or in a container the container itself: start the p") == true, "\(error)")
            }
        }
        for error in [
            TransportError.unreachable(host: "127.example"), .unreachable(host: "localhost", isUnknown: true),
        ] {
            #expect(error.advice?.contains("container") == false)
        }
    }

    @Test("UP-02: A certificate for another name is not trusted")
    func wrongHost() async throws {
        let peer = try TLSPeer { $0.names = "DNS:other.example,DNS:*.localhost,IP:127.0.0.2" }
        let curl = try Self.trusting(peer)
        for host in ["localhost", "127.0.0.1"] {
            await #expect(throws: TransportError.untrusted(host: host, because: .otherName)) {
                try await curl.get(peer.url("/protocol", host: host))
            }
        }
    }

    @Test("UP-02: An expired certificate is not trusted")
    func expired() async throws {
        let peer = try TLSPeer { $0.isExpired = true }
        let curl = try Self.trusting(peer)
        await #expect(throws: TransportError.untrusted(host: "localhost", because: .outdated)) {
            try await curl.get(peer.protocolURL)
        }
    }

    @Test("UP-02: A server that offers only TLS 1.1 is not trusted")
    func oldProtocol() async throws {
        let peer = try TLSPeer { $0.protocols = "TLSv1.1" }
        let curl = try Self.trusting(peer)
        await #expect(throws: TransportError.untrusted(host: "localhost", because: .noTLS)) {
            try await curl.get(peer.protocolURL)
        }
    }

    @Test("A peer that closes the connection in the handshake is not trusted, and gets no request")
    func hangUp() async throws {
        let server = try LoopbackServer { _ in }
        defer { server.stop() }
        let curl = try Self.trusting(nil)
        await #expect(throws: TransportError.untrusted(host: "127.0.0.1", because: .noTLS)) {
            try await curl.get("https://127.0.0.1:\(server.port)/")
        }
    }

    @Test(
        "Connections that the peer closes after 10 requests are replaced without a failure",
        arguments: [true, false])
    func retirement(speaksHTTP2: Bool) async throws {
        let server = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer() }
        }
        defer { server.stop() }
        let peer = try TLSPeer {
            $0.origin = server.port
            $0.requestsPerConnection = 10
            $0.speaksHTTP2 = speaksHTTP2
        }
        let curl = try Self.trusting(peer)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...16 {
                group.addTask {
                    for _ in 1...20 {
                        let response = try await curl.post(peer.url("/"), "code=c")
                        #expect(response.status == 200)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 320)
    }
}
