internal import LabSystem

/// The way to one server.
package struct Wire: Sendable {
    /// Scheme, host and port.
    package let base: String
    /// Certificates to trust; nil for those of the system.
    let caBundle: String?

    package init(base: String, caBundle: String? = nil) {
        self.base = base
        self.caBundle = caBundle
    }

    var host: String { String(base.drop { $0 != ":" }.dropFirst(3)) }

    /// One request on a connection of its own.
    ///
    /// - `source`: the address that the server sees, where this machine has it.
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

    /// All but the last byte of each is sent first, and then the last ones of all at once.
    ///
    /// In the order of `requests`, of which each may have a server of its own.
    static func volley(
        _ requests: [(wire: Wire, request: Request)], from source: String?, within timeout: Duration = .seconds(30)
    ) async -> [Reply] {
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
