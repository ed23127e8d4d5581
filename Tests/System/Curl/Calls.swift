import Curl
import Dispatch
import Transport

extension CurlTransport {
    /// A transport with a modified configuration.
    static func with(_ change: (inout CurlConfiguration) -> Void) throws(CurlError) -> CurlTransport {
        var configuration = CurlConfiguration()
        change(&configuration)
        return try CurlTransport(configuration: configuration)
    }

    func get(_ url: String, timeout: Duration = .seconds(30)) async throws(TransportError) -> OutboundResponse {
        try await transport.send(OutboundRequest(.get, url, timeout: timeout))
    }

    func post(
        _ url: String, _ body: String = "", timeout: Duration = .seconds(30)
    ) async throws(TransportError) -> OutboundResponse {
        try await transport.send(OutboundRequest(.post, url, body: Array(body.utf8), timeout: timeout))
    }
}

extension OutboundResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Holds the threads of a test server until it is opened.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    func pass() {
        semaphore.wait()
        // Release the next waiting thread.
        semaphore.signal()
    }
}
