internal import Foundation
internal import Logging
internal import OperatingSystem
internal import Server
internal import ServiceLifecycle
internal import Settings
internal import Stores
internal import UnixSignals

/// Runs both listeners and the background services under one lifecycle.
struct ServerProcess {
    private let deployment: Deployment

    init(_ deployment: Deployment) {
        self.deployment = deployment
    }

    /// Runs until `SIGTERM` or `SIGINT` requests a shutdown, and returns when all services have stopped.
    ///
    /// - Parameter watched: The configuration to read again, at `SIGHUP` and after a change.
    /// - Throws: An error if a listener cannot be started, or if a service fails.
    func run(configuration watched: WatchedConfiguration) async throws {
        let settings = deployment.settings
        let logger = deployment.logger
        var limits = ServerLimits()
        limits.inFlight = settings.server.maximumInFlight
        let memory = MemoryLimit.current
        limits.fit(
            descriptors: ServingProcess.descriptorLimit, eventLoops: ProcessInfo.processInfo.activeProcessorCount,
            memory: memory)
        limits.exchangesPerAddress = settings.limits.exchangePerAddress.map(Self.rateLimit)
        limits.startsPerAddress = settings.limits.startPerAddress.map(Self.rateLimit)
        limits.pagesPerAddress = settings.limits.pagePerAddress.map(Self.rateLimit)
        limits.deviceCodeTries = settings.limits.deviceCodeTries
        limits.anonymousPerAddress = settings.limits.anonymousPerAddress.map(Self.rateLimit)
        let audit = AuditOutput(
            settings.audit, store: deployment.store, sweeps: settings.server.sweepInterval != nil,
            time: deployment.time,
            logger: logger, metrics: deployment.metrics.factory,
            google: settings.logging.format == .google ? GoogleLog(settings) : nil)
        let concurrencyLimit = ConcurrencyLimit(maximum: limits.inFlight, maximumBodies: limits.connections)
        let metrics = deployment.metrics
        let samples = MetricSamples(deployment)
        let proxies = settings.server.trustedProxies
        let addresses = ClientAddress(
            parse: { IPAddress.parse($0) }, trustsEveryPeer: proxies.contains(.cloudRun),
            lastHopIsProxy: proxies.contains(.googleLoadBalancer)
        ) { address in
            proxies.contains { $0.contains(address) }
        }
        let readiness = Readiness { [deployment] in
            ReadinessChecks.all(store: deployment.store, flows: deployment.flows, time: deployment.time) {
                deployment.survivedFailures.warnings
            }
        }
        let adminListen = settings.server.adminListen
        let publicListener = PublicListener(
            flows: { [deployment] in deployment.flows }, limits: limits,
            addresses: addresses, concurrencyLimit: concurrencyLimit, metrics: metrics, audit: audit.trail,
            pages: try PageRenderer(),
            time: deployment.time,
            strictTransportSecurity: settings.server.tls?.strictTransportSecurity,
            readiness: adminListen == nil ? readiness : nil,
            storeAdvice: { [store = settings.store, fileSystem = settings.store.fileSystem] in
                $0.adviceOnRequest(for: store, on: fileSystem)
            })
        let adminListener = AdminListener(
            readiness: readiness, concurrencyLimit: concurrencyLimit, metrics: metrics, samples: { await samples() })
        let servers = Servers(logger: logger, metrics: metrics)
        logger.info(
            "connections at most",
            metadata: [
                "count": "\(limits.connections)", "streams": "\(limits.streams)",
                "memory_mib": "\(memory >> 20)",
            ])
        let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
        let listen = settings.server.listen
        let admin = adminListen.map { address in
            ServiceGroupConfiguration.ServiceConfiguration(
                service: ListenerService(
                    address: address.description, setting: "server.admin_listen",
                    listener: servers.listener(
                        adminListener, name: "admin", host: address.host, port: address.port,
                        limits: limits.ofAdminListener()
                    ) {
                        logger.notice("admin listener", metadata: ["address": "\(address.host):\($0)"])
                    }))
        }
        var configuration = ServiceGroupConfiguration(
            services: [
                // Services stop in reverse order.
                .init(service: audit),
                .init(
                    service: WatchService(
                        store: deployment.store, configured: settings.store, time: deployment.time, logger: logger,
                        metrics: metrics.factory)),
                .init(service: AnnouncementService(deployment: deployment, configured: settings.store)),
                .init(
                    service: SweepService(
                        store: deployment.store, configured: settings.store, interval: settings.server.sweepInterval,
                        time: deployment.time, logger: logger, metrics: metrics.factory)),
                .init(
                    service: AnonymousSweepService(deployment: deployment, interval: settings.server.sweepInterval)),
                .init(service: ReloadService(deployment: deployment, configuration: watched, manager: manager)),
            ] + [admin].compactMap(\.self) + [
                .init(
                    service: ListenerService(
                        address: listen.description, setting: "server.listen",
                        listener: servers.listener(
                            publicListener, name: "public", host: listen.host, port: listen.port,
                            certificate: deployment.certificate,
                            addresses: addresses, isProxied: settings.server.proxyProtocol, limits: limits
                        ) {
                            logger.notice("public listener", metadata: ["address": "\(listen.host):\($0)"])
                            // The admin listener, the store and the keys are in use before this.
                            manager?.tell(.ready)
                        })),
                .init(service: DrainService(concurrencyLimit, delay: settings.server.drainDelay)),
                .init(service: ServiceManagerReports(manager: manager)),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger)
        configuration.maximumGracefulShutdownDuration = settings.server.drainDelay + settings.server.drainTimeout
        let group = ServiceGroup(configuration: configuration)
        try await withTaskExecutorPreference(LoopExecutor()) {
            try await group.run()
        }
    }

    private static func rateLimit(_ rate: Rate) -> RateLimit {
        RateLimit(count: rate.count, period: rate.unit.duration)
    }
}

/// Tells the service manager that the process is alive, and that it stops.
private struct ServiceManagerReports: Service {
    let manager: ServiceManager?

