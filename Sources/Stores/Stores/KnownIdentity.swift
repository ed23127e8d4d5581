package import JOSE
package import Standards

/// A linked identity and its account, as the store finds them when it spends a credential.
///
/// Most sign-ins need nothing else: ``answer(to:at:)`` decides whether the directory has to write.
package struct KnownIdentity: Sendable {
    package let uid: UID
    package let isDisabled: Bool
    package let details: IdentityDetails
    package let lastUsedAt: NumericDate
    /// Whether the account has an address.
    private let hasEmail: Bool
    /// Whether the account has a confirmed second factor.
    private let hasFactor: Bool

    package init(
        uid: UID, isDisabled: Bool, details: IdentityDetails, lastUsedAt: NumericDate, hasEmail: Bool,
        hasFactor: Bool
    ) {
        self.uid = uid
        self.isDisabled = isDisabled
        self.details = details
        self.lastUsedAt = lastUsedAt
        self.hasEmail = hasEmail
        self.hasFactor = hasFactor
    }

    /// The outcome of a sign-in, or `nil` if ``refreshed(by:at:)`` or ``email(of:)`` has to be written first.
    package func answer(to arrival: IncomingIdentity, at now: NumericDate) -> SignInDecision? {
        if isDisabled { return .refused(.disabled) }
        return needsRefresh(by: arrival, at: now) || email(of: arrival) != nil ? nil : signedIn()
    }

    /// Returns the outcome of a sign-in after everything was written.
    ///
    /// - Parameter holders: The accounts that have the verified address of the sign-in.
    package func signedIn(emailHeldBy holders: [UID] = []) -> SignInDecision {
        .signedIn(uid: uid, isNew: false, emailHeldBy: holders, hasFactor: hasFactor)
    }

    /// The verified address of this sign-in if the account has none.
    ///
    /// The account takes it if no other account has it.
    package func email(of arrival: IncomingIdentity) -> EmailAddress? { hasEmail ? nil : arrival.email }

    /// The identity after a sign-in.
    package func refreshed(by arrival: IncomingIdentity, at now: NumericDate) -> KnownIdentity {
        KnownIdentity(
            uid: uid, isDisabled: isDisabled, details: details.updated(by: arrival.details),
            lastUsedAt: max(lastUsedAt, now), hasEmail: hasEmail, hasFactor: hasFactor)
    }

    private func needsRefresh(by arrival: IncomingIdentity, at now: NumericDate) -> Bool {
        now >= lastUsedAt + .seconds(3600) || !details.updated(by: arrival.details).isSame(as: details)
    }
}

extension IdentityDetails {
    /// The details after a sign-in, which need not have each part: Apple sends the name only the first time.
    fileprivate func updated(by later: IdentityDetails) -> IdentityDetails {
        IdentityDetails(email: later.email ?? email, name: later.name ?? name, picture: later.picture ?? picture)
    }

    /// Compares octets, so that a name in another Unicode normal form counts as changed.
    fileprivate func isSame(as other: IdentityDetails) -> Bool {
        zip([email, name, picture], [other.email, other.name, other.picture]).allSatisfy { one, other in
            guard let one, let other else { return one == nil && other == nil }
            return one.exactlyEquals(other)
        }
    }
}
