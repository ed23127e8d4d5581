package import Standards

/// What a call expects of an account.
///
/// A flow checks an account before it asks hooks, providers and Firebase. The account may change until the call writes,
/// so that the expectation travels into the transaction, and is part of the condition of the write.
package struct AccountExpectation: Sendable, Equatable {
    /// The uid, or the name of the account in a store of several tenants (``TenantName``).
    package let uid: UID
    /// The account, as the tables of second factors name it.
    package let holder: FactorHolder
    /// Whether the caller has proven a second factor.
    ///
    /// If not, the account must have none that is confirmed.
    package let provesFactor: Bool
    /// An identity that the account must still have, because the caller has proven it; `nil` for none.
    package let identity: ExternalIdentity?

    package init(
        uid: UID, holder: FactorHolder, provesFactor: Bool, identity: ExternalIdentity? = nil
    ) {
        self.uid = uid
        self.holder = holder
        self.provesFactor = provesFactor
        self.identity = identity
    }

    package func holding(_ identity: ExternalIdentity) -> Self {
        Self(uid: uid, holder: holder, provesFactor: provesFactor, identity: identity)
    }
}

/// What a merge expects of its two accounts.
package struct MergeExpectation: Sendable, Equatable {
    /// The account that is removed.
    package let going: AccountExpectation
    /// The account that gets the identities.
    package let staying: AccountExpectation

    package init(going: AccountExpectation, staying: AccountExpectation) {
        self.going = going
        self.staying = staying
    }
}

extension MergeDecision {
    /// The decision if the account that would be removed is not as expected.
    package init(ofGoing refusal: AccountRefusal) {
        self = refusal == .factorNotProven ? .hasFactor : .refused(refusal)
    }
}

/// The rules that are the same for all stores.
extension AccountExpectation {
    /// Returns the reason why an account must not be changed.
    ///
    /// - Parameters:
    ///   - hasFactor: Whether the account has a confirmed factor.
    ///   - hasIdentity: Whether the account has ``identity``; not used if that is `nil`.
    /// - Returns: The reason; `nil` if the account is as expected.
    package func refusal(hasFactor: Bool, hasIdentity: Bool) -> AccountRefusal? {
        if identity != nil, !hasIdentity { return .identityLost }
        return hasFactor && !provesFactor ? .factorNotProven : nil
    }
}
