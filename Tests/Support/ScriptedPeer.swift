internal import Synchronization
package import Transport

/// All peers of a deployment.
///
/// They respond from a script and record the requests.
package final class ScriptedPeer: Sendable {
    private struct Scene {
        var answers: [ScriptedAnswer]
        var served = 0
    }

    private struct State {
        var scenes: [String: Scene] = [:]
        var requests: [OutboundRequest] = []
        var unscripted: [String] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var transport: HTTPTransport {
        HTTPTransport { request throws(TransportError) in try await self.answer(request) }
    }

    /// Sets the responses to requests to a URL with any query, one after the other; the last one is repeated.
    ///
    /// This replaces the script of the URL.
    package func script(_ method: OutboundRequest.Method, _ url: String, _ answers: ScriptedAnswer...) {
        state.withLock { $0.scenes[Self.key(method, url)] = Scene(answers: answers) }
    }

    /// Every request so far, in the order of arrival.
    package var requests: [OutboundRequest] { state.withLock { $0.requests } }

    /// Requests without a script, which failed as unreachable.
    package var unscripted: [String] { state.withLock { $0.unscripted } }

    /// Returns the requests to a URL, with any query.
    package func requests(to url: String) -> [OutboundRequest] {
        requests.filter { Self.withoutQuery($0.url) == url }
    }

    private func answer(_ request: OutboundRequest) async throws(TransportError) -> OutboundResponse {
        let key = Self.key(request.method, Self.withoutQuery(request.url))
        let answer: ScriptedAnswer? = state.withLock { state in
            state.requests.append(request)
            guard let scene = state.scenes[key], !scene.answers.isEmpty else {
                state.unscripted.append(key)
                return nil
            }
            state.scenes[key]?.served += 1
            return scene.answers[min(scene.served, scene.answers.count - 1)]
        }
        // Other tasks may run first, as with a network.
        await Task.yield()
        guard let answer else { throw .unreachable(host: "nothing scripted for \(key)") }
        return try await answer.make(request)
    }

    private static func key(_ method: OutboundRequest.Method, _ url: String) -> String {
        method.rawValue + " " + url
    }

    private static func withoutQuery(_ url: String) -> String {
        String(url.prefix { $0 != "?" })
    }
}
