internal import Accounts
package import Firebase
package import Standards
package import Stores

/// An account, and the ways to sign in to it that Firebase manages itself.
package struct AccountDescription: Sendable {
    package let account: StoredAccount
    /// The providers of the Firebase user that are not identities of ``account``, such as `password`, by their ids.
    package let managedByFirebase: [FirebaseUserRecord.LinkedProvider]

    /// Describes an account as the directory knows it, without a call to Firebase.
    ///
    /// The directory knows only the names of the other providers. `custom` is not listed: it stands for a custom token
    /// of another issuer.
    package init(_ account: StoredAccount) {
        self.init(
            account,
            account.signInMethods.names.filter { $0 != .custom }.map { id in
                FirebaseUserRecord.LinkedProvider(id: id, rawID: nil, details: IdentityDetails())
            })
    }

    /// Describes an account with the providers that Identity Toolkit knows of its user.
    init(_ account: StoredAccount, _ record: FirebaseUserRecord) {
        let named = Set(record.providers.map(\.id))
        // Firebase lists a password or a telephone number among the providers. An older record may lack the entry.
        let unnamed = record.signInMethods.subtracting(named).map { id in
            FirebaseUserRecord.LinkedProvider(id: id, rawID: nil, details: IdentityDetails())
        }
        self.init(account, record.providers + unnamed)
    }

    private init(_ account: StoredAccount, _ providers: [FirebaseUserRecord.LinkedProvider]) {
        self.account = account
        managedByFirebase = providers.filter { !account.has(provider: $0.id) }
            .sorted { $0.id < $1.id }
    }
}

extension AccountCalls {
    /// Describes the account of a user, with everything that Identity Toolkit knows, if it may be called.
    ///
    /// - Throws: The refusal of the account, or `StoreError` if Firebase does not respond.
    package func account(of user: FirebaseUser, client: ClientID?) async throws -> AccountDescription {
        let account = try await callers.caller(user, client: client).account
        guard let record = try await authenticator.record(of: user) else { return AccountDescription(account) }
        return AccountDescription(account, record)
    }
}
