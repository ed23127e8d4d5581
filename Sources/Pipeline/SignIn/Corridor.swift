package import Accounts
package import Exchange
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
/// A value without state: a reload of the configuration makes another one.
package struct Corridor: Sendable {
    package let clients: [ClientID: RegisteredClient]
    package let providers: [ProviderID: Provider]
    /// Our own, in metadata and in every answer to an application (RFC 8414 §2, RFC 9207 §2).
    package let issuer: String
    let seal: Seal
    let identities: IdentitySeal
    let exchanger: Exchanger
    let verifier: Verifier
    let accounts: AccountResolver
    let minter: Minter
    let spent: any SpentCredentials
    let handoffs: any Handoffs
    let deviceGrants: any DeviceGrants
    let time: TimeSource
    let random: RandomSource

    package init(
        issuer: String, clients: [RegisteredClient], providers: [Provider], seal: Seal, exchanger: Exchanger,
        verifier: Verifier, accounts: AccountResolver, minter: Minter,
        store: any SpentCredentials & Handoffs & DeviceGrants, time: TimeSource, random: RandomSource
    ) {
        self.issuer = issuer
        self.clients = Dictionary(uniqueKeysWithValues: clients.map { ($0.id, $0) })
        self.providers = Dictionary(uniqueKeysWithValues: providers.map { ($0.id, $0) })
        self.seal = seal
        identities = IdentitySeal(seal)
        self.exchanger = exchanger
        self.verifier = verifier
        self.accounts = accounts
        self.minter = minter
        spent = store
        handoffs = store
        deviceGrants = store
        self.time = time
        self.random = random
    }

    /// A credential goes in, a custom token comes out.
    package func exchange(_ request: SignInRequest) async throws(SignInError) -> SignInOutcome {
        let (client, provider) = try admit(request.client, request.provider)
        let type = request.credential.type
        guard type == .callback || provider.acceptedCredentials.contains(type) || explains(type)
        else { throw .unsupportedCredential }
        let identity = try await verifiedIdentity(request.credential, client: client, provider: provider)
        return try await finished(identity, for: client) { await giveBack(identity.returnable) }
    }

    /// The same as ``exchange(_:)``, by the grant of RFC 8693.
    package func exchangeSubjectToken(_ request: SignInRequest) async throws(SignInError) -> SignInOutcome {
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
        } catch {
            // Where a commit may have happened, what was spent stays spent.
            throw .account(error, givenBack: error.nothingWasWritten ? await givingBack() : false)
        }
        let token: CustomToken
        do {
            token = try await minter.mint(account, for: client.id, lifetime: client.tokenLifetime)
        } catch {
            throw .minting(error, givenBack: await givingBack())
        }
        return SignInOutcome(
            token: token, account: account,
            providerTokens: client.returnsProviderTokens ? identity.tokens : nil)
    }

    /// A bare access token is answered with the reason for which no configuration takes it, rather than as unknown.
    private func explains(_ type: CredentialType) -> Bool { type == .accessToken }

    func admit(
        _ clientID: ClientID, _ providerID: ProviderID
    ) throws(SignInError) -> (RegisteredClient, Provider) {
        guard let client = clients[clientID] else { throw .unknownClient }
        guard let provider = providers[providerID] else { throw .unknownProvider }
        guard client.providers?.contains(providerID) ?? true else { throw .providerDisabled }
        return (client, provider)
    }

    /// Whether the key signs, for readiness.
    package func canMint() async -> Bool {
        (try? await minter.check()) != nil
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
