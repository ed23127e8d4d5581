internal import ArgumentParser
internal import Firebase
internal import Foundation
internal import JOSE
internal import LocalSockets
internal import Minting
internal import OpenSSL
internal import OperatingSystem
internal import Settings
internal import SigningProcess
internal import UnixSignals

struct Signer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signer",
        abstract: "Holds the key of the service account, and signs for a server that runs as another user.",
        discussion: """
            A server with firebase.signer: process has no key. It asks this process over a Unix socket, which signs what \
            its own configuration allows, and writes one line of its audit trail for each question to standard output \
            before it answers. It reads nothing of a process whose user its configuration does not name. The socket is \
            that of systemd (LISTEN_FDS), or the one of the configuration.
            """)

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("The configuration file of the signer.", valueName: "file"))
    var path = "/etc/token-exchange-signer/token-exchange-signer.yaml"

    @Flag(help: "Only check the configuration and the key, and print the configuration without secrets.")
    var check = false

    @Flag(
        help:
            "Only warn if other users own, can read or can write the configuration or the key. The files are not changed."
    )
    var allowInsecurePermissions = false

    func run() async throws {
        let settings = try load()
        for warning in settings.warnings { Exit.say("\(warning)") }
        let parts = try SignerParts(settings)
        guard !check else { return print(settings.summary.joined(separator: "\n")) }
        ServingProcess.prepare()
        try await Self.serve(settings, parts.service, parts.audit)
    }

    private func load() throws -> SignerSettings {
        try ProcessMemory.requireHidden()
        let loader = SettingsLoader(
            environment: ProcessInfo.processInfo.environment,
            allowances: Settings.Allowances(insecurePermissions: allowInsecurePermissions))
        do {
            return try loader.loadSigner(path: path)
        } catch {
            throw Exit.because(
                "\(path) is not a valid configuration:\n"
                    + error.problems.map { "  \($0)" }.joined(separator: "\n"), Exit.configuration)
        }
    }

    private static func serve(
        _ settings: SignerSettings, _ service: SignerService, _ audit: SignerAuditOutput
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let manager = ServiceManager(environment: environment)
        let server = FrameServer { peer in
            service.refusal(of: peer)
        } onFault: { peer, fault in
            Task { await service.record(fault, of: peer) }
        } answer: { peer, question in
            await service.answer(to: peer, question)
        }
        // A manager may stop the process as soon as it is ready.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let socket = try ListeningSocket.inherited(environment: environment) ?? opened(settings.socket)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signals { return } }
            group.addTask {
                try await server.run(on: socket) {
                    audit.note("listening", ["socket": settings.socket])
                    manager?.tell(.ready)
                }
            }
            try await group.next()
            manager?.tell(.stopping)
            group.cancelAll()
        }
    }

    private static func opened(_ path: String) throws -> ListeningSocket {
        do throws(ListeningSocketError) {
            return try ListeningSocket.open(path: path)
        } catch {
            let sentence =
                switch error {
                case .path: "the path is too long"
                case .noFolder: "its folder does not exist: create it, or name it as RuntimeDirectory of the unit"
                case .openFolder: OpenFolders.warning(about: (path as NSString).deletingLastPathComponent)
                case .inUse: "another process listens there: stop it first"
                case .notASocket: "another file stands there: remove it, or write another path"
                case .system(let number): "the system refuses it: \(unsafe String(cString: strerror(number)))"
                }
            throw Exit.because("cannot listen on \(path): \(sentence)", Exit.failure)
        }
    }
}

private struct SignerParts {
    let service: SignerService
    let audit: SignerAuditOutput

    /// - Throws: Exit 78 for a service account or a user that cannot be used.
    init(_ settings: SignerSettings) throws {
        let account = try ServiceAccounts.parse(settings.serviceAccount) { text throws(KeyError) in
            guard text.hasPrefix("pkcs11:") else { return try RSAPrivateKey(pem: text) }
            Exit.skipHandlers()
            return try RSAPrivateKey(pkcs11: text, module: settings.pkcs11Module)
        }
        let signer = try ServiceAccounts.signer(
            account, threadCount: ProcessInfo.processInfo.activeProcessorCount)
        let audit = SignerAuditOutput(.standardOutput)
        self.audit = audit
        service = SignerService(
            account: account, signer: signer,
            rules: SignerRules(
                projectID: account.projectID, maximumLifetime: settings.tokenLifetime, claims: settings.claims,
                tenants: settings.tenants, uidPrefixes: settings.uidPrefixes, hooks: settings.hooks,
                allowsAccessTokens: settings.accessTokens),
            rate: SigningRate(count: settings.rate.count, per: settings.rate.unit.duration, time: .system),
            // Up to three hooks are asked for one custom token.
            otherRate: SigningRate(
                count: 4 * settings.rate.count, per: settings.rate.unit.duration, time: .system),
            refusalRate: SigningRate(
                count: 4 * settings.rate.count, per: settings.rate.unit.duration, time: .system),
            users: Set(try settings.allowedUsers.map(Self.userID)), time: .system
        ) { event in await audit.write(event.json) }
    }

    private static func userID(_ name: String) throws -> UInt32 {
        if let number = UInt32(name) { return number }
        guard let id = LocalPeer.userID(named: name) else {
            throw Exit.because("allowed_users: there is no user \(VisibleText.of(name))", Exit.configuration)
        }
        return id
    }
}
