internal import Accounts
internal import Exchange
internal import Firebase
internal import Minting
internal import OAuth
internal import Providers
internal import Stores
internal import Verification
internal import Wrapping

/// The order of the components of a sign-in: exchange, verification, accounts, minting.
///
/// The operator's hooks are asked before an account is created and before a custom token is minted.
///
/// It has no state of a flow. Every flow uses it.
final class Pipeline: Sendable {
    private let exchanger: Exchanger
    private let verifier: Verifier
    private let accounts: AccountResolver
    private let linker: AccountLinker
    private let minter: Minter
    private let hooks: Hooks
    private let redeemer: Redeemer?
    private let rules: AccountRules
    private let conflicts: Conflicts
    private let singleUse: SingleUse
    /// Receives the part of a profile that a provider refuses for good, for the operator.
    private let onProfileRefusal: @Sendable (ProviderID, ProviderFailure) -> Void

    init(
        exchanger: Exchanger, verifier: Verifier, accounts: AccountResolver, linker: AccountLinker, minter: Minter,
        hooks: Hooks, redeemer: Redeemer?, rules: AccountRules, conflicts: Conflicts, singleUse: SingleUse,
        onProfileRefusal: @escaping @Sendable (ProviderID, ProviderFailure) -> Void
    ) {
        self.exchanger = exchanger
        self.verifier = verifier
        self.accounts = accounts
        self.linker = linker
        self.minter = minter
        self.hooks = hooks
        self.redeemer = redeemer
        self.rules = rules
        self.conflicts = conflicts
        self.singleUse = singleUse
        self.onProfileRefusal = onProfileRefusal
    }

    // MARK: - From a credential to a verified identity

    /// Exchanges an authorization code, and verifies the tokens that the provider returns.
    func identity(
        redeeming grant: consuming AuthorizationGrant, nonce: ExpectedNonce?, maximumAge: Duration?,
        at provider: Provider
    ) async throws(SignInError) -> VerifiedIdentity {
        if let openIDConnect = provider.openIDConnect {
            guard let nonce else { throw .nonceRequired }
            let tokens: ProviderTokens
            do {
                tokens = try await exchanger.exchange(grant, with: openIDConnect, of: provider)
            } catch {
                throw .exchange(error)
            }
            return try await identity(at: provider) { verifier throws(VerificationFailure) in
                try await verifier.verify(
                    tokens, with: openIDConnect, of: provider, nonce: nonce, maximumAuthenticationAge: maximumAge)
            }
        }
        guard let oauth2 = provider.oauth2 else { throw .unsupportedCredential }
        let tokens: ProviderTokens
        do {
            tokens = try await exchanger.exchange(grant, with: oauth2, of: provider)
        } catch {
            throw .exchange(error)
        }
        return try await identity(at: provider) { verifier throws(VerificationFailure) in
            try await verifier.verify(tokens, with: oauth2, of: provider)
        }
    }

    /// Exchanges the verifier of OAuth 1.0a for token credentials, and verifies these (RFC 5849 §2.3).
    func identity(
        redeeming oauthVerifier: Secret, for temporary: TemporaryCredentials, with oauth1: OAuth1,
        at provider: Provider
    ) async throws(SignInError) -> VerifiedIdentity {
        let tokens = try await wrapping(
            SignInError.exchange,
            await exchanger.exchange(verifier: oauthVerifier, for: temporary, with: oauth1, of: provider))
        return try await identity(at: provider) { verifier throws(VerificationFailure) in
            try await verifier.verify(tokens, with: oauth1, of: provider)
        }
    }

    /// Verifies a credential, and completes the profile of its identity.
    func identity(
        at provider: Provider, _ verify: (Verifier) async throws(VerificationFailure) -> VerifiedIdentity
    ) async throws(SignInError) -> VerifiedIdentity {
        let identity: VerifiedIdentity
        do {
            identity = try await verify(verifier)
        } catch {
            throw .verification(error)
        }
        return try await withProfile(identity, at: provider)
    }

    /// Completes the profile of an identity if the provider's rule asks for it.
    ///
    /// An account that is made without its e-mail address could later not be found by that address. Therefore the first
    /// sign-in of an identity fails until the provider responds.
    private func withProfile(
        _ identity: VerifiedIdentity, at provider: Provider
    ) async throws(SignInError) -> VerifiedIdentity {
        if let refusal = identity.profileRefusal { onProfileRefusal(provider.id, refusal) }
        guard !identity.isProfileWhole else { return identity }
        if provider.profileRule == .firstSignIn, try await isKnown(identity) { return identity }
        do {
            let whole = try await verifier.completed(identity)
            if let refusal = whole.profileRefusal { onProfileRefusal(provider.id, refusal) }
            return whole
        } catch .provider(let failure) where failure.isPassing {
            // With the rule `firstSignIn`, the check above has just shown that the account is not known.
            if provider.profileRule == .always, try await isKnown(identity) { return identity }
            throw .verification(
                VerificationFailure(
                    .provider(failure),
                    isUnspent: failure.leavesCredentialUnspent ? await singleUse.giveBack(identity.returnable) : false))
        } catch {
            throw .verification(VerificationFailure(error))
        }
    }

    private func isKnown(_ identity: VerifiedIdentity) async throws(SignInError) -> Bool {
        do {
            return try await linker.holder(of: identity) != nil
        } catch {
            throw await .account(error) { await singleUse.giveBack(identity.returnable) }
        }
    }

