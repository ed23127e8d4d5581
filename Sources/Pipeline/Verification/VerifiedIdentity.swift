package import JOSE
package import OAuth
package import Providers
package import Stores

/// A person at a provider, proven by a credential that was issued to this server's client, is fresh, and was unused.
///
/// Only this target makes one: the memberwise initializer is internal. A value of this type therefore is the proof.
package struct VerifiedIdentity: Sendable {
    package let provider: ProviderID
    /// The provider's identifier of the person: Yahoo's `sub`, X's numeric id.
    ///
    /// It is never an e-mail address or a screen name, which can change hands.
    package let subject: String
    package let profile: Profile
    let profileState: ProfileState
    /// Why the provider refuses a part of the profile permanently, until an operator changes the registration.
    package let profileRefusal: ProviderFailure?
    package let audienceProof: AudienceProof
    /// The time of the person's login at the provider; `nil` if the provider does not send it.
    package let authenticatedAt: NumericDate?
    /// The provider's tokens, for applications that the configuration allows to have them.
    package let tokens: ReturnedTokens
    /// The spent records that may be given back as long as no token was issued.
    ///
    /// It is empty if the provider has spent the credential as well.
    package let returnable: [SpentRecord]
    /// The account that had the identity when its credential was spent; `nil` if there is none, or it was not looked
    /// up.
    ///
    /// It is set only if no call to a provider followed, because the account could have changed meanwhile.
    package internal(set) var known: KnownIdentity?

    /// Whether the profile contains all that the provider discloses.
    ///
    /// An account that is created without its e-mail address would never be found by it.
    package var isProfileWhole: Bool {
        if case .whole = profileState { true } else { false }
    }
}

/// The completeness of a profile.
package enum ProfileState: Sendable {
    /// The profile contains all that the provider discloses.
    case whole
    /// A further call would complete it.
    case unfetched(ProfileCall)
    /// A further call would have completed it. It is no longer possible, because its token was not kept.
    case missing
}

/// The call that completes the profile of a verified identity.
package struct ProfileCall: Sendable {
    let provider: Provider
    let source: Source

    enum Source: Sendable {
        /// OpenID Connect Core §5.3.
        case userInfo(AccessToken, OpenIDConnect)
        case user(TokenCredentials, OAuth1)
    }
}

/// The provider's own tokens, for the application that the person signs in to.
package struct ReturnedTokens: Sendable {
    package let accessToken: Secret?
    package let idToken: Secret?
    package let refreshToken: Secret?
    package let oauthTokenSecret: Secret?
    /// Seconds.
    package let expiresIn: Int64?
    package let scope: String?
}
