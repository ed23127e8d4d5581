internal import CoreMetrics
internal import Firebase
internal import Flows
internal import Foundation
internal import JOSE
internal import Logging
internal import Minting
internal import Settings
internal import Standards
internal import Stores
internal import Transport

/// The components that call Google, or verify Google's signatures.
struct FirebaseParts {
    /// The project of the configuration, or of its first service account.
    let projectID: String
    let signer: CustomTokenSigner
    let idTokens: FirebaseIDTokenVerifier
    let appCheck: AppCheckVerifier
    let toolkit: IdentityToolkit
    /// The same for each tenant whose users have accounts here.
    let toolkits: [IdentityToolkit]
    let anonymousUsers: AnonymousUsers
    let firebaseSessions: FirebaseSessionClient?

    /// Identity Toolkit together with the store; `nil` if accounts are only in the store.
    let firebaseDirectory: FirebaseDirectory?
    let directory: any AccountDirectory

    /// - Throws: Exit 78 for a service account that cannot be used.
    init(
        _ settings: Settings, transport: HTTPTransport, store: any Store, time: TimeSource, logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws {
        let firebase = settings.firebase
        let endpoints = firebase.endpoints
        let accounts = try ServiceAccounts.load(settings)
        projectID = firebase.projectID ?? accounts.first?.projectID ?? Self.emulatorProject
        let identity = try GoogleIdentity(
            firebase, accounts.first, threadCount: ProcessInfo.processInfo.activeProcessorCount, transport: transport,
            time: time, metrics: metrics)
        signer = identity.signer
        if let problem = try GoogleIdentity.projectWarning(firebase) {
            logger.warning("configuration", metadata: ["problem": "\(problem)"])
        }
        func keys(_ name: String, _ endpoint: String, at url: String) -> CachedDocument<JWKSet> {
            FirebaseKeys.document(at: url, transport: transport.calling("keys"), time: time) { error in
                var advice: String? =
                    "If firebase.endpoints is written, compare \(endpoint). \(OutboundResponse.adviceOnProxies)"
                if case .unreachable(let failure) = error { advice = failure.advice(mayBeProvider: false) }
                var metadata: Logger.Metadata = ["keys": "\(name)", "url": "\(url)", "error": "\(error.sentence)"]
                metadata["advice"] = advice.map { "\($0)" }
                logger.warning("keys not fetched", metadata: metadata)
            }
        }
        if case .emulator = firebase.signing {
            idTokens = .forEmulator(projectID: projectID, time: time)
        } else {
            idTokens = FirebaseIDTokenVerifier(
                projectID: projectID, keys: keys("Firebase ID tokens", "id_token_keys", at: endpoints.idTokenKeys),
                time: time)
        }
        appCheck = AppCheckVerifier(
            projectID: projectID, keys: keys("App Check", "app_check_keys", at: endpoints.appCheckKeys), time: time)
        let toolkit = IdentityToolkit(
            IdentityToolkitEndpoint(
                origin: endpoints.identityToolkit, projectID: projectID, tenantID: firebase.tenantID,
                tokens: identity.accessTokens,
                transport: transport.calling("identity_toolkit"), time: time,
                retries: IdentityToolkitRetryPolicy(identity.throttle)))
        self.toolkit = toolkit
        firebaseSessions = firebase.apiKey.map { FirebaseSessionClient(toolkit: toolkit, apiKey: $0.secret) }
        firebaseDirectory =
            firebase.directory == .firebase
            ? FirebaseDirectory(
                users: toolkit, local: store, providers: Set(settings.providers.ids),
                syncsProfile: firebase.syncsProfile) : nil
        directory = firebaseDirectory ?? store
        let tenants = Set(settings.clients.map { ($0.tenantID ?? firebase.tenantID).map { Array($0.utf8) } })
            .union([firebase.tenantID.map { Array($0.utf8) }])
        toolkits = tenants.map { octets in toolkit.of(tenantID: octets.map { String(decoding: $0, as: UTF8.self) }) }
        let ofClients = settings.clients.map { $0.tenantID ?? firebase.tenantID }
        anonymousUsers = AnonymousUsers(
            tenants: firebase.directory == .firebase
                ? .separate(own: toolkit, configured: ofClients) : .shared(toolkits),
            local: store,
            isRequired: firebase.directory == .firebase || firebase.checksRevocation)
    }

    /// The project id for the emulator.
    ///
    /// Firebase treats ids with this prefix as demo projects, which never reach production.
    private static let emulatorProject = "demo-token-exchange"
}
