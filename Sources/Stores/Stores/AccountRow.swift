internal import JOSE

/// One row of what a store finds, as all of them read accounts.
///
/// Nil is null, and whatever is of another type.
package protocol AccountRow {
    /// Octets in UTF-8.
    func text(_ column: Int) -> String?
    func integer(_ column: Int) -> Int64?
    func flag(_ column: Int) -> Bool?
}

extension StoredAccount {
    /// A query for ``accounts(from:)`` with the condition of a `WHERE`.
    ///
    /// An identity from before there were times of its own is as old as its account.
    package static func query(_ condition: String) -> String {
        """
        SELECT accounts.uid, created_at, anonymous, delete_after, adopted, other_way_in, disabled, accounts.email,
            provider, subject, identities.email, name, picture,
            COALESCE(linked_at, created_at), COALESCE(last_used_at, created_at), ways_in
        FROM accounts LEFT JOIN identities ON identities.uid = accounts.uid
        WHERE \(condition) ORDER BY accounts.uid, provider
        """
    }

    /// The accounts of such a query, in the order of the rows.
    ///
    /// - Throws: ``StoreError/corrupt``.
    package static func accounts(from rows: [some AccountRow]) throws(StoreError) -> [StoredAccount] {
        var accounts: [StoredAccount] = []
        for row in rows {
            var account = try StoredAccount(row)
            let isContinued = accounts.last.map { $0.uid.utf8.elementsEqual(account.uid.utf8) } ?? false
            if isContinued, let last = accounts.popLast() { account = last }
            if let identity = try StoredIdentity(row) { account.identities.append(identity) }
            accounts.append(account)
        }
        return accounts
    }

    /// Without identities.
    private init(_ row: some AccountRow) throws(StoreError) {
        guard let uid = row.text(0), let createdAt = row.integer(1), let isAnonymous = row.flag(2),
            let isAdopted = row.flag(4), let hasOtherWayIn = row.flag(5), let isDisabled = row.flag(6)
        else { throw .corrupt }
        self.init(uid: uid, createdAt: NumericDate(createdAt))
        self.isAnonymous = isAnonymous
        deleteAfter = row.integer(3).map { NumericDate($0) }
        self.isAdopted = isAdopted
        self.hasOtherWayIn = hasOtherWayIn
        self.isDisabled = isDisabled
        waysIn = WaysIn(text: row.text(15))
        email = row.text(7).flatMap { EmailAddress($0) }
    }
}

extension StoredIdentity {
    /// Nil where the account has none.
    fileprivate init?(_ row: some AccountRow) throws(StoreError) {
        guard let provider = row.text(8) else { return nil }
        guard let subject = row.text(9), let linkedAt = row.integer(13), let lastUsedAt = row.integer(14)
        else { throw .corrupt }
        self.init(
            identity: ExternalIdentity(provider: provider, subject: subject),
            details: IdentityDetails(email: row.text(10), name: row.text(11), picture: row.text(12)),
            linkedAt: NumericDate(linkedAt), lastUsedAt: NumericDate(lastUsedAt))
    }
}
