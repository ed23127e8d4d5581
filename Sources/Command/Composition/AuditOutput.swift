internal import CoreMetrics
internal import DequeModule
internal import JOSE
internal import Logging
internal import Server
internal import ServiceLifecycle
internal import Settings
internal import Standards
internal import Stores
internal import Synchronization

/// Writes the audit trail to standard output (one JSON line per event, for every log format) and to the store.
///
/// No sign-in waits for either. Up to 10,000 lines wait for a slow reader of standard output. The store gets its lines
/// once a second; while it does not respond, up to 10,000 lines wait. Further lines are lost, and both outputs report
/// their number. Lines that are not yet written when the process is killed are lost too.
struct AuditOutput: Service {
    private static let batch = 500

    let trail: AuditTrail
    private let queue = AuditQueue()
    private let settings: Settings.Audit
    private let store: any AuditLog & StoreWatch
    /// Whether lines older than the retention are deleted.
    private let sweeps: Bool
    private let time: TimeSource
    private let logger: Logger
    private let lost: Counter
    private let waiting: Meter

    init(
        _ settings: Settings.Audit, store: any AuditLog & StoreWatch, sweeps: Bool, time: TimeSource,
        logger: Logger, metrics: any MetricsFactory, google: GoogleLog?
    ) {
        lost = Counter(label: "token_exchange_audit_lines_lost_total", factory: metrics)
        waiting = Meter(label: "token_exchange_audit_lines_waiting", factory: metrics)
        self.settings = settings
        self.store = store
        self.sweeps = sweeps
        self.time = time
        self.logger = logger
        // Without a destination, no lines are built.
        guard settings.output || settings.store else {
            trail = .none
            return
        }
        trail = AuditTrail { [queue] event in
            let text = event.line
            let isRefusal = event.kind == .refusal
            if settings.output {
                LogSink.standardOutput.write(
                    google?.line(of: event.members) ?? text, as: .audit(isRefusal: isRefusal))
            }
            guard settings.store else { return }
            let line = AuditLine(
                id: event.requestID, at: NumericDate(event.time.seconds), uid: event.subject.uid, text: text)
            queue.lines.withLock { $0.put(line, isLowPriority: isRefusal) }
        }
    }

    /// Writes to the store until shutdown, and deletes lines there that are older than the retention.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var second = 0
            var problem: StoreError?
            // Otherwise the first loss would be the first value of the counter, and no increase.
            lost.increment(by: 0)
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                problem = await flush(after: problem)
                if sweeps, second % 3600 == 0 { await sweep() }
                second += 1
            }
        }
        _ = await flush(after: nil)
    }

    /// - Parameter last: The error of the previous call, which is not logged twice.
    /// - Returns: The error; `nil` if no line waits.
    private func flush(after last: StoreError?) async -> StoreError? {
        let count = queue.lines.withLock { $0.takeLost() }
        if count > 0 {
            lost.increment(by: count)
            logger.error("audit lines lost", metadata: ["count": "\(count)"])
        }
        defer { waiting.set(queue.lines.withLock(\.count)) }
        while true {
            let lines = queue.lines.withLock { $0.take(atMost: Self.batch) }
            guard !lines.isEmpty else { return nil }
            do throws(StoreError) {
                try await store.append(lines)
            } catch {
                let count = queue.lines.withLock { queue in
                    queue.putBack(lines)
                    return queue.count
                }
                if error != last {
                    logger.error(
                        "audit lines not stored yet",
                        metadata: ["count": "\(count)", "error": "\(error.refusal.finding ?? error.code)"])
                }
                return error
            }
        }
    }

    private func sweep() async {
        do {
            let now = time.now()
            guard try await store.watchReading().allowsDeletion(at: now) else { return }
            _ = try await Self.sweep(store, olderThan: now - settings.retention)
        } catch {
            logger.warning("audit lines not swept", metadata: ["error": "\(Refusal(error).finding ?? "\(error)")"])
        }
    }

    /// Deletes the lines in the store that are older than a time.
    ///
    /// - Returns: The number of lines.
    static func sweep(_ store: any AuditLog, olderThan moment: NumericDate) async throws(StoreError) -> Int {
        var all = 0
        while !Task.isCancelled {
            let count = try await store.sweepAudit(olderThan: moment, atMost: batch)
            all += count
            guard count == batch else { break }
        }
        return all
    }
}

/// The queue of audit lines for the store.
final class AuditQueue: Sendable {
    static let capacity = 10_000

    let lines = Mutex(BoundedQueue<AuditLine>(capacity: capacity))
}

/// A queue with a maximal length, which drops new elements when it is full.
struct BoundedQueue<Element> {
    private let capacity: Int
    private var waiting: Deque<Element> = []
    private var lost = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { waiting.count }

    /// Adds an element if there is room.
    ///
    /// Elements of low priority, which may come in floods, get only half of the room.
    mutating func put(_ element: Element, isLowPriority: Bool = false) {
        guard waiting.count < (isLowPriority ? capacity / 2 : capacity) else {
            lost += 1
            return
        }
        waiting.append(element)
    }

    /// Removes and returns the oldest elements.
    mutating func take(atMost limit: Int) -> [Element] {
        let elements = Array(waiting.prefix(limit))
        waiting.removeFirst(elements.count)
        return elements
    }

    /// Puts lines back at the front, for the next attempt.
    mutating func putBack(_ elements: [Element]) {
        waiting.prepend(contentsOf: elements)
    }

    /// Returns the number of elements lost since the last call.
    mutating func takeLost() -> Int {
        defer { lost = 0 }
        return lost
    }
}
