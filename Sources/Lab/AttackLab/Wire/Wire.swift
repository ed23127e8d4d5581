internal import LabSystem

/// A client of one server.
package struct Wire: Sendable {
    /// The scheme, host and port of the server.
    package let base: String
    /// The certificates to trust; `nil` for those of the system.
    var caBundle: String?

    var host: String { String(base.drop { $0 != ":" }.dropFirst(3)) }

    /// Sends a request on a new connection.
    ///
    /// `source` is the address that the server sees, if this machine has it.
    func send(_ request: Request, from source: String? = nil, within timeout: Duration = .seconds(20)) async -> Reply {
        let begin = ContinuousClock.now
        do {
            let connection = try await WireConnection(to: self, from: source, within: timeout)
            try await connection.send(request.bytes(host: host), within: timeout)
            return await connection.answer(to: request.method, since: begin, within: timeout)
        } catch {
            return error == .timedOut ? .timedOut : .closed
        }
    }

    /// Sends all but the last byte of each request, and then the last bytes of all together.
    ///
    /// The replies are in the order of `requests`, each of which can have a server of its own.
    static func volley(
        _ requests: [(wire: Wire, request: Request)], from source: String?
    ) async -> [Reply] {
        let timeout = Duration.seconds(30)
        var armed: [(request: Request, last: UInt8?, connection: WireConnection?)] = []
        for (wire, request) in requests {
            let bytes = request.bytes(host: wire.host)
            let connection = try? await WireConnection(to: wire, from: source, within: timeout)
            do {
                try await connection?.send(bytes.dropLast(), within: timeout)
                armed.append((request, bytes.last, connection))
            } catch {
                armed.append((request, nil, nil))
            }
        }
        return await withTaskGroup(of: (Int, Reply).self) { group in
            for (index, shot) in armed.enumerated() {
                group.addTask {
                    guard let connection = shot.connection, let last = shot.last else { return (index, .closed) }
                    do {
                        try await connection.send([last], within: timeout)
                    } catch {
                        return (index, .closed)
                    }
                    return (index, await connection.answer(to: shot.request.method, within: timeout))
                }
            }
            var replies = [Reply](repeating: .closed, count: armed.count)
            for await (index, reply) in group { replies[index] = reply }
            return replies
        }
    }
}

/// A connection on which requests can be sent in pieces, in sequence, or pipelined.
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

    /// Returns the next response on this connection.
    func answer(
        to method: String, since begin: ContinuousClock.Instant = .now, within timeout: Duration
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

    /// Whether the peer closes the connection in time; what it still sends is discarded.
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
