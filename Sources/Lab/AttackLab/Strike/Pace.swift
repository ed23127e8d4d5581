/// How fast and how much may be sent to a server that is not ours to exhaust.
package actor Pace {
    private let interval: Duration
    private(set) var next = ContinuousClock.now
    private var left: Int

    /// - `perSecond`, `most`: requests.
    package init(perSecond: Double, most: Int) {
        interval = .seconds(1 / max(perSecond, 0.01))
        left = most
    }

    /// Whether no more than a few stray requests may follow.
    var isExhausted: Bool { left <= 0 }

    /// Returns when the next request may be sent.
    func wait() async {
        let now = ContinuousClock.now
        let turn = max(now, next)
        next = turn + interval
        left -= 1
        try? await Task.sleep(until: turn, clock: .continuous)
    }

    /// Leaves a server alone for as long as its 429 asks (RFC 6585 §4), a minute at most.
    func heed(_ answer: Answer) {
        guard answer.status == 429 else { return }
        let seconds = answer.field("Retry-After").flatMap { Int64($0) } ?? 1
        next = max(next, .now + .seconds(min(max(seconds, 1), 60)))
    }
}
