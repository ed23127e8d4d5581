internal import JOSE
internal import Standards

extension StoredAccount {
    /// The query for ``accounts(from:)``, with `condition` in its `WHERE` clause.
    ///
    /// An identity that was stored before the migration that adds its times has none. It takes the creation time of its
    /// account.
    static func query(_ condition: String) -> String {
        """
        SELECT accounts.uid, created_at, anonymous, delete_after, adopted, other_way_in, disabled, accounts.email,
            provider, subject, identities.email, name, picture,
            COALESCE(linked_at, created_at), COALESCE(last_used_at, created_at), ways_in
        FROM accounts LEFT JOIN identities ON identities.uid = accounts.uid
        WHERE \(condition) ORDER BY accounts.uid, provider
        """
    }

    /// Reads the accounts from the rows of ``query(_:)``, in the order of the rows.
    ///
    /// - Throws: ``StoreError/corrupt``.
    static func accounts(from rows: [any SQLRow]) throws(StoreError) -> [StoredAccount] {
        var accounts: [StoredAccount] = []
        for row in rows {
            var account = try StoredAccount(row)
            let isContinued = accounts.last?.uid == account.uid
            if isContinued, let last = accounts.popLast() { account = last }
            if let identity = try StoredIdentity(row) { account.identities.append(identity) }
            accounts.append(account)
        }
        return accounts
    }

    /// Reads the account without its identities.
    private init(_ row: any SQLRow) throws(StoreError) {
        guard let createdAt = row.time(1), let isAnonymous = row.flag(2), let isAdopted = row.flag(4),
            let hasOtherSignInMethod = row.flag(5), let isDisabled = row.flag(6)
        else { throw .corrupt }
        self.init(uid: try row.identifier(0), createdAt: createdAt)
        self.isAnonymous = isAnonymous
        deleteAfter = row.time(3)
        self.isAdopted = isAdopted
        self.hasOtherSignInMethod = hasOtherSignInMethod
        self.isDisabled = isDisabled
        signInMethods = SignInMethods(text: row.text(15))
        email = row.text(7).flatMap { EmailAddress($0) }
    }
}

extension StoredIdentity {
    /// Reads the identity of a row; `nil` if the account has no identity.
    fileprivate init?(_ row: any SQLRow) throws(StoreError) {
        guard let provider: ProviderID = try row.optionalIdentifier(8) else { return nil }
        guard let linkedAt = row.time(13), let lastUsedAt = row.time(14) else { throw .corrupt }
        self.init(
            identity: ExternalIdentity(provider: provider, subject: try row.identifier(9)),
            details: IdentityDetails(email: row.text(10), name: row.text(11), picture: row.text(12)),
            linkedAt: linkedAt, lastUsedAt: lastUsedAt)
    }
}

extension KnownIdentity {
    /// The columns that ``init(row:)`` reads, from `identities` joined with `accounts`.
    package static let columns =
        "accounts.uid, disabled, identities.email, name, picture, COALESCE(last_used_at, created_at), "
        + "accounts.email IS NOT NULL, "
        + "EXISTS (SELECT 1 FROM factors WHERE factors.uid = accounts.uid AND length(tenant) = 0 AND expires_at IS NULL)"

    /// Reads a row with the columns of ``columns``.
    ///
    /// - Throws: ``StoreError/corrupt``.
    package init(row: any SQLRow) throws(StoreError) {
        guard let isDisabled = row.flag(1), let lastUsedAt = row.time(5), let hasEmail = row.flag(6),
            let hasFactor = row.flag(7)
        else { throw .corrupt }
        self.init(
            uid: try row.identifier(0), isDisabled: isDisabled,
            details: IdentityDetails(email: row.text(2), name: row.text(3), picture: row.text(4)),
            lastUsedAt: lastUsedAt, hasEmail: hasEmail, hasFactor: hasFactor)
    }
}
