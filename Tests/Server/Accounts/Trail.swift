import Jansson
import Server
import Synchronization

/// An audit trail that is kept.
final class Trail: Sendable {
    private let kept = Mutex<[String]>([])

    var audit: AuditTrail { AuditTrail { event in self.kept.withLock { $0.append(event.line) } } }

    var lines: [JSON] { kept.withLock { $0 }.compactMap { try? JSON.parse(Array($0.utf8)) } }

    var text: String { kept.withLock { $0.joined(separator: "\n") } }

    func forget() { kept.withLock { $0 = [] } }
}
