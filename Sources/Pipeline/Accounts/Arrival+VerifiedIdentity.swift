internal import OAuth
internal import Providers
internal import Stores
internal import Verification

extension Arrival {
    /// What the directory is told of a person who has proven who they are.
    ///
    /// An address that nobody verified is shown to people, and nothing else.
    init(_ identity: VerifiedIdentity) {
        let profile = identity.profile
        self.init(
            identity: ExternalIdentity(identity),
            details: IdentityDetails(email: profile.email, name: profile.name, picture: profile.picture),
            email: profile.isEmailVerified == true ? profile.email.flatMap { EmailAddress($0) } : nil)
    }
}

extension ExternalIdentity {
    init(_ identity: VerifiedIdentity) {
        self.init(provider: identity.provider.text, subject: identity.subject)
    }
}
