internal import Accounts
internal import Firebase
internal import Minting
internal import SecondFactors
internal import Standards
internal import Stores
internal import Verification

/// The second half of a sign-in: from a verified identity to a custom token.
extension Pipeline {
    /// Finds or makes the account of an identity, and mints its custom token.
    ///
    /// - Parameter proven: The identity. The caller has authorized its client and its provider by the current
    ///   configuration.
    /// - Throws: A refusal with a pending credential if the address of the identity belongs to another account, or if the
    ///   account has a second factor that was not proven; the refusal of the hook, of the client's domains or of a
    ///   component. The credential was given back if nothing was issued.
    func signIn(_ proven: ProvenIdentity, for client: RegisteredClient) async throws -> SignInOutcome {
        let identity = proven.identity
        return try await proven.credential.keepSpent {
            // Before the account: a person whose address is not allowed gets none.
            guard client.allowsDomain(of: identity) else { throw client.refusal(ofDomainOf: identity) }
            let (account, claims) = try await account(of: identity, for: client)
            AuditJournal.note(account.uid, identity.provider)
            if account.isNew { AuditJournal.record(.creation(of: account)) }
            return try await signIn(account, proven, for: client, adding: claims)
        }
    }

    /// Mints a custom token for the account that holds the identity of a pending credential.
    func signIn(pending proven: ProvenIdentity, for client: RegisteredClient) async throws -> SignInOutcome {
        try await proven.credential.keepSpent {
            let found = try await accounts(of: client).find(proven.identity, stillHeldBy: proven.holder?.uid)
            guard let account = found else { throw Refusal.pendingCredentialExpired.unspent }
            return try await signIn(account, proven, for: client, adding: .none)
        }
    }

    private func signIn(
        _ account: Account, _ proven: ProvenIdentity, for client: RegisteredClient, adding claims: HookClaims
    ) async throws -> SignInOutcome {
        let cleared = try await cleared(
            account, of: proven.identity, isLinked: proven.isLinked, proving: proven.factor, for: client)
        var outcome = try await mint(cleared, for: client, adding: claims)
        outcome.isLinked = proven.isLinked
        return outcome
    }

    /// Clears the account of an identity, or stores the identity until its person proves the second factor.
    ///
    /// - Parameter isLinked: Whether the person has linked it to the account during this flow.
    /// - Throws: A refusal with the handle, or the error of the store.
    private func cleared(
        _ account: Account, of identity: VerifiedIdentity, isLinked: Bool, proving factor: ProvenFactor?,
        for client: RegisteredClient
    ) async throws -> ClearedAccount {
        if let cleared = try await secondFactors.clear(account, tenantID: rules.tenantID(of: client), proving: factor) {
            return cleared
        }
        let handle = try await conflicts.keep(identity, isLinked: isLinked, for: client, waitingFor: account.uid)
        throw Refusal.secondFactorRequired(handle)
    }

    /// Reports the conflict of an identity that its person could not settle on a page.
    ///
    /// The accounts are found only now, as for a sign-in, so that the application is told their present providers.
    ///
    /// - Parameter proven: The identity. The caller has authorized its client and its provider by the current
    ///   configuration.
    /// - Throws: The refusal with the pending credential, or another one if the address no longer belongs to another
    ///   account. The identity never signs in, because the application was told that it does not.
    func refuse(_ proven: ProvenIdentity, for client: RegisteredClient) async throws -> Never {
        let identity = proven.identity
        throw try await proven.credential.keepSpent {
            guard client.allowsDomain(of: identity) else { throw client.refusal(ofDomainOf: identity) }
            guard case .conflict(let accounts) = try await accounts(of: client).lookup(of: identity) else {
                throw Refusal(
                    .expired,
                    "The email address no longer belongs to another account. Begin again: the user can sign in.")
            }
            return try await conflicts.refusal(of: identity, for: client, meeting: accounts)
        }
    }

    /// Finds or creates the account of an identity, and returns it with the claims of the hook for new accounts.
    private func account(
        of identity: VerifiedIdentity, for client: RegisteredClient
    ) async throws -> (Account, HookClaims) {
        let accounts = accounts(of: client)
        do {
            guard hooks.asks(.beforeCreate) else { return (try await accounts.findOrMake(identity), .none) }
            // The directory decides and creates in one step. A first step that creates none shows whether to ask.
            if let known = try await accounts.find(identity) { return (known, .none) }
            let claims = try await hooks.ask(.creation(of: identity, for: client.id))
            let account = try await accounts.findOrMake(identity)
            return (account, account.isNew ? claims : .none)
        } catch AccountCollision.emailTaken(let holders) {
            throw try await conflicts.refusal(of: identity, for: client, meeting: holders)
        }
    }

