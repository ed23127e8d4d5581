import Accounts
import Exchange
import Firebase
import Flows
import Jansson
import Logging
import Minting
import OAuth
import Pages
import SQLiteStores
import Sandbox
import Sealing
import Server
import ServiceLifecycle
import Stores
import Transport
import Verification

/// The server of a street, put together as `serve` does it, but for clock, store and key.
struct House {
    enum Door { case street, yard }

    /// Of what travels.
    static let sealKey = [UInt8](repeating: 7, count: 32)

    let store: SQLiteStore
    let signer: CustomTokenSigner
    let admission: Admission
    let gate = Gate()
    private let plan: Plan
    private let clock: StreetClock
    private let flows: FlowSet
    private let pages: PageRenderer

    init(_ plan: Plan, addresses: SandboxAddresses, transport: HTTPTransport, clock: StreetClock) throws {
        self.plan = plan
        self.clock = clock
        store = try SQLiteStore.inMemory()
        pages = try PageRenderer()
        admission = Admission(maximum: plan.limits.inFlight, maximumBodies: plan.limits.connections)
        let transport = gate.transport(over: transport, timeout: plan.providerTimeout)
        let (time, random) = (clock.source, plan.random)
        let google = try GoogleParts(
            plan, at: addresses.google, store: store, transport: transport, time: time)
        signer = google.signer
        flows = FlowSet(
            issuer: plan.issuer, clients: Registrations.clients(plan),
            providers: Registrations.providers(addresses, transport: transport, time: time),
            seal: Seal(keys: [SealKey(Self.sealKey)].compactMap(\.self)),
            storeSeal: StoreSeal(keys: [StoreKey([UInt8](repeating: 8, count: 32))].compactMap(\.self)),
            exchanger: Exchanger(transport: transport, spent: store, time: time, random: random),
            verifier: Verifier(
                transport: transport, spent: store, findsAccounts: plan.google != .directory, time: time, random: random
            ),
            accounts: AccountResolver(
                directory: google.directory, rule: .template([.provider, .text(":"), .subject]), emails: plan.emails,
                time: time, random: random),
            linker: AccountLinker(directory: google.directory, time: time),
            bearers: BearerCheck(
                verifier: google.idTokens, toolkit: google.toolkit, rules: plan.rules, time: time),
            appCheck: google.appCheck, toolkit: google.toolkit, redeemer: google.redeemer,
            minter: Minter(
                signer: signer, templates: ClaimTemplates(["idp": [.placeholder(.provider)]]), time: time),
            rules: plan.rules, store: store, time: time, random: random)
    }

    /// Both listeners on free ports.
    func services(logger: Logger, listening: @escaping @Sendable (Door, Int) -> Void) -> ServiceGroup {
        let metrics = Metrics()
        let publicDoor = PublicListener(
            flows: { [flows] in flows }, limits: plan.limits,
            addresses: ClientAddress(parse: AddressText.octets) { [trusts = plan.trustsLoopback] in
                trusts && $0 == [127, 0, 0, 1]
            },
            admission: admission, metrics: metrics, audit: plan.audit, pages: pages, time: clock.source)
        let readiness = Readiness(now: clock.continuous) { [store, flows, time = clock.source] in
            ReadinessChecks.all(store: store, flows: flows, time: time)
        }
        let servers = Servers(logger: logger, metrics: metrics)
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(
                    service: servers.listener(
                        AdminListener(
                            readiness: readiness, admission: admission, metrics: metrics, now: clock.continuous),
                        name: "admin", host: "127.0.0.1", port: 0, limits: plan.limits
                    ) { listening(.yard, $0) }),
                .init(
                    service: servers.listener(
                        publicDoor, name: "public", host: "127.0.0.1", port: 0, limits: plan.limits
                    ) {
                        listening(.street, $0)
                    }),
                .init(service: DrainService(admission, delay: .seconds(1)) { [plan] _ in await plan.drainDelay() }),
            ], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(20)
        return ServiceGroup(configuration: configuration)
    }
}
