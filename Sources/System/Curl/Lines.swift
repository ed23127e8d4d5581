/// Who may start: per origin a few calls at once, the others first come, first served, and only so many of them.
///
/// libcurl's own limit (`CURLMOPT_MAX_HOST_CONNECTIONS`) goes through all that wait whenever one call ends.
struct Lines {
    enum Admission {
        case start
        case wait
        case full
    }

    private struct Line {
        var active = 0
        var waiting: [Call] = []
    }

    private let activePerOrigin: Int
    private let waitingPerOrigin: Int
    private var lines: [Target.Origin: Line] = [:]
    /// No call that waits has an earlier one; it may be earlier than them all.
    private var earliestDeadline: ContinuousClock.Instant?

    init(activePerOrigin: Int, waitingPerOrigin: Int) {
        self.activePerOrigin = max(1, activePerOrigin)
        self.waitingPerOrigin = max(0, waitingPerOrigin)
    }

    /// Gives the call a place among the active ones, or in the line, or none.
    mutating func admit(_ call: Call) -> Admission {
        var line = lines[call.target.origin, default: Line()]
        defer { lines[call.target.origin] = line }
        if line.active < activePerOrigin, line.waiting.isEmpty {
            line.active += 1
            return .start
        }
        guard line.waiting.count < waitingPerOrigin else { return .full }
        line.waiting.append(call)
        earliestDeadline = min(earliestDeadline ?? call.deadline, call.deadline)
        return .wait
    }

    /// Gives a place back, and answers who has it now.
    mutating func leave(_ origin: Target.Origin) -> Call? {
        guard var line = lines[origin] else { return nil }
        guard !line.waiting.isEmpty else {
            line.active -= 1
            lines[origin] = line.active > 0 ? line : nil
            return nil
        }
        let next = line.waiting.removeFirst()
        lines[origin] = line
        return next
    }

    /// Takes a call out of its line; false if it does not wait there.
    mutating func remove(_ call: Call) -> Bool {
        guard let place = lines[call.target.origin]?.waiting.firstIndex(where: { $0 === call }) else { return false }
        lines[call.target.origin]?.waiting.remove(at: place)
        return true
    }

    /// Takes all calls out whose time has passed while they waited.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Call] {
        guard let earliest = earliestDeadline, earliest <= now else { return [] }
        var expired: [Call] = []
        for (origin, line) in lines {
            expired += line.waiting.filter { $0.deadline <= now }
            lines[origin]?.waiting.removeAll { $0.deadline <= now }
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
