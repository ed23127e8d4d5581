internal import Accounts
internal import Exchange
internal import Firebase
internal import Foundation
internal import JOSE
internal import Logging
internal import Minting
internal import OAuth
internal import Providers
internal import SQLiteStores
internal import Sealing
internal import Settings
internal import SignIn
internal import Transport
internal import Verification

/// The only place where live parts are put together.
enum Composition {
    /// - Throws: Exit 78.
    static func corridor(
        _ settings: Settings, issuer: String, transport: HTTPTransport, store: SQLiteStore, seal: Seal,
        time: TimeSource,
        logger: Logger
    ) throws -> Corridor {
        let random = RandomSource.system
        let signer = try ServiceAccounts.signer(
            settings, threadCount: ProcessInfo.processInfo.activeProcessorCount)
        return Corridor(
            issuer: issuer,
            clients: settings.clients.map(client),
            providers: providers(settings, transport: transport, time: time, logger: logger),
            seal: seal,
            exchanger: Exchanger(transport: transport, spent: store, time: time, random: random),
            verifier: Verifier(transport: transport, spent: store, time: time, random: random),
            accounts: AccountResolver(directory: store, rule: uidRule(settings), time: time, random: random),
            minter: Minter(
                signer: signer, templates: ClaimTemplates(settings.claims.mapValues { $0.segments.map(segment) }),
                tenantID: settings.firebase.tenantID, time: time),
            store: store, time: time, random: random)
    }

    private static func client(_ client: Settings.Client) -> RegisteredClient {
        RegisteredClient(
            id: ClientID(client.id), name: client.name, redirectURIs: client.redirectURIs,
            providerRedirectURIs: client.providerRedirectURIs,
            providers: Set(client.providers.map { ProviderID($0) }), origins: Set(client.origins),
            grants: Set(client.grants.map(grant)), returnsProviderTokens: client.returnProviderTokens,
            tokenLifetime: client.tokenLifetime)
    }

    private static func grant(_ grant: Settings.Grant) -> GrantType {
        switch grant {
        case .authorizationCode: .authorizationCode
        case .tokenExchange: .tokenExchange
        case .deviceCode: .deviceCode
        }
    }

    private static func uidRule(_ settings: Settings) -> UIDRule {
        switch settings.accounts.uid {
        case .random: .random
        case .template(let template):
            .template(
                template.segments.compactMap { segment in
                    switch segment {
                    case .text(let text): .text(text)
                    case .placeholder(.provider): .provider
                    case .placeholder(.subject): .subject
                    case .placeholder: nil
                    }
                })
        }
    }

    private static func segment(_ segment: Template.Segment) -> ClaimTemplates.Segment {
        switch segment {
        case .text(let text): .text(text)
        case .placeholder(.provider): .placeholder(.provider)
        case .placeholder(.subject): .placeholder(.subject)
        case .placeholder(.clientID): .placeholder(.clientID)
        case .placeholder(.email): .placeholder(.email)
        case .placeholder(.emailVerified): .placeholder(.emailVerified)
        case .placeholder(.audienceProof): .placeholder(.audienceProof)
        }
    }
}
