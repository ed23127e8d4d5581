/// What the deployment asks of people who change their account.
package struct AccountRules: Sendable, Equatable {
    /// How long ago they may have signed in.
    package var recentLogin: Duration = .seconds(300)
    /// After which anonymous accounts go; nil keeps them.
    package var anonymousRetention: Duration?
    /// Whether every Firebase ID token is held against Identity Toolkit.
    package var checksRevocation = false
    /// Whether the users are Identity Toolkit's, whose sessions can be ended there.
    package var directoryIsFirebase = false
    /// The Identity Platform tenant of clients that name none.
    package var tenantID: String?

    package init() {}
}
