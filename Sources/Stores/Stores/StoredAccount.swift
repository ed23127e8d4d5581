package import JOSE

/// All that the directory knows of one account.
package struct StoredAccount: Sendable, Equatable {
    package let uid: String
    package let createdAt: NumericDate
    package var isAnonymous = false
    /// When an anonymous account goes; nil for one that stays.
    package var deleteAfter: NumericDate?
    /// Made by Firebase or another server, and first seen here as a bearer: never swept.
    package var isAdopted = false
    /// Its person signs in by something besides the identities here, such as a password.
    package var hasOtherWayIn = false
    /// What that something is called, as far as it is known.
    package var waysIn = WaysIn()
    package var isDisabled = false
    package var email: EmailAddress?
    /// In the order of the providers' octets; one at most of each provider.
    package var identities: [StoredIdentity] = []

    package init(uid: String, createdAt: NumericDate) {
        self.uid = uid
        self.createdAt = createdAt
    }
}

/// An identity that is linked to an account.
package struct StoredIdentity: Sendable, Equatable {
    package let identity: ExternalIdentity
    /// Of the last sign-in that brought any.
    package let details: IdentityDetails
    package let linkedAt: NumericDate
    /// Exact to the hour, so that not every sign-in has to write.
    package let lastUsedAt: NumericDate

    package init(
        identity: ExternalIdentity, details: IdentityDetails, linkedAt: NumericDate, lastUsedAt: NumericDate
    ) {
        self.identity = identity
        self.details = details
        self.linkedAt = linkedAt
        self.lastUsedAt = lastUsedAt
    }
}

/// What every store makes, and refuses, alike.
extension StoredAccount {
    /// The account that a first sign-in makes, without its identity.
    package init(uid: String, of arrival: IncomingIdentity, at now: NumericDate) {
        self.init(uid: uid, createdAt: now)
        email = arrival.email
    }

    /// An account without identities.
    package init(uid: String, anonymousUntil end: NumericDate?, at now: NumericDate) {
        self.init(uid: uid, createdAt: now)
        isAnonymous = true
        deleteAfter = end
    }

    /// The account of a bearer who was made elsewhere.
    package init(adopting bearer: FirebaseCaller, at now: NumericDate) {
        self.init(uid: bearer.uid, createdAt: now)
        isAnonymous = bearer.isAnonymous
        isAdopted = true
        hasOtherWayIn = !bearer.isAnonymous
        // A custom token that is not ours is the only other thing that makes such a bearer.
        waysIn = bearer.isAnonymous || !bearer.waysIn.isEmpty ? bearer.waysIn : ["custom"]
        email = bearer.email
    }

    /// The account with what its person has got at Firebase itself since.
    ///
    /// - Returns: nil if all of it is known already.
    package func outgrown(by bearer: FirebaseCaller) -> StoredAccount? {
        var account = self
        account.waysIn = waysIn.union(bearer.waysIn)
        let isUpgraded = isAnonymous && (bearer.hasIdentity || isAdopted && !bearer.isAnonymous)
        if isUpgraded || !bearer.waysIn.isEmpty {
            account.isAnonymous = false
            account.deleteAfter = nil
            account.hasOtherWayIn = true
        }
        // An address of its own is what an anonymous user gets with a password, or with a link that is sent there.
        if isUpgraded, account.waysIn.isEmpty { account.waysIn = bearer.hasIdentity ? ["password"] : ["custom"] }
        return account == self ? nil : account
    }

    package func has(provider: String) -> Bool {
        identities.contains { $0.identity.provider.utf8.elementsEqual(provider.utf8) }
    }

    /// Why an identity may not be taken from it; nil where it may.
    package func refusalToUnlink(provider: String) -> UnlinkDecision? {
        guard has(provider: provider) else { return .notLinked }
        return identities.count == 1 && !hasOtherWayIn ? .lastIdentity : nil
    }

    /// Whether the account's address also belongs to something that stays: another identity, or another way in.
    ///
    /// An address that leaves with its identity must not stop the next sign-in by that identity from making an account.
    package func keepsEmail(without provider: String) -> Bool {
        guard let email, !hasOtherWayIn else { return true }
        let (leaving, staying) = (
            identities.filter { $0.identity.provider.utf8.elementsEqual(provider.utf8) },
            identities.filter { !$0.identity.provider.utf8.elementsEqual(provider.utf8) }
        )
        func has(_ identity: StoredIdentity) -> Bool { identity.details.email.flatMap { EmailAddress($0) } == email }
        return !leaving.contains(where: has) || staying.contains(where: has)
    }

    /// Why its identities may not go to another account; nil where they may.
    package func refusalToMerge(into other: StoredAccount) -> MergeDecision? {
        if isDisabled || other.isDisabled { return .refused(.disabled) }
        if hasOtherWayIn { return .otherWayIn }
        return identities.contains { other.has(provider: $0.identity.provider) } ? .providerTaken : nil
    }
}

extension StoredIdentity {
    /// An identity that is linked now.
    package init(_ arrival: IncomingIdentity, at now: NumericDate) {
        self.init(identity: arrival.identity, details: arrival.details, linkedAt: now, lastUsedAt: now)
    }
}
