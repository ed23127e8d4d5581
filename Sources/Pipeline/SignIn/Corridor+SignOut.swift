internal import Accounts
internal import Exchange
package import Firebase
internal import JOSE
package import OAuth
internal import Providers
internal import Stores

extension Corridor {
    /// Ends the user's sessions at Firebase where it is the directory, and a token at the provider where one is given.
    ///
    /// - Returns: which of the two was done.
    package func signOut(
        _ user: FirebaseUser, client: ClientID?, revoking token: (provider: ProviderID, token: Secret)?
    ) async throws(SignInError) -> SignOutOutcome {
        let caller = try await caller(user, client: client)
        let provider = try token.map { token throws(SignInError) in
            if let client { return try admit(client, token.provider).1 }
            guard let provider = providers[token.provider] else { throw .unknownProvider }
            return provider
        }
        // First what counts most: a provider that is down keeps nobody signed in.
        if rules.directoryIsFirebase, let toolkit {
            do {
                try await toolkit.of(tenantID: user.tenantID).revokeSessions(of: caller.account.uid, at: time.now())
            } catch {
                throw .bearer(.directory(StoreError(error)))
            }
        }
        if let token, let provider { try await revoke(token.token, at: provider) }
        return SignOutOutcome(revokesSessions: rules.directoryIsFirebase, revokesToken: token != nil)
    }

    private func revoke(_ token: Secret, at provider: Provider) async throws(SignInError) {
        let isRevoked: Bool
        do {
            isRevoked = try await exchanger.revoke(token, at: provider)
        } catch {
            throw .exchange(error)
        }
        guard isRevoked else { throw .revocationUnsupported }
    }
}
