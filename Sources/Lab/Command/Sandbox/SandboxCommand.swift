internal import ArgumentParser
internal import CommandSupport
internal import Curl
internal import Foundation
internal import Logging
internal import Sandbox
internal import ServiceLifecycle
internal import Settings
internal import Transport
internal import UnixSignals

struct SandboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox",
        abstract: "Runs stand-ins for Yahoo, X and Google on loopback, for development, demonstration and attack runs.",
        discussion: """
            The control port is also the home page: it signs people in at the server by every flow, shows each message, \
            and sends any of them again. Nothing of it is reachable from serve. With --write-config a server is \
            configured against the stand-ins: a configuration, a service account with a fresh key, and a place for the \
            store.

              token-exchange-lab sandbox --write-config var/sandbox
              token-exchange serve --config var/sandbox/token-exchange.yaml
            """)

    @Option(help: "The port of Yahoo's stand-in; 0 for any free one.")
    var yahooPort = 8081

    @Option(help: "The port of X's stand-in; 0 for any free one.")
    var xPort = 8082

    @Option(help: "The port of Google's stand-in; 0 for any free one.")
    var googlePort = 8084

    @Option(help: "The port of a server of the attacker's, which records what reaches it; 0 for any free one.")
    var hostilePort = 8085

    @Option(help: "The port that steers the stand-ins; 0 for any free one.")
    var controlPort = 8083

    @Option(help: "The public port of the server that --write-config configures, and that the home page uses.")
    var serverPort = 8080

    @Option(help: "The admin port of that server.")
    var adminPort = 9090

    @Option(help: ArgumentHelp("Makes a server's configuration in this folder.", valueName: "folder"))
    var writeConfig: String?

    @Option(help: "Where that server's accounts live: local or firebase, which then is Google's stand-in.")
    var directory = Settings.Firebase.Directory.local

    func run() async throws {
        let logger = Logger.warnings
        let publicURL = "http://127.0.0.1:\(serverPort)"
        let folder = try writeConfig.map { try SandboxFolder.make($0) }
        let sandbox = Sandbox(
            ports: (yahooPort, xPort, controlPort, hostilePort),
            google: GoogleSettings(
                port: googlePort, serviceAccounts: try folder.map { [try $0.serviceAccount()] } ?? []),
            server: HomeServer(publicURL: publicURL, transport: try transport()), logger: logger
        ) {
            Int64(Date().timeIntervalSince1970)
        }
        let service = SandboxService(sandbox: sandbox) { addresses in
            if let folder {
                try SandboxConfiguration(
                    addresses: addresses, folder: folder, directory: directory, publicURL: publicURL,
                    serverPort: serverPort, adminPort: adminPort
                ).write()
            }
            let lines = """
                Yahoo    \(addresses.yahoo)
                X        \(addresses.x)
                Google   \(addresses.google)
                control  \(addresses.control)     home page: /
                hostile  \(addresses.hostile)

                """
            // Not print: whoever waits for these lines behind a pipe would wait for a full buffer.
            FileHandle.standardOutput.write(Data(lines.utf8))
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do {
            try await group.run()
        } catch let code as ExitCode {
            throw code
        } catch {
            throw Exit.because("the sandbox cannot listen: \(error)", Exit.failure)
        }
    }

    /// The home page's way to the server.
    private func transport() throws -> HTTPTransport {
        do {
            return try CurlTransport(configuration: CurlConfiguration()).transport
        } catch {
            throw Exit.because("libcurl cannot be used: \(error)", Exit.failure)
        }
    }
}

extension Settings.Firebase.Directory: ExpressibleByArgument {}

/// The stand-ins under a lifecycle; what happens once they listen may fail.
private struct SandboxService: Service {
    let sandbox: Sandbox
    let ready: @Sendable (SandboxAddresses) throws -> Void

    func run() async throws {
        let (failures, report) = AsyncStream.makeStream(of: (any Error).self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await sandbox.run { addresses in
                    do {
                        try ready(addresses)
                    } catch {
                        report.yield(error)
                    }
                }
            }
            group.addTask {
                for await error in failures { throw error }
            }
            try await group.next()
            group.cancelAll()
        }
    }
}
