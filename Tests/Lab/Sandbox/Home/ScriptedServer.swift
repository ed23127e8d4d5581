import Jansson
import Sandbox
import Transport

/// A server that sends scripted responses and records its requests.
actor ScriptedServer {
    static let url = "http://127.0.0.1:65501"

    /// The responses by path.
    ///
    /// The last response of a path is repeated.
    private var answers: [String: [OutboundResponse]] = [:]
    private var events: [String: @Sendable () async -> Void] = [:]
    private(set) var requests: [OutboundRequest] = []

    func answer(_ path: String, _ body: JSON, status: Int = 200) {
        answer(path, OutboundResponse(status: status, body: body.serialized()))
    }

    func answer(_ path: String, _ response: OutboundResponse) {
        answers[path, default: []].append(response)
    }

    /// Adds a refusal in the form of the server.
    func refuse(_ path: String, _ reason: String, _ error: String = "invalid_grant", status: Int = 400) {
        let body: [String: JSON] = [
            "error": .string(error), "reason": .string(reason), "error_description": .string("No."),
        ]
        answer(path, .object(body), status: status)
    }

    /// Runs `action` once, before the next response at `path`.
    func before(_ path: String, _ event: @escaping @Sendable () async -> Void) {
        events[path] = event
    }

    /// Removes the responses at `path`.
    func clear(_ path: String) {
        answers[path] = nil
    }

    func requests(at path: String) -> [OutboundRequest] {
        requests.filter { Self.path($0) == path }
    }

    func send(_ request: OutboundRequest) async throws(TransportError) -> OutboundResponse {
        requests.append(request)
        let path = Self.path(request)
        await events.removeValue(forKey: path)?()
        guard let response = answers[path]?.first else { throw .unreachable(host: "127.0.0.1") }
        if (answers[path]?.count ?? 0) > 1 { answers[path]?.removeFirst() }
        return response
    }

    private static func path(_ request: OutboundRequest) -> String {
        String(request.url.dropFirst(url.count).prefix { $0 != "?" })
    }
}
