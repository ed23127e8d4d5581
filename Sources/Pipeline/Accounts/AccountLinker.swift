package import Firebase
package import JOSE
package import OAuth
package import Stores
package import Verification

/// What people do with the account that they are signed in to.
package struct AccountLinker: Sendable {
    private let directory: any AccountDirectory
    private let time: TimeSource

    package init(directory: any AccountDirectory, time: TimeSource) {
        self.directory = directory
        self.time = time
    }

    /// The account of a Firebase user; one that is not known yet is adopted.
    ///
    /// - `record`: what Identity Toolkit says of the user, if it was asked; it is remembered with what the ID
    ///   token says.
    package func caller(
        _ user: FirebaseUser, describedBy record: FirebaseUserRecord? = nil
    ) async throws(AccountError) -> Caller {
        let described = record?.bearer
        let bearer = FirebaseCaller(
            uid: user.uid, isAnonymous: user.isAnonymous && described?.hasIdentity != true,
            email: user.email.flatMap { EmailAddress($0) },
            waysIn: user.waysIn.union(described?.waysIn ?? WaysIn()),
            hasIdentity: user.hasIdentity || described?.hasIdentity == true)
        switch try await asking({ () async throws(StoreError) in
            try await directory.account(of: bearer, at: time.now())
        }) {
        case .account(let account):
            guard !account.isDisabled else { throw .disabled }
            return Caller(user: user, account: account)
        case .retired: throw .retired
        }
    }

    /// - Throws: ``AccountError/identityTaken`` where it is another account's: nothing moves, and nothing is merged.
    package func link(_ identity: VerifiedIdentity, to caller: Caller) async throws(AccountError) -> StoredAccount {
        let decision = try await asking { () async throws(StoreError) in
            try await directory.link(IncomingIdentity(identity), to: caller.account.uid, at: time.now())
        }
        switch decision {
        case .linked(let account): return account
        case .identityTaken(let holder): throw .identityTaken(by: holder)
        case .providerTaken: throw .providerAlreadyLinked
        case .unknownAccount: throw .retired
        case .refused(let refusal): throw AccountError(refusal)
        }
    }

    package func unlink(_ provider: ProviderID, from caller: Caller) async throws(AccountError) -> StoredAccount {
        let decision = try await asking { () async throws(StoreError) in
            try await directory.unlink(provider: provider.text, from: caller.account.uid, at: time.now())
        }
        switch decision {
        case .unlinked(let account): return account
        case .notLinked: throw .notLinked
        case .lastIdentity: throw .lastIdentity
        case .unknownAccount: throw .retired
        }
    }

    /// The account of an identity that the caller has proven to be theirs.
    package func holder(of identity: VerifiedIdentity) async throws(AccountError) -> StoredAccount? {
        try await asking { () async throws(StoreError) in
            try await directory.account(of: ExternalIdentity(identity))
        }
    }

    /// Refuses what ``merge(_:into:)`` would refuse as the two accounts were when they were looked at.
    ///
    /// Whatever cannot be taken back comes after it, and before the merge itself, which looks again.
    package func checkMerge(_ other: StoredAccount, into caller: Caller) throws(AccountError) {
        guard UID(other.uid) != UID(caller.account.uid) else { throw .userMismatch }
        if let decision = other.refusalToMerge(into: caller.account) { _ = try merged(decision) }
    }

    /// Takes over the identities of an account that the caller has proven to be theirs as well.
    ///
    /// - Returns: the caller's account; the other's uid is no more.
    package func merge(_ other: StoredAccount, into caller: Caller) async throws(AccountError) -> StoredAccount {
        guard UID(other.uid) != UID(caller.account.uid) else { throw .userMismatch }
        return try merged(
            try await asking { () async throws(StoreError) in
                try await directory.merge(other.uid, into: caller.account.uid, at: time.now())
            })
    }

    private func merged(_ decision: MergeDecision) throws(AccountError) -> StoredAccount {
        switch decision {
        case .merged(let account): return account
        case .providerTaken: throw .providerAlreadyLinked
        case .otherWayIn: throw .otherWayIn
        // The caller was here a moment ago; the other one is gone.
        case .unknownAccount: throw .userMismatch
        case .refused(let refusal): throw AccountError(refusal)
        }
    }

    /// The caller's account, once more proven to be theirs.
    package func confirm(_ identity: VerifiedIdentity, of caller: Caller) async throws(AccountError) -> Account {
        guard let holder = try await holder(of: identity), UID(holder.uid) == UID(caller.account.uid) else {
            throw .userMismatch
        }
        guard !holder.isDisabled else { throw .disabled }
        guard let uid = UID(holder.uid) else { throw .store(.corrupt) }
        return Account(uid: uid, isNew: false, identity: identity)
    }

    /// Removes the account for good; its uid is never given again.
    package func remove(_ caller: Caller) async throws(AccountError) {
        _ = try await asking { () async throws(StoreError) in
            try await directory.retire(uid: caller.account.uid, at: time.now())
        }
    }

    private func asking<Value: Sendable>(
        _ ask: () async throws(StoreError) -> Value
    ) async throws(AccountError) -> Value {
        do {
            return try await ask()
        } catch {
            throw .store(error)
        }
    }
}
