import Fixtures
import Foundation
import GRDB
import JOSE
import SQLiteStores
import Stores
import Testing

@Suite("Lost and restored files of SQLite")
struct SQLiteWatchTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(after seconds: Int64, at path: String? = nil) throws -> SQLiteStore {
        try SQLiteStore.open(
            path: path ?? folder.database, watching: Watching(TimeSource { now + .seconds(seconds) }))
    }

    private static func token(_ text: String, issuedAfter seconds: Int64) -> SpentRecord {
        SpentRecord(.idToken, of: [Array(text.utf8)], issuedAt: now + .seconds(seconds), expiresAt: later)
    }

    /// A token that was issued in watched time, five seconds after the first start, and used after the copy was made.
    private static let used = token("used", issuedAfter: 5)

    private func copy(_ suffixes: [String] = ["", "-wal"], from old: String, to new: String) throws {
        for suffix in suffixes {
            try? FileManager.default.removeItem(atPath: new + suffix)
            guard FileManager.default.fileExists(atPath: old + suffix) else { continue }
            try FileManager.default.copyItem(atPath: old + suffix, toPath: new + suffix)
        }
    }

    /// Replaces the content of an existing file, like `cp`: the file keeps its inode.
    private func overwrite(_ new: String, with old: String) throws {
        let octets = try Data(contentsOf: URL(fileURLWithPath: old))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: new))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: octets)
        try file.close()
    }

    /// Expects that a used token is refused although no record of it exists, and that only later tokens are accepted.
    private func expectRefused(_ store: SQLiteStore, at seconds: Int64) async throws {
        let moment = now + .seconds(seconds)
        #expect(try await store.spend([Self.used], at: moment) == .unwatched(.idToken))
        let ofThatSecond = Self.token("same second", issuedAfter: seconds)
        #expect(try await store.spend([ofThatSecond], at: moment) == .unwatched(.idToken))
        #expect(try await store.spend([Self.token("new", issuedAfter: seconds + 1)], at: moment) == .first)
    }

    @Test(
        "SR-22: after a database file is restored, from a live or a stopped store, a token used since is refused",
        arguments: [(true, false), (false, true), (false, false)])
    func copiedBack(isLive: Bool, isInPlace: Bool) async throws {
        let backup = folder.path + "/backup.db"
        var store = try open(after: 0)
        try await store.watch(at: now + .seconds(9))
        if !isLive {
            try store.close()
            try copy(from: folder.database, to: backup)
            store = try open(after: 9)
        } else {
            try copy(from: folder.database, to: backup)
        }
        #expect(try await store.spend([Self.used], at: now + .seconds(9)) == .first)
        try store.close()
        if isInPlace, !isLive {
            try overwrite(folder.database, with: backup)
        } else {
            try copy(from: backup, to: folder.database)
        }
        let restored = try open(after: 10)
        try await expectRefused(restored, at: 10)
        try restored.close()
    }

    @Test("SR-22: after the whole folder is restored, a token used since is refused")
    func wholeFolder() async throws {
        let backup = folder.path + "/backup.db"
        let first = try open(after: 0)
        try await first.watch(at: now + .seconds(9))
        try first.close()
        try copy(["", ".watch"], from: folder.database, to: backup)
        let store = try open(after: 9)
        #expect(try await store.spend([Self.used], at: now + .seconds(9)) == .first)
        try store.close()
        try copy(["", ".watch"], from: backup, to: folder.database)
        let restored = try open(after: 10)
        try await expectRefused(restored, at: 10)
        try restored.close()
    }

    @Test("SR-22: after the file is deleted, a used token is refused")
    func deleted() async throws {
        let store = try open(after: 0)
        #expect(try await store.spend([Self.used], at: now + .seconds(9)) == .first)
        try store.close()
        try FileManager.default.removeItem(atPath: folder.database)
        let new = try open(after: 10)
        try await expectRefused(new, at: 10)
        try new.close()
    }

    @Test("SR-22: after a kill, earlier tokens are refused, and recorded ones are replays")
    func killed() async throws {
        do {
            let store = try open(after: 0)
            #expect(try await store.spend([Self.used], at: now + .seconds(9)) == .first)
            // The store is released without being closed.
        }
        let again = try open(after: 10)
        #expect(try await again.spend([Self.used], at: now + .seconds(10)) == .replayed(.idToken))
        #expect(
            try await again.spend([Self.token("unused", issuedAfter: 5)], at: now + .seconds(10))
                == .unwatched(.idToken))
        #expect(try await again.spend([Self.token("new", issuedAfter: 11)], at: now + .seconds(10)) == .first)
        try again.close()
    }

    @Test("A restored file has no handoff, no pending credential and no approved device grant")
    func handles() async throws {
        let backup = folder.path + "/backup.db"
        let store = try open(after: 0)
        try await store.keep(.baseline("code"))
        try await store.keep(PendingCredential.baseline())
        let pending = SpentRecord.baseline("pending", .deviceCode)
        let approved = SpentRecord.baseline("approved", .deviceCode)
        #expect(try await store.keep(.baseline("PENDING"), as: pending))
        #expect(try await store.keep(.baseline("APPROVED"), as: approved))
        for step in DeviceStep.path(to: .approved) { #expect(try await step.take(store, "APPROVED")) }
        try store.close()
        try copy(from: folder.database, to: backup)
        try copy(from: backup, to: folder.database)
        let restored = try open(after: 1)
        #expect(try await restored.redeem(.baseline("code"), at: now + .seconds(1)).name == "unknown")
        #expect(try await restored.redeem(.claiming(), at: now + .seconds(1)).name == "unknown")
        #expect(try await restored.poll(approved, client: "tv", at: now + .seconds(1)).name == "unknown")
        #expect(try await restored.poll(pending, client: "tv", at: now + .seconds(1)).name == "pending")
        try restored.close()
    }

    @Test("A second server on the same file refuses nothing, and the stop of the first leaves no unwatched time")
    func twoServers() async throws {
        let first = try open(after: 0)
        let second = try open(after: 9)
        #expect(try await second.spend([Self.used], at: now + .seconds(9)) == .first)
        try first.close()
        try await second.watch(at: now + .seconds(9))
        let third = try open(after: 12)
        for (store, seconds) in [(second, 8), (third, 11)] as [(SQLiteStore, Int64)] {
            let token = Self.token("\(seconds)", issuedAfter: seconds)
            #expect(try await store.spend([token], at: now + .seconds(12)) == .first)
        }
        try second.close()
        try third.close()
    }

    @Test("If another file replaces the database of a running server, the server does not count as watching it")
    func replacedUnderServer() async throws {
        let other = folder.path + "/other.db"
        try open(after: 0, at: other).close()
        let first = try open(after: 0)
        #expect(try await first.spend([Self.used], at: now + .seconds(9)) == .first)
        try copy(from: other, to: folder.database)
        let second = try open(after: 9)
        try await expectRefused(second, at: 9)
        try second.close()
        try first.close()
    }

    @Test("If the watch file cannot be created, the store is not opened")
    func noMark() throws {
        try FileManager.default.createDirectory(
            atPath: folder.database + ".watch", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        #expect(
            throws: StoreError.unavailable(
                .cannotOpen, cause: "the file \(folder.database).watch cannot be opened: Is a directory")
        ) { _ = try open(after: 0) }
    }

    @Test("SR-22: a log that was put beside a closed database counts as a replacement")
    func foreignLog() async throws {
        let store = try open(after: 0)
        try await store.watch(at: now + .seconds(9))
        try store.close()
        let log = folder.database + "-wal"
        #expect(
            FileManager.default.createFile(
                atPath: log, contents: Data(repeating: 7, count: 64), attributes: [.posixPermissions: 0o600]))
        let again = try open(after: 10)
        try await expectRefused(again, at: 10)
        try again.close()
    }

    @Test("SR-22: an operator that opens and closes a restored database does not make it count as watched")
    func restoredUnderOperator() async throws {
        let backup = folder.path + "/backup.db"
        let first = try open(after: 0)
        try await first.watch(at: now + .seconds(9))
        try first.close()
        try copy(from: folder.database, to: backup)
        try copy(from: backup, to: folder.database)
        let looking = try SQLiteStore.open(path: folder.database)
        #expect(try await looking.account(uid: "nobody") == nil)
        try looking.close()
        let store = try open(after: 10)
        try await expectRefused(store, at: 10)
        try store.close()
    }

    @Test("A watch file that is a symbolic link is not followed")
    func linkedMark() throws {
        let target = folder.path + "/target"
        #expect(
            FileManager.default.createFile(
                atPath: target, contents: Data("text".utf8), attributes: [.posixPermissions: 0o600]))
        try FileManager.default.createSymbolicLink(
            atPath: folder.database + ".watch", withDestinationPath: target)
        #expect(
            throws: StoreError.unavailable(
                .cannotOpen,
                cause: "the file \(folder.database).watch cannot be opened: Too many levels of symbolic links")
        ) { _ = try open(after: 0) }
        #expect(FileManager.default.contents(atPath: target) == Data("text".utf8))
    }

    @Test("A failed renewal leaves no unwatched time, since the process had the file open")
    func failedRenewal() async throws {
        let store = try SQLiteStore.open(
            path: folder.database, watching: Watching(TimeSource { now }), busyTimeout: .milliseconds(20))
        try await store.watch(at: now)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: folder.database, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        await #expect(throws: StoreError.unavailable(.busy)) { try await store.watch(at: now + .seconds(9)) }
        try await other.writeWithoutTransaction { try $0.rollback() }
        try await store.watch(at: now + .seconds(18))
        #expect(try await store.spend([Self.token("between", issuedAfter: 9)], at: now + .seconds(18)) == .first)
        try store.close()
    }

    @Test("Time before an upgrade from a version without watching counts as unwatched")
    func upgrade() async throws {
        try open(after: 0).close()
        let queue = try DatabaseQueue(path: folder.database)
        try await queue.write { db in
            try db.execute(
                sql: """
                    DROP TABLE watch; DROP TABLE unwatched;
                    DELETE FROM grdb_migrations WHERE identifier LIKE '0007%'
                    """)
        }
        try queue.close()
        let store = try open(after: 10)
        try await expectRefused(store, at: 10)
        try store.close()
    }
}
