package import Standards

/// One person at one provider.
///
/// Two identities are equal only if all octets are equal.
package struct ExternalIdentity: Sendable, Hashable {
    /// The ID of the provider, not empty.
    package let provider: ProviderID
    package let subject: Subject

    package init(provider: ProviderID, subject: Subject) {
        self.provider = provider
        self.subject = subject
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
