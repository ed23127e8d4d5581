package import JOSE
package import OAuth
package import Providers
package import Stores

/// A person at a provider, proven: the credential was issued to us, is fresh, and was never used before.
///
/// There is no initializer outside this room; the compiler's memberwise one stays internal on purpose. Whoever holds
/// one holds the proof.
package struct VerifiedIdentity: Sendable {
    package let provider: ProviderID
    /// Yahoo's `sub`, X's numeric id.
    ///
    /// Never an e-mail address, never a screen name.
    package let subject: String
    package let profile: Profile
    let profileState: ProfileState
    /// Why a part of the profile cannot be had, if the provider refuses it for good; an operator may change that.
    package let profileRefusal: ProviderFailure?
    package let audienceProof: AudienceProof
    /// When the person proved to the provider who they are; nil where it does not say.
    package let authenticatedAt: NumericDate?
    /// For the application, where the configuration lets it have them.
    package let tokens: ReturnedTokens
    /// What was spent for it and may be given back while nothing has been handed out; empty where the provider has
    /// spent the credential as well.
    package let returnable: [SpentRecord]
    /// The account that held it when its credential was spent; nil if that was not looked for, or there is none.
    ///
    /// It is set only if nothing was waited for since.
    package internal(set) var known: KnownIdentity?

    /// Whether all is there that the provider tells us.
    ///
    /// An account that is made without the address that it should have is never found by that address.
    package var isProfileWhole: Bool {
        if case .whole = profileState { true } else { false }
    }
}

/// How much of a profile there is.
package enum ProfileState: Sendable {
    /// All that the provider tells us.
    case whole
    /// A further call would tell more.
    case unfetched(ProfileCall)
    /// A further call would have told more, and cannot be made any more: its token was not kept.
    case missing
}

/// The call that adds to the profile of an identity that is proven without it.
///
/// There is no initializer outside this room.
package struct ProfileCall: Sendable {
    let provider: Provider
    let source: Source

    enum Source: Sendable {
        /// OpenID Connect Core §5.3.
        case userInfo(AccessToken, OpenIDConnect)
        case user(TokenCredentials, OAuth1)
    }
}

/// The provider's own tokens, on their way back to the application that the person signed in to.
package struct ReturnedTokens: Sendable {
    package let accessToken: Secret?
    package let idToken: Secret?
    package let refreshToken: Secret?
    package let oauthTokenSecret: Secret?
    /// Seconds.
    package let expiresIn: Int64?
    package let scope: String?
}
