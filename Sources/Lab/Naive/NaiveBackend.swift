package import AttackLab
internal import Curl
internal import Foundation
internal import Hummingbird
package import Logging
internal import ServiceLifecycle

/// A small token exchange as an application's own developer would write it, right unless it is told to be wrong.
///
/// It speaks a part of the contract: the browser flow with Yahoo and X, `/v1/exchange`, `/v1/nonce` and `/token`. It
/// shares no code with the server beside it, so that whoever examines both learns something from their agreeing.
package struct NaiveBackend: Service {
    /// Where everything is that it is not itself.
    package struct Surroundings: Sendable {
        /// Of the sandbox: its applications are asked there, and the callback addresses registered.
        package let control: String
        /// Origins of the stand-ins.
        package let yahoo: String
        package let x: String
        /// The file with the key that custom tokens are signed with.
        package let serviceAccount: String
        /// A folder of its own: what was used, a key, and the log.
        package let state: String

        package init(control: String, yahoo: String, x: String, serviceAccount: String, state: String) {
            self.control = control
            self.yahoo = yahoo
            self.x = x
            self.serviceAccount = serviceAccount
            self.state = state
        }
    }

    private let port: Int
    private let surroundings: Surroundings
    private let mistakes: Set<Mistake>
    private let logger: Logger
    private let ready: @Sendable (Int) async -> Void

    /// `port`: 0 for any free one.
    ///
    /// - `ready`: told the port once requests are answered.
    package init(
        port: Int, surroundings: Surroundings, mistakes: Set<Mistake>, logger: Logger,
        ready: @escaping @Sendable (Int) async -> Void
    ) {
        self.port = port
        self.surroundings = surroundings
        self.mistakes = mistakes
        self.logger = logger
        self.ready = ready
    }

    package func run() async throws {
        try FileManager.default.createDirectory(atPath: surroundings.state, withIntermediateDirectories: true)
        let curl = try CurlTransport()
        let peer = PeerClient(transport: curl.transport, mistakes: mistakes)
        let control = SandboxControl(origin: surroundings.control, peer: peer)
        let registrations = try await control.registrations()
        let environment = BackendEnvironment(mistakes: mistakes, folder: surroundings.state)
        let handlers = try Handlers(
            environment: environment, peer: peer, registrations: registrations, surroundings: surroundings)
        let responder = Responder(
            handlers: handlers, log: try RequestLog(surroundings.state + "/log", mistakes: mistakes),
            environment: environment)
        let application = Application(
            responder: responder,
            server: .http1(configuration: Responder.limits),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                let bound = channel.localAddress?.port ?? port
                await handlers.publicOrigin.open("http://127.0.0.1:\(bound)")
                do {
                    try await control.addCallbacks("http://127.0.0.1:\(bound)")
                } catch {
                    logger.error("callbacks", metadata: ["error": "\(error)"])
                }
                await ready(bound)
            },
            logger: logger)
        try await application.run()
        await curl.shutdown()
    }
}

/// Where this backend is reached, which is known once it listens.
actor PublicOrigin {
    private(set) var origin = ""

    func open(_ origin: String) {
        self.origin = origin
    }
}
