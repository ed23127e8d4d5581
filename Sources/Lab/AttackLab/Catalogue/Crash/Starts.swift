internal import Foundation
internal import Jansson

extension Catalogue {
    static let starts = Section(.crash, .high, needs: [.processes, .standIns]).attacks(
        .attack(
            "CR-10", "Three servers are started concurrently with a store that does not exist yet.",
            oracle:
                "All servers become ready, and a credential is accepted once among all of them.",
            source: "rolling upgrade"
        ) { context in
            let bed = try context.testBed
            let path = bed.folder + "/cr-10.db"
            for suffix in AttackContext.databaseSuffixes { try? FileManager.default.removeItem(atPath: path + suffix) }
            let plans = (0..<3).map { number in
                var plan = ServerPlan("cr-10-\(number)")
                plan.set("store", .string("sqlite://" + path))
                plan.set("server/public_url", .string(context.lab.server.base))
                return plan
            }
            let servers = await withTaskGroup(of: TestServer?.self) { group in
                for plan in plans { group.addTask { try? await bed.server(plan) } }
                return await group.reduce(into: [TestServer]()) { servers, server in
                    if let server { servers.append(server) }
                }
            }
            await context.expect(servers.count == 3, .dead, "Only \(servers.count) of 3 servers became ready.")
            if let first = servers.first {
                let (request, _) = try await context.on(first).genuine()
                await context.volley(
                    Array(repeating: request, count: 60), losers: .refused("replayed").or(.storeUnavailable),
                    at: servers.map(\.wire))
            }
            for server in servers { await bed.kill(server) }
        },
        .attack(
            "CR-12", "The server is killed during ten starts, and then started once more.",
            oracle: "The last start succeeds, and used credentials stay used.", source: "crash loop"
        ) { context in
            try await context.onOwnServer("loop") { target, server, bed in
                let (request, _) = try await target.genuine()
                try await target.honest(request)
                await bed.kill(server)
                for number in 0..<10 {
                    let starting = Task { try await bed.restart(server) }
                    try await Task.sleep(for: .milliseconds(20 * number + 5))
                    await bed.kill(server)
                    _ = try? await starting.value
                }
                try await bed.restart(server)
                await target.fire(request, expecting: .used)
                try await target.honest(try await target.genuine().request)
            }
        },
        .attack(
            "CR-13", "Invalid configurations are reloaded with SIGHUP while the server runs.", severity: .medium,
            oracle: "The server keeps its current configuration.", source: "practice"
        ) { context in
            try await context.onOwnServer("reloaded") { target, server, bed in
                guard let path = server.arguments.last else {
                    throw Inconclusive("The server has no configuration file.")
                }
                let (request, _) = try await target.genuine()
                try await target.honest(request)
                for text in ["", "{", "clients: {}", "server: {public_url: \"http://evil.example\"}"] {
                    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
                    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
                    await bed.send(1, to: server)
                    try await Task.sleep(for: .milliseconds(150))
                    await target.fire(request, expecting: .refused("replayed"))
                    try await target.honest(try await target.genuine().request)
                }
            }
        },
    )
}

/// The resource limits and the resource use of a running process.
struct ProcessLimits: Sendable {
    let processID: Int32

    /// Throws ``Inconclusive`` if the server does not run.
    init(of server: TestServer, in bed: TestBed) async throws {
        guard let processID = await bed.processID(of: server) else { throw Inconclusive("The server does not run.") }
        self.processID = processID
    }

    /// Sets the maximum size of its files in bytes; `nil` removes the limit.
    func setLargestFile(_ bytes: Int?) async throws { try await set("fsize", bytes) }

    /// Sets the maximum number of open descriptors.
    func setOpenFiles(_ count: Int) async throws { try await set("nofile", count) }

    /// The number of open descriptors.
    var openFiles: Int {
        get throws {
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd") else {
                throw Inconclusive("The server's descriptors cannot be counted.")
            }
            return names.count
        }
    }

    /// The resident memory in bytes.
    var memory: Int {
        get throws {
            let status = try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
            guard let line = status?.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
                let kibibytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
                    Int($0)
                })
            else { throw Inconclusive("The server's memory cannot be read.") }
            return kibibytes << 10
        }
    }

    /// Changes only the soft limit, which can be raised again without privileges.
    private func set(_ resource: String, _ value: Int?) async throws {
        let program = "/usr/bin/prlimit"
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw Inconclusive("The program prlimit is not installed.")
        }
        let soft = value.map(String.init) ?? "unlimited"
        let child = try ChildProcess(
            program, ["--pid", "\(processID)", "--\(resource)=\(soft):"], log: "/dev/null")
        guard await child.hasEnded(within: .seconds(5)), child.exitCode == 0 else {
            throw Inconclusive("The server's limit of \(resource) cannot be changed.")
        }
    }
}
