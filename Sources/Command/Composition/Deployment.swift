internal import Curl
internal import Firebase
internal import Flows
internal import Foundation
internal import JOSE
internal import Logging
internal import Providers
internal import Server
internal import Settings
internal import Standards
internal import Stores
internal import Synchronization
internal import Transport

/// The components that live as long as the process, and the pipeline, which a reload replaces.
final class Deployment: Sendable {
    let store: any Store
    let logger: Logger
    let time = TimeSource.system
    let metrics = Metrics()
    /// The certificate of the public listener, whose content a reload replaces; `nil` for a listener without TLS.
    let certificate: ServerCertificate?
    private let fixed: FixedSettings
    private let profileRefusals: ProfileRefusals
    private let curl: CurlTransport
    private let closeStore: @Sendable () -> Void
    private let state: Mutex<State>
    private let failedReload = Mutex<String?>(nil)
    private let listenerCertificate: Mutex<ListenerCertificate?>

    /// The record of this process among the servers of the store.
    let announcement: ServerAnnouncement

    private struct State {
        var flows: FlowSet
        var keys: KeyFingerprints
        var anonymousUsers: AnonymousUsers
        var userBase: UserBase
        var settings: Settings
    }

    /// The set of users to which the rows of the store belong.
    private struct UserBase: Equatable {
        let directory: Settings.Firebase.Directory
        let projectID: String
        let tenantID: String?
    }

    var flows: FlowSet { state.withLock { $0.flows } }
    /// The fingerprints of the keys that are in force.
    var keys: KeyFingerprints { state.withLock { $0.keys } }
    var anonymousUsers: AnonymousUsers { state.withLock { $0.anonymousUsers } }
    var settings: Settings { state.withLock { $0.settings } }
    /// Why the last attempt to reload the configuration failed; `nil` if it succeeded, or if there was none.
    var reloadProblem: String? { failedReload.withLock { $0 } }
    /// The end of the validity of the public listener's certificate; `nil` for a listener without TLS.
    var certificateExpiry: Int64? { listenerCertificate.withLock { $0?.notAfter } }

    /// Opens the store and creates the components.
    ///
    /// - Parameter startsAnew: Whether to discard the clock record of the store, and to make a store if only its keys
    ///   exist.
    /// - Throws: Exit 78 for a wrong configuration or for missing key files, exit 1 for a store that cannot be opened.
    init(_ settings: Settings, logger: Logger, startsAnew: Bool) throws {
        self.logger = logger
        fixed = FixedSettings(settings)
        let certificate = try ListenerCertificate.load(settings)
        self.certificate = certificate?.certificate
        listenerCertificate = Mutex(certificate)
        if let warning = certificate?.warning(at: time.now()) {
            logger.warning("certificate", metadata: ["problem": "\(warning)"])
        }
        profileRefusals = ProfileRefusals(metrics.factory)
        curl = try CurlTransport(settings.server)
        try StorePresence.prepare(settings, allowsNew: startsAnew, logger: logger)
        do {
            let opened = try OpenedStore.open(
                settings, migrates: true, watching: Watching(time, isAnew: startsAnew, pause: Self.pauseForClock),
                metrics: metrics.factory)
            (store, closeStore) = (opened.store, opened.close)
            for warning in opened.fileWarnings { logger.warning("store", metadata: ["problem": "\(warning)"]) }
        } catch {
            throw error.exit(for: settings.store)
        }
        announcement = try ServerAnnouncement(store: store, time: time)
        state = Mutex(
            try Self.state(
                settings, issuer: settings.server.publicURL, curl, fixed.limits.providerFailures, metrics, store, time,
                logger, profileRefusals))
    }

