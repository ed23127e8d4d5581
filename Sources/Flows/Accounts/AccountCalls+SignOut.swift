internal import Accounts
internal import Exchange
package import Firebase
internal import Providers
package import Standards
internal import Stores

extension AccountCalls {
    /// Ends the user's sessions at Firebase if the service account may, and revokes a token at the provider if one is
    /// given.
    ///
    /// - Throws: ``Refusal/revocationUnsupported`` and the errors of the request before anything has ended;
    ///   the error of the provider if it failed after the sessions were ended.
    package func signOut(
        _ user: FirebaseUser, client: ClientID?, revoking token: (provider: ProviderID, token: Secret)?
    ) async throws -> SignOutOutcome {
        let caller = try await callers.authorize(user, client: client, to: .signOut).caller
        let revocation: Result<Revocation, any Error>? =
            if let token { try await revocation(at: token.provider, client: client) } else { nil }
        // Revoke the Firebase sessions first, so that a provider outage cannot prevent sign-out.
        let revokesSessions = try await sessions.end(of: caller.account.uid, tenantID: caller.user.tenantID)
        if let token, let revocation {
            do {
                try await exchanger.revoke(token.token, by: revocation.get())
            } catch {
                // If the sessions were ended, the caller's ID token is no longer accepted.
                throw Refusal(error).with(isUnspent: !revokesSessions)
            }
        }
        return SignOutOutcome(revokesSessions: revokesSessions, revokesToken: token != nil)
    }

    /// Finds out how to revoke a token at the provider.
    ///
    /// A failure is returned and not thrown, because it must not prevent the end of the sessions.
    private func revocation(
        at providerID: ProviderID, client: ClientID?
    ) async throws -> Result<Revocation, any Error> {
        let registered = try client.map { try registrations.authorize($0, providerID).provider }
        let provider = try registered ?? registrations.provider(providerID)
        let found: Revocation?
        do {
            found = try await exchanger.revocation(at: provider)
        } catch {
            return .failure(error)
        }
        guard let found else { throw Refusal.revocationUnsupported }
        return .success(found)
    }
}

package struct SignOutOutcome: AuditedOutcome, Equatable {
    /// Whether no earlier session of the user at Firebase can be continued.
    ///
    /// ID tokens that were issued before stay valid for up to an hour, unless revocation is checked.
    package let revokesSessions: Bool
    /// Whether the token was revoked at the provider.
    package let revokesToken: Bool

    package var auditFact: AuditFact { AuditFact(.signOut) }
}
