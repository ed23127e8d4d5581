/// The rules of the deployment for accounts.
package struct AccountRules: Sendable, Equatable {
    /// The maximum age of a login for calls that require a recent one.
    package var recentLogin: Duration = .seconds(300)
    /// The age at which anonymous accounts are deleted; `nil` keeps them.
    package var anonymousRetention: Duration?
    /// Whether the server checks at Identity Toolkit that the sessions of a Firebase ID token were not revoked.
    package var checksRevocation = false
    /// Whether the person of a browser or device flow settles a conflict on a page.
    ///
    /// If not, the client does. There are conflicts only if a verified address belongs to one account.
    package var settlesConflicts = false
    /// Whether Identity Toolkit is the directory of accounts.
    ///
    /// Only then can the server end sessions.
    package var directoryIsFirebase = false
    /// The Identity Platform tenant of clients whose configuration names none.
    package var tenantID: String?

    /// Returns the tenant of the users of a client; `nil` means users outside any tenant.
    func tenantID(of client: RegisteredClient) -> String? { client.tenantID ?? tenantID }

    package init() {}
}
