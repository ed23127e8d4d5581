internal import OAuth
internal import Providers

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
