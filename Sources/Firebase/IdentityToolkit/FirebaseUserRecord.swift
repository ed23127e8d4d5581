package import JOSE
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
        package let id: String
        /// The provider's subject.
        package let rawID: String?
        package let details: IdentityDetails

        /// Nil where Firebase does not say whose it is.
        var identity: ExternalIdentity? {
            guard let rawID, !rawID.isEmpty, !id.isEmpty else { return nil }
            return ExternalIdentity(provider: id, subject: rawID)
        }
    }

    package var verifiedEmail: EmailAddress? { isEmailVerified ? email.flatMap { EmailAddress($0) } : nil }

    /// All by which this user can come in; none for an anonymous one.
    package var waysIn: Set<String> {
        var ways = Set(providers.map(\.id))
        if hasPassword { ways.insert("password") }
        if hasPhone { ways.insert("phone") }
        return ways
    }

    /// Swift's own equality would take two uids for one.
    func hasUID(_ uid: String) -> Bool { self.uid.utf8.elementsEqual(uid.utf8) }

    func holds(_ identity: ExternalIdentity) -> Bool { providers.contains { $0.identity == identity } }
}
