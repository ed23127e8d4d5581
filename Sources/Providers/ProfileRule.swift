/// When the call that only adds to a profile is made.
package enum ProfileRule: String, Sendable, Equatable {
    /// At each sign-in.
    case always
    /// Only for an identity that has no account yet: the provider charges for the call, or limits it.
    case firstSignIn = "first_sign_in"
}
