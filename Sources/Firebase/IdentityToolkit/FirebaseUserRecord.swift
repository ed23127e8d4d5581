package import JOSE
package import OAuth
package import Stores

/// A user, as Identity Toolkit describes them.
package struct FirebaseUserRecord: Sendable, Equatable {
    package let uid: String
    package let email: String?
    package let isEmailVerified: Bool
    package let name: String?
    package let picture: String?
    package let isDisabled: Bool
    package let providers: [LinkedProvider]
    /// Sessions that began before it are over.
    package let validSince: NumericDate?
    package let createdAt: NumericDate?
    package let hasSecondFactor: Bool
    package let hasPassword: Bool
    package let hasPhone: Bool
    /// They came in by a custom token at some time.
    package let isCustom: Bool

    /// One of the ways in, a provider of identities for the most part; `password` and `phone` stand here too.
    package struct LinkedProvider: Sendable, Equatable {
        package let id: ProviderID
        /// The provider's subject.
        package let rawID: String?
        package let details: IdentityDetails

        /// Nil where Firebase does not say whose it is.
        var identity: ExternalIdentity? {
            guard let rawID, !rawID.isEmpty, !id.text.isEmpty else { return nil }
            return ExternalIdentity(provider: id.text, subject: rawID)
        }
    }

    package var verifiedEmail: EmailAddress? { isEmailVerified ? email.flatMap { EmailAddress($0) } : nil }

    /// All by which this user can come in; none for an anonymous one.
    package var waysIn: Set<ProviderID> {
        var ways = Set(providers.map(\.id))
        if hasPassword { ways.insert(.password) }
        if hasPhone { ways.insert(ProviderID("phone")) }
        return ways
    }

    /// Whether anything is known by which this person could be told from others; false for an anonymous user.
    ///
    /// An address counts without a password: a link that is sent there is a way in.
    package var hasIdentity: Bool { !waysIn.isEmpty || email != nil }

    /// The user as a directory is told of them: Identity Toolkit's word, and not a token's.
    package var bearer: FirebaseCaller {
        FirebaseCaller(
            uid: uid, isAnonymous: !hasIdentity && !isCustom, email: verifiedEmail,
            waysIn: WaysIn(waysIn.map(\.text)), hasIdentity: hasIdentity)
    }

    /// Swift's own equality would take two uids for one.
    func hasUID(_ uid: String) -> Bool { self.uid.utf8.elementsEqual(uid.utf8) }

    func holds(_ identity: ExternalIdentity) -> Bool { providers.contains { $0.identity == identity } }
}

extension ProviderID {
    /// What Firebase calls a sign-in with an address and a password, or with a link that was sent to the address.
    static let password = ProviderID("password")
}
