internal import Accounts
internal import Firebase
internal import JOSE
internal import Minting
internal import SecondFactors
internal import Standards
internal import Stores
internal import Verification

/// The second half of a sign-in: from a verified identity to a custom token.
extension Pipeline {
    /// Finds or makes the account of an identity, and mints its custom token.
    ///
    /// - Parameters:
    ///   - identity: The identity. The caller has admitted its client and its provider by the current configuration.
    ///   - isLinked: Whether the person has linked the identity to the account during this flow.
    ///   - factor: The second factor that the person has proven during this flow.
    ///   - client: The client that receives the token.
    ///   - givingBack: Makes the credential usable again if nothing was issued, and returns whether that succeeded.
    /// - Returns: The custom token and the account.
    /// - Throws: ``SignInError/conflict(_:)`` if the address of the identity belongs to another account,
    ///   ``SignInError/challenge(_:)`` if the account has a second factor that was not proven,
    ///   ``SignInError/emailDomainNotAllowed``, ``SignInError/hook(_:)``, or the error of a component.
    func signIn(
        _ identity: VerifiedIdentity, isLinked: Bool = false, proving factor: ProvenFactor? = nil,
        for client: RegisteredClient, givingBack: () async -> Bool
    ) async throws(SignInError) -> SignInOutcome {
        // Before the account: a person who is not admitted gets none.
        guard client.admits(identity) else { throw .emailDomainNotAllowed }
        let (account, claims) = try await account(of: identity, for: client, givingBack: givingBack)
        AuditJournal.note(account.uid.text, identity.provider)
        if account.isNew { AuditJournal.record(.creation(of: account)) }
        let admitted = try await admitted(
            account, of: identity, isLinked: isLinked, proving: factor, for: client, givingBack: givingBack)
        var outcome = try await mint(admitted, for: client, adding: claims, givingBack: givingBack)
        outcome.isLinked = isLinked
        return outcome
    }

    /// Reports the conflict of an identity that its person could not settle on a page.
    ///
    /// The accounts are found only now, as for a sign-in, so that the application is told their present providers.
    ///
    /// - Parameters:
    ///   - identity: The identity. The caller has admitted its client and its provider by the current configuration.
    ///   - client: The client of the flow.
    ///   - givingBack: Makes the code usable again, and returns whether that succeeded.
    /// - Throws: ``SignInError/conflict(_:)``; ``SignInError/conflictEnded`` if the address no longer belongs to another
    ///   account. The identity never signs in, because the application was told that it does not.
    func refuse(
        _ identity: VerifiedIdentity, for client: RegisteredClient, givingBack: () async -> Bool
    ) async throws(SignInError) -> Never {
        guard client.admits(identity) else { throw .emailDomainNotAllowed }
        let standing: IdentityStanding
        do {
            standing = try await accounts(of: client).standing(of: identity)
        } catch {
            throw await .account(error, givingBack: givingBack)
        }
        guard case .conflict(let accounts) = standing else { throw .conflictEnded }
        throw .conflict(try await conflicts.conflict(identity, for: client, meeting: accounts, givingBack: givingBack))
    }

    /// Finds or creates the account of an identity, and returns it with the claims of the hook for new accounts.
    private func account(
        of identity: VerifiedIdentity, for client: RegisteredClient, givingBack: () async -> Bool
    ) async throws(SignInError) -> (Account, HookClaims) {
        let accounts = accounts(of: client)
        guard hooks.asks(.beforeCreate) else {
            return (
                try await orConflict(identity, for: client, await accounts.resolve(identity), givingBack), .none
            )
        }
        // The directory decides and creates in one step. A first step that creates none shows whether to ask.
        if let known = try await orConflict(identity, for: client, await accounts.find(identity), givingBack) {
            return (known, .none)
        }
        let claims = try await ask(.creation(of: identity, for: client.id), givingBack: givingBack)
        let account = try await orConflict(identity, for: client, await accounts.resolve(identity), givingBack)
        return (account, account.isNew ? claims : .none)
    }

    /// Runs a step that finds the account of an identity, and keeps the identity if its address belongs to another one.
    private func orConflict<Value>(
        _ identity: VerifiedIdentity, for client: RegisteredClient,
        _ step: @autoclosure () async throws(AccountError) -> Value, _ givingBack: () async -> Bool
    ) async throws(SignInError) -> Value {
        do {
            return try await step()
        } catch .emailTaken(let accounts) {
            throw .conflict(
                try await conflicts.conflict(identity, for: client, meeting: accounts, givingBack: givingBack))
        } catch {
            // If a commit may have happened, the credential stays spent.
            throw await .account(error, givingBack: givingBack)
        }
    }

