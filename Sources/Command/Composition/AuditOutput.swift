internal import JOSE
internal import Logging
internal import Server
internal import ServiceLifecycle
internal import Settings
internal import Stores

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
