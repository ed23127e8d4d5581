internal import Foundation
internal import Jansson

extension Catalogue {
    static let fullDisks = Section(.crash, .high, needs: [.processes, .standIns, .bulk]).attacks(
        .attack(
            "CR-08a",
            "The server runs out of file descriptors while hundreds of clients connect, and later has enough again.",
            oracle: "No sign-in succeeds without a record; afterwards the server works without a restart.",
            source: "EMFILE; Hummingbird's available connections"
        ) { context in
            try await context.onOwnServer("descriptors") { target, server, bed in
                try await target.honest(try await target.genuine().request)
                let limits = try await ProcessLimits(of: server, in: bed)
                let ready = try await target.genuine().request
                try await limits.setOpenFiles(try limits.openFiles + 20)
                var held: [WireConnection] = []
                for _ in 0..<150 {
                    guard
                        let connection = try? await WireConnection(
                            to: server.wire, from: target.source, within: .milliseconds(500))
                    else { continue }
                    try? await connection.send(target.metadataBytes)
                    held.append(connection)
                }
                // The operating system decides whether a request succeeds now.
                _ = await server.wire.send(ready, from: target.source, within: .seconds(2))
                await context.expect(
                    await bed.processID(of: server) != nil, .dead,
                    "The server process ended when it had no descriptors.")
                try await limits.setOpenFiles(20_000)
                held = []
                try await Task.sleep(for: .seconds(1))
                let (request, _) = try await target.genuine()
                try await target.mustStillWork(request)
                await target.fire(request, expecting: .refused("replayed"))
            }
        },
        .attack(
            "CR-08b", "The server is started while the folder of its store does not exist.",
            oracle: "The server refuses to start; it starts as soon as the folder exists.", source: "ENOENT",
            needs: [.processes]
        ) { context in
            let bed = try context.testBed
            var plan = ServerPlan("cr-08b-no-folder")
            for suffix in AttackContext.databaseSuffixes {
                try? FileManager.default.removeItem(atPath: "\(bed.folder)/\(plan.name).db\(suffix)")
            }
            let folder = bed.folder + "/cr-08b-no-such"
            plan.set("store", .string("sqlite://\(folder)/parent/a.db"))
            let (code, output) = try await bed.refusal(plan)
            await context.expect(
                code.map { $0 != 0 } ?? false && output.utf8.count < 4000, .wrongAnswer,
                "The server started although it could not create its store.")
            try FileManager.default.createDirectory(atPath: folder + "/parent", withIntermediateDirectories: true)
            try await context.withServer(plan) { server in
                try await context.honest(.get("/readyz"), at: server.admin)
            }
        },
        .attack(
            "CR-08c", "The disk becomes full during forty concurrent sign-ins, and later has space again.",
            severity: .critical, oracle: "Each request signs in or gets 503; afterwards no credential succeeds twice.",
            source: "CVE-2020-15223"
        ) { context in
            try await context.onOwnServer("full") {
                $0.prelude = "trap '' XFSZ"
            } _: { target, server, bed in
                let limits = try await ProcessLimits(of: server, in: bed)
                var requests: [Request] = []
                for _ in 0..<40 { requests.append(try await target.genuine().request) }
                let halves = [requests.prefix(20), requests.suffix(20)]
                async let early = Wire.volley(halves[0].map { (server.wire, $0) }, from: target.source)
                try await limits.setLargestFile(4096)
                let late = await Wire.volley(halves[1].map { (server.wire, $0) }, from: target.source)
                let replies = await early + late
                try await limits.setLargestFile(nil)
                for (request, reply) in zip(requests, replies) {
                    await target.expectAnswer(reply, [200, 503], to: "A sign-in on a full disk")
                    if reply.answer?.status == 503 { try await target.mustStillWork(request) }
                    await target.fire(request, expecting: .refused("replayed"))
                }
            }
        },
    )
}

