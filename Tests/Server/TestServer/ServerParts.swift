import Accounts
import Exchange
import Firebase
import Fixtures
import Flows
import Foundation
import JOSE
import Jansson
import Logging
import Minting
import Providers
import SQLiteStores
import Sandbox
import SecondFactors
import Server
import ServiceLifecycle
import Standards
import Stores
import Transport
import Verification

/// The components of a test server, composed as in `serve` except for clock, store and key.
struct ServerParts {
    /// The listeners of the server, as keys of their ports.
    enum Listener { case application, admin }

    /// The key that seals state outside the server.
    static let sealKey = [UInt8](repeating: 7, count: 32)

    let store: SQLiteStore
    let signer: CustomTokenSigner
    let concurrencyLimit: ConcurrencyLimit
    let gate = Gate()
    private let plan: Plan
    private let clock: ServerClock
    private let flows: FlowSet
    private let pages: PageRenderer

    init(_ plan: Plan, addresses: SandboxAddresses, transport: HTTPTransport, clock: ServerClock) throws {
        self.plan = plan
        self.clock = clock
        store = try SQLiteStore.inMemory(until: clock.now)
        pages = try PageRenderer()
        concurrencyLimit = ConcurrencyLimit(maximum: plan.limits.inFlight, maximumBodies: plan.limits.connections)
        let transport = gate.transport(over: transport, timeout: plan.providerTimeout)
        let (time, random) = (clock.source, plan.random)
        let google = try GoogleParts(
            plan, at: addresses.google, store: store, transport: transport, time: time)
        signer = google.signer
        flows = FlowSet(
            issuer: plan.issuer, clients: Registrations.clients(plan),
            providers: Registrations.providers(
                addresses, transport: transport, time: time, responseMode: plan.responseMode),
            seal: Seal(keys: [SealKey(Self.sealKey)].compactMap(\.self)),
            storeSeal: StoreSeal(keys: [StoreKey([UInt8](repeating: 8, count: 32))].compactMap(\.self)),
            exchanger: Exchanger(
                transport: transport, singleUse: SingleUse(store: store, time: time), time: time, random: random),
            verifier: Verifier(
                transport: transport, singleUse: SingleUse(store: store, time: time),
                findsAccounts: plan.google != .directory, time: time, random: random
            ),
            accounts: AccountResolver(
                directory: google.directory,
                rule: .template([.placeholder(.provider), .text(":"), .placeholder(.subject)]), emails: plan.emails,
                time: time, random: random),
            linker: AccountLinker(directory: google.directory, time: time),
            secondFactors: SecondFactors(
                store: store, seal: StoreSeal(keys: [StoreKey([UInt8](repeating: 8, count: 32))].compactMap(\.self)),
                isPerTenant: false, time: time, random: random),
            authenticator: FirebaseCallerAuthenticator(
                verifier: google.idTokens, toolkit: google.toolkit, rules: plan.rules, time: time),
            appCheck: google.appCheck, toolkit: google.toolkit, firebaseSessions: google.firebaseSessions,
            minter: Minter(
                signer: signer, templates: ClaimTemplates(["idp": [.placeholder(.provider)]]), time: time),
            hooks: Hooks(
                plan.hooks, signer: signer, transport: plan.hookTransport ?? transport, time: time, random: random,
                onFailure: { _, _ in }),
            rules: plan.rules, store: store, time: time, random: random)
    }

    /// Both listeners on free ports.
    func services(logger: Logger, listening: @escaping @Sendable (Listener, Int) -> Void) -> ServiceGroup {
        let metrics = Metrics()
        let addresses = ClientAddress(
            parse: AddressText.octets, trustsEveryPeer: plan.trustsEveryPeer, lastHopIsProxy: plan.lastHopIsProxy
        ) { [trusts = plan.trustsLoopback] in
            trusts && $0 == [127, 0, 0, 1]
        }
        let readiness = Readiness(now: clock.continuous) { [store, flows, time = clock.source] in
            ReadinessChecks.all(store: store, flows: flows, time: time) { [] }
        }
        let publicListener = PublicListener(
            flows: { [flows] in flows }, limits: plan.limits, addresses: addresses,
            concurrencyLimit: concurrencyLimit, metrics: metrics, audit: plan.audit, pages: pages, time: clock.source,
            strictTransportSecurity: plan.certificate == nil ? nil : .seconds(86400),
            readiness: plan.answersProbes ? readiness : nil, storeAdvice: { "remedy of \($0.code)" })
        let servers = Servers(logger: logger, metrics: metrics)
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(
                    service: servers.listener(
                        AdminListener(
                            readiness: readiness, concurrencyLimit: concurrencyLimit, metrics: metrics,
                            now: clock.continuous),
                        name: "admin", host: "127.0.0.1", port: 0, limits: plan.adminLimits
                    ) { listening(.admin, $0) }),
                .init(
                    service: servers.listener(
                        publicListener, name: "public", host: "127.0.0.1", port: 0, certificate: plan.certificate,
                        addresses: addresses, isProxied: plan.proxyProtocol, limits: plan.limits
                    ) {
                        listening(.application, $0)
                    }),
                .init(
                    service: DrainService(concurrencyLimit, delay: .seconds(1)) { [plan] _ in await plan.drainDelay() }),
            ], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(20)
        return ServiceGroup(configuration: configuration)
    }
}

