package import CoreMetrics
package import JOSE
package import Standards
package import Stores
internal import Synchronization
package import Transport

/// The store in Google's Firestore, for deployments without a disk and without a database server.
///
/// A record of use is made by a commit whose condition is that it does not exist, never by a read before a write. Calls
/// that change several documents read them, and commit under the condition that none of them has changed since.
///
/// Firestore deletes expired documents by a TTL policy, up to days later. Every decision therefore compares the end of a
/// document with the clock.
package final class FirestoreStore: Sendable {
    let client: FirestoreClient
    let time: TimeSource
    let watching: Watching?
    package let clock = WatchClock()
    let watch: Mutex<WatchState>
    /// The id of the document that this process writes to verify the store.
    let instance: [UInt8]
    private let meters: StoreMeters

    /// Makes the store, and calls nothing yet.
    ///
    /// - Parameters:
    ///   - token: Returns an access token of Google, or throws the reason for an operator. `refused` is a token that
    ///     Firestore has just refused.
    ///   - watching: The settings for watching. If `nil`, the store does not record its first start, and credentials
    ///     with a known time of issue are refused unless another process has recorded it.
    ///   - metrics: Receives the times of calls.
    /// - Throws: ``StoreError/unavailable(_:cause:)`` if the machine has no random octets.
    package init(
        _ place: FirestorePlace, transport: HTTPTransport,
        token: @escaping @Sendable (_ refused: Secret?) async throws(StoreError) -> Secret, time: TimeSource,
        watching: Watching? = nil, patience: FirestorePatience = FirestorePatience(),
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws(StoreError) {
        client = FirestoreClient(place: place, transport: transport, token: token, patience: patience)
        self.time = time
        self.watching = watching
        watch = Mutex(WatchState())
        instance = try FirestoreClient.makeAttempt()
        meters = StoreMeters(metrics)
    }

    /// Whether Firestore deletes expired documents by a TTL policy, by its own clock.
    ///
    /// The emulator has no policies.
    var expiresByItself: Bool { client.place.emulator == nil }

    /// Runs `body`, and commits what it has changed if nothing that it has read was changed meanwhile; otherwise repeats
    /// it with new documents.
    ///
    /// The same holds if it changes nothing: without the second reading, a sign-in that began before another one of the
    /// same person had committed would find the address of the new account, and not its identity.
    ///
    /// - Parameter body: The work. It may run several times.
    /// - Returns: The value of `body`, durable if it is kept.
    /// - Throws: The error of `body` or of the commit.
    func transaction<Value: Sendable>(
        _ body: (FirestoreSession) async throws(StoreError) -> Outcome<Value>
    ) async throws(StoreError) -> Value {
        try await untilDone { session, start async throws(StoreError) -> Value? in
            let outcome: Outcome<Value>
            do throws(StoreError) {
                outcome = try await body(session)
            } catch {
                // Both errors say what was read, which may be of several moments.
                guard [.corrupt, .noFreeUID].contains(error), try await session.isOutdated() else { throw error }
                return nil
            }
            switch outcome {
            case .undo(let value): return try await session.isOutdated() ? nil : value
            case .keep(let value):
                return try await session.commit(at: self.time.now(), since: start) == .conflict ? nil : value
            }
        }
    }

    /// Reads documents that need not be of one moment, unless they contradict each other.
    func read<Value: Sendable>(
        _ body: (FirestoreSession) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await untilDone { session, _ async throws(StoreError) -> Value? in
            let value = try await body(session)
            guard session.isDoubtful, try await session.isOutdated() else { return value }
            return nil
        }
    }

    /// Runs `body` with new sessions until it returns a value, within the limits of a call.
    private func untilDone<Value: Sendable>(
        _ body: (FirestoreSession, ContinuousClock.Instant) async throws(StoreError) -> Value?
    ) async throws(StoreError) -> Value {
        let start = client.patience.clock()
        defer { meters.record(start.duration(to: client.patience.clock())) }
        var count = 1
        while true {
            do throws(StoreError) {
                if let value = try await body(FirestoreSession(client), start) { return value }
            } catch {
                forgetFirstStart(after: error)
                throw error
            }
            guard count < client.patience.conflicts, await client.patience.pause(before: count, since: start)
            else { throw .unavailable(.busy, cause: "other calls change the same documents of Firestore") }
            count += 1
        }
    }

    /// Deletes documents whose number in a field is less than a limit, the lowest first.
    ///
    /// - Parameters:
    ///   - field: A field with an integer.
    ///   - limit: The maximum number of documents.
    ///   - others: The names of documents that belong to one of them, and are deleted with it.
    /// - Returns: The number of deleted documents of the collection.
    func sweep(
        _ collection: Collection, _ field: String = "expires", before moment: NumericDate, atMost limit: Int,
        with others: (Fields) -> [DocumentName] = { _ in [] }
    ) async throws(StoreError) -> Int {
        var query = Query(collection, limit: limit)
        query.field = field
        query.condition = ("LESS_THAN", Query.integer(moment.seconds))
        let found = try await client.find(query)
        var count = 0
        for document in found {
            let name = DocumentName(collection, id: document.id)
            let related = try await client.get(others(document.fields)).found
            let writes =
                [ConditionalWrite.delete(name, updateTime: document.updateTime)]
                + related.map { .delete($0.key, updateTime: $0.value.updateTime) }
            // A document that was changed or deleted meanwhile is left to the next sweep.
            if try await client.commit(writes, witness: nil, [], since: client.patience.clock()) != .conflict {
                count += 1
            }
        }
        return count
    }
}

/// The log of audit events.
extension FirestoreStore: AuditLog {
    package func append(_ lines: [AuditLine]) async throws(StoreError) {
        guard !lines.isEmpty else { return }
        try await transaction { session async throws(StoreError) in
            let names = lines.map { DocumentName(.audit, of: $0.id) }
            try await session.prepare(names)
            for (line, name) in zip(lines, names) where try await session.document(name) == nil {
                var fields = Fields()
                fields[text: "id"] = line.id
                fields[time: Self.auditField(of: name)] = line.at
                fields[text: "uid"] = line.uid?.text
                fields[text: "line"] = line.text
                session.set(name, fields)
            }
            return .keep(())
        }
    }

    // The retention is the operator's, so that no document says when it ends, and no TTL policy deletes it.
    package func sweepAudit(olderThan moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        var count = 0
        for field in Self.auditFields where count < limit {
            count += try await sweep(.audit, field, before: moment, atMost: limit - count)
        }
        return count
    }

    /// The fields for the time of a line, each with an index of its own.
    ///
    /// Firestore takes at most about 500 writes a second to an index whose values grow with the time. The id of the
    /// document selects one of them.
    private static let auditFields = (0..<8).map { "at_\($0)" }

    private static func auditField(of name: DocumentName) -> String {
        auditFields[Int(name.id.utf8.first ?? 0) % auditFields.count]
    }
}

/// The servers that use the store.
extension FirestoreStore: ServerRegistry {
    package func announce(_ server: RunningServer, at now: NumericDate) async throws(StoreError) {
        _ = try await sweep(.servers, "seen_at", before: now - RunningServer.lifetime, atMost: 100)
        var fields = Fields()
        fields[bytes: "id"] = server.id
        fields[text: "name"] = server.name
        fields[text: "seal_keys"] = KeyFingerprints.text(of: server.keys.sealKeys)
        fields[text: "store_keys"] = KeyFingerprints.text(of: server.keys.storeKeys)
        fields[time: "seen_at"] = now
        fields.setExpiry(now + RunningServer.lifetime)
        let name = DocumentName(.servers, digest: server.id)
        _ = try await client.commit(
            [.put(name, fields)], witness: nil, [], since: client.patience.clock())
    }

    package func withdraw(_ id: [UInt8]) async throws(StoreError) {
        try await transaction { session async throws(StoreError) in
            let name = DocumentName(.servers, digest: id)
            guard try await session.document(name) != nil else { return .undo(()) }
            session.delete(name)
            return .keep(())
        }
    }

    package func servers(at now: NumericDate) async throws(StoreError) -> [RunningServer] {
        var query = Query(.servers, limit: 1000)
        query.field = "seen_at"
        query.condition = ("GREATER_THAN_OR_EQUAL", Query.integer((now - RunningServer.lifetime).seconds))
        var servers: [RunningServer] = []
        for document in try await client.find(query) {
            let fields = document.fields
            guard let id = fields[bytes: "id"], let name = fields[text: "name"], let seal = fields[text: "seal_keys"],
                let store = fields[text: "store_keys"]
            else { throw .corrupt }
            servers.append(
                RunningServer(
                    id: id, name: name,
                    keys: KeyFingerprints(
                        sealKeys: KeyFingerprints.list(in: seal), storeKeys: KeyFingerprints.list(in: store))))
        }
        return servers.sorted { one, other in
            one.name.exactlyEquals(other.name)
                ? one.id.lexicographicallyPrecedes(other.id)
                : one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
        }
    }
}

extension FirestoreStore: StoreHealth, StoreStatistics {
    // Each process has its own document, because Firestore slows down writes of one document.
    package func check() async throws(StoreError) {
        let attempt = try FirestoreClient.makeAttempt()
        var fields = Fields()
        fields[bytes: Fields.attemptField] = attempt
        fields.setExpiry(time.now())
        let name = DocumentName(.commits, digest: instance)
        _ = try await client.commit([.put(name, fields)], witness: nil, attempt, since: client.patience.clock())
        // Another check of this process may have written since.
        guard try await client.get([name]).found[name] != nil else { throw .unavailable(.other) }
    }

    package var waitingCalls: Int { 0 }

    package func spentRows() async throws(StoreError) -> Int { try await client.count(Query(.spent, limit: .max)) }
}