    /// Activates a new configuration: clients, providers, service accounts, claims, seal keys, store keys, and the
    /// certificate.
    ///
    /// Listeners and the store stay open as they are, and the log reports changes that require a restart. If this fails,
    /// the old configuration stays in force.
    ///
    /// - Throws: Exit 78 for a wrong configuration, and for a change that requires a restart.
    func reload(_ settings: Settings) throws {
        let old = self.settings
        // The emulator requires loopback listeners, and the listeners stay open. So this mode must not change.
        guard Self.isForEmulator(old) == Self.isForEmulator(settings) else {
            throw Exit.because("a change of emulator_host requires a restart", Exit.configuration)
        }
        // The issuer stays: cookies and redirect URIs of unfinished flows depend on it.
        let flows = flows
        let new = try Self.state(
            settings, issuer: flows.issuer, curl, fixed.limits.providerFailures, metrics, store, time, logger,
            profileRefusals, keeping: (old.providers, flows.providers))
        // The rows of the store belong to one directory, project and tenant. The service account may name the project.
        guard state.withLock({ $0.userBase }) == new.userBase else {
            throw Exit.because(
                "a change of firebase.directory, tenant_id or the project (by project_id or by a service account) "
                    + "requires a restart", Exit.configuration)
        }
        try replaceCertificate(old, settings)
        for (section, keys) in fixed.changes(to: settings) {
            logger.warning(
                "a change of this section requires a restart",
                metadata: ["section": "\(section)", "keys": "\(keys.joined(separator: ", "))"])
        }
        state.withLock { $0 = new }
    }

    /// Lets the next use of each provider's keys fetch them, also for a provider that a reload has kept.
    func expireKeys() async {
        for provider in flows.providers.values { await provider.openIDConnect?.expireKeys() }
    }

    /// Records the result of an attempt to reload the configuration.
    ///
    /// - Parameter problem: Why it failed; `nil` if it succeeded.
    /// - Returns: Whether the result differs from that of the attempt before.
    @discardableResult
    func noteReload(problem: String?) -> Bool {
        failedReload.withLock { last in
            defer { last = problem }
            return last != problem
        }
    }

    /// The failures of this server that no request shows.
    var survivedFailures: SurvivedFailures {
        let (settings, keys) = state.withLock { ($0.settings, $0.keys) }
        var failures: SurvivedFailures = []
        if reloadProblem != nil { failures.insert(.configurationNotReloaded) }
        if listenerCertificate.withLock({ $0?.warning(at: time.now()) }) != nil { failures.insert(.certificateExpires) }
        if !SealKeys.areInFiles(keys, settings) { failures.insert(.keyFilesLost) }
        return failures
    }

    /// Uses the new configuration's certificate for new connections, if both configurations have one.
    private func replaceCertificate(_ old: Settings, _ new: Settings) throws {
        guard old.server.tls != new.server.tls, let certificate, let replacement = try ListenerCertificate.load(new)
        else { return }
        certificate.replace(by: replacement.certificate)
        listenerCertificate.withLock { $0 = replacement }
        logger.notice("certificate replaced", metadata: ["not_after": "\(replacement.notAfter)"])
        if let warning = replacement.warning(at: time.now()) {
            logger.warning("certificate", metadata: ["problem": "\(warning)"])
        }
    }

    /// Logs warnings of the store, and waits until it accepts newly issued credentials, which takes at most one second.
    func awaitWatch() async throws(StoreError) {
        for warning in try await store.warnings() {
            logger.warning("store", metadata: ["warning": "\(warning.rawValue)", "advice": "\(warning.advice)"])
        }
        let began = time.now()
        try await store.watch(at: began)
        let reading = try await store.watchReading()
        guard began < reading.unwatchedUntil else { return }
        logger.notice(
            "credentials issued before now are refused: the store is new, was restored or failed over, or its server was killed",
            metadata: ["unwatched_until": "\(reading.unwatchedUntil.seconds)"])
        // Times of issue are whole seconds, so the second in which the store was opened counts as unwatched.
        let deadline = ContinuousClock.now + .seconds(1)
        while time.now() < reading.unwatchedUntil, ContinuousClock.now < deadline { Self.pause() }
    }

    /// Blocks the thread for 20 ms, before anything is served.
    ///
    /// `Task.sleep` uses a clock that continues while the machine is suspended. Under a tool that simulates another time,
    /// it would never return.
    private static func pause() {
        Thread.sleep(forTimeInterval: 0.02)
    }

    /// Blocks the thread between two readings of a clock that may have jumped, before anything is served.
    private static let pauseForClock: @Sendable () -> Void = { Thread.sleep(forTimeInterval: 5) }

