internal import Synchronization

/// Bounds the connections of a listener, or its streams of HTTP/2, in total and for each network.
///
/// If there are too many, the one that has waited longest for its client gives way. So clients that hold connections
/// without using them cannot keep others out, however many addresses they have, and a client that sends its request at
/// once is served.
final class Occupancy: Sendable {
    /// The part of the maximum that one network may have.
    static let share = 8
    /// The occupants above the maximum that may be closing at the same time.
    private static let closing = 16

    private let maximum: Int
    let maximumOfNetwork: Int
    private let onGivingWay: @Sendable (_ limit: Int, _ crowd: Occupant?) -> Void
    private let state = Mutex(State())

    private struct Network {
        var count = 0
        var waiting = WaitingList()
    }

    private struct State {
        var count = 0
        var waiting = WaitingList()
        var networks: [String: Network] = [:]
        /// Whether the listener has stopped to accept because of ``Occupancy/hasRoom()``.
        var isStarved = false

        mutating func append(_ occupant: Occupant) {
            waiting.append(occupant)
            if let network = occupant.network { networks[network]?.waiting.append(occupant) }
        }

        mutating func remove(_ occupant: Occupant) {
            waiting.remove(occupant)
            if let network = occupant.network { networks[network]?.waiting.remove(occupant) }
        }

        mutating func popFirst(of network: String? = nil) -> Occupant? {
            let first = network.map { networks[$0]?.waiting.popFirst() } ?? waiting.popFirst()
            if let first { remove(first) }
            return first
        }
    }

    /// Creates the bound.
    ///
    /// - Parameters:
    ///   - maximum: The number of occupants.
    ///   - maximumOfNetwork: The number of occupants of one network; by default an eighth of `maximum`, but not fewer than 8.
    ///   - onGivingWay: Called whenever an occupant has to give way, on any thread, with the limit that is reached, and the occupant
    ///     if it is the limit of its network.
    init(
        maximum: Int, maximumOfNetwork: Int? = nil,
        onGivingWay: @escaping @Sendable (_ limit: Int, _ crowd: Occupant?) -> Void = { _, _ in }
    ) {
        self.maximum = maximum
        self.maximumOfNetwork = maximumOfNetwork ?? max(8, maximum / Self.share)
        self.onGivingWay = onGivingWay
    }

    var count: Int { state.withLock { $0.count } }

    /// Whether an occupant may arrive, because there is a place or one that waits.
    ///
    /// If not, the next occupant that begins to wait gives way at once: the listener tries again when it is gone.
    func hasRoom() -> Bool {
        state.withLock { state in
            let hasRoom =
                state.count < maximum || (!state.waiting.isEmpty && state.count < maximum + Self.closing)
            state.isStarved = !hasRoom
            return hasRoom
        }
    }

    /// Counts an occupant.
    ///
    /// - Returns: `false` if all places are taken and no occupant waits. The arrival is counted all the same.
    func arrive() -> Bool {
        let (isAdmitted, oldest) = state.withLock { state in
            state.count += 1
            guard state.count > maximum else { return (true, Occupant?.none) }
            let oldest = state.popFirst()
            return (oldest != nil, oldest)
        }
        if let oldest { dismiss(oldest) }
        return isAdmitted
    }

    /// Ends what ``arrive()`` began.
    func depart() {
        state.withLock { $0.count -= 1 }
    }

    /// Counts an occupant against its network, and lets it wait for its client.
    ///
    /// - Returns: `false` if the network has its share and none of its occupants waits. It is counted all the same.
    func enter(_ occupant: Occupant) -> Bool {
        let (isAdmitted, oldest) = state.withLock { state in
            var oldest: Occupant?
            var isAdmitted = true
            if let name = occupant.network {
                state.networks[name, default: Network()].count += 1
                if state.networks[name]?.count ?? 0 > maximumOfNetwork {
                    oldest = state.popFirst(of: name)
                    isAdmitted = oldest != nil
                }
            }
            state.append(occupant)
            return (isAdmitted, oldest)
        }
        if let oldest { dismiss(oldest, isOfNetwork: true) }
        return isAdmitted
    }

    /// Ends what ``enter(_:)`` began.
    func leave(_ occupant: Occupant) {
        state.withLock { state in
            state.remove(occupant)
            guard let name = occupant.network else { return }
            state.networks[name]?.count -= 1
            if state.networks[name]?.count == 0 { state.networks[name] = nil }
        }
    }

    /// The occupant waits for its client from now on.
    func wait(_ occupant: Occupant) {
        let isNeeded = state.withLock { state in
            if state.isStarved {
                state.isStarved = false
                return true
            }
            state.append(occupant)
            return false
        }
        if isNeeded { dismiss(occupant) }
    }

    /// The server works for the occupant from now on.
    func work(_ occupant: Occupant) {
        state.withLock { $0.remove(occupant) }
    }

    private func dismiss(_ occupant: Occupant, isOfNetwork: Bool = false) {
        occupant.giveWay()
        onGivingWay(isOfNetwork ? maximumOfNetwork : maximum, isOfNetwork ? occupant : nil)
    }
}
