internal import JOSE
package import Standards
package import Stores

/// The operations of operators.
extension FirebaseDirectory: OperatedAccounts {
    /// Returns an account as Identity Toolkit knows it, with the times of the local rows.
    ///
    /// The call changes nothing. An anonymous account whose application has not signed in at Firebase yet exists only
    /// in the local directory.
    package func account(uid: UID) async throws(StoreError) -> StoredAccount? {
        let user = try await lookup(uids: [uid]).user(uid)
        let stored = try await local.account(uid: uid)
        guard let user else { return stored.flatMap(Self.withoutUser) }
        return described(user, stored)
    }

    /// Whether a user with this uid exists at Identity Toolkit.
    package func hasUser(_ uid: UID) async throws(StoreError) -> Bool {
        try await lookup(uids: [uid]).user(uid) != nil
    }

    /// Disables or enables the user.
    ///
    /// An account without a Firebase user is changed only in the local directory. Enabling an account also undoes its
    /// local record.
    package func setDisabled(_ isDisabled: Bool, uid: UID) async throws(StoreError) -> Bool {
        var isUser = true
        do {
            try await users.setDisabled(isDisabled, of: uid)
        } catch .userNotFound {
            isUser = false
        } catch {
            throw StoreError(error)
        }
        guard !isUser || !isDisabled else { return true }
        return try await local.setDisabled(isDisabled, uid: uid) || isUser
    }

    /// Returns a page of all accounts that have a user at Identity Toolkit.
    ///
    /// - Parameters:
    ///   - token: The token of the previous page; `nil` for the first page.
    ///   - limit: The maximum number of accounts, from 1 to 1000.
    /// - Returns: The accounts, and the token of the next page; `nil` after the last page.
    package func accounts(
        after token: String?, atMost limit: Int
    ) async throws(StoreError) -> (accounts: [StoredAccount], next: String?) {
        let page: (users: [FirebaseUserRecord], next: String?)
        do {
            page = try await users.users(after: token, atMost: limit)
        } catch {
            throw StoreError(ofLookup: error)
        }
        var accounts: [StoredAccount] = []
        for user in page.users { accounts.append(described(user, try await local.account(uid: user.uid))) }
        return (accounts, page.next)
    }

    /// Finds the accounts of the local directory that have no user at Identity Toolkit yet.
    ///
    /// - Returns: Those of them that are anonymous and have no user.
    package func withoutUsers(among stored: [StoredAccount]) async throws(StoreError) -> [StoredAccount] {
        let waiting = try local.accounts(among: stored).compactMap(Self.withoutUser)
        guard !waiting.isEmpty else { return [] }
        let found = try await lookup(uids: waiting.map(\.uid))
        return waiting.filter { found.user($0.uid) == nil }
    }

    /// Returns an account without a user; `nil` if its user was deleted at Firebase itself.
    private static func withoutUser(_ stored: StoredAccount) -> StoredAccount? {
        stored.isAnonymous && !stored.isAdopted && stored.identities.isEmpty ? stored : nil
    }

    func described(_ user: FirebaseUserRecord, _ stored: StoredAccount?) -> StoredAccount {
        let createdAt = stored?.createdAt ?? user.createdAt ?? NumericDate(0)
        var account = StoredAccount(uid: user.uid, createdAt: createdAt)
        account.isAnonymous = (stored?.isAnonymous ?? !user.isCustom) && !user.hasIdentity
        account.deleteAfter = account.isAnonymous ? stored?.deleteAfter : nil
        account.isAdopted = stored?.isAdopted ?? true
        account.isDisabled = user.isDisabled || stored?.isDisabled == true
        account.email = user.verifiedEmail
        account.signInMethods = SignInMethods(otherSignInMethods(of: user))
        account.hasOtherSignInMethod = !account.signInMethods.isEmpty
        account.identities = user.providers.compactMap { link in
            guard providers.contains(link.id), let identity = link.identity else { return nil }
            let row = stored?.identities.first { $0.identity == identity }
            return StoredIdentity(
                identity: identity, details: row?.details ?? link.details, linkedAt: row?.linkedAt ?? createdAt,
                lastUsedAt: row?.lastUsedAt ?? createdAt)
        }.sorted { $0.identity.provider < $1.identity.provider }
        return account
    }
}
