internal import Foundation
internal import JOSE
internal import Jansson
internal import NIOCore
internal import OpenSSL

/// The kind of requests in a load.
enum Traffic: String, CaseIterable {
    /// Requests to /v1/exchange, each with a different ID token.
    case exchange
    /// Requests to /v1/exchange, each with a different code.
    case code
    /// Browser sign-ins with /authorize, /callback and /token.
    case browser

    // Requests that the server refuses.
    case replay
    /// ID tokens with the signature of another token.
    case badSignature = "bad-signature"
    /// Truncated JSON.
    case malformed
    // Bodies of 64 KiB.
    case longString = "long-string"
    case longToken = "long-token"
    case manyMembers = "many-members"
    case deepArrays = "deep-arrays"
    case longNumber = "long-number"
    case zeros

    static let redirectURI = "https://app.example.com/callback"

    /// Creates `count` request sequences for the server at `port`, or one if all are equal.
    ///
    /// The provider responds to a code after `delay` milliseconds.
    func workload(_ count: Int, by forge: TokenForge, port: Int, delay: Int) async throws -> Workload {
        let endpoint = Endpoint(path: "/v1/exchange", port: port)
        let run = Base64URL.encode(try SecureRandom.bytes(6))
        @Sendable func token(_ number: Int) throws -> (token: String, nonce: String) {
            let nonce = "nonce-of-the-bench-\(run)-\(number)"
            let hash = Base64URL.encode(SHA256.hash(Array(nonce.utf8)))
            return (try forge.token(nonce: hash, person: number), nonce)
        }
        switch self {
        case .exchange:
            return .once(
                try await Self.inParallel(count) { number in
                    let (token, nonce) = try token(number)
                    return Request(endpoint.post(Self.exchange(token, nonce)))
                })
        case .badSignature:
            let good = try token(0).token
            let signature = good[good.index(after: good.lastIndex(of: ".") ?? good.startIndex)...]
            return .once(
                try await Self.inParallel(count) { number in
                    let (token, nonce) = try token(number + 1)
                    let input = token[...(token.lastIndex(of: ".") ?? token.startIndex)]
                    return Request(endpoint.post(Self.exchange(String(input + signature), nonce)))
                })
        case .code:
            return .once(
                try await Self.inParallel(count) { number in
                    Request(endpoint.post(Self.code(number, run: run, delay: delay)))
                })
        case .browser:
            let flow = BrowserSignIn(port: port, run: run)
            return .once((0..<count).map { flow.numbered($0) })
        case .replay:
            let (token, nonce) = try token(0)
            return .again(Request(endpoint.post(Self.exchange(token, nonce))))
        case .malformed:
            let (token, nonce) = try token(0)
            return .again(Request(endpoint.post(Self.exchange(token, nonce).dropLast())))
        case .longString, .longToken, .manyMembers, .deepArrays, .longNumber, .zeros:
            return .again(Request(endpoint.post(try largeBody())))
        }
    }

    /// A body that is slightly shorter than the limit of 64 KiB.
    private func largeBody() throws -> [UInt8] {
        let size = 65_000
        switch self {
        case .longToken:
            return Self.exchange(String(repeating: "eyJhbGciOiJFUzI1NiJ9", count: size / 20 - 10), "nonce")
        case .manyMembers:
            return Array("{\((0..<size / 11).map { "\"m\(10_000 + $0)\":0" }.joined(separator: ","))}".utf8)
        case .deepArrays:
            return Array((String(repeating: "[", count: size / 2) + String(repeating: "]", count: size / 2)).utf8)
        case .longNumber: return Array("{\"client_id\":\(String(repeating: "9", count: size))}".utf8)
        case .zeros: return Array(repeating: 0, count: size)
        default: return Array("{\"client_id\":\"\(String(repeating: "a", count: size))\"}".utf8)
        }
    }

    private static func exchange(_ token: String, _ nonce: String) -> [UInt8] {
        JSON.object([
            "client_id": .string("bench"), "provider": .string("bench"),
            "credential": .object([
                "type": .string("id_token"), "id_token": .string(token), "nonce": .string(nonce),
            ]),
        ]).serialized()
    }

    private static func code(_ number: Int, run: String, delay: Int) -> [UInt8] {
        let nonce = "\(run)-\(number)"
        return JSON.object([
            "client_id": .string("bench"), "provider": .string("bench"),
            "credential": .object([
                "type": .string("authorization_code"), "redirect_uri": .string(redirectURI), "nonce": .string(nonce),
                "code": .string(ProviderCode(delay: delay, person: number, nonce: nonce).text),
            ]),
        ]).serialized()
    }

    /// Creates request sequences in two parallel tasks.
    private static func inParallel(
        _ count: Int, _ make: @escaping @Sendable (Int) throws -> any RequestSequence
    ) async throws -> [any RequestSequence] {
        try await withThrowingTaskGroup(of: [any RequestSequence].self) { group in
            let middle = count / 2
            for range in [0..<middle, middle..<count] {
                group.addTask { try range.map(make) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}

/// Writes requests to one path of the measured server.
struct Endpoint: Sendable {
    let path: String
    let port: Int

    func post(_ body: some Collection<UInt8>, type: String = "application/json") -> ByteBuffer {
        var buffer = ByteBuffer(
            string: """
                POST \(path) HTTP/1.1\r
                Host: 127.0.0.1:\(port)\r
                Content-Type: \(type)\r
                Content-Length: \(body.count)\r
                \r

                """)
        buffer.writeBytes(body)
        return buffer
    }

    func get(_ cookies: [String] = []) -> ByteBuffer {
        let cookie = cookies.isEmpty ? "" : "Cookie: \(cookies.joined(separator: "; "))\r\n"
        return ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(cookie)\r\n")
    }
}
