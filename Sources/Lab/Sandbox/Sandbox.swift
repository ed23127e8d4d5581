package import Logging
import ServiceLifecycle
import Synchronization

/// Stand-ins for Yahoo, X, Google and every other provider with a template, an attacker's server and a control listener.
///
/// They imitate the documented and observed behaviour of the providers, including deviations from the standards, so
/// that a server can be developed, shown and attacked without them. All state is in memory and is lost when
/// ``run(onReady:)`` ends. Keys are generated for each run, except the RSA keys and the key that signs client secrets, which
/// are generated once per process. All URLs have the host 127.0.0.1.
package struct Sandbox: Service {
    private let address: String
    private let ports: (yahoo: Int, x: Int, providers: Int, control: Int, hostile: Int)
    private let google: GoogleSettings
    private let server: HomeServer?
    private let documentation: DocumentationSite?
    private let logger: Logger
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - address: The address of the listeners. With another one than 127.0.0.1 they accept connections from other machines,
    ///     unless the network prevents it.
    ///   - ports: The ports of the listeners; 0 for any free port.
    ///   - google: The project, the service accounts and the port of Google's stand-in.
    ///   - server: The server at which the home page signs in; `nil` for no home page.
    ///   - documentation: The site to serve beside the home page; `nil` for none.
    ///   - logger: It receives starts and failures, never the content of a request.
    ///   - now: The time in seconds since 1970-01-01T00:00:00Z. `POST /clock` adds an offset to it.
    package init(
        address: String = "127.0.0.1",
        ports: (yahoo: Int, x: Int, providers: Int, control: Int, hostile: Int) = (0, 0, 0, 0, 0),
        google: GoogleSettings = GoogleSettings(), server: HomeServer? = nil,
        documentation: DocumentationSite? = nil, logger: Logger,
        now: @escaping @Sendable () -> Int64
    ) {
        self.address = address
        self.ports = ports
        self.google = google
        self.server = server
        self.documentation = documentation
        self.logger = logger
        self.now = now
    }

    package func run() async throws {
        try await run { _ in }
    }

    /// Serves until the task is cancelled or a graceful shutdown begins.
    ///
    /// - Parameter onReady: The function to call once, when all listeners accept connections.
    /// - Throws: An error if a port cannot be bound, or `OpenSSLError` if a key cannot be generated.
    package func run(onReady: @escaping @Sendable (SandboxAddresses) async -> Void) async throws {
        let clock = SandboxClock(now)
        let state = ControlState()
        let expected = ExpectedUser()
        let yahoo = try YahooStandIn(clock: clock, expected: expected)
        let x = XStandIn(clock: clock, expected: expected)
        let providers = ProviderStandIn(clock: clock, expected: expected)
        let google = GoogleStandIn(google, clock: clock)
        let hostile = HostileServer()
        let (bound, whenBound) = AsyncStream.makeStream(of: Bound.self)

        let forgetUser: @Sendable (SandboxUser) async -> Void = { user in
            await x.forgetConsents(of: user)
            await providers.forgetSignIns(of: user)
        }
        let home = server.map {
            HomePage(
                server: $0, store: RunStore(clock: clock), expected: expected, hasDocumentation: documentation != nil,
                forgetUser: forgetUser)
        }
        let yahooPipeline = StandInPipeline(.yahoo, state: state, recorder: home?.recorder) {
            await yahoo.answer($1, at: $0)
        }
        let xPipeline = StandInPipeline(.x, state: state, recorder: home?.recorder) { await x.answer($1, at: $0) }
        let providersPipeline = StandInPipeline(.providers, state: state, recorder: home?.recorder) {
            await providers.answer($1)
        }
        // The home page shows no messages to Google.
        let googlePipeline = StandInPipeline(.google, state: state, recorder: nil) { await google.answer($1) }
        let control = ControlListener(
            state: state, clock: clock, yahoo: yahoo, x: x, providers: providers,
            sections: [YahooControl(yahoo: yahoo), GoogleControl(google: google), HostileControl(host: hostile)],
            home: home, documentation: documentation, forgetUser: forgetUser)
        let listeners = [
            Listener(address: address, port: ports.yahoo, logger: logger, answer: yahooPipeline.answer) {
                whenBound.yield(Bound(.yahoo, $0))
            },
            Listener(address: address, port: ports.x, logger: logger, answer: xPipeline.answer) {
                whenBound.yield(Bound(.x, $0))
            },
            Listener(address: address, port: ports.providers, logger: logger, answer: providersPipeline.answer) {
                whenBound.yield(Bound(.providers, $0))
            },
            // A request may delete a thousand ids.
            Listener(
                address: address, port: self.google.port, maximumBodyBytes: 1 << 20, logger: logger,
                answer: googlePipeline.answer
            ) { whenBound.yield(Bound(.google, $0)) },
            // A fault may carry a long body.
            Listener(
                address: address, port: ports.control, maximumBodyBytes: 4 << 20, logger: logger, answer: control.answer
            ) {
                whenBound.yield(Bound(.control, $0))
            },
            Listener(
                address: address, port: ports.hostile, maximumBodyBytes: 4 << 20, logger: logger,
                answer: { await hostile.answer($0) },
                onConnection: hostile.countConnection
            ) { whenBound.yield(Bound(.hostile, $0)) },
        ]

        try await withThrowingTaskGroup(of: Bool.self) { group in
            for listener in listeners {
                group.addTask {
                    try await listener.run()
                    return true
                }
            }
            group.addTask {
                guard let addresses = await Self.addresses(bound) else { return false }
                await yahoo.open(at: addresses.yahoo)
                await x.open(at: addresses.x)
                await providers.open(at: addresses.providers)
                await hostile.open(at: addresses.hostile)
                if let server {
                    await yahoo.add(redirectURIs: server.redirectURIs(of: "yahoo.com", home: addresses.control))
                    await x.add(redirectURIs: server.redirectURIs(of: "twitter.com", home: addresses.control))
                    await providers.add(server, home: addresses.control)
                }
                await onReady(addresses)
                // Generated now, so that no request has to wait for it.
                _ = (StandInRSAKey.yahoo, StandInRSAKey.providers)
                return false
            }
            // A listener ends by a shutdown, which the others have received as well. If one that is shutting down
            // were cancelled, it would report an error.
            var running = listeners.count
            while running > 0, let listenerEnded = try await group.next() {
                if listenerEnded { running -= 1 }
            }
            group.cancelAll()
        }
    }

    private struct Bound {
        enum Role { case yahoo, x, providers, google, control, hostile }
        let role: Role
        let port: Int

        init(_ role: Role, _ port: Int) {
            self.role = role
            self.port = port
        }
    }

    /// Returns `nil` if the task is cancelled before all listeners are bound.
    private static func addresses(_ bound: AsyncStream<Bound>) async -> SandboxAddresses? {
        var ports: [Bound.Role: Int] = [:]
        for await one in bound {
            ports[one.role] = one.port
            if let yahoo = ports[.yahoo], let x = ports[.x], let providers = ports[.providers],
                let google = ports[.google], let control = ports[.control], let hostile = ports[.hostile]
            {
                return SandboxAddresses(
                    yahoo: "http://127.0.0.1:\(yahoo)", x: "http://127.0.0.1:\(x)",
                    providers: "http://127.0.0.1:\(providers)",
                    google: "http://127.0.0.1:\(google)", control: "http://127.0.0.1:\(control)",
                    hostile: "http://127.0.0.1:\(hostile)")
            }
        }
        return nil
    }
}

/// The origins of the stand-ins, such as `http://127.0.0.1:49152`, without a trailing slash.
package struct SandboxAddresses: Sendable, Equatable {
    /// The origin of Yahoo's stand-in, and the issuer of its ID tokens.
    package let yahoo: String
    /// The origin that replaces both `api.x.com` and `x.com`.
    package let x: String
    /// The origin that replaces the hosts of every ``DocumentedProvider``.
    package let providers: String
    /// The origin that replaces all of Google's hosts and the metadata server.
    package let google: String
    package let control: String
    /// The origin of the attacker's server.
    package let hostile: String
}

/// The clock of all stand-ins: a given clock plus an offset that the control listener sets.
final class SandboxClock: Sendable {
    private let source: @Sendable () -> Int64
    private let offset = Mutex<Int64>(0)

    init(_ source: @escaping @Sendable () -> Int64) {
        self.source = source
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    var now: Int64 { source() &+ offset.withLock { $0 } }

    func setOffset(_ seconds: Int64) {
        offset.withLock { $0 = seconds }
    }
}
