/// What a sign-out has ended.
package struct SignOutOutcome: Sendable, Equatable {
    /// Of the user at Firebase; ID tokens that are out stay good for their hour, except where revocation is checked.
    package let revokesSessions: Bool
    /// At the provider.
    package let revokesToken: Bool
}
