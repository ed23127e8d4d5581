internal import Foundation
internal import Transport

/// What the server's metrics say of the store: how long exchanges took, and how much of that they waited for it.
struct StoreShare {
    private let requests: Double
    private let seconds: Double
    private let storeQuestions: Double
    private let storeSeconds: Double

    init(of server: MeasuredServer, over transport: HTTPTransport) async throws {
        let answer = try await transport.send(OutboundRequest(.get, server.adminURL + "/metrics"))
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
        func sum(_ prefix: String) -> Double {
            lines.filter { $0.hasPrefix(prefix) }.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
                .reduce(0, +)
        }
        requests = sum(#"token_exchange_requests_total{endpoint="/v1/exchange""#)
        seconds = sum(#"token_exchange_request_seconds_total{endpoint="/v1/exchange""#)
        storeQuestions = sum("token_exchange_store_questions_total")
        storeSeconds = sum("token_exchange_store_seconds_total")
    }

    func since(_ before: Self) -> (fraction: Double, questionsPerRequest: String) {
        let count = requests - before.requests
        return (
            (storeSeconds - before.storeSeconds) / (seconds - before.seconds),
            String(format: "%.1f", (storeQuestions - before.storeQuestions) / count)
        )
    }
}
