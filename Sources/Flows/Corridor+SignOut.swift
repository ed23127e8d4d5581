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
    /// - Throws: ``SignInError/revocationUnsupported`` and what is wrong with the request before anything has ended;
    ///   ``SignInError/exchange(_:)`` where the provider failed, after the sessions have.
    package func signOut(
        _ user: FirebaseUser, client: ClientID?, revoking token: (provider: ProviderID, token: Secret)?
    ) async throws(SignInError) -> SignOutOutcome {
        let caller = try await caller(user, client: client)
        let revocation: Result<Revocation, ExchangeError>? =
            if let token { try await revocation(at: token.provider, client: client) } else { nil }
        // What counts most does not hang on the provider: one that is down keeps nobody signed in.
        if rules.directoryIsFirebase, let toolkit {
            do {
                try await toolkit.of(tenantID: user.tenantID).revokeSessions(of: caller.account.uid, at: time.now())
            } catch {
                throw .bearer(.directory(StoreError(error)))
            }
        }
        if let token, let revocation {
            do {
                try await exchanger.revoke(token.token, by: revocation.get())
            } catch .provider(let failure, _) {
                // Where the sessions have ended, so has that of the bearer.
                throw .exchange(.provider(failure, givenBack: !rules.directoryIsFirebase))
            } catch {
                throw .exchange(error)
            }
        }
        return SignOutOutcome(revokesSessions: rules.directoryIsFirebase, revokesToken: token != nil)
    }

    /// Where the provider does not say how, that is a failure of the second half alone.
    private func revocation(
        at providerID: ProviderID, client: ClientID?
    ) async throws(SignInError) -> Result<Revocation, ExchangeError> {
        let admitted = try client.map { client throws(SignInError) in try admit(client, providerID).1 }
        guard let provider = admitted ?? providers[providerID] else { throw .unknownProvider }
        let found: Revocation?
        do {
            found = try await exchanger.revocation(at: provider)
        } catch {
            return .failure(error)
        }
        guard let found else { throw .revocationUnsupported }
        return .success(found)
    }
}
