import Fixtures
import Foundation
import GRDB
import JOSE
import SQLiteStores
import Stores
import Testing

@Suite("SQLite faults")
struct SQLiteFaultTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Replaces the database file, and removes log and index.
    private func write(_ bytes: Data) throws {
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.database + suffix)
        }
        try bytes.write(to: URL(fileURLWithPath: folder.database))
    }

    @Test("CR-09: a file that is not a database is reported as such and not changed")
    func noDatabase() throws {
        for text in ["This is not a database.", String(repeating: "x", count: 100_000)] {
            try write(Data(text.utf8))
            #expect(throws: StoreError.unavailable(.notADatabase)) { try SQLiteStore.open(path: folder.database) }
            #expect(try String(contentsOfFile: folder.database, encoding: .utf8) == text)
        }
    }

    /// The content of a database with a few hundred records, none of them in the log.
    private func filled() async throws -> Data {
        let store = try SQLiteStore.open(path: folder.database)
        for index in 0..<50 {
            _ = try await store.spend((0..<8).map { .baseline("\(index) \($0)") }, at: now)
            let identity = ExternalIdentity(provider: "yahoo.com", subject: "\(index)")
            try await store.enter(identity, as: "uid-\(index)")
        }
        try store.close()
        return try Data(contentsOf: URL(fileURLWithPath: folder.database))
    }

    @Test("CR-09: a truncated file is reported as corrupt")
    func truncated() async throws {
        let whole = try await filled()
        try write(whole.prefix(whole.count / 2 / 4096 * 4096))
        #expect(throws: StoreError.corrupt) { try SQLiteStore.open(path: folder.database) }
    }

    /// Opens the store and calls every operation that touches its tables.
    private func useAll() async throws {
        let store = try SQLiteStore.open(path: folder.database)
        defer { try? store.close() }
        for index in 0..<50 {
            _ = try await store.spend([.baseline("\(index) 0")], at: now)
            let identity = ExternalIdentity(provider: "yahoo.com", subject: "\(index)")
            try await store.enter(identity, as: "new-\(index)")
            _ = try await store.account(of: identity)
        }
        _ = try await store.link(.baseline("1", at: "twitter.com", email: "a@example.com"), to: "uid-1", at: now)
        _ = try await store.unlink(provider: "yahoo.com", from: "uid-1", at: now)
        _ = try await store.merge("uid-2", into: "uid-3", at: now)
        _ = try await store.accounts(after: nil, atMost: 100)
        _ = try await store.sweepAnonymous(at: later, atMost: 100)
        _ = try await store.retire(uid: "uid-7", at: now)
        _ = try await store.sweep(expiredBefore: later + .seconds(1), atMost: 100)
        try await store.check()
    }

    @Test(
        "CR-09: a file with a page of noise either works or is refused as corrupt, and never stops the process",
        arguments: [0x00, 0xA5] as [UInt8])
    func damaged(noise: UInt8) async throws {
        let whole = try await filled()
        var refusals = 0
        for page in 0..<whole.count / 4096 {
            var bytes = whole
            for offset in 0..<2048 {
                bytes[page * 4096 + offset * 2] ^= noise &+ UInt8(truncatingIfNeeded: offset)
            }
            try write(bytes)
            do {
                try await useAll()
            } catch let error as StoreError {
                // Noise in the schema may rename a table, which is then missing.
                let isOfNoise =
                    switch error {
                    case .corrupt, .outcomeUnknown(.corrupt), .unavailable(.notADatabase, _), .unavailable(.other, _):
                        true
                    default: false
                    }
                #expect(isOfNoise, "page \(page): \(error)")
                refusals += 1
            }
        }
        #expect(refusals > 0)
    }

    @Test(
        "CR-08: without disk space no use is recorded or reported as first; with space again the store works")
    func noSpace() async throws {
        let path = folder.database
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            let store = try SQLiteStore.open(path: path)
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let maximum = limit.rlim_max
            limit.rlim_cur = 256 * 1024
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)

            var used: [SpentRecord] = []
            var failure: StoreError?
            while failure == nil, used.count < 10_000 {
                let record = SpentRecord.baseline("\(used.count)")
                do throws(StoreError) {
                    #expect(try await store.spend([record], at: now) == .first)
                    used.append(record)
                } catch {
                    failure = error
                }
            }
            // write(2) fails with EFBIG here. SQLite reports that as an I/O error, at the commit.
            #expect(failure == .outcomeUnknown(.inputOutput))
            // There may still be space for a single page.
            _ = try? await store.check()
            await #expect(throws: StoreError.outcomeUnknown(.inputOutput)) { try await store.check() }

            limit.rlim_cur = maximum
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            try await store.check()
            for record in used {
                #expect(try await store.spend([record], at: now) == .replayed(.authorizationCode))
            }
            #expect(try await store.spend([.baseline("new")], at: now) == .first)
            // The leak sanitizer runs as soon as the process ends, so the store is closed before.
            try store.close()
        }
    }

    @Test(
        "CR-09: a row that no version of the server could have written is reported as corrupt",
        arguments: ["'x'", "NULL", "x'00'"])
    func foreignRow(value: String) async throws {
        let store = try SQLiteStore.open(path: folder.database)
        try await store.enter(as: "one")
        try await DatabaseQueue(path: folder.database).writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA foreign_keys = OFF;
                    DROP TABLE accounts;
                    CREATE TABLE accounts (
                        uid BLOB, created_at, anonymous, delete_after, adopted, other_way_in, disabled, email, ways_in);
                    INSERT INTO accounts SELECT uid, 1, 0, NULL, 0, 0, \(value), NULL, NULL FROM identities;
                    """)
        }
        await #expect(throws: StoreError.corrupt) { try await store.enter() }
        await #expect(throws: StoreError.corrupt) { try await store.account(uid: "one") }
    }

    @Test("CR-09: the check of a store fails if its row or table is missing")
    func lostRow() async throws {
        let store = try SQLiteStore.open(path: folder.database)
        let other = try DatabaseQueue(path: folder.database)
        try await other.write { try $0.execute(sql: "DELETE FROM heartbeat") }
        await #expect(throws: StoreError.corrupt) { try await store.check() }
        try await other.write { try $0.execute(sql: "DROP TABLE heartbeat") }
        await #expect(throws: StoreError.unavailable(.other, cause: "no such table: heartbeat")) {
            try await store.check()
        }
    }
}
