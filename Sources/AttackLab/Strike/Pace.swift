/// How fast and how much may be sent to a server that is not ours to exhaust.
package actor Pace {
    private let interval: Duration
    private var next = ContinuousClock.now
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
}
