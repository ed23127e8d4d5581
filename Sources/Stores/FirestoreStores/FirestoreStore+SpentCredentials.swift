package import JOSE
package import Stores
internal import Synchronization

/// The records of used credentials.
extension FirestoreStore: SpentCredentials {
    package func spend(_ records: [SpentRecord], at now: NumericDate) async throws(StoreError) -> SpendOutcome {
        precondition(!records.isEmpty, "At least one record must be spent.")
        do throws(StoreError) {
            return try await spendAll(records, at: now)
        } catch {
            forgetFirstStart(after: error)
            throw error
        }
    }

    package func spend(
        _ records: [SpentRecord], finding identity: ExternalIdentity, at now: NumericDate
    ) async throws(StoreError) -> (outcome: SpendOutcome, known: KnownIdentity?) {
        // Both run at once, because nothing is issued before both have answered.
        async let found = knowing(identity)
        let outcome = try await spend(records, at: now)
        do {
            let known = try await found.get()
            return (outcome, outcome == .first ? known : nil)
        } catch {
            if outcome == .first { try await undo(records) }
            throw error
        }
    }

    private func knowing(_ identity: ExternalIdentity) async -> Result<KnownIdentity?, StoreError> {
        do throws(StoreError) {
            return .success(try await read { session async throws(StoreError) in try await session.known(identity) })
        } catch {
            return .failure(error)
        }
    }

    private func spendAll(_ records: [SpentRecord], at now: NumericDate) async throws(StoreError) -> SpendOutcome {
        let start = client.patience.clock()
        let first = try await firstStart()
        try requireClock(now)
        // Firestore could delete the record before the response is sent.
        if let expired = records.first(where: { $0.expiresAt <= now }) { return .expired(expired.kind) }
        let names = records.map(\.name)
        // Firestore refuses two writes of one document in a commit.
        var earlier: Set<DocumentName> = []
        for (record, name) in zip(records, names) where !earlier.insert(name).inserted {
            return .replayed(record.kind)
        }
        if records.contains(where: { $0.isIssued(before: first.since) }) {
            return refusal(of: records, among: try await client.get(names).found, since: first.since)
                ?? .replayed(records[0].kind)
        }
        let attempt = try FirestoreClient.makeAttempt()
        let writes = zip(records, names).map { record, name -> ConditionalWrite in
            var fields = record.fields
            fields[bytes: Fields.attemptField] = attempt
            return .create(name, fields)
        }
        switch try await client.commit(writes, witness: names[0], attempt, since: start) {
        case .conflict:
            let found = records.count > 1 ? try await client.get(names).found : [:]
            // The record of another use may have been given back since. In this call it still counts as used.
            return refusal(of: records, among: found, since: first.since) ?? .replayed(records[0].kind)
        case .done(let time):
            do throws(StoreError) {
                try requireClock(now, comparedWith: time)
            } catch {
                try await undo(records)
                throw error
            }
            return .first
        }
    }

    /// Gives back records that this call has spent, for an error that says that nothing was spent.
    ///
    /// - Throws: ``StoreError/outcomeUnknown(_:)`` if they may still count as spent.
    private func undo(_ records: [SpentRecord]) async throws(StoreError) {
        do throws(StoreError) {
            try await giveBack(records)
        } catch {
            throw .outcomeUnknown(.noAnswer)
        }
    }

    /// The reason why records were not added: the first one that is there, or that may be missing.
    private func refusal(
        of records: [SpentRecord], among found: [DocumentName: StoredDocument], since start: NumericDate
    ) -> SpendOutcome? {
        for record in records {
            if found[record.name] != nil { return .replayed(record.kind) }
            if record.isIssued(before: start) { return .unwatched(record.kind) }
        }
        return nil
    }

    package func isSpent(_ record: SpentRecord) async throws(StoreError) -> Bool {
        try await client.get([record.name]).found[record.name] != nil
    }

    package func giveBack(_ records: [SpentRecord]) async throws(StoreError) {
        guard !records.isEmpty else { return }
        // The condition is the change that made the record, so that a repeated deletion cannot delete another one's.
        let found = try await client.get(Array(Set(records.map(\.name)))).found
        guard !found.isEmpty else { return }
        _ = try await client.commit(
            found.map { .delete($0.key, updateTime: $0.value.updateTime) }, witness: nil, [],
            since: client.patience.clock())
    }

    /// Makes a handle again, and deletes the record of its redemption.
    ///
    /// The record that the first run finds is the caller's. If a later run finds another one, the first commit has
    /// happened and another request has redeemed the handle since: its record stays, and the handle is not made again.
    ///
    /// - Parameters:
    ///   - names: The documents that `body` reads.
    ///   - body: Makes the documents of the handle.
    func givingBack(
        _ record: SpentRecord, with names: [DocumentName],
        _ body: (FirestoreSession) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        var own: [UInt8]?
        try await transaction { session async throws(StoreError) -> Outcome<Void> in
            try await session.prepare(names + [record.name])
            let made = try await session.document(record.name)?[bytes: Fields.attemptField] ?? []
            if let own, own != made { return .undo(()) }
            own = made
            try await body(session)
            try await session.forget(record)
            return .keep(())
        }
    }

    package func sweep(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        guard !expiresByItself else { return 0 }
        // The time is recorded first: a record that is deleted without it could be spent again.
        watch.withLock { $0.sweptThrough = max($0.sweptThrough, moment) }
        return try await sweep(.spent, before: moment, atMost: limit)
    }
}

extension SpentRecord {
    var name: DocumentName { DocumentName(.spent, digest: digest) }

    fileprivate var fields: Fields {
        var fields = Fields()
        fields[text: "kind"] = kind.rawValue
        fields.setExpiry(expiresAt)
        return fields
    }

    fileprivate func isIssued(before start: NumericDate) -> Bool { issuedAt.map { $0 < start } ?? false }
}

/// The records of handles, which are spent with their documents.
extension FirestoreSession {
    /// Spends a record that does not exist.
    ///
    /// - Returns: `false` if it exists.
    func spend(_ record: SpentRecord) async throws(StoreError) -> Bool {
        guard try await !isSpent(record) else { return false }
        set(record.name, record.fields)
        return true
    }

    func forget(_ record: SpentRecord) async throws(StoreError) {
        if try await isSpent(record) { delete(record.name) }
    }

    func isSpent(_ record: SpentRecord) async throws(StoreError) -> Bool {
        try await document(record.name) != nil
    }
}
