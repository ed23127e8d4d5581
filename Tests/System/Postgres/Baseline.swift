import JOSE
import Stores
import Synchronization

let now = NumericDate(1_700_000_000)

extension SpentRecord {
    /// A record that is valid for 10 minutes.
    static func baseline(_ text: String, _ kind: SpentKind = .authorizationCode) -> SpentRecord {
        SpentRecord(kind, of: [Array(text.utf8)], issuedAt: nil, expiresAt: now + .seconds(600))
    }
}

/// Runs an operation in `count` concurrent tasks, and returns the results in any order.
func all<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async -> Value
) async -> [Value] {
    await withTaskGroup(of: Value.self) { group in
        for index in 0..<count { group.addTask { await body(index) } }
        return await group.reduce(into: []) { $0.append($1) }
    }
}

/// A flag that is closed until it is opened, and then stays open.
final class Latch: Sendable {
    private let state = Atomic<Bool>(false)

    var isOpen: Bool { state.load(ordering: .acquiring) }

    func open() {
        state.store(true, ordering: .releasing)
    }
}
