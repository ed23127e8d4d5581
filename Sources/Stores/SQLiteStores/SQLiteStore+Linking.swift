package import JOSE
package import Stores

extension SQLiteStore {
    package func link(_ arrival: IncomingIdentity, to uid: String, at now: NumericDate) async throws(StoreError)
        -> LinkDecision
    {
        try await writes.write { db in
            guard let account = try AccountTables.account(uid: uid, db) else { return .keep(.unknownAccount) }
            guard !account.isDisabled else { return .keep(.refused(.disabled)) }
            if let holder = try AccountTables.account(of: arrival.identity, db) {
                return .keep(holder.uid.utf8.elementsEqual(uid.utf8) ? .linked(holder) : .identityTaken(by: holder))
            }
            guard !account.has(provider: arrival.identity.provider) else { return .keep(.providerTaken) }
            _ = try AccountTables.insert(StoredIdentity(arrival, at: now), uid: uid, db)
            let email = try arrival.email.flatMap { try AccountTables.accounts(email: $0, db).isEmpty ? $0 : nil }
            try AccountTables.makePermanent(uid: uid, email: email, db)
            return .keep(.linked(try AccountTables.expectAccount(uid: uid, db)))
        }
    }

    package func unlink(
        provider: String, from uid: String, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision {
        try await writes.write { db in
            guard let account = try AccountTables.account(uid: uid, db) else { return .keep(.unknownAccount) }
            if let refusal = account.refusalToUnlink(provider: provider) { return .keep(refusal) }
            try AccountTables.delete(provider: provider, uid: uid, db)
            if !account.keepsEmail(without: provider) { try AccountTables.forgetEmail(uid: uid, db) }
            return .keep(.unlinked(try AccountTables.expectAccount(uid: uid, db)))
        }
    }

    package func merge(
        _ uid: String, into other: String, at now: NumericDate
    ) async throws(StoreError) -> MergeDecision {
        try await writes.write { db in
            guard !uid.utf8.elementsEqual(other.utf8), let going = try AccountTables.account(uid: uid, db),
                let staying = try AccountTables.account(uid: other, db)
            else { return .keep(.unknownAccount) }
            if let refusal = going.refusalToMerge(into: staying) { return .keep(refusal) }
            try AccountTables.moveIdentities(from: uid, to: other, db)
            _ = try AccountTables.retire(uid: uid, into: other, at: now, db)
            try AccountTables.makePermanent(uid: other, email: going.email, db)
            return .keep(.merged(try AccountTables.expectAccount(uid: other, db)))
        }
    }
}
