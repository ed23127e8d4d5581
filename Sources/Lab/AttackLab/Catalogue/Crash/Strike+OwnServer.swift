internal import Foundation
internal import Glibc
internal import Jansson

/// Steps on a server that may be spoiled and killed.
extension Strike {
    /// A server with a store of its own, on which every step of `work` is taken.
    ///
    /// Browser flows come back under the name of the server under attack, which the provider knows.
    func onOwnServer(
        _ name: String, _ change: (inout ServerPlan) -> Void = { _ in },
        _ work: (Strike, TestServer, TestBed) async throws -> Void
    ) async throws {
        let bed = try lab.needed(lab.testBed, "processes")
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

    /// The same attack, aimed at that server.
    func on(_ server: TestServer) -> Strike {
        Strike(
            attack: attack,
            lab: Lab(
                server: server.wire, admin: server.admin, offers: lab.offers, application: lab.application,
                standIns: lab.standIns, testBed: lab.testBed, log: server.log, pace: lab.pace, supplies: lab.supplies,
                sealKey: lab.sealKey),
            recorder: recorder, source: source)
    }

    /// What SQLite keeps beside a database.
    static let databaseSuffixes = ["", "-wal", "-shm"]

    /// Every byte of a server's SQLite store, the log beside it included.
    func database(of server: TestServer) throws -> Data {
        let bed = try lab.needed(lab.testBed, "processes")
        return Self.databaseSuffixes.reduce(into: Data()) { bytes, suffix in
            bytes += FileManager.default.contents(atPath: "\(bed.folder)/\(server.name).db\(suffix)") ?? Data()
        }
    }

    /// Copies a server's SQLite store away, or back.
    func copyDatabase(of server: TestServer, from suffix: String, to other: String) throws {
        let bed = try lab.needed(lab.testBed, "processes")
        let files = FileManager.default
        for part in Self.databaseSuffixes {
            let path = "\(bed.folder)/\(server.name).db"
            try? files.removeItem(atPath: path + other + part)
            if files.fileExists(atPath: path + suffix + part) {
                try files.copyItem(atPath: path + suffix + part, toPath: path + other + part)
            }
        }
    }

    /// Takes a server's SQLite store away.
    func deleteDatabase(of server: TestServer) throws {
        let bed = try lab.needed(lab.testBed, "processes")
        for suffix in Self.databaseSuffixes {
            try? FileManager.default.removeItem(atPath: "\(bed.folder)/\(server.name).db\(suffix)")
        }
    }

    /// Posts what a crash may have cost: it is good once or not at all, and never again.
    func expectOnceAtMost(_ request: Request, at wire: Wire? = nil) async {
        let reply = await (wire ?? lab.server).send(request, from: source)
        if let answer = reply.answer, answer.status != 200 {
            // It may have been spent although the answer was cut off.
            await expect(
                ["replayed", "issued_unwatched", "code_rejected"].contains(answer["reason"]), .wrongAnswer,
                "After a crash the answer is \(answer.status) \(answer["reason"] ?? "").")
        }
        await fire(request, expecting: .refused("replayed", "issued_unwatched", "code_rejected"), at: wire)
    }

    private func examineLog(of server: TestServer) async throws {
        let text = server.log.text(since: 0)
        if await recorder.secrets.contains(where: { text.contains($0) }) {
            await found(.leaked, "The log of \(server.name) holds a secret.")
        }
        if await recorder.canaries.contains(where: { text.contains($0) }) {
            await found(.leaked, "The log of \(server.name) repeats what was sent.")
        }
    }
}

extension Expectation {
    /// Used before, or of a time that the store did not watch, so that it cannot tell.
    static var used: Self { .refused("replayed", "issued_unwatched") }

    /// 503 while the clock lies before what the store has seen.
    static var clockBehind: Self { .refused("clock_behind", status: 503, error: "temporarily_unavailable") }

    /// 503 `store_unavailable`, or a page that says so.
    static var storeUnavailable: Self { .status(503) }
}

/// The lock of SQLite's only writer (sqlite.org/walformat.html §2.3), which another process keeps.
final class WriteLock: Sendable {
    private let descriptor: Int32

    /// - `database`: the path of a database in WAL mode that is open somewhere.
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
        throw Inconclusive("The store's lock could not be had.")
    }

    /// Closing the file lets go of it.
    func release() { close(descriptor) }
}
