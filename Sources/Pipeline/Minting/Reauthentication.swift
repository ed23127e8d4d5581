package import JOSE

/// What a person has shown who was asked to sign in once more.
package enum Reauthentication: Sendable, Equatable {
    /// The provider says when they logged in; told as the claim `reauth_time`.
    case loggedIn(at: NumericDate)
    /// The provider was asked to have them log in, and sends no time; told as the claim `reauth_method`.
    case prompted
}
