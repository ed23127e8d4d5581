internal import Curl
internal import Foundation
internal import JOSE
internal import Logging
internal import OAuth
internal import SQLiteStores
internal import Sealing
internal import Server
internal import Settings
internal import SignIn
internal import Stores
internal import Synchronization
internal import Transport

/// The parts that live as long as the process, and the corridor, which a reload replaces.
final class Deployment: Sendable {
    let store: SQLiteStore
    let logger: Logger
    let time = TimeSource.system
    private let transport: CurlTransport
    private let state: Mutex<State>

    private struct State {
        var corridor: Corridor
        var settings: Settings
    }

    var corridor: Corridor { state.withLock { $0.corridor } }
    var settings: Settings { state.withLock { $0.settings } }

    /// Opens the store and puts everything together.
    ///
    /// - Throws: Exit 78 for a configuration that does not hold, exit 1 for a store that does not open.
    init(_ settings: Settings, logger: Logger) throws {
        self.logger = logger
        do {
            transport = try CurlTransport(configuration: CurlConfiguration())
        } catch {
            throw Exit.because("libcurl cannot be used: \(error)", Exit.failure)
        }
        let path =
            switch settings.store {
            case .sqlite(let path): path
            }
        do {
            store = try SQLiteStore.open(path: path)
        } catch {
            throw Exit.because("the store \(path) cannot be used: \(error.code)", Exit.failure)
        }
        let corridor = try Self.corridor(
            settings, issuer: settings.server.publicURL, transport, store, time, logger)
        state = Mutex(State(corridor: corridor, settings: settings))
    }

    /// Puts a new configuration in force: clients, providers, service accounts, claims and seal keys.
    ///
    /// What was opened stays as it is, and the log says what needs a restart. On failure the old configuration stays in
    /// force.
    func reload(_ settings: Settings) throws {
        let old = self.settings
        // Whether it may mint unsigned tokens was decided for the listeners that are open now.
        guard Self.isForEmulator(old) == Self.isForEmulator(settings) else {
            throw Exit.because("a change from or to emulator_host needs a restart", Exit.configuration)
        }
        let fixed = [
            ("server", old.server != settings.server), ("store", old.store != settings.store),
            ("limits", old.limits != settings.limits), ("logging", old.logging != settings.logging),
        ]
        for (section, hasChanged) in fixed where hasChanged {
            logger.warning("takes effect after a restart alone", metadata: ["section": "\(section)"])
        }
        // Flows are under way whose cookies and redirect URIs belong to it.
        let corridor = try Self.corridor(settings, issuer: self.corridor.issuer, transport, store, time, logger)
        state.withLock { $0 = State(corridor: corridor, settings: settings) }
    }

    private static func isForEmulator(_ settings: Settings) -> Bool {
        if case .emulator = settings.firebase.signing { true } else { false }
    }

    private static func corridor(
        _ settings: Settings, issuer: String, _ transport: CurlTransport, _ store: SQLiteStore, _ time: TimeSource,
        _ logger: Logger
    ) throws -> Corridor {
        let path =
            switch settings.store {
            case .sqlite(let path): path
            }
        return try Composition.corridor(
            settings, issuer: issuer, transport: transport.transport, store: store,
            seal: try SealKeys.seal(settings, besideStore: path), time: time, logger: logger)
    }
}