    /// Cancels calls to other servers, and waits for pending operations of the store.
    func close() async {
        // No thread may outlive libcrypto, which is torn down when the process exits.
        await curl.shutdown()
        do throws(StoreError) {
            // After a clean stop the record is exact. Otherwise the next start treats some more seconds as unwatched.
            try await store.watch(at: time.now())
            // Without this, the keys of a server that was stopped to change them would count for a while.
            try await announcement.withdraw()
        } catch {
            // The store does not respond, and both records age.
        }
        closeStore()
    }

    private static func isForEmulator(_ settings: Settings) -> Bool {
        if case .emulator = settings.firebase.signing { true } else { false }
    }

    private static func state(
        _ settings: Settings, issuer: String, _ curl: CurlTransport, _ providerFailures: Int?, _ metrics: Metrics,
        _ store: any Store, _ time: TimeSource, _ logger: Logger, _ profileRefusals: ProfileRefusals,
        keeping old: Composition.KnownProviders = (nil, [:])
    ) throws -> State {
        // A reload closes the circuits, because it may have changed the addresses.
        let breaker = providerFailures.map { CircuitBreaker(maximumFailures: $0) }
        let observed = ProxyFailureLog { failure in
            logger.error(
                "outbound proxy", metadata: ["problem": "\(failure.sentence)", "advice": "\(failure.remedy)"])
        }.observing(curl.transport)
        let protected = breaker?.protecting(observed) { Provider.CallKind(rawValue: $0.call) != nil }
        func transport(to peer: Settings.Tracing.Peer) -> HTTPTransport {
            let measured = metrics.measuring(
                peer == .providers ? (protected ?? observed).notingLastCall { time.now().seconds } : observed)
            return settings.tracing.propagateTo.contains(peer) ? measured.propagatingTrace() : measured
        }
        let firebase = try FirebaseParts(
            settings, transport: transport(to: .google), store: store, time: time, logger: logger,
            metrics: metrics.factory)
        let seal = try SealKeys.seal(settings, logger: logger)
        let storeSeal = try SealKeys.storeSeal(settings, logger: logger)
        return State(
            flows: Composition.flows(
                settings, issuer: issuer, firebase: firebase, transport: transport(to: .providers),
                hookTransport: transport(to: .hooks), store: store, seal: seal, storeSeal: storeSeal, time: time,
                logger: logger, profileRefusals: profileRefusals, keeping: old),
            keys: KeyFingerprints(sealKeys: try seal.fingerprints(), storeKeys: try storeSeal.fingerprints()),
            anonymousUsers: firebase.anonymousUsers,
            userBase: UserBase(
                directory: settings.firebase.directory, projectID: firebase.projectID,
                tenantID: settings.firebase.tenantID),
            settings: settings)
    }
}

/// The sections that a reload does not replace, as they were at the start.
private struct FixedSettings: Sendable {
    let limits: Settings.Limits
    private let server: Settings.Server
    private let store: Settings.Store
    private let audit: Settings.Audit
    private let logging: Settings.Logging
    private let summary: [String]

    init(_ settings: Settings) {
        (limits, server, store) = (settings.limits, settings.server, settings.store)
        (audit, logging, summary) = (settings.audit, settings.logging, settings.summary)
    }

    /// Returns the sections that differ in another configuration, each with the dotted names of its keys that differ.
    ///
    /// If only a secret differs, the name of the section is in the place of its key.
    func changes(to settings: Settings) -> [(section: String, keys: [String])] {
        let changed = settings.keys(differingFrom: summary)
        let sections: [(String, [String], Bool)] = [
            ("server", [], !server.isSame(as: settings.server)),
            ("store", ["store", "store_emulator_host", "store_pooling"], store != settings.store),
            ("limits", [], limits != settings.limits), ("audit", [], audit != settings.audit),
            ("logging", [], logging != settings.logging),
        ]
        return sections.compactMap { section, names, isChanged in
            guard isChanged else { return nil }
            let keys = changed.filter { $0.hasPrefix("\(section).") || names.contains($0) }
            return (section, keys.isEmpty ? [section] : keys)
        }
    }
}