    // MARK: - From a verified identity to a custom token

    /// Finds or makes the account of an identity, and mints its custom token.
    ///
    /// - Parameters:
    ///   - identity: The identity. The caller has admitted its client and its provider by the current configuration.
    ///   - client: The client that receives the token.
    ///   - givingBack: Makes the credential usable again if nothing was issued, and returns whether that succeeded.
    /// - Returns: The custom token and the account.
    /// - Throws: ``SignInError/conflict(_:)`` if the address of the identity belongs to another account,
    ///   ``SignInError/emailDomainNotAllowed``, ``SignInError/hook(_:)``, or the error of a component.
    func signIn(
        _ identity: VerifiedIdentity, for client: RegisteredClient, givingBack: () async -> Bool
    ) async throws(SignInError) -> SignInOutcome {
        // Before the account: a person who is not admitted gets none.
        guard client.admits(identity) else { throw .emailDomainNotAllowed }
        var claims = HookClaims.none
        if hooks.asks(.beforeCreate) {
            // The directory decides and creates in one step. A first step that creates none shows whether to ask.
            let known = try await orConflict(identity, for: client, await accounts.find(identity), givingBack)
            if let known { return try await mint(known, for: client, givingBack: givingBack) }
            claims = try await ask(.creation(of: identity, for: client.id), givingBack: givingBack)
        }
        let account = try await orConflict(identity, for: client, await accounts.resolve(identity), givingBack)
        return try await mint(account, for: client, adding: account.isNew ? claims : .none, givingBack: givingBack)
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
            account = try await accounts.resolve(proven.identity, heldBy: proven.holder?.uid ?? "")
        } catch {
            throw await .account(error, givingBack: proven.giveBack)
        }
        guard let account else {
            _ = await proven.giveBack()
            throw .pendingCredential(.expired)
        }
        return try await mint(account, for: client, givingBack: proven.giveBack)
    }

    /// Makes an anonymous account, and mints its custom token.
    func signInAnonymously(for client: RegisteredClient) async throws(SignInError) -> SignInOutcome {
        guard client.admits(nil) else { throw .emailDomainNotAllowed }
        let claims = try await ask(.creation(of: nil, for: client.id)) { true }
        let account: Account
        do {
            account = try await accounts.makeAnonymous(retention: rules.anonymousRetention)
        } catch {
            throw .account(StepFailure(error, isUnspent: error.nothingWasWritten))
        }
        // The same request may be sent again: it makes another account.
        return try await mint(account, for: client, adding: claims) { true }
    }

    /// Mints what the application of an account receives.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - client: The client that receives the token.
    ///   - reauthentication: The evidence of a fresh login; `nil` for a sign-in.
    ///   - earlier: The claims of the hooks that this call has asked already.
    ///   - givingBack: Makes the credential usable again if nothing was issued, and returns whether that succeeded.
    /// - Returns: The custom token and the account.
    /// - Throws: ``SignInError/emailDomainNotAllowed``, ``SignInError/hook(_:)``, ``SignInError/minting(_:)``, or ``SignInError/redemption(_:)`` for a client
    ///   that redeems.
    func mint(
        _ account: Account, for client: RegisteredClient, reauthentication: Reauthentication? = nil,
        adding earlier: HookClaims = .none, givingBack: () async -> Bool
    ) async throws(SignInError) -> SignInOutcome {
        guard client.admits(account.identity) else { throw .emailDomainNotAllowed }
        let claims: HookClaims
        do {
            claims = try await hooks.ask(
                .signIn(of: account, for: client.id), adding: earlier
            ) { claims throws(MintingError) in
                try minter.check(claims, for: account, client: client.id, reauthentication: reauthentication)
            }
        } catch {
            throw await .hook(error, givingBack: givingBack)
        }
        let tenantID = client.tenantID ?? rules.tenantID
        let token: CustomToken
        do {
            token = try await minter.mint(
                account, for: client.id, lifetime: client.tokenLifetime, tenantID: tenantID,
                reauthentication: reauthentication, adding: claims)
        } catch {
            throw .minting(StepFailure(error, isUnspent: await givingBack()))
        }
        return SignInOutcome(
            token: token, account: account,
            providerTokens: client.returnsProviderTokens ? account.identity?.tokens : nil,
            redeemed: client.redeems
                ? try await firebaseSession(for: token, tenantID: tenantID, givingBack: givingBack) : nil)
    }

    /// Asks the operator's hook of an event, if there is one.
    ///
    /// - Parameters:
    ///   - event: A creation or a link; ``mint(_:for:reauthentication:adding:givingBack:)`` asks before each sign-in.
    ///   - givingBack: Makes the credential usable again if nothing was issued, and returns whether that succeeded.
    /// - Returns: The claims for the custom token of this call, if it mints one.
    /// - Throws: ``SignInError/hook(_:)``.
    func ask(_ event: HookEvent, givingBack: () async -> Bool) async throws(SignInError) -> HookClaims {
        do {
            return try await hooks.ask(event)
        } catch {
            throw await .hook(error, givingBack: givingBack)
        }
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

    /// Whether a custom token could not be signed in time now, so that work for one would be wasted.
    var isOverloaded: Bool { minter.isOverloaded }

    /// Makes a custom token and drops it, to show that the signer works.
    func checkSigner() async throws(MintingError) {
        try await minter.check()
    }
}
