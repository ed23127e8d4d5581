internal import ArgumentParser
internal import Curl
internal import Foundation
internal import JOSE
internal import Logging
internal import OpenSSL
internal import Sandbox
internal import ServiceLifecycle
internal import Settings
internal import Transport
internal import UnixSignals

struct SandboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox",
        abstract:
            "Runs stand-ins for all providers of the guide on loopback, for development, demonstration and attack runs.",
        discussion: """
            The control port also has the home page: it signs users in at the server by every flow, shows each message, and \
            can send any of them again. token-exchange contains none of this. With --write-config it writes the configuration \
            of a server that uses the stand-ins, a service account with a new key, and a folder for the store.

              token-exchange-lab sandbox --write-config var/sandbox
              token-exchange serve --config var/sandbox/token-exchange.yaml
            """)

    @Option(
        help: """
            The address of all listeners, also of that server. The URLs have 127.0.0.1 nevertheless. In a container, 0.0.0.0, \
            whose ports the engine publishes on 127.0.0.1.
            """)
    var listenAddress = "127.0.0.1"

    @Option(help: "The port of Yahoo's stand-in; 0 for any free port.")
    var yahooPort = 8081

    @Option(help: "The port of X's stand-in; 0 for any free port.")
    var xPort = 8082

    @Option(help: "The port of the stand-ins for all other providers, each below its id; 0 for any free port.")
    var providersPort = 8086

    @Option(help: "The port of Google's stand-in for Firebase; 0 for any free port.")
    var googlePort = 8084

    @Option(help: "The port of the attacker's server, which records all requests; 0 for any free port.")
    var hostilePort = 8085

    @Option(help: "The port that controls the stand-ins; 0 for any free port.")
    var controlPort = 8083

    @Option(help: "The public port of the server that --write-config configures, and that the home page uses.")
    var serverPort = 8080

    @Option(help: "The admin port of that server.")
    var adminPort = 9090

    @Option(help: ArgumentHelp("Write the configuration of a server to this folder.", valueName: "folder"))
    var writeConfig: String?

    @Option(help: ArgumentHelp("Serve the documentation that scripts/docs built in this folder.", valueName: "folder"))
    var documentation: String?

    @Option(help: "The account directory of that server: local, or firebase at Google's stand-in.")
    var directory = Settings.Firebase.Directory.local

    @Option(
        help: ArgumentHelp(
            "Make that server store in Google's emulator of Firestore at this address, such as 127.0.0.1:8087, in place of SQLite.",
            valueName: "address"))
    var firestoreEmulator: String?

    func run() async throws {
        let logger = Logger.warnings
        let publicURL = "http://127.0.0.1:\(serverPort)"
        let folder = try writeConfig.map { try SandboxFolder.make($0) }
        let sandbox = Sandbox(
            address: listenAddress, ports: (yahooPort, xPort, providersPort, controlPort, hostilePort),
            google: GoogleSettings(
                port: googlePort, serviceAccounts: try folder.map { [try $0.serviceAccount()] } ?? [],
                secrets: try Self.secrets()),
            server: HomeServer(publicURL: publicURL, transport: try transport()),
            documentation: try documentation.map { try DocumentationFolder.read($0) }, logger: logger
        ) {
            Int64(Date().timeIntervalSince1970)
        }
        let service = SandboxService(sandbox: sandbox) { addresses in
            if let folder {
                try SandboxConfiguration(
                    addresses: addresses, folder: folder, directory: directory, publicURL: publicURL,
                    listenAddress: listenAddress, serverPort: serverPort, adminPort: adminPort,
                    firestoreEmulator: firestoreEmulator
                ).write()
            }
            let lines = """
                Yahoo      \(addresses.yahoo)
                X          \(addresses.x)
                providers  \(addresses.providers)
                Google     \(addresses.google)
                control    \(addresses.control)     home page: /
                hostile    \(addresses.hostile)

                """
            // print would buffer these lines if standard output is a pipe, and its reader would wait for them.
            FileHandle.standardOutput.write(Data(lines.utf8))
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do {
            try await group.run()
        } catch let reason as ExitReason {
            throw reason
        } catch {
            let ports = [yahooPort, xPort, providersPort, googlePort, controlPort, hostilePort].map { String($0) }
            throw Exit.because(
                "the sandbox ended: \(error). If an address is in use, choose other ports than "
                    + ports.joined(separator: ", "), Exit.failure)
        }
    }

    /// The keys of a server, under the names that token-exchange keys create --gcp-secret writes.
    private static func secrets() throws -> [String: String] {
        do {
            return [
                "token-exchange-seal-key": Base64URL.encode(try SecureRandom.bytes(32)),
                "token-exchange-store-key": Base64URL.encode(try SecureRandom.bytes(32)),
            ]
        } catch {
            throw Exit.because("OpenSSL has no random bytes", Exit.failure)
        }
    }

    /// The HTTP client of the home page.
    private func transport() throws -> HTTPTransport {
        do {
            return try CurlTransport(configuration: CurlConfiguration()).transport
        } catch {
            throw Exit.because("libcurl cannot be used: \(error)", Exit.failure)
        }
    }
}

extension Settings.Firebase.Directory: ExpressibleByArgument {}

/// The folder of a site that `scripts/docs` built.
private enum DocumentationFolder {
    static func read(_ path: String) throws -> DocumentationSite {
        let root = URL(fileURLWithPath: path, isDirectory: true)
        let start = "documentation/token-exchange"
        guard FileManager.default.fileExists(atPath: root.appending(path: start).path),
            let names = FileManager.default.enumerator(atPath: root.path)?.compactMap({ $0 as? String })
        else { throw Exit.because("\(path) contains no documentation; scripts/docs builds it", Exit.failure) }
        var files: [String: [UInt8]] = [:]
        for name in names {
            let file = root.appending(path: name)
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            files[name] = Array(try Data(contentsOf: file))
        }
        return DocumentationSite(files: files, start: start)
    }
}

/// Runs the stand-ins as a service.
///
/// It ends if ``ready`` throws.
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
