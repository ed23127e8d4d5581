package import JOSE
internal import Standards
package import Stores

/// The identities whose sign-in waits.
extension FirestoreStore: PendingCredentials {
    package func keep(_ pending: PendingCredential) async throws(StoreError) {
        let epoch = try await firstStart().epoch
        try await transaction { session async throws(StoreError) in
            try await session.keep(pending, epoch)
            return .keep(())
        }
    }

    package func find(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome {
        let epoch = try await firstStart().epoch
        return try await read { session async throws(StoreError) in
            try await session.outcome(of: claim, epoch, at: now)
        }
    }

    package func redeem(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome {
        let epoch = try await firstStart().epoch
        return try await transaction { session async throws(StoreError) -> Outcome<PendingCredentialOutcome> in
            let outcome = try await session.outcome(of: claim, epoch, at: now)
            guard case .redeemed = outcome else { return .undo(outcome) }
            try self.requireClock(now, comparedWith: session.time)
            guard try await session.spend(claim.record) else { return .undo(.replayed) }
            session.delete(claim.record.pending)
            return .keep(outcome)
        }
    }

    package func giveBack(_ pending: PendingCredential) async throws(StoreError) {
        let epoch = try await firstStart().epoch
        try await givingBack(pending.record, with: [pending.record.pending]) { session async throws(StoreError) in
            try await session.keep(pending, epoch)
        }
    }

    package func sweepPendingCredentials(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await expiresByItself ? 0 : sweep(.pending, before: moment, atMost: limit)
    }
}

extension SpentRecord {
    var pending: DocumentName { DocumentName(.pending, digest: digest) }
}

extension FirestoreSession {
    /// The outcome of a claim; ``PendingCredentialOutcome/redeemed(_:)`` if the credential can be redeemed.
    fileprivate func outcome(
        of claim: PendingCredentialClaim, _ epoch: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome {
        try await prepare(claim.record.pending, claim.record.name)
        let fields = try await document(claim.record.pending)
        guard let fields, fields[bytes: "epoch"] == epoch,
            fields[text: "client"]?.exactlyEquals(claim.client.text) ?? false
        else { return try await isSpent(claim.record) ? .replayed : .unknown }
        guard let expiry = fields.expiry else { throw .corrupt }
        guard now < expiry else { return try await isSpent(claim.record) ? .replayed : .expired }
        let pending = try PendingCredential(fields, as: claim.record)
        return claim.refusal(of: pending) ?? .redeemed(pending)
    }

    fileprivate func keep(_ pending: PendingCredential, _ epoch: [UInt8]) async throws(StoreError) {
        let name = pending.record.pending
        guard try await document(name) == nil else { throw .unavailable(.other) }
        var fields = Fields()
        fields[text: "client"] = pending.client.text
        fields[text: "provider"] = pending.provider.text
        fields[list: "uses"] = pending.uses.map { Array($0.rawValue.utf8) }
        fields[list: "uids"] = pending.uids.map { Array($0.text.utf8) }
        fields[text: "holder"] = pending.holder?.text
        fields[text: "payload"] = pending.payload
        fields[integer: "failures"] = 0
        fields[bytes: "epoch"] = epoch
        fields.setExpiry(pending.expiresAt)
        set(name, fields)
    }
}

extension PendingCredential {
    fileprivate init(_ fields: Fields, as record: SpentRecord) throws(StoreError) {
        guard let payload = fields[text: "payload"], let expiresAt = fields.expiry else { throw .corrupt }
        self.init(
            record: record, client: try fields.identifier("client"), provider: try fields.identifier("provider"),
            uses: Set(fields[list: "uses"].compactMap { Use(rawValue: String(decoding: $0, as: UTF8.self)) }),
            uids: try fields.uids, holder: try fields.optionalIdentifier("holder"), payload: payload,
            expiresAt: expiresAt)
    }
}