    func run() async throws {
        await withGracefulShutdownHandler {
            // systemd recommends half of the interval (sd_watchdog_enabled(3)). A process whose tasks do not run any more
            // sends nothing, and is restarted.
            let pause = manager?.watchdog.map { $0 / 2 } ?? .seconds(3600)
            await cancelWhenGracefulShutdown {
                while (try? await Task.sleep(for: pause)) != nil { manager?.tell(.alive) }
            }
        } onGracefulShutdown: {
            manager?.tell(.stopping)
        }
    }
}

/// A listener that names its address if it cannot be started.
private struct ListenerService: Service {
    let address: String
    /// The key of the configuration that has the address.
    let setting: String
    let listener: any Service

    func run() async throws {
        do {
            try await listener.run()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw Self.reason(error, at: address, setting)
        }
    }

    static func reason(_ error: any Error, at address: String, _ setting: String) -> ExitReason {
        Exit.because("cannot listen on \(address): \(BindFailure.sentence(error, changing: setting))", Exit.failure)
    }
}

extension ServerProcess {
    /// Checks that both listeners can be started, before the store is opened or created.
    ///
    /// - Throws: Exit 1 for an address that cannot be used.
    static func probeListeners(_ server: Settings.Server) async throws {
        let addresses = [(server.adminListen, "server.admin_listen"), (server.listen, "server.listen")]
        for case (let address?, let setting) in addresses {
            do {
                try await BindFailure.probe(host: address.host, port: address.port)
            } catch {
                throw ListenerService.reason(error, at: address.description, setting)
            }
        }
    }
}

/// The settings of the process that `serve` makes before it opens files.
enum ServingProcess {
    static func prepare() {
        // Other users must not be able to read the files that it creates: the store and the key files.
        umask(0o077)
        // Each connection needs a file descriptor; the usual 1024 are fewer than `limits.connections` may allow.
        limit(RLIMIT_NOFILE) { $0.rlim_cur = $0.rlim_max }
        for signal in ignoredSignals { _ = Foundation.signal(signal, SIG_IGN) }
    }

    /// The ignored signals.
    ///
    /// `SIGXFSZ` is ignored, so that a write above the file size limit fails instead of ending the process. `SIGHUP` is
    /// ignored until `ReloadService` starts, because its default action ends the process.
    private static let ignoredSignals = [SIGXFSZ, SIGHUP]

    /// The number of files that this process may have open.
    static var descriptorLimit: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// The number of files that a process with this user's limits may have open at most; `serve` raises its limit to it.
    static var maximumDescriptorLimit: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_max)
    }

    private static func limit(_ resource: __rlimit_resource, _ change: (inout rlimit) -> Void) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { return }
        change(&limit)
        _ = unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    }
}
