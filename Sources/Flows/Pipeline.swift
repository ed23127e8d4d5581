internal import Accounts
internal import Exchange
internal import Minting
internal import Providers
internal import SecondFactors
internal import Standards
internal import Stores
internal import Verification

/// The order of the components of a sign-in: exchange, verification, accounts, second factors, minting.
///
/// The operator's hooks are asked before an account is created and before a custom token is minted.
///
/// It has no state of a flow. Every flow uses it.
final class Pipeline: Sendable {
    let exchanger: Exchanger
    let verifier: Verifier
    private let resolver: AccountResolver
    let linker: AccountLinker
    let secondFactors: SecondFactors
    let minter: Minter
    let hooks: Hooks
    let firebaseSessions: FirebaseSessionClient?
    let rules: AccountRules
    let conflicts: Conflicts
    let singleUse: SingleUse
    /// Receives the part of a profile that a provider refuses for good, for the operator.
    let onProfileRefusal: @Sendable (ProviderID, ProviderFailure) -> Void

    init(
        exchanger: Exchanger, verifier: Verifier, accounts: AccountResolver, linker: AccountLinker,
        secondFactors: SecondFactors, minter: Minter, hooks: Hooks, firebaseSessions: FirebaseSessionClient?,
        rules: AccountRules,
        conflicts: Conflicts, singleUse: SingleUse,
        onProfileRefusal: @escaping @Sendable (ProviderID, ProviderFailure) -> Void
    ) {
        self.exchanger = exchanger
        self.verifier = verifier
        resolver = accounts
        self.linker = linker
        self.secondFactors = secondFactors
        self.minter = minter
        self.hooks = hooks
        self.firebaseSessions = firebaseSessions
        self.rules = rules
        self.conflicts = conflicts
        self.singleUse = singleUse
        self.onProfileRefusal = onProfileRefusal
    }

    /// Finds and makes the accounts of a client's tenant.
    func accounts(of client: RegisteredClient) -> AccountResolver {
        resolver.of(tenantID: rules.tenantID(of: client))
    }

    // MARK: - From a credential to a verified identity

    /// Exchanges an authorization code, and verifies the tokens that the provider returns.
    func identity(
        redeeming grant: consuming AuthorizationGrant, nonce: ExpectedNonce?, maximumAge: Duration?,
        at provider: Provider, for client: RegisteredClient
    ) async throws -> VerifiedIdentity {
        if let openIDConnect = provider.openIDConnect {
            guard let nonce else { throw Refusal.nonceRequired }
            let tokens = try await exchanger.exchange(grant, with: openIDConnect, of: provider)
            return try await identity(at: provider, for: client) { verifier in
                try await verifier.verify(
                    tokens, with: openIDConnect, of: provider, nonce: nonce, maximumAuthenticationAge: maximumAge)
            }
        }
        guard let oauth2 = provider.oauth2 else { throw Refusal.unsupportedCredential }
        let tokens = try await exchanger.exchange(grant, with: oauth2, of: provider)
        return try await identity(at: provider, for: client) { verifier in
            try await verifier.verify(tokens, with: oauth2, of: provider)
        }
    }

    /// Exchanges the verifier of OAuth 1.0a for token credentials, and verifies these (RFC 5849 §2.3).
    func identity(
        redeeming oauthVerifier: Secret, for temporary: TemporaryCredentials, with oauth1: OAuth1,
        at provider: Provider, for client: RegisteredClient
    ) async throws -> VerifiedIdentity {
        let tokens = try await exchanger.exchange(
            verifier: oauthVerifier, for: temporary, with: oauth1, of: provider)
        return try await identity(at: provider, for: client) { verifier in
            try await verifier.verify(tokens, with: oauth1, of: provider)
        }
    }

    /// Verifies a credential, and completes the profile of its identity.
    func identity(
        at provider: Provider, for client: RegisteredClient, _ verify: (Verifier) async throws -> VerifiedIdentity
    ) async throws -> VerifiedIdentity {
        let identity = try await verify(verifier)
        return try await singleUse.spent(identity.returnable).keepSpent {
            try await withProfile(identity, at: provider, for: client)
        }
    }

    /// Completes the profile of an identity if the provider's rule asks for it.
    ///
    /// An account that is made without its e-mail address could later not be found by that address. Therefore the first
    /// sign-in of an identity fails until the provider responds, unless the ID token contains the address.
    private func withProfile(
        _ identity: VerifiedIdentity, at provider: Provider, for client: RegisteredClient
    ) async throws -> VerifiedIdentity {
        if let refusal = identity.profileRefusal { onProfileRefusal(provider.id, refusal) }
        guard !identity.isProfileWhole else { return identity }
        if provider.profileRule == .firstSignIn, try await isKnown(identity, for: client) { return identity }
        do {
            let whole = try await verifier.completed(identity)
            if let refusal = whole.profileRefusal { onProfileRefusal(provider.id, refusal) }
            return whole
        } catch let failure as ProviderFailure where failure.isPassing {
            // With the rule `firstSignIn`, the check above has just shown that the account is not known.
            if provider.profileRule == .always, try await isKnown(identity, for: client) { return identity }
            guard let addressed = identity.withoutUserInfo(because: failure) else { throw failure }
            onProfileRefusal(provider.id, failure)
            return addressed
        }
    }

    /// Whether an identity has an account.
    func isKnown(_ identity: VerifiedIdentity, for client: RegisteredClient) async throws -> Bool {
        try await linker.holder(of: identity, in: rules.tenantID(of: client)) != nil
    }

    /// Whether a custom token could not be signed in time now, so that work for one would be wasted.
    var isOverloaded: Bool { minter.isOverloaded }

    /// Makes a custom token and drops it, to show that the signer works.
    func checkSigner() async throws(MintingError) {
        try await minter.check()
    }
}
