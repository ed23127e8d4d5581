package import JOSE
internal import Jansson
package import Standards
package import Stores

/// The operations on accounts that operators and the sweeper need.
extension FirestoreStore: AccountAdministration {
    /// The maximum number of documents of one query.
    private static let page = 500

    package func account(uid: UID) async throws(StoreError) -> StoredAccount? {
        try await read { session async throws(StoreError) in try await session.account(uid: uid)?.account }
    }

    package func accounts(after uid: UID?, atMost limit: Int) async throws(StoreError) -> [StoredAccount] {
        var accounts: [StoredAccount] = []
        while accounts.count < limit {
            let page = min(limit - accounts.count, Self.page)
            let found = try await client.find(.accounts(after: accounts.last?.uid ?? uid, atMost: page))
            for document in found { accounts.append(try AccountDocument(document.fields).account) }
            guard found.count == page else { break }
        }
        return accounts
    }

    package func add(_ account: StoredAccount) async throws(StoreError) -> AddDecision {
        try await transaction { session async throws(StoreError) -> Outcome<AddDecision> in
            var empty = account
            empty.identities = []
            empty.email = nil
            guard var document = try await session.insert(empty) else { return .undo(.uidTaken) }
            for identity in account.identities where try await !session.link(identity, to: &document) {
                return .undo(.identityTaken(identity.identity))
            }
            // The account keeps its address even if other accounts have it too.
            if let email = account.email { try await session.setEmail(email, of: &document) }
            session.write(document)
            return .keep(.added)
        }
    }

