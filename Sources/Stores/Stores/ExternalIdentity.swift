internal import JOSE

/// One person at one provider.
///
/// Two identities are equal only if all octets are equal. Providers guarantee nothing about letter case, white space or
/// Unicode normalization, and Swift's equality of strings would confuse two people.
package struct ExternalIdentity: Sendable {
    /// The ID of the provider, not empty.
    package let provider: String
    /// The subject as the provider wrote it, not empty.
    package let subject: String

    package init(provider: String, subject: String) {
        self.provider = provider
        self.subject = subject
    }
}

extension ExternalIdentity: Hashable {
    package static func == (one: Self, other: Self) -> Bool {
        one.provider.exactlyEquals(other.provider)
            && one.subject.exactlyEquals(other.subject)
    }

    package func hash(into hasher: inout Hasher) {
        // UTF-8 never contains 0xFF, so it separates provider and subject.
        for byte in provider.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
        for byte in subject.utf8 { hasher.combine(byte) }
    }
}

/// Details from the provider, stored for display.
///
/// Only one decision uses them: ``StoredAccount/keepsEmail(without:)`` compares the address.
package struct IdentityDetails: Sendable, Equatable {
    /// The e-mail address, verified or not.
    package var email: String?
    package var name: String?
    package var picture: String?

    package init(email: String? = nil, name: String? = nil, picture: String? = nil) {
        self.email = email
        self.name = name
        self.picture = picture
    }
}

/// The identity and details of a user who signs in, as the provider reports them.
package struct IncomingIdentity: Sendable, Equatable {
    package let identity: ExternalIdentity
    package let details: IdentityDetails
    /// The e-mail address, only if it is verified.
    package let email: EmailAddress?

    package init(identity: ExternalIdentity, details: IdentityDetails, email: EmailAddress?) {
        self.identity = identity
        self.details = details
        self.email = email
    }
}
