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
