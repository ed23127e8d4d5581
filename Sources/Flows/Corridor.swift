package import Accounts
package import Exchange
package import Firebase
package import JOSE
package import Minting
package import OAuth
package import Providers
package import Sealing
package import Stores
package import Verification

/// The order of the rooms: exchange, verify, resolve, mint.
///
/// It stands here and nowhere else.
///
/// Without state, and shared by the requests that it serves: a reload of the configuration makes another one.
package final class Corridor: Sendable {
    package let clients: [ClientID: RegisteredClient]
    package let providers: [ProviderID: Provider]
    /// Our own, in metadata and in every answer to an application (RFC 8414 §2, RFC 9207 §2).
    package let issuer: String
    /// Seals the unfinished state that travels.
    let seal: Seal
    let identities: IdentitySeal
    let exchanger: Exchanger
    let verifier: Verifier
    let accounts: AccountResolver
    let linker: AccountLinker
    let bearers: BearerCheck
    let appCheck: AppCheckVerifier?
    let toolkit: IdentityToolkit?
    let redeemer: Redeemer?
    let minter: Minter
    let rules: AccountRules
    /// Of which a bearer has to be one's; nil stands for no tenant.
    let tenants: [String?]
    let spent: any SpentCredentials
    let handoffs: any Handoffs
    let deviceGrants: any DeviceGrants
    let pendingCredentials: any PendingCredentials
    let time: TimeSource
    let random: RandomSource
    /// Told of a part of a profile that a provider refuses for good, for the operator.
    let onProfileRefusal: @Sendable (ProviderID, ProviderFailure) -> Void

    /// - `appCheck`: needed where a client asks for it.
    /// - `toolkit`: needed where Firebase is the directory, and where sessions are to be ended there.
    /// - `redeemer`: needed where a client redeems.
    package init(
        issuer: String, clients: [RegisteredClient], providers: [Provider], seal: Seal, storeSeal: StoreSeal,
        exchanger: Exchanger, verifier: Verifier, accounts: AccountResolver, linker: AccountLinker,
        bearers: BearerCheck, appCheck: AppCheckVerifier?, toolkit: IdentityToolkit?, redeemer: Redeemer?,
        minter: Minter, rules: AccountRules,
        store: any SpentCredentials & Handoffs & DeviceGrants & PendingCredentials,
        time: TimeSource, random: RandomSource,
        onProfileRefusal: @escaping @Sendable (ProviderID, ProviderFailure) -> Void = { _, _ in }
    ) {
        self.issuer = issuer
        self.clients = Dictionary(uniqueKeysWithValues: clients.map { ($0.id, $0) })
        self.providers = Dictionary(uniqueKeysWithValues: providers.map { ($0.id, $0) })
        self.seal = seal
        identities = IdentitySeal(storeSeal)
        self.exchanger = exchanger
        self.verifier = verifier
        self.accounts = accounts
        self.linker = linker
        self.bearers = bearers
        self.appCheck = appCheck
        self.toolkit = toolkit
        self.redeemer = redeemer
        self.minter = minter
        self.rules = rules
        tenants = Array(Set(clients.map { $0.tenantID ?? rules.tenantID } + [rules.tenantID]))
        spent = store
        handoffs = store
        deviceGrants = store
        pendingCredentials = store
        self.time = time
        self.random = random
        self.onProfileRefusal = onProfileRefusal
    }

    /// A credential goes in, a custom token comes out.
    package func exchange(_ request: ExchangeRequest) async throws(SignInError) -> SignInOutcome {
        let client = try admit(request.client, request.provider).0
        if case .pending(let pending) = request.credential {
            let proven = try await self.proven(
                pending, for: .exchange, of: request.provider, by: nil, client: client)
            return try await finished(proven, for: client)
        }
        let identity = try await verifiedIdentity(request, intent: nil)
        return try await finished(identity, for: client) { await giveBack(identity.returnable) }
    }

    /// The same as ``exchange(_:)``, by the grant of RFC 8693.
    package func exchangeSubjectToken(_ request: ExchangeRequest) async throws(SignInError) -> SignInOutcome {
        _ = try client(request.client, for: .tokenExchange)
        return try await exchange(request)
    }

    /// From a verified identity to a custom token.
    ///
    /// - `givingBack`: makes the credential usable again where nothing was handed out; whether that succeeded.
    func finished(
        _ identity: VerifiedIdentity, for client: RegisteredClient, givingBack: () async -> Bool
    ) async throws(SignInError) -> SignInOutcome {
        // What was verified a while ago meets the configuration of now.
        _ = try admit(client.id, identity.provider)
        let account: Account
        do {
            account = try await accounts.resolve(identity)
        } catch .emailTaken(let accounts) {
            throw .conflict(try await conflict(identity, for: client, meeting: accounts, givingBack: givingBack))
        } catch {
            // Where a commit may have happened, what was spent stays spent.
            throw .account(error, givenBack: error.nothingWasWritten ? await givingBack() : false)
        }
        return try await minted(account, for: client, givingBack: givingBack)
    }

    /// From the identity of a pending credential to a custom token for the account that holds it.
    private func finished(
        _ proven: ProvenIdentity, for client: RegisteredClient
    ) async throws(SignInError) -> SignInOutcome {
        let account: Account?
        do {
            account = try await accounts.resolve(proven.identity, heldBy: proven.holder?.uid ?? "")
        } catch {
            throw .account(error, givenBack: error.nothingWasWritten ? await proven.giveBack() : false)
        }
        guard let account else {
            _ = await proven.giveBack()
            throw .pendingCredential(.expired)
        }
        return try await minted(account, for: client, givingBack: proven.giveBack)
    }

    /// From an account to what its application gets.
    ///
    /// - `reauthentication`: what the person has shown once more; nil for a sign-in.
    func minted(
        _ account: Account, for client: RegisteredClient, reauthentication: Reauthentication? = nil,
        givingBack: () async -> Bool
    ) async throws(SignInError) -> SignInOutcome {
        let tenantID = client.tenantID ?? rules.tenantID
        let token: CustomToken
        do {
            token = try await minter.mint(
                account, for: client.id, lifetime: client.tokenLifetime, tenantID: tenantID,
                reauthentication: reauthentication)
        } catch {
            throw .minting(error, givenBack: await givingBack())
        }
        return SignInOutcome(
            token: token, account: account,
            providerTokens: client.returnsProviderTokens ? account.identity?.tokens : nil,
            redeemed: client.redeems
                ? try await redeemed(token, tenantID: tenantID, givingBack: givingBack) : nil)
    }

    /// What Firebase gives for a custom token, for applications without its SDK.
    private func redeemed(
        _ token: CustomToken, tenantID: String?, givingBack: () async -> Bool
    ) async throws(SignInError) -> FirebaseSession {
        guard let redeemer else { preconditionFailure("A client that redeems comes with an API key.") }
        do {
            return try await redeemer.redeem(token.secret, tenantID: tenantID)
        } catch {
            // The custom token stays here, and is forgotten: nothing was handed out for the credential.
            throw .redemption(error, givenBack: error.isRefusalForNow ? await givingBack() : false)
        }
    }

    func admit(
        _ clientID: ClientID, _ providerID: ProviderID
    ) throws(SignInError) -> (RegisteredClient, Provider) {
        guard let client = clients[clientID] else { throw .unknownClient }
        guard let provider = providers[providerID] else { throw .unknownProvider }
        guard client.providers?.contains(providerID) ?? true else { throw .providerDisabled }
        return (client, provider)
    }

    /// Whether a custom token could not be signed in time now, so that work for one would be wasted.
    package var isOverloaded: Bool { minter.isOverloaded }

    /// Makes a custom token that is thrown away, for readiness.
    package func checkSigner() async throws(MintingError) {
        try await minter.check()
    }

    /// Whether the records are free again; false where there is nothing to give back, since the provider has spent the
    /// credential as well.
    func giveBack(_ records: [SpentRecord]) async -> Bool {
        guard !records.isEmpty else { return false }
        do {
            try await spent.giveBack(records)
            return true
        } catch {
            return false
        }
    }
}
