package import JOSE
internal import Postgres
package import Stores

extension PostgresStore {
    package func link(_ arrival: IncomingIdentity, to uid: String, at now: NumericDate) async throws(StoreError)
        -> LinkDecision
    {
        try await transaction { connection in
            guard let account = try AccountTables.lockedAccount(uid: uid, &connection)
            else { return .undo(.unknownAccount) }
            guard !account.isDisabled else { return .undo(.refused(.disabled)) }
            guard !account.has(provider: arrival.identity.provider) else {
                return .undo(try Self.linkedBefore(arrival.identity, uid, &connection) ?? .providerTaken)
            }
            guard try AccountTables.insert(StoredIdentity(arrival, at: now), uid: uid, &connection) else {
                // It was somebody's a moment ago, and is nobody's now: begin anew.
                guard let decision = try Self.linkedBefore(arrival.identity, uid, &connection)
                else { throw Attempts.overtaken }
                return .undo(decision)
            }
            var email: EmailAddress?
            if account.email == nil, let found = arrival.email, try AccountTables.claim(found, uid: uid, &connection) {
                email = found
            }
            try AccountTables.makePermanent(uid: uid, email: email, &connection)
            return .keep(.linked(try Self.expectAccount(uid: uid, &connection)))
        }
    }

    /// Whose the identity is; nil where it is nobody's.
    private static func linkedBefore(
        _ identity: ExternalIdentity, _ uid: String, _ connection: inout Connection
    ) throws -> LinkDecision? {
        guard let holder = try AccountTables.account(of: identity, &connection) else { return nil }
        return holder.uid.utf8.elementsEqual(uid.utf8) ? .linked(holder) : .identityTaken(by: holder)
    }

    package func unlink(
        provider: String, from uid: String, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision {
        try await transaction { connection in
            guard let account = try AccountTables.lockedAccount(uid: uid, &connection)
            else { return .undo(.unknownAccount) }
            if let refusal = account.refusalToUnlink(provider: provider) { return .undo(refusal) }
            try connection.run(
                .writing("DELETE FROM identities WHERE uid = $1 AND provider = $2"),
                [.bytes(of: uid), .bytes(of: provider)])
            if !account.keepsEmail(without: provider) { try AccountTables.forgetEmail(uid: uid, &connection) }
            return .keep(.unlinked(try Self.expectAccount(uid: uid, &connection)))
        }
    }

    package func merge(
        _ uid: String, into other: String, at now: NumericDate
    ) async throws(StoreError) -> MergeDecision {
        guard !uid.utf8.elementsEqual(other.utf8) else { return .unknownAccount }
        return try await transaction { connection in
            // Both are locked before either is read, and in one order, so that no two wait for each other.
            let isOrdered = uid.utf8.lexicographicallyPrecedes(other.utf8)
            for uid in isOrdered ? [uid, other] : [other, uid] {
                guard try AccountTables.lock(uid: uid, &connection) else { return .undo(.unknownAccount) }
            }
            let going = try Self.expectAccount(uid: uid, &connection)
            let staying = try Self.expectAccount(uid: other, &connection)
            if let refusal = going.refusalToMerge(into: staying) { return .undo(refusal) }
            let keys: [Value] = [.bytes(of: uid), .bytes(of: other)]
            try connection.run(.writing("UPDATE identities SET uid = $2 WHERE uid = $1"), keys)
            if staying.email == nil, going.email != nil {
                try connection.run(.writing("UPDATE email_owners SET uid = $2 WHERE uid = $1"), keys)
            }
            try AccountTables.delete(uid: uid, &connection)
            try AccountTables.retire(uid: uid, into: other, at: now, &connection)
            try AccountTables.makePermanent(uid: other, email: going.email, &connection)
            return .keep(.merged(try Self.expectAccount(uid: other, &connection)))
        }
    }

    /// Of an account whose row is locked.
    private static func expectAccount(uid: String, _ connection: inout Connection) throws -> StoredAccount {
        guard let account = try AccountTables.account(uid: uid, &connection) else { throw StoreError.corrupt }
        return account
    }
}
