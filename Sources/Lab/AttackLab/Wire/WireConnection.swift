internal import LabSystem

/// One connection, on which requests may be sent in pieces, one after the other, or all at once.
actor WireConnection {
    private let connection: RawConnection
    private var reader = AnswerReader()

    init(to wire: Wire, from source: String? = nil, within timeout: Duration) async throws(RawConnectionError) {
        connection = try await RawConnection.open(wire.base, from: source, within: timeout, caBundle: wire.caBundle)
    }

    func send(_ bytes: [UInt8], within timeout: Duration = .seconds(20)) async throws(RawConnectionError) {
        try await connection.send(bytes, within: timeout)
    }

    func finishSending() async { await connection.finishSending() }

    /// The next answer on this connection.
    func answer(
        to method: String, since begin: ContinuousClock.Instant = .now, within timeout: Duration = .seconds(20)
    ) async -> Reply {
        var ended = false
        while true {
            if let answer = reader.next(of: method, ended: ended, after: begin.duration(to: .now)) {
                return .answer(answer)
            }
            guard !ended else { return .closed }
            let remaining = timeout - begin.duration(to: .now)
            guard remaining > .zero else { return .timedOut }
            do {
                reader.append(try await connection.receive(within: remaining))
            } catch {
                if error == .timedOut { return .timedOut }
                ended = true
            }
        }
    }

    /// Whether the peer ends the connection in time; what it still sends is thrown away.
    func isClosed(within timeout: Duration) async -> Bool {
        let end = ContinuousClock.now + timeout
        while true {
            let remaining = ContinuousClock.now.duration(to: end)
            guard remaining > .zero else { return false }
            do {
                _ = try await connection.receive(within: remaining)
            } catch {
                return error != .timedOut
            }
        }
    }
}
