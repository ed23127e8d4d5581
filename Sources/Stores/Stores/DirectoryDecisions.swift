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