    /// Mints a custom token for the account that holds the identity of a pending credential.
    func signIn(_ proven: ProvenIdentity, for client: RegisteredClient) async throws(SignInError) -> SignInOutcome {
        let account: Account?
        do {
            account = try await accounts(of: client).resolve(proven.identity, heldBy: proven.holder?.uid ?? "")
        } catch {
            throw await .account(error, givingBack: proven.giveBack)
        }
        guard let account else {
            _ = await proven.giveBack()
            throw .pendingCredential(.expired)
        }
        let admitted = try await admitted(
            account, of: proven.identity, isLinked: proven.isLinked, proving: proven.factor, for: client,
            givingBack: proven.giveBack)
        var outcome = try await mint(admitted, for: client, givingBack: proven.giveBack)
        outcome.isLinked = proven.isLinked
        return outcome
    }

    /// Makes an anonymous account, and mints its custom token.
    func signInAnonymously(for client: RegisteredClient) async throws(SignInError) -> SignInOutcome {
        guard client.admits(nil) else { throw .emailDomainNotAllowed }
        let claims = try await ask(.creation(of: nil, for: client.id)) { true }
        let account: Account
        do {
            account = try await accounts(of: client).makeAnonymous(retention: rules.anonymousRetention)
        } catch {
            throw .account(StepFailure(error, isUnspent: error.nothingWasWritten))
        }
        AuditJournal.record(.creation(of: account))
        // The same request may be sent again: it makes another account.
        let admitted: AdmittedAccount
        do throws(FactorError) {
            guard let found = try await secondFactors.admit(account, tenantID: rules.tenantID(of: client)) else {
                throw .required
            }
            admitted = found
        } catch {
            throw .secondFactor(StepFailure(error))
        }
        return try await mint(admitted, for: client, adding: claims) { true }
    }

    /// Mints what the application of an account receives.
    ///
    /// - Parameters:
    ///   - admitted: The account.
    ///   - client: The client that receives the token.
    ///   - reauthentication: The evidence of a fresh login; `nil` for a sign-in.
    ///   - earlier: The claims of the hooks that this call has asked already.
    ///   - givingBack: Makes the credential usable again if nothing was issued, and returns whether that succeeded.
    /// - Returns: The custom token and the account.
    /// - Throws: ``SignInError/emailDomainNotAllowed``, ``SignInError/hook(_:)``, ``SignInError/minting(_:)``, or ``SignInError/redemption(_:)`` for a client
    ///   that redeems.
    func mint(
        _ admitted: AdmittedAccount, for client: RegisteredClient, reauthentication: Reauthentication? = nil,
        adding earlier: HookClaims = .none, givingBack: () async -> Bool
    ) async throws(SignInError) -> SignInOutcome {
        let token = try await token(
            of: admitted, for: client, reauthentication: reauthentication, adding: earlier, givingBack: givingBack)
        return try await outcome(of: token, admitted.account, for: client, givingBack: givingBack)
    }

    /// Changes a caller's account, and mints a fresh custom token for it.
    ///
    /// The token is signed before the change. If the signer fails, nothing has changed and the same request may be sent
    /// again; if the change fails, the token is dropped.
    ///
    /// - Parameters:
    ///   - admitted: The caller's account.
    ///   - client: The client that receives the token.
    ///   - earlier: The claims of the hooks that this call has asked already.
    ///   - givingBack: Makes the credential usable again if there is no token, and returns whether that succeeded.
    ///   - change: Changes the account.
    /// - Returns: The result of the change, and the custom token.
    /// - Throws: The error of `change`; ``SignInError/minting(_:)`` before the change, and
    ///   ``SignInError/redemption(_:)`` after it.
    func mint<Change: Sendable>(
        _ admitted: AdmittedAccount, for client: RegisteredClient, adding earlier: HookClaims,
        givingBack: () async -> Bool,
        after change: () async throws(SignInError) -> Change
    ) async throws(SignInError) -> (Change, SignInOutcome) {
        let token = try await token(
            of: admitted, for: client, reauthentication: nil, adding: earlier, givingBack: givingBack)
        let changed = try await change()
        // Firebase is called after the change, so that its ID token names the identities of the changed account.
        return (changed, try await outcome(of: token, admitted.account, for: client) { false })
    }

