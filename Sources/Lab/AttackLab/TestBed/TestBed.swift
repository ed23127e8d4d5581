internal import Foundation
internal import Glibc
internal import Jansson

/// Starts the stand-ins and servers that attacks need, in a folder of its own.
package actor TestBed {
    private let programs: Programs
    /// The folder of all files.
    let folder: String
    private let store: Store?
    private var sandbox: ChildProcess?
    private var children: [String: ChildProcess] = [:]
    private var standIns: StandIns?
    private var usual: TestServer?
    /// The port that was tried last, which is below those that the system uses for outgoing connections.
    private var nextPort = Int.random(in: 12_000...30_000)

    /// The executables that a test bed starts, by absolute paths.
    package struct Programs: Sendable {
        /// `token-exchange`, which is attacked.
        package let server: String
        /// `token-exchange-lab`, for the stand-ins and the naive backend.
        let lab: String

        package init(server: String, lab: String) {
            self.server = server
            self.lab = lab
        }
    }

    /// The store of the usual server.
    package struct Store: Sendable {
        /// `sqlite://…`, `postgresql://…` or `firestore://…`.
        package let url: String
        /// Host and port of the emulator of Firestore; `nil` for other stores.
        package let emulator: String?

        package init(url: String, emulator: String?) {
            self.url = url
            self.emulator = emulator
        }

        var isDatabaseServer: Bool { !url.hasPrefix("sqlite:") }
    }

    /// Makes a test bed without starting a process.
    ///
    /// - Parameters:
    ///   - folder: An absolute path. Logs, databases and configurations go there, with the secrets of the stand-ins.
    ///   - store: The store of the usual server; `nil` for a file in the folder.
    package init(programs: Programs, folder: String, store: Store?) {
        self.programs = programs
        self.folder = folder
        self.store = store
    }

    /// Starts stand-ins and the usual server.
    package func start() async throws -> Lab {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let port = try await freePort()
        let standIns = try await startStandIns(serverPort: port)
        var plan = ServerPlan("server")
        plan.sharesStore = true
        let server = try await start(plan, port: port)
        usual = server
        var offers = Set(Need.allCases)
        if store?.isDatabaseServer != true { offers.remove(.databaseServer) }
        if ChildProcess.faketime == nil { offers.remove(.clock) }
        return Lab(
            server: server.wire, admin: server.admin, offers: offers, application: Application(), standIns: standIns,
            testBed: self, log: server.log, pace: nil, supplies: nil,
            sealKey: StolenSealKey(fileOrText: BaseConfiguration.sealKey))
    }

    /// Starts stand-ins and the naive backend with these mistakes.
    package func startNaive(mistakes: Set<Mistake>) async throws -> Lab {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if standIns == nil { _ = try await startStandIns(serverPort: try await freePort()) }
        guard let standIns else { throw Inconclusive("The stand-ins are not started.") }
        let port = try await freePort()
        // Each round has a state of its own, without records of earlier rounds.
        let state = "\(folder)/naive-\(port)"
        let wire = Wire(base: "http://127.0.0.1:\(port)")
        let arguments = [
            "naive", "--port", "\(port)", "--control", standIns.addresses.control, "--yahoo", standIns.addresses.yahoo,
            "--x", standIns.addresses.x, "--service-account", folder + "/service-account.json", "--state", state,
            "--mistakes", mistakes.isEmpty ? "none" : mistakes.sorted().map(\.rawValue).joined(separator: ","),
        ]
        let child = try ChildProcess(programs.lab, arguments, log: "\(state).log")
        let server = TestServer(
            name: "naive", executable: programs.lab, wire: wire, admin: wire, log: LogFile(path: state + "/log"),
            arguments: arguments,
            readiness: (wire, "/healthz"))
        children[server.name] = child
        usual = server
        try await waitUntilReady(server, child)
        var offers: Set<Need> = [
            .standIns, .restart, .clock, .logs, .bulk, .addresses, .browserFlow, .tokenExchange, .oauth1, .idToken,
            .foreignIDToken, .accessToken, .origin, .patience, .sealKey,
        ]
        if ChildProcess.faketime == nil { offers.remove(.clock) }
        return Lab(
            server: wire, admin: nil, offers: offers, application: Application(), standIns: standIns, testBed: self,
            log: server.log, pace: nil, supplies: nil, watchesLog: false,
            sealKey: StolenSealKey(fileOrText: state + "/key"))
    }

    /// Starts only the stand-ins, for a server that the test bed does not start.
    func startStandIns(serverPort: Int) async throws -> StandIns {
        let child = try ChildProcess(
            programs.lab,
            [
                "sandbox", "--write-config", folder, "--server-port", "\(serverPort)", "--yahoo-port", "0",
                "--x-port", "0", "--providers-port", "0", "--google-port", "0", "--control-port", "0",
                "--hostile-port", "0",
            ], log: folder + "/sandbox.log")
        sandbox = child
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end, child.isRunning {
            if let addresses = StandIns.Addresses(printed: child.log.text(since: 0)) {
                let standIns = StandIns(addresses)
                self.standIns = standIns
                return standIns
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Inconclusive("The stand-ins did not start; see \(child.log.path).")
    }

    /// Starts another server and waits until it is ready.
    func server(_ plan: ServerPlan) async throws -> TestServer { try await start(plan, port: try await freePort()) }

    /// Starts a server that must refuse to start, and returns its exit code and output.
    func refusal(_ plan: ServerPlan) async throws -> (exitCode: Int32?, output: String) {
        let port = try await freePort()
        let path = try writeConfiguration(plan, port: port, adminPort: try await freePort())
        let child = try ChildProcess(
            programs.server, ["serve", "--config", path] + plan.flags, log: "\(folder)/\(plan.name).log",
            environment: plan.environment,
            clockOffset: plan.clockOffset)
        let ended = await child.hasEnded(within: .seconds(20))
        if !ended {
            child.send(SIGKILL)
            _ = await child.hasEnded(within: .seconds(5))
        }
        return (ended ? child.exitCode : nil, child.log.text(since: 0))
    }

    /// Runs a subcommand of the server until it ends.
    func run(_ arguments: [String]) async throws -> (exitCode: Int32?, output: String) {
        let child = try ChildProcess(programs.server, arguments, log: "\(folder)/command-\(nextPort).log")
        nextPort += 1
        let ended = await child.hasEnded(within: .seconds(30))
        if !ended { child.send(SIGKILL) }
        return (ended ? child.exitCode : nil, child.log.text(since: 0))
    }

    /// Sends SIGKILL, which has the effect of a crash.
    func kill(_ server: TestServer) async { await end(server, by: SIGKILL) }

    /// Sends SIGTERM, as an operator does.
    func stop(_ server: TestServer) async { await end(server, by: SIGTERM) }

    /// Sends SIGTERM in a later second than that of the latest credential.
    ///
    /// Times of issue have a resolution of one second. The server treats a credential of the second in which it stopped
    /// as issued after the stop, and refuses it.
    func stopWatched(_ server: TestServer) async throws {
        try await Task.sleep(for: .milliseconds(1100))
        await stop(server)
    }

    func send(_ signal: Int32, to server: TestServer) { children[server.name]?.send(signal) }

    /// Returns the process id of the server; `nil` if it does not run.
    func processID(of server: TestServer) -> Int32? { children[server.name]?.processID }

    /// Restarts the server on the same port with the same store.
    ///
    /// `clockOffset` is that of the new process in seconds. If `isReady` is false, the server is
    /// expected to be up without becoming ready.
    @discardableResult func restart(
        _ server: TestServer, clockOffset: Int64 = 0, isReady: Bool = true
    ) async throws -> TestServer {
        let child = try ChildProcess(
            server.executable, server.arguments, log: server.log.path, clockOffset: clockOffset)
        children[server.name] = child
        try await waitUntilReady(server, child, path: isReady ? nil : "/healthz")
        return server
    }

    /// The attacked server.
    func usualServer() throws -> TestServer {
        guard let usual else { throw Inconclusive("There is no server of the test bed.") }
        return usual
    }

    /// Stops the attacked server; the stand-ins keep running for the next one.
    package func stopUsual() async {
        if let usual { await end(usual, by: SIGTERM) }
        usual = nil
    }

    /// Stops all processes.
    package func stopAll() async {
        for child in children.values { child.send(SIGTERM) }
        for child in children.values where await !child.hasEnded(within: .seconds(25)) { child.send(SIGKILL) }
        sandbox?.send(SIGTERM)
        if let sandbox, await !sandbox.hasEnded(within: .seconds(10)) { sandbox.send(SIGKILL) }
        children = [:]
    }

    private func end(_ server: TestServer, by signal: Int32) async {
        guard let child = children[server.name] else { return }
        child.send(signal)
        if await !child.hasEnded(within: .seconds(25)) { child.send(SIGKILL) }
        children[server.name] = nil
    }

    /// Another process may take the port before the server listens; then another port is tried.
    private func start(_ plan: ServerPlan, port: Int) async throws -> TestServer {
        do {
            return try await startOnce(plan, port: port)
        } catch let error as Inconclusive where error.sentence.contains("in use") {
            return try await startOnce(plan, port: try await freePort())
        }
    }

    private func startOnce(_ plan: ServerPlan, port: Int) async throws -> TestServer {
        let adminPort = try await freePort()
        let arguments =
            ["serve", "--config", try writeConfiguration(plan, port: port, adminPort: adminPort)] + plan.flags
        let child = try ChildProcess(
            programs.server, arguments, log: "\(folder)/\(plan.name).log", environment: plan.environment,
            clockOffset: plan.clockOffset, prelude: plan.prelude)
        let admin = Wire(base: "http://127.0.0.1:\(adminPort)")
        let server = TestServer(
            name: plan.name, executable: programs.server, wire: Wire(base: "http://127.0.0.1:\(port)"), admin: admin,
            log: child.log,
            arguments: arguments, readiness: (admin, plan.waitsUntilReady ? "/readyz" : "/healthz"))
        children[plan.name] = child
        try await waitUntilReady(server, child)
        return server
    }

    private func waitUntilReady(_ server: TestServer, _ child: ChildProcess, path other: String? = nil) async throws {
        let end = ContinuousClock.now + .seconds(60)
        let begin = server.log.end
        while ContinuousClock.now < end, child.isRunning {
            let (wire, path) = server.readiness
            if await wire.send(.get(other ?? path), within: .seconds(5)).answer?.status == 200 { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        let words = child.log.text(since: begin).components("\n").suffix(4).joined(separator: " ")
        throw Inconclusive("The server \(server.name) did not become ready: \(words)")
    }

    private func writeConfiguration(_ plan: ServerPlan, port: Int, adminPort: Int) throws -> String {
        guard let standIns else { throw Inconclusive("The stand-ins are not started.") }
        // All processes have the same public URL.
        let publicURL = plan.sharesStore ? usual?.wire.base : nil
        var configuration = BaseConfiguration(
            addresses: standIns.addresses, folder: folder, port: port, adminPort: adminPort,
            publicURL: publicURL ?? "http://127.0.0.1:\(port)",
            store: plan.sharesStore
                ? store?.url ?? "sqlite://\(folder)/server.db" : "sqlite://\(folder)/\(plan.name).db"
        ).json
        if plan.sharesStore, let emulator = store?.emulator {
            configuration = configuration.setting(["store_emulator_host"], to: .string(emulator))
        }
        for (path, value) in plan.changes { configuration = configuration.setting(path, to: value) }
        let path = "\(folder)/\(plan.name).yaml"
        // JSON is YAML.
        try Data(configuration.serialized()).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    /// A port on which no server listens.
    package func freePort() async throws -> Int {
        for _ in 0..<2000 {
            nextPort = nextPort >= 32_600 ? 12_000 : nextPort + 1
            // Concurrent calls must not get the same port.
            let port = nextPort
            let wire = Wire(base: "http://127.0.0.1:\(port)")
            if (try? await WireConnection(to: wire, within: .seconds(1))) == nil { return port }
        }
        throw Inconclusive("No port is free.")
    }
}

extension StandIns.Addresses {
    /// Returns the addresses that the sandbox prints when it listens; `nil` while lines are missing.
    init?(printed text: String) {
        var addresses: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count >= 2, words[1].hasPrefix("http://") { addresses[words[0].lowercased()] = String(words[1]) }
        }
        guard let yahoo = addresses["yahoo"], let x = addresses["x"], let providers = addresses["providers"],
            let google = addresses["google"], let hostile = addresses["hostile"], let control = addresses["control"]
        else { return nil }
        self.init(
            yahoo: yahoo, x: x, providers: providers, google: google, hostile: hostile, control: control)
    }
}
