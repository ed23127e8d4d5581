internal import JOSE
package import Standards

/// The statement of ``SQLSession/known(_:)``.
private let knownIdentity = """
    SELECT \(KnownIdentity.columns) FROM identities JOIN accounts USING (uid) WHERE provider = ?1 AND subject = ?2
    """

/// The statements of the account directory that read.
extension SQLSession {
    package func known(_ identity: ExternalIdentity) throws -> KnownIdentity? {
        try read(knownIdentity, identity.key).first.map { try KnownIdentity(row: $0) }
    }

    func accounts(where condition: String, _ values: [SQLValue]) throws -> [StoredAccount] {
        try StoredAccount.accounts(from: read(StoredAccount.query(condition), values))
    }

    func account(uid: UID) throws -> StoredAccount? {
        try accounts(where: "accounts.uid = ?1", [.octets(uid)]).first
    }

    func account(of identity: ExternalIdentity) throws -> StoredAccount? {
        try accounts(
            where: "accounts.uid = (SELECT uid FROM identities WHERE provider = ?1 AND subject = ?2)", identity.key
        ).first
    }

    package func accounts(email: EmailAddress, except uid: UID?) throws -> [StoredAccount] {
        try accounts(where: "accounts.email = ?1 AND accounts.uid <> ?2", [.octets(email), .octets(uid?.text ?? "")])
    }

    /// Locks the row of an account until the end of the transaction, and reads the account.
    ///
    /// This takes two statements, so that the second one sees the changes of the previous holder of the lock.
    func lockedAccount(uid: UID) throws -> StoredAccount? {
        try lock(uid: uid) ? account(uid: uid) : nil
    }

    /// Locks the row of an account until the end of the transaction.
    ///
    /// - Returns: Whether the account exists.
    func lock(uid: UID) throws -> Bool {
        try write("SELECT uid FROM accounts WHERE uid = ?1\(Self.rowLock)", [.octets(uid)]).count == 1
    }
}

/// The state that a call expects.
extension SQLSession {
    /// Returns the reason why an account is not as expected; `nil` if it is, or if nothing is expected.
    ///
    /// In a transaction that writes, the row of the account must be locked: every change of its second factors locks it
    /// too, and so does every change of its identities.
    func refusal(of expectation: AccountExpectation?) throws -> AccountRefusal? {
        guard let expectation else { return nil }
        let holder = try expectation.identity.flatMap { try known($0)?.uid }
        return expectation.refusal(
            hasFactor: try !confirmedFactors(of: expectation.holder).isEmpty,
            hasIdentity: holder == expectation.uid)
    }

    func isRetired(uid: UID) throws -> Bool {
        try !read("SELECT uid FROM retired_uids WHERE uid = ?1", [.octets(uid)]).isEmpty
    }

    /// Locks the row of an account, and returns the reason why its second factors must not be changed.
    ///
    /// The account may have no row yet: Firebase made its user.
    func refusalOfFactors(_ expectation: AccountExpectation) throws -> AccountRefusal? {
        if try !lock(uid: expectation.uid), try isRetired(uid: expectation.uid) { return .retired }
        let disabled = try read("SELECT uid FROM accounts WHERE uid = ?1 AND disabled", [.octets(expectation.uid)])
        return disabled.isEmpty ? try refusal(of: expectation) : .disabled
    }
}

/// The statements that write. All run within a transaction.
extension SQLSession {
    /// Inserts an account without its identities.
    ///
    /// - Returns: `false` if the uid was ever used.
    func insert(_ account: StoredAccount) throws -> Bool {
        guard try reserve(uid: account.uid) else { return false }
        return try write(
            """
            INSERT INTO accounts
                (uid, created_at, anonymous, delete_after, adopted, other_way_in, disabled, email, ways_in)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE NOT EXISTS (SELECT 1 FROM retired_uids WHERE uid = ?1)
            ON CONFLICT DO NOTHING
            """,
            [
                .octets(account.uid), .time(account.createdAt), .flag(account.isAnonymous), .time(account.deleteAfter),
                .flag(account.isAdopted), .flag(account.hasOtherSignInMethod), .flag(account.isDisabled),
                .octets(account.email), .octets(account.signInMethods.text),
            ]
        ).count == 1
    }

    /// Links an identity to an account.
    ///
    /// One statement decides, so that only one of several callers links the identity.
    ///
    /// - Returns: `false` if an account already has the identity.
    func insert(_ identity: StoredIdentity, uid: UID) throws -> Bool {
        try write(
            """
            INSERT INTO identities (provider, subject, uid, email, name, picture, linked_at, last_used_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (provider, subject) DO NOTHING
            """,
            identity.identity.key + [.octets(uid)] + identity.details.values
                + [.time(identity.linkedAt), .time(identity.lastUsedAt)]
        ).count == 1
    }

    /// Updates the details of an identity.
    ///
    /// - Returns: `false` if the identity no longer belongs to that account.
    func update(_ known: KnownIdentity, of identity: ExternalIdentity) throws -> Bool {
        try write(
            """
            UPDATE identities SET email = ?4, name = ?5, picture = ?6, last_used_at = ?7
            WHERE provider = ?1 AND subject = ?2 AND uid = ?3
            """, identity.key + [.octets(known.uid)] + known.details.values + [.time(known.lastUsedAt)]
        ).count == 1
    }

    /// Removes an account and its second factors.
    ///
    /// The row must be locked, and have no identities.
    func delete(uid: UID) throws {
        try deleteFactors(of: FactorHolder(uid: uid))
        try write("DELETE FROM accounts WHERE uid = ?1", [.octets(uid)])
    }

    /// Records that a uid is retired.
    func retire(uid: UID, into other: UID? = nil, at now: NumericDate) throws {
        try write(
            "INSERT INTO retired_uids (uid, at, merged_into) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            [.octets(uid), .time(now), .octets(other)])
    }
}

extension ExternalIdentity {
    /// The values of the primary key.
    package var key: [SQLValue] { [.octets(provider), .octets(subject)] }
}

extension IdentityDetails {
    fileprivate var values: [SQLValue] { [email, name, picture].map { .octets($0) } }
}
