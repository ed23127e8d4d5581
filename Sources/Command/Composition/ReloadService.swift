internal import Logging
internal import ServiceLifecycle
internal import Settings
internal import UnixSignals

/// Reads the configuration again at each `SIGHUP`.
///
/// What does not validate leaves the old one in force, and says so.
struct ReloadService: Service {
    let deployment: Deployment
    let load: @Sendable () throws -> Settings

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) {
                do {
                    try deployment.reload(load())
                    deployment.logger.notice("configuration reloaded")
                } catch {
                    deployment.logger.error("configuration not reloaded; the old one stays in force")
                }
            }
        }
    }
}
