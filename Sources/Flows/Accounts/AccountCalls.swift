internal import Accounts
internal import Exchange
package import Firebase
internal import JOSE
internal import Minting
internal import Providers
internal import SecondFactors
package import Standards
internal import Stores
internal import Verification

/// Calls of a signed-in user about their account.
package struct AccountCalls: Sendable {
    let registrations: Registrations
    let pipeline: Pipeline
    let credentials: PostedCredentials
    let handoffCodes: HandoffCodes
    let conflicts: Conflicts
    let callers: Callers
    let authenticator: FirebaseCallerAuthenticator
    let linker: AccountLinker
    let secondFactors: SecondFactors
    let exchanger: Exchanger
    let sessions: FirebaseSessions
    let singleUse: SingleUse
    let freshLogin: FreshLoginCheck
    let rules: AccountRules
    let time: TimeSource

    /// Returns the user of a Firebase ID token.
    ///
    /// Endpoints call it before they read the body of a request.
    ///
    /// - Parameters:
    ///   - bearer: The ID token; `nil` if the request has none.
    ///   - isForChange: Whether the call changes the account. Such a call checks whether the session was ended when it
    ///     has its body, and any other call does so here if `check_revoked` says so.
    /// - Throws: A refusal if the token does not speak for its user.
    package func user(_ bearer: Secret?, isForChange: Bool = false) async throws -> FirebaseUser {
        try await callers.user(bearer, isForChange: isForChange)
    }

    /// Links an identity to the caller's account.
    ///
    /// An anonymous account becomes permanent. The outcome contains a fresh custom token, because the claims of the
    /// caller's session do not mention the identity.
    package func link(_ user: FirebaseUser, _ proof: AccountProof) async throws -> LinkOutcome {
        let authorized = try await callers.authorize(user, client: proof.client, to: .link)
        let caller = authorized.caller
        let uid = caller.account.uid
        let (client, proven) = try await identity(of: proof, for: AccountIntent(.link, of: uid))
        let identity = proven.identity
        return try await proven.credential.keepSpent {
            let hookClaims = try await pipeline.ask(identity, joins: caller.account, for: client)
            let cleared = try pipeline.cleared(caller.signedIn(proving: identity), of: authorized.checked)
            let (account, signIn) = try await pipeline.mint(cleared, for: client, adding: hookClaims) {
                do {
                    let account = try await linker.link(identity, to: caller, expecting: authorized.expectation)
                    AuditJournal.record(.link(of: identity))
                    return account
                } catch AccountCollision.identityTaken(let holder) {
                    throw try await conflicts.refusal(of: proven, for: client, provokedBy: uid, heldBy: holder)
                }
            }
            return LinkOutcome(account: account, identity: identity, signIn: signIn)
        }
    }

    /// Removes the identity of a provider from the caller's account.
    package func unlink(
        _ provider: ProviderID, from user: FirebaseUser, client: ClientID?
    ) async throws -> UnlinkOutcome {
        let authorized = try await callers.authorize(user, client: client, to: .unlink)
        return UnlinkOutcome(
            account: try await linker.unlink(provider, from: authorized.caller, expecting: authorized.expectation))
    }

    /// Mints a fresh custom token for a user who proves their identity again, with the claim `reauth_time` or
    /// `reauth_method`.
    package func reauthenticate(_ user: FirebaseUser, _ proof: AccountProof) async throws -> SignInOutcome {
        let authorized = try await callers.authorize(user, client: proof.client, to: .reauthenticate)
        let caller = authorized.caller
        let intent = AccountIntent(.reauthenticate, of: caller.account.uid)
        let (client, proven) = try await identity(of: proof, for: intent)
        return try await proven.credential.keepSpent {
            let account = try await linker.confirm(proven.identity, of: caller)
            let cleared = try pipeline.cleared(account, of: authorized.checked)
            return try await pipeline.mint(
                cleared, for: client, reauthentication: freshLogin.reauthentication(by: proven.identity))
        }
    }

    /// Deletes the Firebase user first, and then the account, so that a deletion that was reported leaves no user.
    ///
    /// A call that fails between the two leaves an account without a user, and may be repeated.
    package func remove(_ user: FirebaseUser, client: ClientID?) async throws -> RemovalOutcome {
        let authorized = try await callers.authorize(user, client: client, to: .delete)
        let (caller, expectation) = (authorized.caller, authorized.expectation)
        let removal = try await callers.removedUser(of: caller.account.uid, user.tenantID, isMerged: false)
        do {
            try await linker.remove(caller, expecting: expectation)
        } catch {
            // If the sessions were ended, the caller's ID token is no longer accepted.
            throw removal == .sessionsEnded ? Refusal(error).spent : error
        }
        // The uid is never assigned again, so that factors which a failing store leaves behind have no effect.
        try? await secondFactors.removeAll(of: caller)
        return RemovalOutcome(removal: removal)
    }

    /// Returns the identity of a proof that was made for this account and this purpose.
    private func identity(
        of proof: AccountProof, for intent: AccountIntent
    ) async throws -> (RegisteredClient, ProvenIdentity) {
        switch proof {
        case .credential(let request):
            if case .pending(let pending) = request.credential {
                let client = try registrations.client(request.client, naming: request.provider)
                // A pending credential proves the identity at the time of the conflict, and not a fresh login.
                guard intent.purpose == .link else { throw Refusal.otherUse }
                let proven = try await conflicts.identity(
                    ofPending: pending, for: .link, of: request.provider, by: [intent.uid], client: client)
                return (client, proven)
            }
            let registered = try registrations.authorize(request)
            let (client, provider) = (registered.client, registered.provider)
            try checkProves(request.credential.type, intent.purpose, at: provider)
            let identity = try await credentials.identity(request.credential, registered: registered, intent: intent)
            if request.credential.type != .callback {
                try freshLogin.check(
                    identity, for: intent, since: time.now() - rules.recentLogin, bound: nil, at: provider)
            }
            let isOfFlow = request.credential.type == .callback
            return (
                client,
                ProvenIdentity(
                    identity, usesOfConflict: isOfFlow ? [.link, .merge] : [.exchange, .link, .merge],
                    spending: singleUse.spent(identity.returnable))
            )
        case .handoff(let clientID, let code, let redirectURI, let codeVerifier):
            let client = try registrations.client(clientID, for: .authorizationCode)
            let proven = try await handoffCodes.identity(
                ofHandoff: code, redirectURI: redirectURI, codeVerifier: codeVerifier, client: client,
                intent: intent)
            // The configuration may have changed since the flow began.
            _ = try registrations.authorize(client.id, proven.identity.provider)
            return (client, proven)
        }
    }

    /// Refuses to reauthenticate by a credential that does not show a recent login, before it is spent.
    ///
    /// A pair or an access token may be a year old, and the response to a code of OAuth 2.0 contains no time.
    private func checkProves(
        _ type: CredentialType, _ purpose: AccountIntent.Purpose, at provider: Provider
    ) throws {
        guard purpose == .reauthenticate else { return }
        switch type {
        case .oauth1Token, .accessToken: throw Refusal.freshLoginUnavailable
        case .authorizationCode: if provider.openIDConnect == nil { throw Refusal.freshLoginUnavailable }
        case .idToken, .callback, .pending: break
        }
    }
}
