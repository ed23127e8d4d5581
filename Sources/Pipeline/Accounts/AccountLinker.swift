package import Firebase
package import JOSE
package import Standards
package import Stores
package import Verification

/// Changes the account of a signed-in Firebase user: links and unlinks identities, merges and deletes accounts.
package struct AccountLinker: Sendable {
    private let directory: any AccountDirectory
    private let time: TimeSource

    package init(directory: any AccountDirectory, time: TimeSource) {
        self.directory = directory
        self.time = time
    }

    /// Finds the account of a Firebase user, and adopts no user.
    ///
    /// - Parameter record: The user's record at Identity Toolkit, if it was fetched. It adds to the claims of the ID
    ///   token.
    /// - Throws: `Refusal` or `StoreError`.
    package func caller(
        _ user: FirebaseUser, describedBy record: FirebaseUserRecord? = nil
    ) async throws -> Caller {
        let described = record?.caller
        let firebaseCaller = FirebaseCaller(
            uid: user.uid, isAnonymous: user.isAnonymous && described?.hasIdentity != true,
            email: user.email.flatMap { EmailAddress($0) },
            signInMethods: user.signInMethods.union(described?.signInMethods ?? SignInMethods()),
            hasIdentity: user.hasIdentity || described?.hasIdentity == true)
        let directory = directory.of(tenantID: user.tenantID)
        let lookup = try await directory.find(firebaseCaller, at: time.now())
        switch lookup {
        case .account(let account), .unknown(let account):
            guard !account.isDisabled else { throw Refusal.userDisabled }
            return Caller(
                user: user, account: account, bearer: firebaseCaller, isStored: lookup == .account(account))
        case .retired: throw Refusal.accountGone
        }
    }

    /// Stores the account of a caller whom the directory does not know yet.
    ///
    /// Calls that change the account do so at their end, so that a call that reads, or is refused, leaves no row.
    ///
    /// - Throws: `Refusal` or `StoreError`.
    package func adopt(_ caller: Caller) async throws {
        guard !caller.isStored else { return }
        let directory = directory(of: caller)
        let lookup = try await directory.account(of: caller.bearer, at: time.now())
        guard case .account(let account) = lookup else { throw Refusal.accountGone }
        guard !account.isDisabled else { throw Refusal.userDisabled }
    }

    /// Links an identity to the caller's account.
    ///
    /// - Throws: ``AccountCollision/identityTaken(by:)`` if it is linked to another account, which keeps it.
    package func link(
        _ identity: VerifiedIdentity, to caller: Caller, expecting expectation: AccountExpectation
    ) async throws -> StoredAccount {
        try await adopt(caller)
        return try await link(
            identity, toUID: caller.account.uid, in: caller.user.tenantID, expecting: expectation)
    }

    /// Links an identity to an account of which the same person has proven another identity.
    ///
    /// - Parameters:
    ///   - account: The account of the other identity, which may sign in.
    ///   - other: The other identity, which the account must still have.
    ///   - tenantID: The tenant of the account; `nil` means users outside any tenant.
    /// - Throws: ``AccountCollision/identityTaken(by:)`` if it is linked to another account, which keeps it.
    package func link(
        _ identity: VerifiedIdentity, to account: Account, of other: VerifiedIdentity, in tenantID: String?,
        expecting expectation: AccountExpectation
    ) async throws {
        _ = try await link(
            identity, toUID: account.uid, in: tenantID,
            expecting: expectation.holding(ExternalIdentity(other)))
    }

    private func link(
        _ identity: VerifiedIdentity, toUID uid: UID, in tenantID: String?,
        expecting expectation: AccountExpectation
    ) async throws -> StoredAccount {
        let decision = try await directory.of(tenantID: tenantID).link(
            IncomingIdentity(identity), to: uid, expecting: expectation, at: time.now())
        switch decision {
        case .linked(let account): return account
        case .identityTaken(let holder): throw AccountCollision.identityTaken(by: holder)
        case .providerTaken: throw Refusal.providerAlreadyLinked
        case .unknownAccount: throw Refusal.accountGone
        case .refused(let refusal): throw Refusal(refusal)
        }
    }

    /// Removes the identity of a provider from the caller's account.
    ///
    /// - Throws: `Refusal` or `StoreError`.
    package func unlink(
        _ provider: ProviderID, from caller: Caller, expecting expectation: AccountExpectation
    ) async throws -> StoredAccount {
        let decision = try await directory(of: caller).unlink(
            provider: provider, from: caller.account.uid, expecting: expectation, at: time.now())
        switch decision {
        case .unlinked(let account): return account
        case .notLinked: throw Refusal.notLinked
        case .lastIdentity:
            throw Refusal.lastIdentity
        case .unknownAccount: throw caller.isStored ? Refusal.accountGone : .notLinked
        case .refused(let refusal): throw Refusal(refusal)
        }
    }

    /// Returns the account of a verified identity.
    ///
    /// - Parameter tenantID: The tenant of the account; `nil` means users outside any tenant.
    /// - Returns: The account; `nil` if the identity has none in this tenant.
    /// - Throws: `StoreError`.
    package func holder(
        of identity: VerifiedIdentity, in tenantID: String?
    ) async throws -> StoredAccount? {
        try await directory.of(tenantID: tenantID).account(of: ExternalIdentity(identity))
    }

    /// Returns the account of the person whom an event is about.
    ///
    /// - Parameter tenantID: The tenant of the account; `nil` means users outside any tenant.
    /// - Returns: The account; `nil` if the event concerns no person, or one without an account in this tenant.
    /// - Throws: `StoreError`.
    package func holder(of event: VerifiedEvent, in tenantID: String?) async throws -> StoredAccount? {
        guard let identity = event.identity else { return nil }
        return try await directory.of(tenantID: tenantID).account(of: identity)
    }

    private func directory(of caller: Caller) -> any AccountDirectory { directory.of(tenantID: caller.user.tenantID) }

    /// Refuses a merge that ``merge(_:into:expecting:)`` would refuse, judged by the two accounts as they were read.
    ///
    /// Flows call it before steps that cannot be undone. The merge itself checks again.
    ///
    /// - Parameters:
    ///   - other: The account that the merge would delete.
    ///   - caller: The caller, whose account stays.
    /// - Throws: `Refusal` or `StoreError`.
    package func checkMerge(_ other: StoredAccount, into caller: Caller) throws {
        guard other.uid != caller.account.uid else { throw Refusal.ownAccount }
        if let decision = other.refusalToMerge(into: caller.account) { _ = try merged(decision) }
    }

    /// Checks that the accounts of a merge are as expected, before steps that cannot be undone.
    ///
    /// The merge itself checks again.
    ///
    /// - Parameter caller: The caller, whose account stays.
    /// - Throws: `Refusal` or `StoreError`.
    package func check(_ expectation: MergeExpectation, of caller: Caller) async throws {
        let directory = directory(of: caller)
        if let refusal = try await directory.refusal(of: expectation.staying) {
            throw Refusal(refusal)
        }
        if let refusal = try await directory.refusal(of: expectation.going) {
            _ = try merged(MergeDecision(ofGoing: refusal))
        }
    }

    /// Moves all identities of a second account to the caller's account, and deletes the second account.
    ///
    /// - Parameters:
    ///   - other: An account that the caller has proven to be theirs as well.
    ///   - caller: The caller, whose account stays.
    /// - Returns: The caller's account. The uid of the other account is never assigned again.
    /// - Throws: `Refusal` or `StoreError`.
    package func merge(
        _ other: StoredAccount, into caller: Caller, expecting expectation: MergeExpectation
    ) async throws -> StoredAccount {
        guard other.uid != caller.account.uid else { throw Refusal.ownAccount }
        try await adopt(caller)
        return try merged(
            try await directory(of: caller).merge(
                other.uid, into: caller.account.uid, expecting: expectation, at: time.now()))
    }

    private func merged(_ decision: MergeDecision) throws -> StoredAccount {
        switch decision {
        case .merged(let account): return account
        case .providerTaken: throw Refusal.providerAlreadyLinked
        case .otherSignInMethod: throw Refusal.otherSignInMethod
        case .hasFactor:
            throw Refusal(
                .mergeNotPossible,
                "The other account has a second factor. Remove it first, or keep that account and merge this one into it.",
                isUnspent: true)
        // The caller's account was read a moment ago, so that the other one is missing.
        case .unknownAccount: throw Refusal.userMismatch
        case .refused(let refusal): throw Refusal(refusal)
        }
    }

    /// Checks that an identity belongs to the caller's account, for a reauthentication.
    ///
    /// - Parameter identity: The identity that the person has just proven.
    /// - Throws: `Refusal` or `StoreError`.
    package func confirm(_ identity: VerifiedIdentity, of caller: Caller) async throws -> Account {
        guard let holder = try await holder(of: identity, in: caller.user.tenantID),
            holder.uid == caller.account.uid
        else { throw Refusal.userMismatch }
        guard !holder.isDisabled else { throw Refusal.userDisabled }
        return caller.signedIn(by: .identity(identity))
    }

    /// Deletes the caller's account.
    ///
    /// Its uid is never assigned again.
    ///
    /// - Throws: `Refusal` or `StoreError`.
    package func remove(_ caller: Caller, expecting expectation: AccountExpectation) async throws {
        let decision = try await directory(of: caller).retire(
            uid: caller.account.uid, expecting: expectation, at: time.now())
        if case .refused(let refusal) = decision { throw Refusal(refusal) }
    }
}
