package import JOSE

/// What every store makes, and refuses, alike.
extension StoredAccount {
    /// The account that a first sign-in makes, without its identity.
    package init(uid: String, of arrival: Arrival, at now: NumericDate) {
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
    package init(adopting bearer: Bearer, at now: NumericDate) {
        self.init(uid: bearer.uid, createdAt: now)
        isAnonymous = bearer.isAnonymous
        isAdopted = true
        hasOtherWayIn = !bearer.isAnonymous
        email = bearer.email
    }

    /// Whether its person has got another way in since, at Firebase itself.
    package func isOutgrown(by bearer: Bearer) -> Bool {
        !hasOtherWayIn && (bearer.hasOtherWayIn || isAdopted && isAnonymous && !bearer.isAnonymous)
    }

    package func has(provider: String) -> Bool {
        identities.contains { $0.identity.provider.utf8.elementsEqual(provider.utf8) }
    }

    /// Why an identity may not be taken from it; nil where it may.
    package func refusalToUnlink(provider: String) -> UnlinkDecision? {
        guard has(provider: provider) else { return .notLinked }
        return identities.count == 1 && !hasOtherWayIn ? .lastIdentity : nil
    }

    /// Whether its address is somebody's besides the identity that leaves: another identity's, or what the person signs in
    /// by elsewhere.
    ///
    /// An address that left with its identity must not keep the person of it from an account of their own.
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
    package init(_ arrival: Arrival, at now: NumericDate) {
        self.init(identity: arrival.identity, details: arrival.details, linkedAt: now, lastUsedAt: now)
    }
}
