import Jansson
import Sandbox
import Synchronization
import Transport

/// A browser at the home page of a running sandbox, with a scripted server.
struct HomeVisitor: Sendable {
    let client: SandboxClient
    let server: ScriptedServer

    static func visit(
        google: GoogleSettings = GoogleSettings(), _ body: @escaping @Sendable (HomeVisitor) async throws -> Void
    ) async throws {
        let server = ScriptedServer()
        let known = Mutex<SandboxClient?>(nil)
        let box = Box(known)
        let transport = HTTPTransport { request throws(TransportError) in
            if request.url.hasPrefix(ScriptedServer.url + "/") { return try await server.send(request) }
            guard let client = box.client else { throw .refusedURL }
            return try await client.transported(request)
        }
        try await SandboxClient.withSandbox(
            server: HomeServer(publicURL: ScriptedServer.url, transport: transport), google: google
        ) { client in
            box.set(client)
            try await body(HomeVisitor(client: client, server: server))
        }
    }

    /// Holds the client, which exists only after the sandbox has started.
    private final class Box: Sendable {
        private let value: Mutex<SandboxClient?>

        init(_ value: consuming Mutex<SandboxClient?>) {
            self.value = value
        }

        var client: SandboxClient? { value.withLock { $0 } }

        func set(_ client: SandboxClient) {
            value.withLock { $0 = client }
        }
    }

    var origin: String { client.addresses.control }

    func get(_ path: String, cookie: String? = nil) async throws -> Reply {
        try await client.get(
            path.hasPrefix("http") ? path : origin + path, header: cookie.map { ["Cookie: \($0)"] } ?? [])
    }

    /// Sends a form as a button of the page does.
    func press(_ path: String, _ form: [(String, String)] = [("none", "")]) async throws -> Reply {
        try await client.post(origin + path, form: form, header: ["Sec-Fetch-Site: same-origin", "Origin: null"])
    }

    func begin(_ scenario: String) async throws -> Begun {
        let reply = try await press("/runs", [("scenario", scenario)])
        let cookie = (reply[field: "set-cookie"] ?? "").prefix { $0 != ";" }
        return Begun(
            location: reply[field: "location"] ?? "", parameters: reply.locationParameters, cookie: String(cookie))
    }

    struct Begun: Sendable {
        let location: String
        let parameters: [String: String]
        let cookie: String

        /// The path of the run's page.
        var path: String { "/runs/" + cookie.drop { $0 != "=" }.dropFirst() }
    }

    /// Makes the server respond with its metadata.
    func answerMetadata(issuer: String = ScriptedServer.url) async {
        await server.answer(
            "/.well-known/oauth-authorization-server",
            .object([
                "issuer": .string(issuer), "authorization_endpoint": .string(ScriptedServer.url + "/authorize"),
                "token_endpoint": .string(ScriptedServer.url + "/token"),
                "device_authorization_endpoint": .string(ScriptedServer.url + "/device_authorization"),
            ]))
    }

    func answerNonce() async {
        await server.answer(
            "/v1/nonce", .object(["nonce": .string("the-nonce"), "nonce_verifier": .string("the-verifier")]))
    }

    /// A token of `{"alg": "RS256"}`, `{"uid": "yahoo.com:ALICE", "exp": 1700000300}`, and three bytes.
    static let customToken =
        "eyJhbGciOiJSUzI1NiJ9.eyJ1aWQiOiJ5YWhvby5jb206QUxJQ0UiLCJleHAiOjE3MDAwMDAzMDB9.AAAA"

    static let success = JSON.object([
        "custom_token": .string(customToken), "uid": .string("yahoo.com:ALICE"), "provider": .string("yahoo.com"),
        "audience_proof": .string("id_token_aud"), "profile": .object(["name": .string("Alice <b>Example</b>")]),
    ])
}

extension SandboxClient {
    /// An HTTP client for the requests that the home page sends to the sandbox.
    func transported(_ request: OutboundRequest) async throws(TransportError) -> OutboundResponse {
        do {
            let reply = try await send(
                request.method.rawValue, request.url, header: request.header.map { "\($0.name): \($0.value)" },
                body: String(decoding: request.body, as: UTF8.self))
            return OutboundResponse(
                status: reply.status, header: reply.header.map { HeaderField($0.name, $0.value) }, body: reply.body)
        } catch {
            throw .interrupted(host: "127.0.0.1")
        }
    }
}

extension OutboundRequest {
    var json: JSON? { try? JSON.parse(body) }

    /// Parses parameters; their values need only percent-decoding.
    var form: [String: String] {
        let pairs = String(decoding: body, as: UTF8.self).split(separator: "&").map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        return Dictionary(pairs.map { (String($0[0]), $0[1].removingPercent) }) { first, _ in first }
    }
}

extension Substring {
    var removingPercent: String {
        var bytes: [UInt8] = []
        var rest = utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%"), let high = rest.next(), let low = rest.next() else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16) ?? 0)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
