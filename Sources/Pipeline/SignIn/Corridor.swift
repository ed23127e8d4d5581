package import Accounts
package import Exchange
package import JOSE
package import Minting
package import OAuth
package import Providers
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
    let seal: Seal
    let exchanger: Exchanger
    let verifier: Verifier
    let accounts: AccountResolver
    let minter: Minter
    let spent: any SpentCredentials
    let time: TimeSource
    let random: RandomSource

    package init(
        clients: [RegisteredClient], providers: [Provider], seal: Seal, exchanger: Exchanger, verifier: Verifier,
        accounts: AccountResolver, minter: Minter, spent: any SpentCredentials, time: TimeSource,
        random: RandomSource
    ) {
        self.clients = Dictionary(uniqueKeysWithValues: clients.map { ($0.id, $0) })
        self.providers = Dictionary(uniqueKeysWithValues: providers.map { ($0.id, $0) })
        self.seal = seal
        self.exchanger = exchanger
        self.verifier = verifier
        self.accounts = accounts
        self.minter = minter
        self.spent = spent
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
        let account = try await resolve(identity)
        let token = try await mint(account, for: client)
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

    private func resolve(_ identity: VerifiedIdentity) async throws(SignInError) -> Account {
        do {
            return try await accounts.resolve(identity)
        } catch {
            // Where a commit may have happened, what was spent stays spent.
            guard error.nothingWasWritten else { throw .account(error, givenBack: false) }
            throw .account(error, givenBack: await giveBack(identity.returnable))
        }
    }

    private func mint(_ account: Account, for client: RegisteredClient) async throws(SignInError) -> CustomToken {
        do {
            return try await minter.mint(account, for: client.id, lifetime: client.tokenLifetime)
        } catch {
            throw .minting(error, givenBack: await giveBack(account.identity.returnable))
        }
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
