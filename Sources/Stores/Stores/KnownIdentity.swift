package import JOSE

/// What a sign-in has to know of an identity that is linked.
package struct KnownIdentity: Sendable {
    package let uid: String
    package let isDisabled: Bool
    package let details: IdentityDetails
    package let lastUsedAt: NumericDate
    /// Whether the account has an address.
    private let hasEmail: Bool

    /// The columns of ``init(row:)``, of `identities` joined with `accounts`.
    package static let columns =
        "accounts.uid, disabled, identities.email, name, picture, COALESCE(last_used_at, created_at), "
        + "accounts.email IS NOT NULL"

    /// - Throws: ``StoreError/corrupt``.
    package init(row: some AccountRow) throws(StoreError) {
        guard let uid = row.text(0), let isDisabled = row.flag(1), let lastUsedAt = row.integer(5),
            let hasEmail = row.flag(6)
        else { throw .corrupt }
        self.init(
            uid: uid, isDisabled: isDisabled,
            details: IdentityDetails(email: row.text(2), name: row.text(3), picture: row.text(4)),
            lastUsedAt: NumericDate(lastUsedAt), hasEmail: hasEmail)
    }

    private init(
        uid: String, isDisabled: Bool, details: IdentityDetails, lastUsedAt: NumericDate, hasEmail: Bool
    ) {
        self.uid = uid
        self.isDisabled = isDisabled
        self.details = details
        self.lastUsedAt = lastUsedAt
        self.hasEmail = hasEmail
    }

    /// The answer to a sign-in; nil if ``refreshed(by:at:)`` or ``email(of:)`` has to be written first.
    package func answer(to arrival: IncomingIdentity, at now: NumericDate) -> SignInDecision? {
        if isDisabled { return .refused(.disabled) }
        return needsRefresh(by: arrival, at: now) || email(of: arrival) != nil ? nil : .signedIn(uid: uid, isNew: false)
    }

    /// The verified address that this sign-in brings to an account which has none; it becomes the account's if no other
    /// account has it.
    package func email(of arrival: IncomingIdentity) -> EmailAddress? { hasEmail ? nil : arrival.email }

    /// What is known after a sign-in: an arrival that says nothing of the person takes nothing away.
    package func refreshed(by arrival: IncomingIdentity, at now: NumericDate) -> KnownIdentity {
        KnownIdentity(
            uid: uid, isDisabled: isDisabled, details: arrival.details.isEmpty ? details : arrival.details,
            lastUsedAt: max(lastUsedAt, now), hasEmail: hasEmail)
    }

    private func needsRefresh(by arrival: IncomingIdentity, at now: NumericDate) -> Bool {
        now >= lastUsedAt + .seconds(3600) || !(arrival.details.isEmpty || arrival.details.isSame(as: details))
    }
}

extension IdentityDetails {
    fileprivate var isEmpty: Bool { email == nil && name == nil && picture == nil }

    /// Octet by octet, so that a name in another normal form is kept as it came last.
    fileprivate func isSame(as other: IdentityDetails) -> Bool {
        zip([email, name, picture], [other.email, other.name, other.picture]).allSatisfy { one, other in
            one.map { Array($0.utf8) } == other.map { Array($0.utf8) }
        }
    }
}
