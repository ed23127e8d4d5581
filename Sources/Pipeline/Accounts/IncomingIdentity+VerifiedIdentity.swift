internal import OAuth
internal import Providers
internal import Stores
internal import Verification

extension IncomingIdentity {
    /// What the directory is told of a person who has proven who they are.
    ///
    /// An address that was not verified is shown to people, and nothing else. A part of a profile does not replace what
    /// was kept of the whole one.
    init(_ identity: VerifiedIdentity) {
        let profile = identity.profile
        self.init(
            identity: ExternalIdentity(identity),
            details: identity.isProfileWhole
                ? IdentityDetails(email: profile.email, name: profile.name, picture: profile.picture)
                : IdentityDetails(),
            email: profile.isEmailVerified == true ? profile.email.flatMap { EmailAddress($0) } : nil)
    }
}

extension ExternalIdentity {
    init(_ identity: VerifiedIdentity) {
        self.init(provider: identity.provider.text, subject: identity.subject)
    }
}