    private func token(
        of admitted: AdmittedAccount, for client: RegisteredClient, reauthentication: Reauthentication?,
        adding earlier: HookClaims, givingBack: () async -> Bool
    ) async throws(SignInError) -> CustomToken {
        guard client.admits(admitted.account) else { throw .emailDomainNotAllowed }
        let claims: HookClaims
        do {
            claims = try await hooks.ask(
                .signIn(of: admitted.account, for: client.id), adding: earlier
            ) { claims throws(MintingError) in
                try minter.check(claims, for: admitted, client: client.id, reauthentication: reauthentication)
            }
        } catch {
            throw await .hook(error, givingBack: givingBack)
        }
        do {
            return try await minter.mint(
                admitted, for: client.id, lifetime: client.tokenLifetime, tenantID: rules.tenantID(of: client),
                reauthentication: reauthentication, adding: claims)
        } catch {
            throw .minting(StepFailure(error, isUnspent: await givingBack()))
        }
    }

    private func outcome(
        of token: CustomToken, _ account: Account, for client: RegisteredClient, givingBack: () async -> Bool
    ) async throws(SignInError) -> SignInOutcome {
        SignInOutcome(
            token: token, account: account,
            providerTokens: client.returnsProviderTokens ? account.identity?.tokens : nil,
            providerProfile: client.returnsProviderProfile ? account.identity?.returnedProfile : nil,
            redeemed: client.redeems
                ? try await firebaseSession(
                    for: token, tenantID: rules.tenantID(of: client), givingBack: givingBack) : nil)
    }

    /// Asks the operator's hook of an event, if there is one.
    ///
    /// - Parameters:
    ///   - event: A creation or a link; ``mint(_:for:reauthentication:adding:givingBack:)`` asks before each sign-in.
    ///   - earlier: The claims of the hooks that this call has asked already.
    ///   - givingBack: Makes the credential usable again if nothing was issued, and returns whether that succeeded.
    /// - Returns: The claims for the custom token of this call, if it mints one.
    /// - Throws: ``SignInError/hook(_:)``.
    func ask(
        _ event: HookEvent, adding earlier: HookClaims = .none, givingBack: () async -> Bool
    ) async throws(SignInError) -> HookClaims {
        do {
            return try await hooks.ask(event, adding: earlier)
        } catch {
            throw await .hook(error, givingBack: givingBack)
        }
    }

    /// Asks before identities join the account of a caller.
    ///
    /// If the account has none yet, the hook for new accounts is asked first. Otherwise a person whom that hook refuses
    /// could sign up at Firebase itself, or anonymously, and then link the refused identity.
    ///
    /// - Parameters:
    ///   - identity: The identity that the call verified; `nil` for a merge by an ID token.
    ///   - account: The account of the caller.
    ///   - merged: The account that a merge removes; `nil` for a link.
    ///   - client: The client of the request.
    ///   - givingBack: Makes the credential usable again if nothing was issued, and returns whether that succeeded.
    /// - Returns: The claims for the custom token of this call.
    /// - Throws: ``SignInError/hook(_:)``.
    func ask(
        _ identity: VerifiedIdentity?, joins account: StoredAccount, merging merged: StoredAccount? = nil,
        for client: RegisteredClient, givingBack: () async -> Bool
    ) async throws(SignInError) -> HookClaims {
        var claims = HookClaims.none
        if account.identities.isEmpty, merged?.identities.isEmpty != true {
            claims = try await ask(
                .firstIdentity(identity, of: account, merging: merged?.uid, for: client.id), givingBack: givingBack)
        }
        return try await ask(
            .link(of: identity, to: account.uid, merging: merged?.uid, for: client.id), adding: claims,
            givingBack: givingBack)
    }

    /// Trades a custom token in at Firebase, for an application without Firebase's SDK.
    private func firebaseSession(
        for token: CustomToken, tenantID: String?, givingBack: () async -> Bool
    ) async throws(SignInError) -> FirebaseSession {
        guard let redeemer else { preconditionFailure("The configuration of a client that redeems has an API key.") }
        do {
            return try await redeemer.redeem(token.secret, tenantID: tenantID)
        } catch {
            // The custom token is dropped here, so nothing was issued for the credential.
            throw .redemption(StepFailure(error, isUnspent: error.isRefusalForNow ? await givingBack() : false))
        }
    }
}
