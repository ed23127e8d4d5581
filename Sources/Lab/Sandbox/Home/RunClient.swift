import Jansson
import LabSystem
import Transport

/// Sends the requests of one run and records them with their answers.
struct RunClient: Sendable {
    let run: String
    let scenario: Scenario
    /// The id of the provider.
    let provider: String
    /// The origin of the home page, which acts as the application.
    let origin: String
    let server: HomeServer
    let store: RunStore

    /// Returns `nil` without sending if the run no longer exists or its record is full.
    func send(_ kind: StepKind, _ request: RecordedRequest, note: String? = nil) async -> Outcome? {
        guard let number = await store.append(kind, request, note: note, to: run) else { return nil }
        let outcome = await Self.outcome(of: request, by: server.transport)
        await store.complete(number, of: run, outcome)
        return outcome
    }

    /// Returns the JSON of a successful answer.
    ///
    /// After any other answer it ends the run and returns `nil`.
    func success(_ kind: StepKind, _ request: RecordedRequest, note: String? = nil) async -> JSON? {
        guard let answer = await send(kind, request, note: note)?.success else {
            await store.finish(run, with: nil)
            return nil
        }
        return answer
    }

    /// Sends the last request of the run and stores its answer, which contains the custom token.
    func finish(_ kind: StepKind, _ request: RecordedRequest, note: String? = nil) async {
        let answer = await send(kind, request, note: note)?.success
        await store.finish(run, with: answer)
    }

    /// Sends a request without recording it.
    ///
    /// - Parameter transport: The HTTP client of the product, for all methods that it has.
    static func outcome(
        of request: RecordedRequest, by transport: HTTPTransport, timeout: Duration = .seconds(10)
    ) async -> Outcome {
        do throws(TransportError) {
            guard var outbound = request.outbound else {
                return .answer(try await BodilessCall(request).send(within: timeout))
            }
            outbound.timeout = timeout
            return .answer(try await transport.send(outbound))
        } catch {
            return .noAnswer(error)
        }
    }
}

/// The client ids and paths that the home page uses at the server.
enum HomeClient {
    static let id = "sandbox"
    /// The client id of a device without a browser.
    static let television = "living-room-tv"
    static let callbackPath = "/callback"
    /// The redirect URI of each provider is below this path (RFC 9700 §4.4).
    static let signInCallbackPath = "/signin-callback/"
}

/// The server's metadata: the URLs of its endpoints (RFC 8414 §3).
struct ServerMetadata {
    private let document: JSON
    private let issuer: String

    init(_ document: JSON, of server: HomeServer) {
        self.document = document
        issuer = server.publicURL
    }

    static func request(to server: HomeServer) -> RecordedRequest {
        .get(server.publicURL + "/.well-known/oauth-authorization-server")
    }

    /// Whether the document names the expected issuer; otherwise it must not be used (§3.3).
    var isFromServer: Bool { document["issuer"]?.string == issuer }

    var authorization: String { endpoint("authorization_endpoint", or: "/authorize") }
    var token: String { endpoint("token_endpoint", or: "/token") }
    var deviceAuthorization: String { endpoint("device_authorization_endpoint", or: "/device_authorization") }

    private func endpoint(_ name: String, or path: String) -> String {
        guard let url = document[name]?.string, url.hasPrefix(issuer + "/") else { return issuer + path }
        return url
    }
}

/// Sends the request of a step once more, as an attacker who saw it could: byte for byte, without cookies.
struct Replayer: Sendable {
    /// A header field that tells ``TrafficRecorder`` not to record the request.
    static let mark = "sandbox-replay"

    let store: RunStore
    let server: HomeServer

    /// Returns `false` if there is no such step.
    func replay(_ number: Int, of id: String) async -> Bool {
        guard let run = await store.run(id), let step = run.steps.first(where: { $0.number == number }) else {
            return false
        }
        var request = step.request
        if step.kind.receiver == .provider { request.header.append(HeaderField(Self.mark, "1")) }
        let outcome = await RunClient.outcome(of: request, by: server.transport)
        await store.add(replay: outcome, to: number, of: id)
        return true
    }
}

/// A request without a body, with a method that the HTTP client of the product does not have.
struct BodilessCall {
    private let request: RecordedRequest
    private let host: String

    init(_ request: RecordedRequest) {
        self.request = request
        host = request.url.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    }

    /// Sends the request on a connection of its own, which the server closes after its response.
    func send(within timeout: Duration) async throws(TransportError) -> OutboundResponse {
        let path = request.url.split(separator: "/").dropFirst(2).joined(separator: "/")
        let fields = request.header.map { "\($0.name): \($0.value)\r\n" }.joined()
        let head = "\(request.method.rawValue) /\(path) HTTP/1.1\r\nHost: \(host)\r\n\(fields)Connection: close\r\n\r\n"
        guard let connection = try? await RawConnection.open(request.url, within: timeout) else {
            throw .unreachable(host: host)
        }
        var bytes: [UInt8] = []
        do {
            try await connection.send(Array(head.utf8), within: timeout)
            // The end of the connection is the end of the response.
            while bytes.count < 1 << 20 { bytes += try await connection.receive(within: timeout) }
        } catch {
            guard !bytes.isEmpty else { throw .interrupted(host: host) }
        }
        guard let response = OutboundResponse(message: bytes) else { throw .notHTTP(host: host) }
        return response
    }
}

extension OutboundResponse {
    /// Reads a response with a `Content-Length` or without a body; `nil` for anything else.
    fileprivate init?(message: [UInt8]) {
        let end = Array("\r\n\r\n".utf8)
        guard let blank = message.indices.first(where: { message[$0...].starts(with: end) }),
            let head = String(validating: message[..<blank], as: UTF8.self)
        else { return nil }
        let lines = head.split(separator: "\r\n").map(String.init)
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        self.init(
            status: status,
            header: lines.dropFirst().compactMap { line in
                line.firstIndex(of: ":").map { colon in
                    HeaderField(String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
                }
            }, body: Array(message[(blank + end.count)...]))
    }
}
