import Curl
import Firebase
import JOSE
import Jansson
import Minting
import SQLiteStores
import Sandbox
import Server
import ServiceLifecycle
import Synchronization
import Transport

/// A complete deployment on loopback: the stand-ins of the providers, and a server with both listeners.
struct TestServer: Sendable {
    let standIns: StandIns
    /// The origin of the server for browsers.
    let issuer: String
    let clock: ServerClock
    let store: SQLiteStore
    let signer: CustomTokenSigner
    let concurrencyLimit: ConcurrencyLimit
    let gate: Gate
    let log: LogMemory
    let curl: CurlTransport
    let publicPort: Int
    let adminPort: Int
    let services: ServiceGroup

    struct NotReady: Error {}

    /// Runs it while `body` uses it.
    static func open(
        _ plan: Plan = Plan(), _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        let clock = ServerClock()
        let log = LogMemory()
        let curl = try CurlTransport()
        let sandbox = Sandbox(google: try TestAccount.registered(), logger: log.logger) { clock.now.seconds }
        let (ready, whenReady) = AsyncStream.makeStream(of: SandboxAddresses.self)
        let (ports, whenListening) = AsyncStream.makeStream(of: (listener: ServerParts.Listener, port: Int).self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { whenReady.finish() }
                try? await sandbox.run { whenReady.yield($0) }
            }
            guard let addresses = await ready.first(where: { _ in true }) else { throw NotReady() }
            let standIns = StandIns(addresses: addresses)
            try await standIns.register(issuer: plan.issuer)
            let parts = try ServerParts(plan, addresses: addresses, transport: curl.transport, clock: clock)
            let services = parts.services(logger: log.logger) { whenListening.yield(($0, $1)) }
            group.addTask {
                defer { whenListening.finish() }
                try? await services.run()
            }
            var listening: [ServerParts.Listener: Int] = [:]
            for await (listener, port) in ports {
                listening[listener] = port
                if listening.count == 2 { break }
            }
            guard let publicPort = listening[.application], let adminPort = listening[.admin] else { throw NotReady() }
            let server = TestServer(
                standIns: standIns, issuer: plan.issuer, clock: clock, store: parts.store, signer: parts.signer,
                concurrencyLimit: parts.concurrencyLimit, gate: parts.gate, log: log, curl: curl,
                publicPort: publicPort,
                adminPort: adminPort, services: services)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(server))
            } catch {
                result = .failure(error)
            }
            // An open connection would keep the server running.
            parts.gate.open()
            await expectDescribed(by: server)
            await curl.shutdown()
            group.cancelAll()
            try result.get()
        }
    }
}

extension TestServer {
    func post(
        _ path: String, _ body: JSON, header: [HeaderField] = []
    ) async throws -> OutboundResponse {
        try await post(path, text: body.text, header: header)
    }

    func post(
        _ path: String, text: String, type: String? = "application/json", header: [HeaderField] = []
    ) async throws -> OutboundResponse {
        // Always set, because the transport otherwise adds a type of its own.
        try await curl.transport.send(
            OutboundRequest(
                .post, "http://127.0.0.1:\(publicPort)\(path)",
                header: [HeaderField("Content-Type", type ?? "")] + header, body: Array(text.utf8),
                timeout: .seconds(60)))
    }

    func get(_ path: String, header: [HeaderField] = [], admin: Bool = false) async throws -> OutboundResponse {
        try await curl.transport.send(
            OutboundRequest(
                .get, "http://127.0.0.1:\(admin ? adminPort : publicPort)\(path)", header: header,
                timeout: .seconds(60)))
    }

    func exchange(_ body: JSON) async throws -> OutboundResponse {
        try await post("/v1/exchange", body)
    }

    /// Sends the text of a request and returns the first response; `nil` if the server closed the connection.
    func raw(_ request: String, admin: Bool = false) async throws -> OutboundResponse? {
        try await Wire.connect(to: admin ? adminPort : publicPort) { wire in
            try await wire.send(request)
            return try await wire.response(toHEAD: request.hasPrefix("HEAD "))
        }
    }

    /// Returns the text of a valid request, in which a test may replace parts.
    static func request(
        _ line: String = "POST /v1/nonce HTTP/1.1", header: [String] = ["Content-Type: application/json"],
        body: String = Bodies.nonce.text
    ) -> String {
        let length = line.hasPrefix("GET") && body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        return ([line, "Host: 127.0.0.1"] + length + header).joined(separator: "\r\n") + "\r\n\r\n" + body
    }
}

extension OutboundResponse {
    var json: JSON? { try? JSON.parse(body) }
    var reason: String? { json?["reason"]?.string }
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// The clock of a test server and its stand-ins, which stands still until a test advances it.
final class ServerClock: Sendable {
    private static let start = NumericDate(1_700_000_000)
    private let time = Mutex(start)
    private let origin = ContinuousClock.now

    var now: NumericDate { time.withLock { $0 } }
    var source: TimeSource { TimeSource { self.now } }

    /// The same time as a monotonic clock.
    var continuous: @Sendable () -> ContinuousClock.Instant {
        { self.origin + .seconds(self.now.seconds - Self.start.seconds) }
    }

    func advance(by duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }
}
