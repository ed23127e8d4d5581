package import Accounts
package import Exchange
package import Firebase
package import JOSE
package import Minting
package import Providers
package import SecondFactors
package import Standards
package import Stores
package import Verification

/// The flows of one configuration.
///
/// All requests share it. A reload of the configuration makes another one, and requests in progress keep theirs.
package final class FlowSet: Sendable {
    package let registrations: Registrations
    package let direct: DirectSignIn
    package let browser: BrowserSignIn
    package let device: DeviceSignIn
    package let accounts: AccountCalls
    package let events: EventReceiver
    package let appCheck: AppCheckGate
    private let pipeline: Pipeline

    /// Connects the components.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of this server.
    ///   - clients: The clients, with different ids.
    ///   - providers: The providers, with different ids.
    ///   - seal: Seals the state that clients and browsers carry.
    ///   - storeSeal: Seals the identities that the store keeps.
    ///   - appCheck: Required if a client has an App Check rule.
    ///   - toolkit: Required if Firebase is the directory.
    ///   - firebaseSessions: Required if a client redeems its custom tokens.
    ///   - onProfileRefusal: Receives the part of a profile that a provider refuses for good.
    package init(
        issuer: String, clients: [RegisteredClient], providers: [Provider], seal: Seal, storeSeal: StoreSeal,
        exchanger: Exchanger, verifier: Verifier, accounts: AccountResolver, linker: AccountLinker,
        secondFactors: SecondFactors, authenticator: FirebaseCallerAuthenticator, appCheck: AppCheckVerifier?,
        toolkit: IdentityToolkit?,
        firebaseSessions: FirebaseSessionClient?,
        minter: Minter, hooks: Hooks, rules: AccountRules,
        store: any SpentCredentials & Handoffs & DeviceGrants & PendingCredentials,
        time: TimeSource, random: RandomSource,
        onProfileRefusal: @escaping @Sendable (ProviderID, ProviderFailure) -> Void = { _, _ in }
    ) {
        let registrations = Registrations(
            clients: Dictionary(uniqueKeysWithValues: clients.map { ($0.id, $0) }),
            providers: Dictionary(uniqueKeysWithValues: providers.map { ($0.id, $0) }), issuer: issuer)
        let identities = IdentitySeal(storeSeal)
        let singleUse = SingleUse(store: store, time: time)
        let freshLogin = FreshLoginCheck(time: time)
        let callers = Callers(
            registrations: registrations, authenticator: authenticator, linker: linker, secondFactors: secondFactors,
            rules: rules, tenants: Array(Set(clients.map(rules.tenantID) + [rules.tenantID])))
        let conflicts = Conflicts(
            registrations: registrations, linker: linker, rules: rules, pendingCredentials: store,
            identities: identities, time: time, random: random)
        let handoffCodes = HandoffCodes(
            registrations: registrations, handoffs: store, identities: identities, secondFactors: secondFactors,
            time: time, random: random)
        let pipeline = Pipeline(
            exchanger: exchanger, verifier: verifier, accounts: accounts, linker: linker,
            secondFactors: secondFactors, minter: minter, hooks: hooks, firebaseSessions: firebaseSessions,
            rules: rules,
            conflicts: conflicts, singleUse: singleUse,
            onProfileRefusal: onProfileRefusal)
        let providerNonces = ProviderNonces(seal: seal, random: random)
        let authorization = ProviderAuthorization(
            requests: ProviderRequests(exchanger: exchanger, random: random, makeNonce: providerNonces.make),
            pipeline: pipeline, freshLogin: freshLogin)
        let flows = SealedFlows(seal: seal, time: time, random: random)
        let nonces = Nonces(registrations: registrations, seal: seal, time: time, random: random)
        let confirmations = ConfirmationPages(
            registrations: registrations, authorization: authorization, freshLogin: freshLogin, seal: seal,
            time: time, random: random)
        let credentials = PostedCredentials(
            pipeline: pipeline, authorization: authorization, nonces: nonces, providerNonces: providerNonces,
            singleUse: singleUse, freshLogin: freshLogin, seal: seal, time: time)
        let device = DeviceSignIn(
            registrations: registrations, pipeline: pipeline, authorization: authorization, flows: flows,
            identities: identities, secondFactors: secondFactors, deviceGrants: store, seal: seal, time: time,
            random: random)
        self.registrations = registrations
        self.pipeline = pipeline
        self.device = device
        direct = DirectSignIn(
            registrations: registrations, pipeline: pipeline, credentials: credentials, conflicts: conflicts,
            authorization: authorization, confirmations: confirmations, nonces: nonces, callers: callers,
            singleUse: singleUse, seal: seal, time: time, random: random)
        browser = BrowserSignIn(
            registrations: registrations, pipeline: pipeline,
            conflictPages: ConflictPages(
                registrations: registrations, pipeline: pipeline, conflicts: conflicts, rules: rules),
            authorization: authorization, confirmations: confirmations,
            pushedRequests: PushedRequests(
                registrations: registrations, callers: callers, freshLogin: freshLogin, seal: seal, time: time,
                random: random),
            handoffCodes: handoffCodes, flows: flows, devices: device, freshLogin: freshLogin, singleUse: singleUse,
            random: random)
        let sessions = FirebaseSessions(toolkit: toolkit, secondFactors: secondFactors, rules: rules, time: time)
        self.accounts = AccountCalls(
            registrations: registrations, pipeline: pipeline, credentials: credentials, handoffCodes: handoffCodes,
            conflicts: conflicts, callers: callers, authenticator: authenticator, linker: linker,
            secondFactors: secondFactors, exchanger: exchanger, sessions: sessions, singleUse: singleUse,
            freshLogin: freshLogin, rules: rules, time: time)
        events = EventReceiver(
            registrations: registrations, verifier: verifier, linker: linker, sessions: sessions, singleUse: singleUse,
            tenants: callers.tenants)
        self.appCheck = AppCheckGate(registrations: registrations, verifier: appCheck)
    }

    package var clients: [ClientID: RegisteredClient] { registrations.clients }
    package var providers: [ProviderID: Provider] { registrations.providers }
    package var issuer: String { registrations.issuer }

    package func logo(_ digest: String) -> Branding.Logo? {
        registrations.clients.values.lazy.compactMap(\.branding.logo).first { $0.digest == digest }
    }

    /// Whether a custom token that is requested now could not be signed in time.
    package var isOverloaded: Bool { pipeline.isOverloaded }

    /// Makes a custom token and drops it, for readiness.
    package func checkSigner() async throws(MintingError) {
        try await pipeline.checkSigner()
    }
}
