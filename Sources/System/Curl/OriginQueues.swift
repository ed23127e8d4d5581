internal import DequeModule
internal import Transport

/// Decides which calls may start: a few at once for each queue and origin, the others in the order of their arrival.
///
/// libcurl's own limit (`CURLMOPT_MAX_HOST_CONNECTIONS`) goes through all that wait whenever one call ends.
struct OriginQueues {
    enum Admission {
        case start
        case wait
        case full
    }

    /// A call that has had its turn, and whether enough of its time is left to start it.
    struct Turn {
        let call: Call
        let isInTime: Bool
    }

    private struct Key: Hashable {
        let origin: Target.Origin
        let queue: String?

        init(_ call: Call) {
            origin = call.target.origin
            queue = call.request.queue?.name
        }
    }

    private struct Line {
        var active = 0
        var waiting: Deque<Call> = []
        /// What an answer takes as a rule; nil before the first one.
        var usual: Duration?

        /// One answer in eight counts for the new value, so that one slow answer turns no call away.
        mutating func learn(_ time: Duration) {
            usual = usual.map { ($0 * 7 + time) / 8 } ?? time
        }
    }

    /// The limit of calls that name no queue.
    private let activePerOrigin: Int
    private let waitingPerQueue: Int
    private var lines: [Key: Line] = [:]
    /// No call that waits has an earlier one; it may be earlier than them all.
    private var earliestDeadline: ContinuousClock.Instant?

    init(activePerOrigin: Int, waitingPerQueue: Int) {
        self.activePerOrigin = activePerOrigin
        self.waitingPerQueue = max(0, waitingPerQueue)
    }

    /// Gives the call a place among the active ones, or in the line, or none.
    mutating func admit(_ call: Call) -> Admission {
        let key = Key(call)
        var line = lines[key, default: Line()]
        defer { lines[key] = line }
        // The limit is the call's own: a reload of the configuration changes it for those that come after.
        if line.active < max(1, call.request.queue?.limit ?? activePerOrigin), line.waiting.isEmpty {
            line.active += 1
            return .start
        }
        guard line.waiting.count < waitingPerQueue else { return .full }
        line.waiting.append(call)
        earliestDeadline = min(earliestDeadline ?? call.deadline, call.deadline)
        return .wait
    }

    /// Gives the call's place back, and answers who has it now.
    ///
    /// - `time`: how long the peer took to answer the call, or did not answer it; nil for a call that ended in
    ///   another way.
    mutating func leave(_ call: Call, after time: Duration? = nil, at now: ContinuousClock.Instant) -> Turn? {
        let key = Key(call)
        guard var line = lines[key] else { return nil }
        defer { lines[key] = line }
        if let time { line.learn(time) }
        guard !line.waiting.isEmpty else {
            line.active -= 1
            return nil
        }
        let next = line.waiting.removeFirst()
        // A code that is sent too late to hear the answer would be spent for nothing.
        return Turn(call: next, isInTime: now.duration(to: next.deadline) > line.usual ?? .zero)
    }

    /// Takes a call out of its line; false if it does not wait there.
    mutating func remove(_ call: Call) -> Bool {
        let key = Key(call)
        guard let place = lines[key]?.waiting.firstIndex(where: { $0 === call }) else { return false }
        lines[key]?.waiting.remove(at: place)
        return true
    }

    /// Takes all calls out whose time has passed while they waited.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Call] {
        guard let earliest = earliestDeadline, earliest <= now else { return [] }
        var expired: [Call] = []
        for (key, line) in lines {
            expired += line.waiting.filter { $0.deadline <= now }
            lines[key]?.waiting.removeAll { $0.deadline <= now }
        }
        earliestDeadline = lines.values.flatMap(\.waiting).map(\.deadline).min()
        return expired
    }

    /// How long nothing has to be removed.
    func untilNextExpiry(from now: ContinuousClock.Instant) -> Duration? {
        earliestDeadline.map { max(.zero, now.duration(to: $0)) }
    }

    /// Takes all out that wait.
    mutating func removeAll() -> [Call] {
        defer { lines = [:] }
        return lines.values.flatMap(\.waiting)
    }
}
