internal import CommandSupport
internal import Curl
internal import Firebase
internal import Flows
internal import Foundation
internal import JOSE
internal import Logging
internal import OAuth
internal import Sealing
internal import Server
internal import Settings
internal import Stores
internal import Synchronization
internal import Transport

/// The parts that live as long as the process, and the flows, which a reload replaces.
final class Deployment: Sendable {
    let store: any Store
    let logger: Logger
    let time = TimeSource.system
    let profileRefusals = ProfileRefusals()
    private let transport: CurlTransport
    private let closeStore: @Sendable () -> Void
    private let state: Mutex<State>

    private struct State {
        var flows: FlowSet
        var anonymousUsers: AnonymousUsers
        var people: People
        var settings: Settings
    }

    /// Whose rows the store holds.
    private struct People: Equatable {
        let directory: Settings.Firebase.Directory
        let projectID: String
        let tenantID: String?
    }

    var flows: FlowSet { state.withLock { $0.flows } }
    var anonymousUsers: AnonymousUsers { state.withLock { $0.anonymousUsers } }
    var settings: Settings { state.withLock { $0.settings } }

    /// Opens the store and puts everything together.
    ///
    /// - Parameters:
    ///   - settings: the configuration.
    ///   - logger: what is told to the operator.
    ///   - startsAnew: whether what the store has recorded of clocks is void.
    /// - Throws: Exit 78 for a configuration that does not hold, exit 1 for a store that does not open.
    init(_ settings: Settings, logger: Logger, startsAnew: Bool) throws {
        self.logger = logger
        do {
            transport = try CurlTransport(configuration: CurlConfiguration())
        } catch {
            throw Exit.because("libcurl cannot be used: \(error)", Exit.failure)
        }
        do {
            let opened = try OpenedStore.open(
                settings, migrates: true, watching: Watching(time, isAnew: startsAnew))
            (store, closeStore) = (opened.store, opened.close)
            for warning in opened.fileWarnings { logger.warning("store", metadata: ["problem": "\(warning)"]) }
        } catch {
            throw Exit.because("the store \(settings.store) cannot be used: \(error.advice)", error.exitCode)
        }
        state = Mutex(
            try Self.state(
                settings, issuer: settings.server.publicURL, transport, store, time, logger, profileRefusals))
    }

    /// Puts a new configuration in force: clients, providers, service accounts, claims, seal keys and store keys.
    ///
    /// What was opened stays as it is, and the log says what needs a restart. On failure the old configuration stays in
    /// force.
    func reload(_ settings: Settings) throws {
        let old = self.settings
        // Whether it may mint unsigned tokens was decided for the listeners that are open now.
        guard Self.isForEmulator(old) == Self.isForEmulator(settings) else {
            throw Exit.because("a change from or to emulator_host needs a restart", Exit.configuration)
        }
        // Flows are under way whose cookies and redirect URIs belong to it.
        let flows = flows
        let new = try Self.state(
            settings, issuer: flows.issuer, transport, store, time, logger, profileRefusals,
            keeping: (old.providers, flows.providers))
        // Rows of one directory mean something else to another. A project may be named only by the service account.
        guard state.withLock({ $0.people }) == new.people else {
            throw Exit.because(
                "a change of firebase.directory, tenant_id or the project, by project_id or by a service account, needs "
                    + "a restart", Exit.configuration)
        }
        let fixed = [
            ("server", old.server != settings.server), ("store", old.store != settings.store),
            ("limits", old.limits != settings.limits), ("audit", old.audit != settings.audit),
            ("logging", old.logging != settings.logging),
        ]
        for (section, hasChanged) in fixed where hasChanged {
            logger.warning("a change of this section requires a restart", metadata: ["section": "\(section)"])
        }
        state.withLock { $0 = new }
    }

    /// Says what the store refuses and what its server is not set up for, and waits, for less than a second, until what
    /// is issued from now on is not refused.
    func awaitWatch() async throws(StoreError) {
        for warning in try await store.warnings() {
            logger.warning("store", metadata: ["warning": "\(warning.rawValue)", "advice": "\(warning.advice)"])
        }
        let began = time.now()
        try await store.watch(at: began)
        let reading = try await store.watchReading()
        guard began < reading.unwatchedUntil else { return }
        logger.notice(
            "what was issued before now is refused: the store is new, restored or taken over, or its server was killed",
            metadata: ["unwatched_until": "\(reading.unwatchedUntil.seconds)"])
        // A time of issue has whole seconds, so that the one in which the store was opened counts as before.
        let deadline = ContinuousClock.now + .seconds(1)
        while time.now() < reading.unwatchedUntil, ContinuousClock.now < deadline { Self.pause() }
    }

    /// Blocks the thread for 20 ms, before anything is served.
    ///
    /// `Task.sleep` counts by a clock that goes on while the machine is suspended. Under a tool that lends a program
    /// another time it never ends.
    private static func pause() {
        Thread.sleep(forTimeInterval: 0.02)
    }

    /// Ends calls to peers, and waits for what is under way in the store.
    func close() async {
        // No thread may outlive libcrypto, which is torn down when the process exits.
        await transport.shutdown()
        // A clean stop is exact. Without it the next start takes some seconds more for unwatched time.
        try? await store.watch(at: time.now())
        closeStore()
    }

    private static func isForEmulator(_ settings: Settings) -> Bool {
        if case .emulator = settings.firebase.signing { true } else { false }
    }

    private static func state(
        _ settings: Settings, issuer: String, _ curl: CurlTransport, _ store: any Store, _ time: TimeSource,
        _ logger: Logger, _ profileRefusals: ProfileRefusals,
        keeping old: Composition.KnownProviders = (nil, [:])
    ) throws -> State {
        let transport = curl.transport
        let firebase = try FirebaseParts(settings, transport: transport, store: store, time: time, logger: logger)
        return State(
            flows: Composition.flows(
                settings, issuer: issuer, firebase: firebase, transport: transport, store: store,
                seal: try SealKeys.seal(settings, logger: logger),
                storeSeal: try SealKeys.storeSeal(settings, logger: logger), time: time, logger: logger,
                profileRefusals: profileRefusals, keeping: old),
            anonymousUsers: firebase.anonymousUsers,
            people: People(
                directory: settings.firebase.directory, projectID: firebase.projectID,
                tenantID: settings.firebase.tenantID),
            settings: settings)
    }
}
