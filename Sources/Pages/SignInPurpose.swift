/// What a browser flow is for, as the page before the provider names it.
package enum SignInPurpose: Sendable, Equatable {
    case signIn
    /// Afterwards the account has one more way to sign in.
    case link
    case reauthenticate
}
