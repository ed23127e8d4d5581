internal import Curl
internal import Foundation
internal import Hummingbird
package import Logging
internal import ServiceLifecycle

/// A small token exchange as an application's developer might write it.
///
/// It is correct except for the selected mistakes.
///
/// It implements a part of the API: the browser flow with Yahoo and X, `/v1/exchange`, `/v1/nonce` and `/token`. It
/// shares no code with the server, so that an error in one of them shows as a difference between the two.
package struct NaiveBackend: Service {
    /// The addresses and files that the backend uses.
    package struct Surroundings: Sendable {
        /// The control listener of the sandbox, which lists its applications and registers redirect URIs.
        package let control: String
        /// The origins of the stand-ins.
        package let yahoo: String
        package let x: String
        /// The file of the service account that signs custom tokens.
        package let serviceAccount: String
        /// The backend's own folder: the used credentials, a key, and the log.
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

    /// Creates the backend on `port`, where 0 is any free port.
    ///
    /// It calls `ready` with the port once it accepts requests.
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
        let application = Hummingbird.Application(
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

/// The public origin of this backend, which is known once it listens.
actor PublicOrigin {
    private(set) var origin = ""

    func open(_ origin: String) {
        self.origin = origin
    }
}