    /// Makes an anonymous account, and mints its custom token.
    ///
    /// The request has no credential. If it fails, the same request may be sent again, and makes another account.
    func signInAnonymously(for client: RegisteredClient) async throws -> SignInOutcome {
        guard client.allowsDomain(of: nil) else { throw client.refusal(ofDomainOf: nil) }
        let claims = try await hooks.ask(.creation(of: nil, for: client.id))
        let account = try await accounts(of: client).makeAnonymous(retention: rules.anonymousRetention)
        AuditJournal.record(.creation(of: account))
        guard let cleared = try await secondFactors.clear(account, tenantID: rules.tenantID(of: client)) else {
            throw Refusal.factorNotProven.spent
        }
        return try await mint(cleared, for: client, adding: claims)
    }

    /// Mints what the application of an account receives.
    ///
    /// - Parameters:
    ///   - reauthentication: The evidence of a fresh login; `nil` for a sign-in.
    ///   - earlier: The claims of the hooks that this call has asked already.
    /// - Throws: The refusal of the hook, of the client's domains, of the signer, or of Firebase for a client that
    ///   redeems.
    func mint(
        _ cleared: ClearedAccount, for client: RegisteredClient, reauthentication: Reauthentication? = nil,
        adding earlier: HookClaims = .none
    ) async throws -> SignInOutcome {
        let token = try await token(of: cleared, for: client, reauthentication: reauthentication, adding: earlier)
        return try await outcome(of: token, cleared.account, for: client)
    }

    /// Changes a caller's account, and mints a fresh custom token for it.
    ///
    /// The token is signed before the change. If the signer fails, nothing has changed and the same request may be sent
    /// again; if the change fails, the token is dropped.
    ///
    /// - Parameter earlier: The claims of the hooks that this call has asked already.
    /// - Throws: The refusal of a step. After the change, none leaves the credential unspent.
    func mint<Change: Sendable>(
        _ cleared: ClearedAccount, for client: RegisteredClient, adding earlier: HookClaims,
        after change: () async throws -> Change
    ) async throws -> (Change, SignInOutcome) {
        let token = try await token(of: cleared, for: client, reauthentication: nil, adding: earlier)
        let changed = try await change()
        do {
            // Firebase is called after the change, so that its ID token names the identities of the changed account.
            return (changed, try await outcome(of: token, cleared.account, for: client))
        } catch {
            throw Refusal(error).spent
        }
    }

    private func token(
        of cleared: ClearedAccount, for client: RegisteredClient, reauthentication: Reauthentication?,
        adding earlier: HookClaims
    ) async throws -> CustomToken {
        guard client.allowsDomain(of: cleared.account) else {
            throw client.refusal(ofDomainOf: cleared.account.identity)
        }
        let claims = try await hooks.ask(
            .signIn(of: cleared.account, for: client.id), adding: earlier
        ) { claims throws(MintingError) in
            try minter.check(claims, for: cleared, client: client.id, reauthentication: reauthentication)
        }
        return try await minter.mint(
            cleared, for: client.id, lifetime: client.tokenLifetime, tenantID: rules.tenantID(of: client),
            reauthentication: reauthentication, adding: claims)
    }

    private func outcome(
        of token: CustomToken, _ account: Account, for client: RegisteredClient
    ) async throws -> SignInOutcome {
        SignInOutcome(
            token: token, account: account,
            providerTokens: client.returnsProviderTokens ? account.identity?.tokens : nil,
            providerProfile: client.returnsProviderProfile ? account.identity?.returnedProfile : nil,
            firebaseSession: client.returnsFirebaseSession
                ? try await firebaseSession(for: token, tenantID: rules.tenantID(of: client)) : nil
        )
    }

    /// Asks before identities join the account of a caller.
    ///
    /// If the account has none yet, the hook for new accounts is asked first. Otherwise a person whom that hook refuses
    /// could sign up at Firebase itself, or anonymously, and then link the refused identity.
    ///
    /// - Parameters:
    ///   - identity: The identity that the call verified; `nil` for a merge by an ID token.
    ///   - merged: The account that a merge removes; `nil` for a link.
    /// - Throws: The refusal of the hook.
    func ask(
        _ identity: VerifiedIdentity?, joins account: StoredAccount, merging merged: StoredAccount? = nil,
        for client: RegisteredClient
    ) async throws -> HookClaims {
        var claims = HookClaims.none
        if account.identities.isEmpty, merged?.identities.isEmpty != true {
            claims = try await hooks.ask(.firstIdentity(identity, of: account, merging: merged?.uid, for: client.id))
        }
        return try await hooks.ask(
            .link(of: identity, to: account.uid, merging: merged?.uid, for: client.id), adding: claims)
    }

    /// Trades a custom token in at Firebase, for an application without Firebase's SDK.
    ///
    /// If that fails, the custom token is dropped, so that nothing was issued for the credential.
    private func firebaseSession(for token: CustomToken, tenantID: String?) async throws -> FirebaseSession {
        guard let firebaseSessions else {
            preconditionFailure("The configuration of a client that redeems has an API key.")
        }
        return try await firebaseSessions.redeem(token.secret, tenantID: tenantID)
    }
}
