internal import Curl
internal import Foundation
internal import JOSE
internal import Jansson
internal import OpenSSL
internal import Transport

/// ID tokens exchanged over HTTP, and what each costs the server in CPU time.
struct ExchangeBench {
    let server: String
    /// Nil for a fresh SQLite file; otherwise the connection string of an empty PostgreSQL.
    let postgres: String?
    let exchanges: Int
    let concurrency: Int

    func run() async throws -> String {
        let folder = NSTemporaryDirectory() + "token-exchange-bench-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let key = try P256PrivateKey.generate()
        var curl = CurlConfiguration()
        curl.activePerOrigin = concurrency
        curl.waitingPerQueue = 2 * concurrency
        let transport = try CurlTransport(configuration: curl).transport
        return try await KeyServer.running(serving: Self.keySet(key)) { issuer in
            let bodies = try requests(key, issuer: issuer)
            let process = try await MeasuredServer.start(
                server, folder: folder, postgres: postgres, issuer: issuer, transport: transport)
            defer { process.stop() }
            let idle = process.residentMegabytes
            // Connections, caches and the code itself are warm when the clock starts.
            try await send(bodies.prefix(bodies.count / 10), to: process.url, over: transport)
            let cpuBefore = try process.cpuSeconds()
            let waitedBefore = try await StoreShare(of: process, over: transport)
            let clock = ContinuousClock()
            let took = try await clock.measure {
                try await send(bodies.dropFirst(bodies.count / 10), to: process.url, over: transport)
            }
            let count = Double(bodies.count - bodies.count / 10)
            let cpu = (try process.cpuSeconds() - cpuBefore) / count
            let share = try await StoreShare(of: process, over: transport).since(waitedBefore)
            return """
                exchanging ID tokens (ES256) over HTTP, \(concurrency) at once, the load on the same cores, \
                \(postgres == nil ? "SQLite" : "PostgreSQL on the same cores")
                  exchanges                    \(Int(count / (took / .seconds(1)))) /s
                  server CPU time              \(Int(cpu * 1e6)) us an exchange
                  waiting for the store        \(Int(share.fraction * 100)) % of an exchange, \(share.questionsPerRequest) questions
                resident memory                \(idle) MB idle, \(process.residentMegabytes) MB under load
                start to ready                 \(Int(process.startup / .milliseconds(1))) ms
                """
        }
    }

    private func send(
        _ bodies: ArraySlice<[UInt8]>, to url: String, over transport: HTTPTransport
    ) async throws {
        let queue = BodyQueue(bodies)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    while let body = queue.next() {
                        let response = try await transport.send(
                            OutboundRequest(
                                .post, url + "/v1/exchange",
                                header: [HeaderField("Content-Type", "application/json")], body: body))
                        guard response.status == 200 else { throw BenchError.exchangeFailed(status: response.status) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Every token is another one; a hundred people take turns.
    private func requests(_ key: P256PrivateKey, issuer: String) throws -> [[UInt8]] {
        let now = Int64(Date().timeIntervalSince1970)
        return try (0..<exchanges).map { number in
            let nonce = "nonce-of-the-bench-\(number)"
            let token = UnsignedJWS(
                header: .object(["alg": .string("ES256"), "kid": .string("bench")]),
                payload: .object([
                    "iss": .string(issuer), "aud": .string("bench-audience"),
                    "sub": .string("subject-\(number % 100)"), "iat": .integer(now), "exp": .integer(now + 3600),
                    "nonce": .string(Base64URL.encode(SHA256.hash(Array(nonce.utf8)))),
                    "name": .string("Alice Example"), "email": .string("person-\(number % 100)@example.com"),
                    "email_verified": .bool(true),
                ]))
            let compact = token.compact(signature: try key.signature(for: Array(token.signingInput.utf8)))
            return JSON.object([
                "client_id": .string("bench"), "provider": .string("bench"),
                "credential": .object([
                    "type": .string("id_token"), "id_token": .string(compact), "nonce": .string(nonce),
                ]),
            ]).serialized()
        }
    }

    private static func keySet(_ key: P256PrivateKey) -> [UInt8] {
        JSON.object([
            "keys": .array([
                .object([
                    "kty": .string("EC"), "crv": .string("P-256"), "kid": .string("bench"), "alg": .string("ES256"),
                    "x": .string(Base64URL.encode(key.publicKey.x)), "y": .string(Base64URL.encode(key.publicKey.y)),
                ])
            ])
        ]).serialized()
    }
}
