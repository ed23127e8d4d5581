internal import Accounts
package import OAuth

extension Corridor {
    /// A new account of which nobody has proven anything.
    package func signInAnonymously(client clientID: ClientID) async throws(SignInError) -> SignInOutcome {
        guard let client = clients[clientID] else { throw .unknownClient }
        guard client.allowsAnonymous else { throw .anonymousDisabled }
        let account: Account
        do {
            account = try await accounts.makeAnonymous(retention: rules.anonymousRetention)
        } catch {
            throw .account(error, givenBack: error.nothingWasWritten)
        }
        // There is nothing to give back: the next request makes another account.
        return try await minted(account, for: client) { true }
    }
}
