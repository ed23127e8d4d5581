extension Catalogue {
    /// Responses of the token endpoint that violate HTTP, and are valid otherwise.
    static let providerBytes: [Attack] = endlessBytes + slowBytes + cutBytes + brokenBytes

    private typealias Steps = @Sendable (_ good: String) -> [CrudePeer.Step]

    private static let tooLarge = Expectation.unusable("provider_response_invalid")
    private static let cut = Expectation.unusable("provider_unreachable")
    private static let unusable = Expectation.unusable("provider_response_invalid", "provider_unreachable")
    private static let late = Expectation.timeout

    private static func bytes(
        _ id: String, _ sentence: String, _ oracle: String, _ source: String, _ expectation: Expectation,
        _ steps: @escaping Steps
    ) -> Attack {
        Attack(
            id, .provider, .high, "The token endpoint \(sentence).", oracle: oracle, source: source,
            needs: [.standIns, .processes]
        ) { context in
            let nonce = "nonce-for-\(context.attack.id)-0001"
            let good = try await context.goodTokens(nonce: nonce)
            try await context.withTokenPeer(timeout: "600ms", { _, _ in steps(good) }) { server, peer in
                let request = try context.crudeExchange(nonce: nonce)
                await context.fire(request, expecting: expectation, at: server.wire, within: .seconds(3))
                await context.expect(
                    peer.sentBytes < 16 << 20, .slow, "The server read \(peer.sentBytes) bytes of an endless response.")
                await context.fire(request, expecting: .refused("replayed"), at: server.wire)
                await context.expect(
                    peer.requests.count == 1, .sideEffect, "The code was sent \(peer.requests.count) times.")
            }
        }
    }

    private static let endlessBytes: [Attack] = [
        bytes(
            "UP-04a", "sends endless chunks", "The server responds with 502 at 256 KiB.",
            "CURLOPT_WRITEFUNCTION; CVE-2023-23916", tooLarge
        ) { good in
            [
                .send(.head("Transfer-Encoding: chunked")),
                .send("\(String(good.utf8.count, radix: 16))\r\n\(good)\r\n"),
                .repeated(Array("1000\r\n\(String(repeating: " ", count: 4096))\r\n".utf8)),
            ]
        },
        bytes(
            "UP-04b", "sends an endless body without a length", "The server responds with 502 at 256 KiB.",
            "CVE-2023-23916", tooLarge
        ) { good in
            [.send(.head()), .send(good), .repeated([UInt8](repeating: 0x20, count: 65_536))]
        },
        bytes(
            "UP-04c", "declares a length of one gigabyte, and sends it", "The server responds immediately with 502.",
            "CURLOPT_MAXFILESIZE_LARGE",
            tooLarge
        ) { good in
            [.send(.head(length: 1 << 30)), .send(good), .repeated([UInt8](repeating: 0x20, count: 65_536))]
        },
        bytes(
            "UP-04d", "declares a first chunk of 2^63 bytes", "The server responds with 502.", "RFC 9112 7.1", unusable
        ) { good in
            [.send(.head("Transfer-Encoding: chunked")), .send("8000000000000000\r\n"), .send(good)]
        },
        bytes(
            "UP-04e", "responds with a content coding that is not the one that it names",
            "The server responds with 502, and reads nothing of the body.",
            "CVE-2023-23916; RFC 9110 12.5.3",
            tooLarge
        ) { good in
            let coded = StoredGzip.encode(Array(good.utf8))
            return [.send(.head(length: coded.count, "Content-Encoding: deflate")), .send(coded)]
        },
        bytes(
            "UP-05a", "sends endless header fields", "The server responds with 502 at 64 KiB of fields.",
            "CVE-2023-38039", tooLarge
        ) { _ in
            [
                .send("HTTP/1.1 200 OK\r\n"),
                .repeated(Array(("X-Filler: " + String(repeating: "a", count: 990) + "\r\n").utf8)),
            ]
        },
        bytes(
            "UP-05b", "sends 10,000 cookies", "The server responds with 502 at 64 KiB of fields.", "CVE-2022-32205",
            tooLarge
        ) { good in
            let cookies = (0..<10_000).map { "Set-Cookie: c\($0)=v; Path=/\r\n" }.joined()
            return [
                .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + cookies),
                .send("Content-Length: \(good.utf8.count)\r\n\r\n" + good),
            ]
        },
        bytes(
            "UP-05c", "sends a header field of a megabyte", "The server responds with 502.", "CVE-2023-38039", tooLarge
        ) { good in
            [
                .send("HTTP/1.1 200 OK\r\nX: "), .send([UInt8](repeating: 0x61, count: 1 << 20)),
                .send("\r\nContent-Type: application/json\r\nContent-Length: \(good.utf8.count)\r\n\r\n" + good),
            ]
        },
        bytes(
            "UP-05d", "sends endless interim responses", "The server responds with 502 or 504.", "RFC 9110 15.2",
            tooLarge.orTimeout
        ) { _ in
            [.repeated(Array("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8))]
        },
    ]

    private static let slowBytes: [Attack] = [
        bytes(
            "UP-06a", "accepts the request and never responds", "The server responds with 504 in time.",
            "CURLOPT_TIMEOUT_MS", late
        ) { _ in
            [.wait(milliseconds: 2500)]
        },
        bytes("UP-06b", "sends a byte each 50 ms", "The server responds with 504 in time.", "CURLOPT_TIMEOUT_MS", late)
        { good in
            (String.head(length: good.utf8.count) + good).utf8.prefix(40)
                .flatMap { [CrudePeer.Step.send([$0]), .wait(milliseconds: 50)] }
        },
        bytes("UP-06c", "stalls after the header", "The server responds with 504 in time.", "CURLOPT_TIMEOUT_MS", late)
        { good in
            [.send(.head(length: good.utf8.count)), .wait(milliseconds: 2500)]
        },
        bytes(
            "UP-06d", "stalls before the last byte", "The server responds with 504 in time.", "CURLOPT_TIMEOUT_MS", late
        ) { good in
            [.send(.head(length: good.utf8.count)), .send(String(good.dropLast())), .wait(milliseconds: 2500)]
        },
        bytes(
            "UP-06e", "stalls within the status line", "The server responds with 504 in time.", "CURLOPT_TIMEOUT_MS",
            late
        ) { _ in
            [.send("HTTP/1.1 2"), .wait(milliseconds: 2500)]
        },
    ]

    private static let cutBytes: [Attack] = [
        bytes(
            "UP-07a", "declares more than it sends", "The server responds with 502 to an incomplete response.",
            "CURLE_PARTIAL_FILE", cut
        ) { good in
            [.send(.head(length: good.utf8.count + 10)), .send(good)]
        },
        bytes(
            "UP-07b", "closes before the last chunk", "The server responds with 502 to an incomplete response.",
            "RFC 9112 7.1, 8", cut
        ) { good in
            [.send(.head("Transfer-Encoding: chunked")), .send("\(String(good.utf8.count, radix: 16))\r\n\(good)\r\n")]
        },
        bytes(
            "UP-07c", "resets the connection within the body", "The server responds with 502.", "CURLE_RECV_ERROR", cut
        ) { good in
            [.send(.head(length: good.utf8.count)), .send(String(good.dropLast(5))), .wait(milliseconds: 50), .reset]
        },
        bytes(
            "UP-07d", "resets the connection without a response",
            "The server responds with 502 and sends the code once.",
            "RFC 9110 9.2.2", cut
        ) { _ in
            [.reset]
        },
        bytes("UP-07e", "closes within the header", "The server responds with 502.", "RFC 9112 8", cut) { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Le")]
        },
        bytes(
            "UP-07f", "closes without a byte", "The server responds with 502 and sends the code once.",
            "RFC 9110 9.2.2", cut
        ) {
            _ in []
        },
    ]

    private static let brokenBytes: [Attack] = [
        bytes("UP-16a", "speaks HTTP/0.9", "The server responds with 502.", "CURLOPT_HTTP09_ALLOWED", unusable) {
            good in [.send(good)]
        },
        bytes("UP-16b", "speaks another protocol", "The server responds with 502.", "CVE-2021-22876 (class)", unusable)
        { _ in
            [.send("SSH-2.0-OpenSSH_9.2\r\n"), .send("220 ready\r\n")]
        },
        bytes("UP-16c", "sends a status that is not a number", "The server responds with 502.", "RFC 9112 4", unusable)
        { good in
            [.send("HTTP/1.1 two OK\r\nContent-Type: application/json\r\n\r\n" + good)]
        },
        bytes("UP-16d", "sends two different lengths", "The server responds with 502.", "RFC 9112 6.3", unusable) {
            good in
            [.send(.head(length: good.utf8.count, "Content-Length: 5")), .send(good)]
        },
        bytes(
            "UP-16e", "sends a length that is not a number", "The server responds with 502.", "RFC 9112 6.3", unusable
        ) { good in
            [.send(.head("Content-Length: -1")), .send(good)]
        },
        bytes(
            "UP-16f", "responds with `HTTP/2 200` in clear text", "The server responds with 502.", "RFC 9113 3",
            unusable
        ) { good in
            [.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + good)]
        },
        bytes(
            "UP-16g", "switches protocols", "The server responds with 502.", "RFC 9110 15.2.2",
            .unusable("provider_error", "provider_response_invalid", "provider_unreachable").orTimeout
        ) { good in
            [.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n" + good)]
        },
    ]
}

extension Expectation {
    /// Returns an expectation that also permits 504 `provider_timeout`.
    var orTimeout: Self { or(.timeout) }
}