extension Catalogue {
    static let spoiltDatabases: [Attack] = [
        spoilt("CR-09a", "The files of the store are deleted while the server runs.") { path in
            for suffix in AttackContext.databaseSuffixes { try? FileManager.default.removeItem(atPath: path + suffix) }
        },
        spoilt("CR-09b", "The database is replaced by another file while the server runs.") { path in
            let other = path + "-other"
            try Data(repeating: 0x41, count: 65_536).write(to: URL(fileURLWithPath: other))
            for suffix in AttackContext.databaseSuffixes { try? FileManager.default.removeItem(atPath: path + suffix) }
            try FileManager.default.moveItem(atPath: other, toPath: path)
        },
        spoilt("CR-09c", "The database and its log are truncated to zero bytes while the server runs.") { path in
            for suffix in ["", "-wal"] {
                guard let file = FileHandle(forWritingAtPath: path + suffix) else { continue }
                try file.truncate(atOffset: 0)
                try file.close()
            }
        },
        spoilt("CR-09d", "The database and its log are overwritten with garbage while the server runs.") { path in
            for suffix in ["", "-wal"] {
                guard let file = FileHandle(forWritingAtPath: path + suffix) else { continue }
                let length = try file.seekToEnd()
                try file.seek(toOffset: 0)
                try file.write(contentsOf: Data(repeating: 0x5A, count: Int(length)))
                try file.close()
            }
        },
        Attack(
            "CR-09e", .crash, .high, "The server is started with a file that is not a database, or with a damaged one.",
            oracle: "The server refuses to start and does not change the file.", source: "SQLite's corrupt tests",
            needs: [.processes]
        ) { context in
            let bed = try context.testBed
            let header = Array("SQLite format 3\u{0}".utf8) + [16, 0, 1, 1, 0, 64, 32, 32]
            for (number, bytes): (Int, [UInt8]) in [
                (0, Array(repeating: 0x41, count: 8192)), (1, header + Array(repeating: 0xFF, count: 8168)),
                (2, Array("not a database".utf8)), (3, header),
            ] {
                let plan = ServerPlan("cr-09e-\(number)")
                let path = "\(bed.folder)/\(plan.name).db"
                for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
                try Data(bytes).write(to: URL(fileURLWithPath: path))
                let (code, output) = try await bed.refusal(plan)
                await context.expect(
                    code.map { $0 != 0 } ?? false, .wrongAnswer, "The server started with damaged file \(number).")
                await context.expect(
                    output.utf8.count < 4000, .wrongAnswer, "The error output has more than 4000 bytes.")
                await context.expect(
                    FileManager.default.contents(atPath: path) == Data(bytes), .consumed,
                    "The server changed damaged file \(number).")
            }
        },
        Attack(
            "CR-09f", .crash, .high, "The server is started with the store of a newer version.",
            oracle: "The server refuses to start and states the reason.", source: "rolling upgrade",
            needs: [.processes]
        ) { context in
            try await context.onOwnServer("newer") { target, server, bed in
                try await target.honest(try await target.genuine().request)
                await bed.stop(server)
                let program = "/usr/bin/sqlite3"
                guard FileManager.default.isExecutableFile(atPath: program) else {
                    throw Inconclusive("The program sqlite3 is not installed.")
                }
                let path = "\(bed.folder)/\(server.name).db"
                let child = try ChildProcess(
                    program, [path, "INSERT INTO grdb_migrations VALUES ('9999 from the future')"],
                    log: bed.folder + "/cr-09f.log")
                guard await child.hasEnded(within: .seconds(5)), child.exitCode == 0 else {
                    throw Inconclusive("The store could not be changed: \(child.log.text(since: 0)).")
                }
                var plan = ServerPlan("cr-09f-older")
                plan.set("store", .string("sqlite://" + path))
                let (code, output) = try await bed.refusal(plan)
                await context.expect(
                    code.map { $0 != 0 } ?? false, .wrongAnswer, "The server started with a newer store.")
                await context.expect(
                    output.contains("later version"), .wrongAnswer,
                    "The error output does not say that the store is newer.")
            }
        },
    ]

    /// Returns an attack that damages the store while the server runs.
    ///
    /// `spoil` gets the path of the database.
    private static func spoilt(
        _ id: String, _ sentence: String, _ spoil: @escaping @Sendable (String) throws -> Void
    ) -> Attack {
        Attack(
            id, .crash, .critical, sentence,
            oracle:
                """
                The server responds with 503 or keeps used credentials used; after a restart each sign-in is \
                recorded.
                """,
            source: "SQLite's corrupt tests; sqlite.org/howtocorrupt", needs: [.processes, .standIns]
        ) { context in
            try await context.onOwnServer("spoilt") { target, server, bed in
                let (used, _) = try await target.genuine()
                try await target.honest(used)
                let fresh = try await target.genuine().request
                try spoil("\(bed.folder)/\(server.name).db")
                await target.fire(used, expecting: .refused("replayed").or(.unwritten))
                let reply = await server.wire.send(fresh, from: target.source)
                await target.expectAnswer(reply, [200, 503], to: "A sign-in with a damaged store")
                if reply.answer?.status == 200 {
                    await target.fire(fresh, expecting: .refused("replayed"))
                    await context.expectReadiness(503, of: server)
                }
                await context.expect(
                    await bed.processID(of: server) != nil, .dead, "The damaged store ended the server process.")
            }
        }
    }
}
