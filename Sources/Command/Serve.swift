internal import ArgumentParser
internal import Foundation
internal import Logging
internal import Server
internal import Settings
internal import Stores

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the server until SIGTERM or SIGINT; SIGHUP reloads the configuration.",
        discussion: """
            The server is ready when GET /readyz on the admin listener, or with admin_listen: off on the public one, returns \
            200. The log goes to standard output. On \
            SIGTERM, /readyz fails, the server accepts requests for drain_delay more, finishes the remaining requests within \
            drain_timeout, and exits with 0.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var store: StoreOptions

    func run() async throws {
        let configuration = WatchedConfiguration(options)
        let settings = try await configuration.load().settings
        let logger = LogOutput.logger(settings)
        for warning in settings.warnings {
            logger.warning("configuration", metadata: ["problem": "\(warning)"])
        }
        if case .emulator(let host) = settings.firebase.signing {
            logger.critical(
                "UNSIGNED TOKENS: this server mints only for the Firebase emulator",
                metadata: ["emulator": "\(host)"])
        }
        if case .firestore(_, _, let emulator?) = settings.store {
            logger.critical(
                "ACCOUNTS ARE NOT KEPT: the store is an emulator, which forgets everything when it stops",
                metadata: ["emulator": "\(emulator)"])
        }
        defer { LogSink.standardOutput.flush() }
        ServingProcess.prepare()
        try await ServerProcess.probeListeners(settings.server)
        let deployment = try Deployment(settings, logger: logger, startsAnew: store.newStore)
        let outcome = await Self.outcome {
            // At the same time as the first reading of the store, so that the start takes no longer.
            async let rules: Void = OpenStore.refuse(deployment.store, settings)
            try await OperatorSession.reportingErrors(settings.store) { () throws(StoreError) in
                try await deployment.awaitWatch()
            }
            try await rules
            try await ServerProcess(deployment).run(configuration: configuration)
        }
        await deployment.close()
        try outcome.get()
    }

    private static func outcome(_ serving: () async throws -> Void) async -> Result<Void, ExitReason> {
        do {
            return .success(try await serving())
        } catch let reason as ExitReason {
            return .failure(reason)
        } catch {
            return .failure(Exit.because("the server stopped: \(error)", Exit.failure))
        }
    }
}