/// The components that use the stand-in of Google.
struct GoogleParts {
    let signer: CustomTokenSigner
    let toolkit: IdentityToolkit?
    let firebaseSessions: FirebaseSessionClient?
    let directory: any AccountDirectory
    let idTokens: FirebaseIDTokenVerifier
    let appCheck: AppCheckVerifier

    init(_ plan: Plan, at origin: String, store: SQLiteStore, transport: HTTPTransport, time: TimeSource) throws {
        let account = try TestAccount.parsed()
        // Retries do not wait.
        let throttle = RetryThrottle()
        var retries = RetryPolicy(throttle)
        retries.pause = { _ in true }
        let machine = AccessTokenSource.metadata(origin: origin, transport: transport, time: time, retries: retries)
        signer =
            if let signer = plan.signer {
                signer
            } else if plan.signsRemotely {
                .iam(
                    origin: origin,
                    email: .discovered(origin: origin, transport: transport, time: time, retries: retries),
                    caller: "the tests", accessTokens: machine, transport: transport, time: time, callLimit: 64,
                    retries: retries)
            } else {
                try CustomTokenSigner(serviceAccount: account, threadCount: 1)
            }
        let asked = IdentityToolkit(
            IdentityToolkitEndpoint(
                origin: origin, projectID: Plan.projectID, tenantID: plan.rules.tenantID,
                tokens: plan.signsRemotely
                    ? machine
                    : .serviceAccount(
                        account, endpoint: origin + "/token",
                        scopes: [
                            "https://www.googleapis.com/auth/identitytoolkit",
                            "https://www.googleapis.com/auth/cloud-platform",
                        ], transport: transport, time: time, retries: retries),
                transport: transport, time: time, retries: IdentityToolkitRetryPolicy(throttle) { _ in }))
        toolkit = plan.google == .keys ? nil : asked
        firebaseSessions =
            plan.google == .keys ? nil : FirebaseSessionClient(toolkit: asked, apiKey: Secret("sandbox-api-key"))
        directory =
            plan.google == .directory
            ? FirebaseDirectory(
                users: asked, local: store, providers: ["yahoo.com", "twitter.com"], syncsProfile: true) : store
        idTokens = FirebaseIDTokenVerifier(
            projectID: Plan.projectID,
            keys: FirebaseKeys.document(
                at: origin + "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
                transport: transport, time: time), time: time)
        appCheck = AppCheckVerifier(
            projectID: Plan.projectID,
            keys: FirebaseKeys.document(at: origin + "/v1/jwks", transport: transport, time: time), time: time)
    }
}

/// The service account of all test servers, with a key that is published in `Tests/Support/Fixtures`.
enum TestAccount {
    static let email = "tests@project.iam.gserviceaccount.com"

    static func parsed() throws -> ServiceAccount {
        let account: JSON = [
            "type": "service_account", "project_id": "project", "private_key_id": "key-1",
            "private_key": .string(try Fixtures.pem("rsa-2048")), "client_email": .string(email),
        ]
        return try ServiceAccount.parse(account.serialized())
    }

    /// Google's stand-in, at which it may act for the project.
    static func registered() throws -> GoogleSettings {
        let account = GoogleServiceAccount(
            email: email, projectID: Plan.projectID, keyID: "key-1", publicKey: try parsed().publicKey)
        return GoogleSettings(serviceAccounts: [account], tenants: ["tenant-1", "tenant-2"])
    }
}
