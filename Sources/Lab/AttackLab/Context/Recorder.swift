/// The record of one attack: its requests, findings and secrets.
actor Recorder {
    private(set) var exchanges: [Exchange] = []
    private(set) var findings: [Finding] = []
    private(set) var secrets: Set<String> = []
    private(set) var canaries: Set<String> = []
    private(set) var exchangeCount = 0
    /// Whether the server limited the rate, which makes the attack inconclusive.
    private(set) var isLimited = false

    /// The number of requests that a report shows; hostile requests are kept first.
    private static let keptExchanges = 12

    func record(_ exchange: Exchange) {
        exchangeCount += 1
        for finding in exchange.findings { add(finding) }
        guard exchanges.count >= Self.keptExchanges else { return exchanges.append(exchange) }
        guard exchange.expectation != nil, let place = exchanges.lastIndex(where: { $0.expectation == nil }) else {
            return
        }
        exchanges.remove(at: place)
        exchanges.append(exchange)
    }

    func add(_ finding: Finding) {
        if !findings.contains(finding) { findings.append(finding) }
    }

    func limit() { isLimited = true }

    func addSecret(_ text: String) {
        if text.utf8.count >= 8 { secrets.insert(text) }
    }

    func addCanary(_ text: String) { canaries.insert(text) }
}

/// One request of an attack and its response.
struct Exchange: Sendable {
    let request: Request
    let base: String
    let reply: Reply
    /// The expected response; `nil` for a step that is not an attack.
    let expectation: String?
    let findings: [Finding]
}

/// The rate and the total number of requests that may be sent to a server of another operator.
package actor Pace {
    private let interval: Duration
    private(set) var next = ContinuousClock.now
    private var left: Int

    /// - Parameters:
    ///   - perSecond: The maximum number of requests per second.
    ///   - most: The maximum number of requests.
    package init(perSecond: Double, most: Int) {
        interval = .seconds(1 / max(perSecond, 0.01))
        left = most
    }

    /// Whether the number of requests is used up.
    var isExhausted: Bool { left <= 0 }

    /// Returns when the next request may be sent.
    func wait() async {
        let now = ContinuousClock.now
        let turn = max(now, next)
        next = turn + interval
        left -= 1
        try? await Task.sleep(until: turn, clock: .continuous)
    }

    /// Waits as long as `Retry-After` of a 429 says (RFC 6585 §4), at most a minute.
    func heed(_ answer: Answer) {
        guard answer.status == 429 else { return }
        let seconds = answer.field("Retry-After").flatMap { Int64($0) } ?? 1
        next = max(next, .now + .seconds(min(max(seconds, 1), 60)))
    }
}

/// The names of members and parameters with secret values.
enum SecretNames {
    static let all: Set<String> = [
        "access_token", "code", "code_verifier", "custom_token", "device_code", "firebase_id_token",
        "firebase_refresh_token", "from_id_token", "id_token", "nonce", "nonce_verifier", "oauth_token",
        "oauth_token_secret", "pending_credential", "refresh_token", "request_uri", "session", "subject_token",
        "callback_url",
    ]
}
