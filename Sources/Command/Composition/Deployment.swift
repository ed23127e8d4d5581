internal import Curl
internal import Foundation
internal import JOSE
internal import Logging
internal import OAuth
internal import SQLiteStores
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
    private let seal: Seal
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
        seal = try SealKeys.seal(settings, besideStore: path)
        let corridor = try Composition.corridor(
            settings, transport: transport.transport, store: store, seal: seal, time: time)
        state = Mutex(State(corridor: corridor, settings: settings))
    }

    /// Puts a new configuration in force: clients, providers and service accounts.
    ///
    /// What was opened stays as it is; a listener, a store or a seal key that changed needs a restart. On failure the old
    /// configuration stays in force.
    func reload(_ settings: Settings) throws {
        let corridor = try Composition.corridor(
            settings, transport: transport.transport, store: store, seal: seal, time: time)
        state.withLock { $0 = State(corridor: corridor, settings: settings) }
    }
}
