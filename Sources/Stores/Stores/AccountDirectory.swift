package import JOSE
package import Standards

/// The accounts, and the identities at providers that belong to them.
///
/// A call that changes an account checks in its transaction that the account is as expected; if not, nothing is written.
/// An operator expects nothing: `nil`.
///
/// Each call is atomic: concurrent calls have the same results as some sequential order of them. An identity belongs to
/// at most one account, and an account has at most one identity of each provider. A retired uid is never assigned
/// again. Cancelling the task undoes nothing.
package protocol AccountDirectory: Sendable {
    /// Finds the account of an identity, or makes one if the identity has none.
    ///
    /// The uid of a new account is the first of `candidates` that was never assigned before.
    ///
    /// The details from the provider are stored if they changed, otherwise at most once an hour. An account without an
    /// address takes the verified one, unless `emails` is ``EmailRule/oneAccountEach`` and another account has it.
    ///
    /// `candidates` are the uid by the rule of the deployment, if it has one, and then random ones. They are ignored for
    /// an identity that has an account, and empty if no account may be made.
    ///
    /// With ``EmailRule/oneAccountEach`` a new identity whose verified address belongs to another account makes no
    /// account.
    ///
    /// - Throws: ``StoreError/noFreeUID`` if every candidate belongs or belonged to an account, or if a new account
    ///   needs a candidate and there is none.
    func signIn(
        _ arrival: IncomingIdentity, candidates: [UID], emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> SignInDecision

    /// Makes an account without identities.
    ///
    /// ``AccountAdministration/sweepAnonymous(_:at:)`` retires the account after `deleteAfter`, unless it is
    /// linked before.
    ///
    /// - Returns: The uid, the first of `candidates` that was never assigned before.
    func makeAnonymous(
        candidates: [UID], deleteAfter: NumericDate?, at now: NumericDate
    ) async throws(StoreError) -> UID

    /// Finds the account of a caller with a Firebase ID token.
    ///
    /// If the user has gained another sign-in method at Firebase, the account becomes permanent and the name of the
    /// method is stored.
    ///
    /// An unknown user was made by Firebase itself or by another server. The directory adopts it, as an account with
    /// another sign-in method unless Firebase calls it anonymous. The account takes the verified address if no other
    /// account has it.
    func account(of bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup

    /// Finds the account of a caller as the method that adopts does, and adopts no user.
    ///
    /// - Returns: ``CallerLookup/unknown(_:)`` for an unknown user.
    func find(_ bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup

    /// The account that holds an identity.
    func account(of identity: ExternalIdentity) async throws(StoreError) -> StoredAccount?

    /// Links an identity to an account that has no identity of the same provider.
    ///
    /// An anonymous account becomes permanent. An account without a verified address takes that of `arrival` if no
    /// other account has it.
    func link(
        _ arrival: IncomingIdentity, to uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision

    /// Unlinks an identity from an account. The account also loses its address if only this identity brought it.
    ///
    /// The next sign-in with the identity makes a new account.
    func unlink(
        provider: ProviderID, from uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision

    /// Moves all identities of one account to another, and retires the emptied one.
    ///
    /// The remaining account becomes permanent, unless both are anonymous. If it has no address, it takes the address of
    /// the retired one.
    func merge(
        _ uid: UID, into other: UID, expecting expectation: MergeExpectation?, at now: NumericDate
    ) async throws(StoreError) -> MergeDecision

    /// Removes an account and its identities, and reserves its uid forever, so that it is never assigned again.
    ///
    /// The uid is reserved even if no account had it. The identities become unknown: the next sign-in makes a new
    /// account.
    func retire(
        uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> RetireDecision

    /// Returns the reason why an account is not as expected, or `nil` if it is, and changes nothing.
    ///
    /// Only calls that cannot be part of a transaction of the store need it, such as those to Firebase.
    func refusal(of expectation: AccountExpectation) async throws(StoreError) -> AccountRefusal?

    /// Returns the directory of the users of a tenant; `nil` means users outside any tenant.
    ///
    /// A directory whose accounts are the same for all tenants returns itself.
    func of(tenantID: String?) -> any AccountDirectory
}

extension AccountDirectory {
    package func of(tenantID: String?) -> any AccountDirectory { self }

    /// Links an identity, whatever the account is.
    package func link(
        _ arrival: IncomingIdentity, to uid: UID, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision {
        try await link(arrival, to: uid, expecting: nil, at: now)
    }

    /// Unlinks an identity, whatever the account is.
    package func unlink(
        provider: ProviderID, from uid: UID, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision {
        try await unlink(provider: provider, from: uid, expecting: nil, at: now)
    }

    /// Merges two accounts, whatever they are.
    package func merge(
        _ uid: UID, into other: UID, at now: NumericDate
    ) async throws(StoreError) -> MergeDecision {
        try await merge(uid, into: other, expecting: nil, at: now)
    }

    /// Removes an account, whatever it is.
    ///
    /// - Returns: Whether the account existed.
    package func retire(uid: UID, at now: NumericDate) async throws(StoreError) -> Bool {
        try await retire(uid: uid, expecting: nil, at: now) == .retired(existed: true)
    }
}

/// Whether several accounts may have one verified address.
package enum EmailRule: Sendable, Equatable {
    case oneAccountEach
    case shared
}

package enum SignInDecision: Sendable, Equatable {
    /// `emailHeldBy` lists the accounts that already have the verified address of this sign-in, if its account has
    /// none. Nothing was linked, and the account still has no address.
    ///
    /// `hasFactor` is `nil` if the directory does not know whether the account has a confirmed second factor.
    case signedIn(uid: UID, isNew: Bool, emailHeldBy: [UID] = [], hasFactor: Bool? = nil)
    /// The verified address already belongs to these accounts. Nothing was written.
    case emailTaken(by: [StoredAccount])
    case refused(AccountRefusal)
}

/// The account of a caller with a Firebase ID token.
package enum CallerLookup: Sendable, Equatable {
    case account(StoredAccount)
    /// The directory has no account of the caller. The account is as the caller describes it.
    case unknown(StoredAccount)
    /// The account was deleted, or merged into another one. Its tokens must be refused.
    case retired
}

package enum LinkDecision: Sendable, Equatable {
    /// The identity is linked, by this call or an earlier one.
    case linked(StoredAccount)
    /// The identity belongs to another account.
    case identityTaken(by: StoredAccount)
    /// The account has another identity of that provider.
    case providerTaken
    case unknownAccount
    case refused(AccountRefusal)
}

package enum UnlinkDecision: Sendable, Equatable {
    case unlinked(StoredAccount)
    case notLinked
    /// The account would have no identity left to sign in with.
    case lastIdentity
    case unknownAccount
    case refused(AccountRefusal)
}

/// The outcome of merging.
package enum MergeDecision: Sendable, Equatable {
    /// The remaining account, with all identities.
    case merged(StoredAccount)
    /// Both accounts have an identity of the same provider. Nothing was changed.
    case providerTaken
    /// The account that would be removed has another sign-in method, which cannot be moved.
    case otherSignInMethod
    /// The account that would be removed has a second factor, which would be lost.
    case hasFactor
    /// One of the accounts does not exist, or both uids are the same.
    case unknownAccount
    case refused(AccountRefusal)
}

/// The outcome of removing an account.
package enum RetireDecision: Sendable, Equatable {
    case retired(existed: Bool)
    case refused(AccountRefusal)
}

/// The reason why an existing account must not be used.
package enum AccountRefusal: String, Sendable, Equatable {
    case disabled
    /// Signing in with a custom token would bypass the second factor.
    case secondFactorEnrolled = "second_factor_enrolled"
    /// The account has a second factor of this server, which the caller has not proven.
    case factorNotProven = "factor_not_proven"
    /// The account no longer has the identity that the caller has proven.
    case identityLost = "identity_lost"
    /// The account was deleted or merged into another one.
    case retired
}
