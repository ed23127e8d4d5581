internal import DequeModule
internal import JOSE
internal import Logging
internal import Server
internal import ServiceLifecycle
internal import Settings
internal import Stores
internal import Synchronization

/// Where the audit trail goes: standard output, one JSON line an event whatever the format of the log, and the store.
///
/// No sign-in waits for either. Up to ten thousand lines wait for a reader of standard output that is slow. The store
/// gets its lines once a second; while it does not answer, up to ten thousand wait for it. Both say how many are lost
/// beyond. What has not been written when the process is killed is lost as well.
struct AuditOutput: Service {
    private static let batch = 500

    let trail: AuditTrail
    private let mailbox = AuditQueue()
    private let settings: Settings.Audit
    private let store: any AuditLog
    private let time: TimeSource
    private let logger: Logger

    init(_ settings: Settings.Audit, store: any AuditLog, time: TimeSource, logger: Logger) {
        self.settings = settings
        self.store = store
        self.time = time
        self.logger = logger
        // A line that goes nowhere is not written.
        guard settings.output || settings.store else {
            trail = .none
            return
        }
        trail = AuditTrail { [mailbox] event in
            let text = event.line
            let isRefusal = event.kind == .refusal
            if settings.output { LogSink.standardOutput.write(text, as: .audit(isRefusal: isRefusal)) }
            guard settings.store else { return }
            let line = AuditLine(
                id: event.requestID, at: NumericDate(event.time.seconds), uid: event.subject.uid, text: text)
            mailbox.put(line, isRefusal: isRefusal)
        }
    }

    /// Writes to the store until shutdown, and forgets there what is older than the retention.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var second = 0
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                await flush()
                if second % 3600 == 0 { await sweep() }
                second += 1
            }
        }
        await flush()
    }

    private func flush() async {
        let lost = mailbox.takeLost()
        if lost > 0 { logger.error("audit lines lost", metadata: ["count": "\(lost)"]) }
        while true {
            let lines = mailbox.take(atMost: Self.batch)
            guard !lines.isEmpty else { return }
            do {
                try await store.append(lines)
            } catch {
                mailbox.putBack(lines)
                return logger.error(
                    "audit lines not stored yet", metadata: ["count": "\(lines.count)", "error": "\(error.code)"])
            }
        }
    }

    private func sweep() async {
        do {
            let moment = time.now() - settings.retention
            while try await store.sweepAudit(olderThan: moment, atMost: Self.batch) == Self.batch, !Task.isCancelled {}
        } catch {
            logger.warning("audit lines not swept", metadata: ["error": "\(error)"])
        }
    }
}

/// Audit lines on their way to the store.
final class AuditQueue: Sendable {
    static let capacity = 10_000

    private let queue = Mutex(BoundedQueue<AuditLine>(capacity: capacity))

    /// Keeps a line if there is room; a flood of refusals does not displace what was done.
    func put(_ line: AuditLine, isRefusal: Bool) {
        queue.withLock { $0.put(line, ofLittleValue: isRefusal) }
    }

    /// How many lines there was no room for since this was asked last.
    func takeLost() -> Int {
        queue.withLock { $0.takeLost() }
    }

    /// The oldest, to be written in one commit.
    func take(atMost limit: Int) -> [AuditLine] {
        queue.withLock { $0.take(atMost: limit) }
    }

    /// For the next attempt.
    func putBack(_ lines: [AuditLine]) {
        queue.withLock { $0.putBack(lines) }
    }
}

/// What waits to be written, up to a number; beyond it the newest is lost.
struct BoundedQueue<Element> {
    private let capacity: Int
    private var waiting: Deque<Element> = []
    private var lost = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Keeps an element if there is room; the last half of it is not for those of little value, which may come in
    /// floods.
    mutating func put(_ element: Element, ofLittleValue: Bool = false) {
        guard waiting.count < (ofLittleValue ? capacity / 2 : capacity) else {
            lost += 1
            return
        }
        waiting.append(element)
    }

    /// The oldest.
    mutating func take(atMost limit: Int) -> [Element] {
        let elements = Array(waiting.prefix(limit))
        waiting.removeFirst(elements.count)
        return elements
    }

    /// For the next attempt.
    mutating func putBack(_ elements: [Element]) {
        waiting.prepend(contentsOf: elements)
    }

    /// How many there was no room for since this was asked last.
    mutating func takeLost() -> Int {
        defer { lost = 0 }
        return lost
    }
}
