internal import Foundation
internal import Glibc
internal import Jansson

/// Steps on a server of the attack's own, which may be damaged and killed.
extension AttackContext {
    /// Runs `work` against a server with a store of its own.
    ///
    /// Callbacks of browser flows use the name of the attacked server, which is registered at the provider.
    func onOwnServer(
        _ name: String, _ change: (inout ServerPlan) -> Void = { _ in },
        _ work: (AttackContext, TestServer, TestBed) async throws -> Void
    ) async throws {
        let bed = try testBed
        var plan = ServerPlan("\(attack.id.lowercased())-\(name)")
        plan.set("server/public_url", .string(lab.server.base))
        change(&plan)
        if !plan.sharesStore {
            for suffix in Self.databaseSuffixes {
                try? FileManager.default.removeItem(atPath: "\(bed.folder)/\(plan.name).db\(suffix)")
            }
        }
        let server = try await bed.server(plan)
        do {
            try await work(on(server), server, bed)
        } catch {
            await bed.kill(server)
            throw error
        }
        await bed.kill(server)
        try await examineLog(of: server)
    }

    /// Returns this attack with that server as its target.
    func on(_ server: TestServer) -> AttackContext {
        AttackContext(
            attack: attack,
            lab: Lab(
                server: server.wire, admin: server.admin, offers: lab.offers, application: lab.application,
                standIns: lab.standIns, testBed: lab.testBed, log: server.log, pace: lab.pace, supplies: lab.supplies,
                sealKey: lab.sealKey),
            recorder: recorder, source: source)
    }

    /// The suffixes of SQLite's database file, its write-ahead log and its shared memory.
    static let databaseSuffixes = ["", "-wal", "-shm"]

    /// Returns the bytes of a server's SQLite store, including its write-ahead log.
    func database(of server: TestServer) throws -> Data {
        let bed = try testBed
        return Self.databaseSuffixes.reduce(into: Data()) { bytes, suffix in
            bytes += FileManager.default.contents(atPath: "\(bed.folder)/\(server.name).db\(suffix)") ?? Data()
        }
    }

    /// Copies the files of a server's SQLite store from one suffix to another.
    func copyDatabase(of server: TestServer, from suffix: String, to other: String) throws {
        let bed = try testBed
        let files = FileManager.default
        for part in Self.databaseSuffixes {
            let path = "\(bed.folder)/\(server.name).db"
            try? files.removeItem(atPath: path + other + part)
            if files.fileExists(atPath: path + suffix + part) {
                try files.copyItem(atPath: path + suffix + part, toPath: path + other + part)
            }
        }
    }

    /// Deletes the files of a server's SQLite store.
    func deleteDatabase(of server: TestServer) throws {
        let bed = try testBed
        for suffix in Self.databaseSuffixes {
            try? FileManager.default.removeItem(atPath: "\(bed.folder)/\(server.name).db\(suffix)")
        }
    }

    /// Posts a credential twice after a crash: it may be accepted once or not at all.
    func expectOnceAtMost(_ request: Request) async {
        let reply = await lab.server.send(request, from: source)
        if let answer = reply.answer, answer.status != 200 {
            // The credential may be used although the response was lost.
            await expect(
                ["replayed", "issued_unwatched", "code_rejected"].contains(answer["reason"]), .wrongAnswer,
                "After a crash the response is \(answer.status) \(answer["reason"] ?? "").")
        }
        await fire(request, expecting: .refused("replayed", "issued_unwatched", "code_rejected"))
    }

    private func examineLog(of server: TestServer) async throws {
        let text = server.log.text(since: 0)
        if await recorder.secrets.contains(where: { text.contains($0) }) {
            await found(.leaked, "The log of \(server.name) contains a secret.")
        }
        if await recorder.canaries.contains(where: { text.contains($0) }) {
            await found(.leaked, "The log of \(server.name) repeats what was sent.")
        }
    }
}

extension Expectation {
    /// Expects `replayed`, or `issued_unwatched` if the store may lack records of that time.
    static var used: Self { .refused("replayed", "issued_unwatched") }

    /// Expects 503 `clock_behind`: the clock is before the latest time in the store.
    static var clockBehind: Self { .refused("clock_behind", status: 503, error: "temporarily_unavailable") }

    /// Expects status 503, in JSON or as a page.
    static var storeUnavailable: Self { .status(503) }
}

/// SQLite's write lock (sqlite.org/walformat.html §2.3), held by another process than the server.
final class WriteLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock of the database at this path, which must be in WAL mode and open in a process.
    init(database: String) throws {
        descriptor = unsafe open(database + "-shm", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw Inconclusive("The store's shared memory cannot be opened.") }
        // WAL_WRITE_LOCK is the byte at 120.
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 120
        lock.l_len = 1
        for _ in 0..<200 {
            if unsafe fcntl(descriptor, F_SETLK, &lock) == 0 { return }
            usleep(5_000)
        }
        close(descriptor)
        throw Inconclusive("The store's lock could not be acquired.")
    }

    /// Releases the lock by closing the file.
    func release() { close(descriptor) }
}
