internal import DequeModule

/// Something that a client holds on the server, and that can be taken from it.
final class Occupant: Sendable {
    /// The name of the network that the occupant counts against; `nil` for a trusted proxy, whose clients are many.
    let network: String?
    /// The network in a log; `nil` for one that may be that of one person.
    let shown: String?
    /// Ends what the client holds, on any thread.
    let giveWay: @Sendable () -> Void

    init(network: String?, shown: String? = nil, giveWay: @escaping @Sendable () -> Void) {
        self.network = network
        self.shown = shown
        self.giveWay = giveWay
    }
}

/// Occupants that wait for their clients, in the order in which they began to wait.
///
/// Every operation takes constant time on average: a removed occupant leaves an entry in the queue, which is skipped later.
struct WaitingList {
    private var queue = Deque<(id: ObjectIdentifier, turn: UInt64)>()
    private var waiting: [ObjectIdentifier: (occupant: Occupant, turn: UInt64)] = [:]
    private var lastTurn: UInt64 = 0

    var isEmpty: Bool { waiting.isEmpty }
    /// The entries of the queue, with those that are skipped later.
    var queueLength: Int { queue.count }

    /// Adds an occupant at the end; one that waits already moves there.
    mutating func append(_ occupant: Occupant) {
        lastTurn += 1
        waiting[ObjectIdentifier(occupant)] = (occupant, lastTurn)
        queue.append((ObjectIdentifier(occupant), lastTurn))
        if queue.count > 2 * waiting.count + 16 {
            queue.removeAll { waiting[$0.id]?.turn != $0.turn }
        }
    }

    mutating func remove(_ occupant: Occupant) {
        waiting[ObjectIdentifier(occupant)] = nil
    }

    /// Removes the occupant that has waited longest.
    mutating func popFirst() -> Occupant? {
        while let entry = queue.popFirst() {
            if let first = waiting[entry.id], first.turn == entry.turn {
                waiting[entry.id] = nil
                return first.occupant
            }
        }
        return nil
    }
}
