internal import Synchronization
package import Transport

/// All peers of a deployment: they answer from a script, and remember what was asked.
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

    /// Answers requests to a URL, whatever their query, with one answer after the other; the last one stays.
    ///
    /// What stood in the script for this URL is forgotten.
    package func script(_ method: OutboundRequest.Method, _ url: String, _ answers: ScriptedAnswer...) {
        state.withLock { $0.scenes[Self.key(method, url)] = Scene(answers: answers) }
    }

    /// Every request so far, in the order of arrival.
    package var requests: [OutboundRequest] { state.withLock { $0.requests } }

    /// Requests for which nothing stands in the script; their senders were told that there is no such host.
    package var unscripted: [String] { state.withLock { $0.unscripted } }

    /// Requests to a URL, whatever their query.
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
        // Others may go first, as with a network between.
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
