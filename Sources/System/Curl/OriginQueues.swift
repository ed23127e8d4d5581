internal import DequeModule
internal import Transport

/// Decides which calls may start: a limited number for each queue and origin, the others in the order of their arrival.
///
/// libcurl's own limit (`CURLMOPT_MAX_HOST_CONNECTIONS`) is not used, because it scans all waiting calls whenever one call
/// ends.
struct OriginQueues {
    enum Admission {
        case start
        case wait
        case full
    }

    /// The next call, and whether enough of its time is left to start it.
    struct Turn {
        let call: Call
        let isInTime: Bool
    }

    private struct Key: Hashable {
        let origin: Target.Origin
        let peer: String?
        let call: String?

        init(_ call: Call) {
            origin = call.target.origin
            peer = call.request.queue?.peer
            self.call = call.request.queue?.call
        }
    }

    private struct Queue {
        var active = 0
        var waiting: Deque<Call> = []
        /// The moving average of the response time; `nil` before the first response.
        var usualTime: Duration?

        /// Adds a response time with a weight of one eighth, so that one slow response causes no refusals.
        mutating func learn(_ time: Duration) {
            usualTime = usualTime.map { ($0 * 7 + time) / 8 } ?? time
        }
    }

    /// The maximum number of active calls to one origin that name no queue.
    private let activePerOrigin: Int
    private let waitingPerQueue: Int
    private var queues: [Key: Queue] = [:]
    /// A lower bound of the deadlines of all waiting calls.
    private var earliestDeadline: ContinuousClock.Instant?

    init(activePerOrigin: Int, waitingPerQueue: Int) {
        self.activePerOrigin = activePerOrigin
        self.waitingPerQueue = max(0, waitingPerQueue)
    }

    /// Admits the call as active or waiting, or refuses it.
    mutating func admit(_ call: Call) -> Admission {
        let key = Key(call)
        var queue = queues[key, default: Queue()]
        defer { queues[key] = queue }
        // The limit comes with the call, so that a reload of the configuration applies to later calls.
        if queue.active < max(1, call.request.queue?.limit ?? activePerOrigin), queue.waiting.isEmpty {
            queue.active += 1
            return .start
        }
        guard queue.waiting.count < waitingPerQueue else { return .full }
        queue.waiting.append(call)
        earliestDeadline = min(earliestDeadline ?? call.deadline, call.deadline)
        return .wait
    }

    /// Removes an active call, and returns the call that takes its place.
    ///
    /// `time` is the response time, or the time until a timeout; `nil` for a call that ended in another way.
    mutating func leave(_ call: Call, after time: Duration? = nil, at now: ContinuousClock.Instant) -> Turn? {
        let key = Key(call)
        guard var queue = queues[key] else { return nil }
        defer { queues[key] = queue }
        if let time { queue.learn(time) }
        guard !queue.waiting.isEmpty else {
            queue.active -= 1
            return nil
        }
        let next = queue.waiting.removeFirst()
        // An authorization code that is sent too late to receive the response would be spent in vain.
        return Turn(call: next, isInTime: now.duration(to: next.deadline) > queue.usualTime ?? .zero)
    }

    /// Removes a waiting call.
    ///
    /// - Returns: `false` if the call does not wait.
    mutating func remove(_ call: Call) -> Bool {
        let key = Key(call)
        guard let place = queues[key]?.waiting.firstIndex(where: { $0 === call }) else { return false }
        queues[key]?.waiting.remove(at: place)
        return true
    }

    /// Removes all waiting calls whose deadline has passed.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Call] {
        guard let earliest = earliestDeadline, earliest <= now else { return [] }
        var expired: [Call] = []
        for (key, queue) in queues {
            expired += queue.waiting.filter { $0.deadline <= now }
            queues[key]?.waiting.removeAll { $0.deadline <= now }
        }
        earliestDeadline = queues.values.flatMap(\.waiting).map(\.deadline).min()
        return expired
    }

    /// The time until the next deadline of a waiting call.
    func untilNextExpiry(from now: ContinuousClock.Instant) -> Duration? {
        earliestDeadline.map { max(.zero, now.duration(to: $0)) }
    }

    /// Removes all waiting calls.
    mutating func removeAll() -> [Call] {
        defer { queues = [:] }
        return queues.values.flatMap(\.waiting)
    }
}
