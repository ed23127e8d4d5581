package import JOSE

/// Which person at a provider is which person here.
///
/// Each question is one step: of any number of callers at once each is answered as if they had come one after another.
/// An identity is at one account at most, and an account has one identity of each provider at most. A uid that was ever
/// retired is never given again. Cancelling the task undoes nothing.
package protocol AccountDirectory: Sendable {
    /// Finds the account of an identity; where it has none, the first of `candidates` that was never given before
    /// becomes its uid.
    ///
    /// What the provider now says of a known person is kept, at most once an hour unless it differs. A verified address
    /// becomes that of an account without one, unless `emails` gives each address to one account and another has it.
    ///
    /// - `candidates`: uids, random enough that one will do. Not looked at for an identity that has an account; empty
    ///   if no account may be made.
    /// - `emails`: with ``EmailRule/oneAccountEach`` a new identity whose verified address is another account's makes
    ///   no account.
    /// - Throws: ``StoreError/noFreeUID`` if each candidate is an account's, or was.
    func signIn(
        _ arrival: IncomingIdentity, candidates: [String], emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> SignInDecision

    /// Makes an account without identities.
    ///
    /// - `deleteAfter`: from when on ``AccountAdministration/sweepAnonymous(at:atMost:)`` takes it, unless it is linked
    ///   before.
    /// - Returns: its uid, the first of `candidates` that was never given before.
    func makeAnonymous(
        candidates: [String], deleteAfter: NumericDate?, at now: NumericDate
    ) async throws(StoreError) -> String

    /// The account of a bearer.
    ///
    /// One that has got another way in since is permanent from then on, and what the way is called is remembered.
    ///
    /// One that is not known here was made by Firebase itself or by others: it is adopted, as one with another way in
    /// unless it is anonymous there. Its verified address becomes the account's, if no other account has it.
    func account(of bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup

    /// The account that holds an identity.
    func account(of identity: ExternalIdentity) async throws(StoreError) -> StoredAccount?

    /// Joins an identity to an account that has none of its provider.
    ///
    /// An anonymous account is permanent from then on. An account without a verified address takes the arrival's, where
    /// no other account has it.
    func link(_ arrival: IncomingIdentity, to uid: String, at now: NumericDate) async throws(StoreError) -> LinkDecision

    /// Takes an identity from an account, and its address with it where that is no other identity's.
    ///
    /// The next sign-in by it makes a new account.
    func unlink(
        provider: String, from uid: String, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision

    /// Moves all identities of one account to another, and retires the emptied one.
    ///
    /// The account that stays is permanent from then on.
    func merge(_ uid: String, into other: String, at now: NumericDate) async throws(StoreError) -> MergeDecision

    /// Removes an account and its identities, and keeps its uid for good, so that it is never given again.
    ///
    /// The uid is kept whether or not it was an account's. Its identities become unknown: the next sign-in makes a new
    /// account.
    ///
    /// - Returns: whether there was such an account.
    func retire(uid: String, at now: NumericDate) async throws(StoreError) -> Bool
}

/// Whether several accounts may have one verified address.
package enum EmailRule: Sendable, Equatable {
    case oneAccountEach
    case shared
}

/// What came of a sign-in.
package enum SignInDecision: Sendable, Equatable {
    /// - emailHeldBy: the accounts that have the verified address which this sign-in brought to an account without one.
    ///   Nothing was joined, and the account has no address still.
    case signedIn(uid: String, isNew: Bool, emailHeldBy: [String] = [])
    /// The verified address belongs to these accounts already; nothing was written.
    case emailTaken(by: [StoredAccount])
    case refused(AccountRefusal)
}

/// What became of a bearer.
package enum CallerLookup: Sendable, Equatable {
    case account(StoredAccount)
    /// Deleted, or merged into another: a token of it is worth nothing.
    case retired
}

/// What came of linking.
package enum LinkDecision: Sendable, Equatable {
    /// Now, or before.
    case linked(StoredAccount)
    /// The identity is another account's.
    case identityTaken(by: StoredAccount)
    /// The account has another identity of that provider.
    case providerTaken
    case unknownAccount
    case refused(AccountRefusal)
}

/// What came of unlinking.
package enum UnlinkDecision: Sendable, Equatable {
    case unlinked(StoredAccount)
    case notLinked
    /// No identity would be left to sign in by.
    case lastIdentity
    case unknownAccount
}

/// What came of merging.
package enum MergeDecision: Sendable, Equatable {
    /// The account that stays, with all identities.
    case merged(StoredAccount)
    /// Both have an identity of one provider; nothing was changed.
    case providerTaken
    /// The account that would go can be entered by something that cannot be moved.
    case otherWayIn
    case unknownAccount
    case refused(AccountRefusal)
}

/// Why an account that exists is not to be used.
package enum AccountRefusal: String, Sendable, Equatable {
    case disabled
    /// A custom token would pass by the second factor.
    case secondFactorEnrolled = "second_factor_enrolled"
}
