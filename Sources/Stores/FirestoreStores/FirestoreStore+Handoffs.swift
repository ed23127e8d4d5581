package import JOSE
package import Stores

/// The finished browser sign-ins.
extension FirestoreStore: Handoffs {
    package func keep(_ handoff: Handoff) async throws(StoreError) {
        let epoch = try await firstStart().epoch
        try await transaction { session async throws(StoreError) in
            try await session.keep(handoff, epoch)
            return .keep(())
        }
    }

    package func redeem(_ claim: HandoffClaim, at now: NumericDate) async throws(StoreError) -> HandoffOutcome {
        let epoch = try await firstStart().epoch
        return try await transaction { session async throws(StoreError) -> Outcome<HandoffOutcome> in
            let name = claim.record.handoff
            try await session.prepare(name, claim.record.name)
            let kept = try await session.document(name).flatMap { $0[bytes: "epoch"] == epoch ? $0 : nil }
            let isOpen = kept?.expiry.map { now < $0 } ?? false
            if var fields = kept, isOpen {
                let handoff = try Handoff(fields, as: claim.record)
                let mismatch = claim.mismatch(
                    client: handoff.client, redirectURI: handoff.redirectURI, codeChallenge: handoff.codeChallenge)
                if let mismatch {
                    if try await session.isSpent(claim.record) { return .undo(.replayed) }
                    let failures = (fields[integer: "failures"] ?? 0) + 1
                    fields[integer: "failures"] = failures
                    if failures < HandoffClaim.tries { session.set(name, fields) } else { session.delete(name) }
                    return .keep(mismatch)
                }
                try self.requireClock(now, comparedWith: session.time)
                guard try await session.spend(claim.record) else { return .undo(.replayed) }
                session.delete(name)
                return .keep(.redeemed(handoff))
            }
            if try await session.isSpent(claim.record) { return .undo(.replayed) }
            return .undo(kept == nil ? .unknown : .expired)
        }
    }

    package func giveBack(_ handoff: Handoff) async throws(StoreError) {
        let epoch = try await firstStart().epoch
        try await givingBack(handoff.record, with: [handoff.record.handoff]) { session async throws(StoreError) in
            try await session.keep(handoff, epoch)
        }
    }

    package func sweepHandoffs(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await expiresByItself ? 0 : sweep(.handoffs, before: moment, atMost: limit)
    }
}

extension SpentRecord {
    fileprivate var handoff: DocumentName { DocumentName(.handoffs, digest: digest) }
}

extension FirestoreSession {
    fileprivate func keep(_ handoff: Handoff, _ epoch: [UInt8]) async throws(StoreError) {
        let name = handoff.record.handoff
        guard try await document(name) == nil else { throw .unavailable(.other) }
        var fields = Fields()
        fields[text: "client"] = handoff.client
        fields[text: "redirect_uri"] = handoff.redirectURI
        fields[text: "code_challenge"] = handoff.codeChallenge
        fields[text: "payload"] = handoff.payload
        fields[bytes: "epoch"] = epoch
        fields.setExpiry(handoff.expiresAt)
        set(name, fields)
    }
}

extension Handoff {
    fileprivate init(_ fields: Fields, as record: SpentRecord) throws(StoreError) {
        guard let client = fields[text: "client"], let redirectURI = fields[text: "redirect_uri"],
            let codeChallenge = fields[text: "code_challenge"], let payload = fields[text: "payload"],
            let expiresAt = fields.expiry
        else { throw .corrupt }
        self.init(
            record: record, client: client, redirectURI: redirectURI, codeChallenge: codeChallenge, payload: payload,
            expiresAt: expiresAt)
    }
}
