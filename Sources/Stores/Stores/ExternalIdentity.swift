/// One person at one provider.
///
/// Two are equal only when they agree in every byte: providers promise nothing about letter case, white space or Unicode
/// normalisation, and Swift's own equality of strings would take two people for one.
package struct ExternalIdentity: Sendable {
    /// Not empty.
    package let provider: String
    /// As the provider wrote it, not empty.
    package let subject: String

    package init(provider: String, subject: String) {
        self.provider = provider
        self.subject = subject
    }
}

extension ExternalIdentity: Hashable {
    package static func == (one: Self, other: Self) -> Bool {
        one.provider.utf8.elementsEqual(other.provider.utf8)
            && one.subject.utf8.elementsEqual(other.subject.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        // 0xFF stands nowhere in UTF-8, so it ends the provider.
        for byte in provider.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
        for byte in subject.utf8 { hasher.combine(byte) }
    }
}

/// What a provider says of a person, kept for people to read; nothing is decided by it.
package struct IdentityDetails: Sendable, Equatable {
    /// Verified or not.
    package var email: String?
    package var name: String?
    package var picture: String?

    package init(email: String? = nil, name: String? = nil, picture: String? = nil) {
        self.email = email
        self.name = name
        self.picture = picture
    }
}

/// A person who comes in by a provider, as that provider describes them.
package struct IncomingIdentity: Sendable, Equatable {
    package let identity: ExternalIdentity
    package let details: IdentityDetails
    /// Only a verified one.
    package let email: EmailAddress?

    package init(identity: ExternalIdentity, details: IdentityDetails, email: EmailAddress?) {
        self.identity = identity
        self.details = details
        self.email = email
    }
}