    package func replace(
        _ arrival: IncomingIdentity, of uid: UID, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision {
        try await transaction { session async throws(StoreError) -> Outcome<LinkDecision> in
            try await session.prepare(AccountDocument.name(uid), arrival.identity.name)
            guard var document = try await session.account(uid: uid) else { return .undo(.unknownAccount) }
            guard !document.account.isDisabled else { return .undo(.refused(.disabled)) }
            if let holder = try await session.account(of: arrival.identity)?.account {
                return .undo(holder.uid == uid ? .linked(holder) : .identityTaken(by: holder))
            }
            let identities = document.account.identities
            if let old = identities.firstIndex(where: { $0.identity.provider == arrival.identity.provider }) {
                try await session.removeHolder(of: identities[old].identity)
                document.account.identities.remove(at: old)
            }
            guard try await session.link(StoredIdentity(arrival, at: now), to: &document) else { throw .corrupt }
            document.account.makePermanent()
            session.write(document)
            return .keep(.linked(document.account))
        }
    }

    package func setDisabled(_ isDisabled: Bool, uid: UID) async throws(StoreError) -> Bool {
        try await change(uid) { document in
            document.account.isDisabled = isDisabled
            return true
        }
    }

    package func markAnonymous(deleteAfter moment: NumericDate) async throws(StoreError) -> Int {
        var count = 0
        while true {
            var query = Query(.accounts, limit: Self.page)
            query.field = AccountDocument.endlessField
            query.condition = ("EQUAL", .object(["booleanValue": .bool(true)]))
            let found = try await client.find(query)
            for document in found {
                let isChanged = try await change(try document.fields.identifier("uid")) { document in
                    guard document.account.isAnonymous, !document.account.isAdopted,
                        document.account.deleteAfter == nil
                    else { return false }
                    document.account.deleteAfter = moment
                    return true
                }
                if isChanged { count += 1 }
            }
            guard found.count == Self.page else { return count }
        }
    }

    /// Changes an account.
    ///
    /// - Returns: Whether the account exists and `body` returned `true`.
    private func change(
        _ uid: UID, _ body: (inout AccountDocument) -> Bool
    ) async throws(StoreError) -> Bool {
        try await transaction { session async throws(StoreError) in
            guard var document = try await session.account(uid: uid), body(&document) else { return .undo(false) }
            session.write(document)
            return .keep(true)
        }
    }

    package func countStaleAnonymous(at now: NumericDate) async throws(StoreError) -> Int {
        try await client.count(.over(AccountDocument.staleField, at: now, atMost: .max))
    }

    package func countAnonymous(
        after uid: UID?, atMost limit: Int, createdAfter moments: [NumericDate]
    ) async throws(StoreError) -> AnonymousPage {
        let page = min(limit, Self.page)
        var query = Query.accounts(after: uid, atMost: page)
        query.selected = ["uid", "created_at", "anonymous"]
        let found = try await client.find(query)
        let created = found.filter { $0.fields[flag: "anonymous"] ?? false }.compactMap {
            $0.fields[time: "created_at"]
        }
        return AnonymousPage(
            last: found.count == page ? try found.last?.fields.identifier("uid") : nil,
            createdAfter: moments.map { moment in created.count { $0 > moment } }, total: created.count)
    }

    package func staleAnonymous(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> [UID] {
        try await uids(.over(AccountDocument.staleField, at: now, atMost: limit))
    }

    package func sweepAnonymous(_ uids: [UID], at now: NumericDate) async throws(StoreError) -> [UID] {
        var swept: [UID] = []
        for uid in uids {
            let isSwept = try await transaction { session async throws(StoreError) -> Outcome<Bool> in
                guard let document = try await session.account(uid: uid), document.account.isStale(at: now)
                else { return .undo(false) }
                try await session.remove(document)
                try await session.retire(uid: uid, at: now)
                let left = DocumentName(.left, of: uid.text)
                if try await session.document(left) == nil {
                    var fields = Fields()
                    fields[text: "uid"] = uid.text
                    session.set(left, fields)
                }
                return .keep(true)
            }
            if isSwept { swept.append(uid) }
        }
        return swept
    }

    package func sweepAdopted(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        var count = 0
        var kept: Set<UID> = []
        while count < limit {
            // The accounts that a factor keeps, confirmed or not, are at the head of every query.
            let wanted = limit - count + kept.count
            let found = try await uids(.over(AccountDocument.leftoverField, at: now, atMost: wanted))
            let new = found.filter { !kept.contains($0) }
            for uid in new {
                if try await dropAdopted(uid, at: now) { count += 1 } else { kept.insert(uid) }
            }
            guard found.count == wanted, !new.isEmpty else { break }
        }
        return count
    }

    private func dropAdopted(_ uid: UID, at now: NumericDate) async throws(StoreError) -> Bool {
        try await transaction { session async throws(StoreError) -> Outcome<Bool> in
            guard let document = try await session.account(uid: uid), document.isLeftover(at: now),
                try await session.factors(of: FactorHolder(uid: uid)).factors.isEmpty
            else { return .undo(false) }
            try await session.remove(document)
            return .keep(true)
        }
    }

    package func leftAtFirebase(atMost limit: Int) async throws(StoreError) -> [UID] {
        var query = Query(.left, limit: limit)
        query.field = "uid"
        return try await uids(query)
    }

    package func forgetLeftAtFirebase(_ uids: [UID]) async throws(StoreError) {
        guard !uids.isEmpty else { return }
        try await transaction { session async throws(StoreError) in
            let names = uids.map { DocumentName(.left, of: $0.text) }
            try await session.prepare(names)
            for name in names where try await session.document(name) != nil { session.delete(name) }
            return .keep(())
        }
    }

    private func uids(_ query: Query) async throws(StoreError) -> [UID] {
        var uids: [UID] = []
        for document in try await client.find(query) { uids.append(try document.fields.identifier("uid")) }
        return uids
    }
}

extension Query {
    /// A page of accounts in the order of their uids' octets.
    fileprivate static func accounts(after uid: UID?, atMost limit: Int) -> Query {
        var query = Query(.accounts, limit: limit)
        query.field = "uid"
        query.condition = uid.map { ("GREATER_THAN", Fields.bytes(Array($0.text.utf8))) }
        return query
    }

    /// The accounts whose time in a field has passed, the oldest first.
    fileprivate static func over(_ field: String, at now: NumericDate, atMost limit: Int) -> Query {
        var query = Query(.accounts, limit: limit)
        query.field = field
        query.condition = ("LESS_THAN_OR_EQUAL", integer(now.seconds))
        return query
    }
}
