package import JOSE
package import Standards

/// One account with its identities.
package struct StoredAccount: Sendable, Equatable {
    package var uid: UID
    package let createdAt: NumericDate
    package var isAnonymous = false
    /// The time after which an anonymous account is deleted, or the row of an adopted one is dropped; `nil` for never.
    package var deleteAfter: NumericDate?
    /// Whether Firebase or another server made the account, and it was first seen here with an ID token.
    ///
    /// It is never deleted here because of its age. Its row is dropped after a day if it has got no identity.
    package var isAdopted = false
    /// Whether the user has a sign-in method besides the identities here, such as a password.
    package var hasOtherSignInMethod = false
    /// The known names of the other sign-in methods.
    package var signInMethods = SignInMethods()
    package var isDisabled = false
    package var email: EmailAddress?
    /// The identities, at most one of each provider, in the order of the providers' octets.
    package var identities: [StoredIdentity] = []

    package init(uid: UID, createdAt: NumericDate) {
        self.uid = uid
        self.createdAt = createdAt
    }
}

/// An identity that is linked to an account.
package struct StoredIdentity: Sendable, Equatable {
    package var identity: ExternalIdentity
    /// The details of the last sign-in that had any.
    package var details: IdentityDetails
    package let linkedAt: NumericDate
    /// The last use with a precision of one hour, so that most sign-ins need no write.
    package var lastUsedAt: NumericDate

    package init(
        identity: ExternalIdentity, details: IdentityDetails, linkedAt: NumericDate, lastUsedAt: NumericDate
    ) {
        self.identity = identity
        self.details = details
        self.linkedAt = linkedAt
        self.lastUsedAt = lastUsedAt
    }
}

/// The rules that are the same for all stores.
extension StoredAccount {
    /// The account that a first sign-in makes, without its identity.
    package init(uid: UID, of arrival: IncomingIdentity, at now: NumericDate) {
        self.init(uid: uid, createdAt: now)
        email = arrival.email
    }

    /// An account without identities.
    package init(uid: UID, anonymousUntil end: NumericDate?, at now: NumericDate) {
        self.init(uid: uid, createdAt: now)
        isAnonymous = true
        deleteAfter = end
    }

    /// The account of a Firebase user that was made elsewhere.
    package init(adopting bearer: FirebaseCaller, at now: NumericDate) {
        self.init(uid: bearer.uid, createdAt: now)
        isAnonymous = bearer.isAnonymous
        isAdopted = true
        deleteAfter = now + Self.adoptionTime
        hasOtherSignInMethod = !bearer.isAnonymous
        // Without a known method, the user can only have signed in with a custom token of another issuer.
        signInMethods = bearer.isAnonymous || !bearer.signInMethods.isEmpty ? bearer.signInMethods : ["custom"]
        email = bearer.email
    }

    /// The time in which an adopted account gets its first identity, longer than any call takes.
    private static let adoptionTime = Duration.seconds(86400)

    /// The account with the sign-in methods that the user has gained at Firebase itself.
    ///
    /// - Returns: `nil` if nothing has changed.
    package func outgrown(by bearer: FirebaseCaller) -> StoredAccount? {
        var account = self
        account.signInMethods = signInMethods.union(bearer.signInMethods)
        let isUpgraded = isAnonymous && (bearer.hasIdentity || isAdopted && !bearer.isAnonymous)
        if isUpgraded || !bearer.signInMethods.isEmpty {
            account.isAnonymous = false
            if !isAdopted { account.deleteAfter = nil }
            account.hasOtherSignInMethod = true
        }
        // Firebase named no method. An anonymous user gains an address there by adding a password or an e-mail link;
        // without an identity, the user can only have signed in with a custom token of another issuer.
        if isUpgraded, account.signInMethods.isEmpty {
            account.signInMethods = bearer.hasIdentity ? ["password"] : ["custom"]
        }
        return account == self ? nil : account
    }

    package func has(provider: ProviderID) -> Bool {
        identities.contains { $0.identity.provider == provider }
    }

    /// The reason why an identity cannot be unlinked, or `nil` if it can.
    package func refusalToUnlink(provider: ProviderID) -> UnlinkDecision? {
        guard has(provider: provider) else { return .notLinked }
        return identities.count == 1 && !hasOtherSignInMethod ? .lastIdentity : nil
    }

    /// Whether the account keeps its address if the identity of a provider is unlinked.
    ///
    /// The account loses the address if only that identity brought it. The address would otherwise prevent the next
    /// sign-in with the unlinked identity from making an account.
    package func keepsEmail(without provider: ProviderID) -> Bool {
        guard let email, !hasOtherSignInMethod else { return true }
        let (leaving, staying) = (
            identities.filter { $0.identity.provider == provider },
            identities.filter { $0.identity.provider != provider }
        )
        let tenant = TenantName.split(uid.text).tenant
        func has(_ identity: StoredIdentity) -> Bool {
            identity.details.email.flatMap { EmailAddress($0) }.flatMap(tenant.stored) == email
        }
        return !leaving.contains(where: has) || staying.contains(where: has)
    }

    /// The reason why the identities cannot be moved to another account, or `nil` if they can.
    package func refusalToMerge(into other: StoredAccount) -> MergeDecision? {
        if isDisabled || other.isDisabled { return .refused(.disabled) }
        if hasOtherSignInMethod { return .otherSignInMethod }
        return identities.contains { other.has(provider: $0.identity.provider) } ? .providerTaken : nil
    }
}

extension StoredIdentity {
    /// An identity that is linked now.
    package init(_ arrival: IncomingIdentity, at now: NumericDate) {
        self.init(identity: arrival.identity, details: arrival.details, linkedAt: now, lastUsedAt: now)
    }
}
