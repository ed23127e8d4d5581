import Fixtures
import Foundation
import GRDB
import JOSE
import Stores
import Testing

@testable import SQLiteStores

@Suite("SQLite file")
struct SQLiteFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("CR-03: a commit waits for the disk, and the other settings are in effect")
    func settings() async throws {
        let store = try SQLiteStore.open(path: folder.database, busyTimeout: .milliseconds(1500))
        let settings = try await store.settings()
        #expect(settings.synchronous == 2)
        #expect(settings.journalMode == "wal")
        #expect(settings.enforcesForeignKeys)
        #expect(settings.busyTimeout == .milliseconds(1500))
        #expect(try await SQLiteStore.inMemory().settings().synchronous == 2)
    }

    @Test("CR-03: settings that can lose a commit are named, with their value and the one that is needed")
    func notDurable() async throws {
        func objection(_ statement: String) throws -> StoreError? {
            let queue = try DatabaseQueue()
            return try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; " + statement)
                return try ConnectionSettings(of: db).objection(journalMode: "memory")
            }
        }
        #expect(try objection("") == nil)
        #expect(
            try objection("PRAGMA synchronous = NORMAL")
                == .notDurable(setting: "PRAGMA synchronous", value: "1", needed: "2"))
        #expect(
            try objection("PRAGMA journal_mode = off")
                == .notDurable(setting: "PRAGMA journal_mode", value: "off", needed: "memory"))
    }

    @Test("CR-09: a store whose file was deleted or replaced while open is unavailable, until the file is back")
    func replaced() async throws {
        let store = try SQLiteStore.open(path: folder.database)
        #expect(try await store.spend([.baseline("before")], at: now) == .first)
        func expectRefusals() async {
            await #expect(throws: StoreError.unavailable(.cannotOpen)) { try await store.check() }
            await #expect(throws: StoreError.unavailable(.cannotOpen)) {
                try await store.spend([.baseline("a")], at: now)
            }
        }
        try FileManager.default.moveItem(atPath: folder.database, toPath: folder.database + ".away")
        await expectRefusals()
        #expect(FileManager.default.createFile(atPath: folder.database, contents: Data()))
        await expectRefusals()
        try FileManager.default.removeItem(atPath: folder.database)
        try FileManager.default.moveItem(atPath: folder.database + ".away", toPath: folder.database)
        try await store.check()
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
        #expect(try await store.spend([.baseline("before")], at: now) == .replayed(.authorizationCode))
    }

    @Test("CR-09: a store whose log was deleted is unavailable, since the log has commits that the file lacks")
    func withoutLog() async throws {
        let store = try SQLiteStore.open(path: folder.database)
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
        try FileManager.default.removeItem(atPath: folder.database + "-wal")
        await #expect(throws: StoreError.unavailable(.cannotOpen)) {
            try await store.spend([.baseline("b")], at: now)
        }
    }

    @Test("A path that is a symbolic link opens the linked database, with its log beside it")
    func link() async throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/other", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.database, withDestinationPath: folder.path + "/other/store.db")
        #expect(FileManager.default.createFile(atPath: folder.path + "/other/store.db", contents: Data()))
        let store = try SQLiteStore.open(path: folder.database)
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
        #expect(FileManager.default.fileExists(atPath: folder.path + "/other/store.db-wal"))
    }

    @Test("Only their owner can use the files, even if the umask is 0")
    func modes() async throws {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            umask(0)
            let store = try SQLiteStore.open(path: path + "/new.db")
            #expect(try await store.spend([.baseline("a")], at: now) == .first)
            let manager = FileManager.default
            func mode(_ name: String) throws -> Int? {
                try (manager.attributesOfItem(atPath: path + name)[.posixPermissions] as? NSNumber)?.intValue
            }
            for file in ["new.db", "new.db-wal", "new.db-shm"] {
                #expect(try mode("/" + file) == 0o600, "\(file)")
            }
            // The leak sanitizer runs as soon as the process ends, so the store is closed before.
            try store.close()
        }
    }

    @Test("The tables refuse values of other types, and digests of other lengths")
    func strictTables() throws {
        try SQLiteStore.open(path: folder.database).close()
        let queue = try DatabaseQueue(path: folder.database)
        let tables = try queue.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT name, strict, wr FROM pragma_table_list
                    WHERE name IN ('spent', 'accounts', 'identities', 'retired_uids')
                    """)
        }
        #expect(tables.count == 4)
        #expect(tables.allSatisfy { $0["strict"] == 1 && ($0["wr"] == 1) == ($0["name"] != "spent") })
        for digest in ["zeroblob(31)", "zeroblob(33)", "'12345678901234567890123456789012'", "NULL"] {
            #expect(throws: DatabaseError.self) {
                try queue.write {
                    try $0.execute(
                        sql: "INSERT INTO spent (kind, digest, expires_at) VALUES ('code', \(digest), 1)")
                }
            }
        }
        // An account has at most one identity of a provider, by UNIQUE (uid, provider), and an identity needs an
        // account.
        try queue.write { try $0.execute(sql: "INSERT INTO accounts (uid, created_at) VALUES (x'01', 1)") }
        try queue.write {
            try $0.execute(sql: "INSERT INTO identities (provider, subject, uid) VALUES (x'02', x'03', x'01')")
        }
        for identity in ["x'02', x'04', x'01'", "x'05', x'06', x'99'"] {
            #expect(throws: DatabaseError.self) {
                try queue.write {
                    try $0.execute(sql: "INSERT INTO identities (provider, subject, uid) VALUES (\(identity))")
                }
            }
        }
    }

    @Test("CR-01: uses and accounts are unchanged after a restart")
    func restart() async throws {
        let records = SpentKind.allCases.map { SpentRecord.baseline("a", $0) }
        let before = try SQLiteStore.open(path: folder.database)
        #expect(try await before.spend(records, at: now) == .first)
        try await before.make("one", of: .baseline())
        #expect(try await !before.retire(uid: "two", at: now))
        try before.close()

        let after = try SQLiteStore.open(path: folder.database)
        for record in records {
            #expect(try await after.spend([record], at: now) == .replayed(record.kind))
        }
        #expect(try await after.enter(as: "three", at: later) == "one")
        #expect(try await after.account(uid: "one")?.createdAt == now)
        await #expect(throws: StoreError.noFreeUID) {
            try await after.enter(ExternalIdentity(provider: "yahoo.com", subject: "OTHER"), as: "one", "two")
        }
    }

    @Test("After closing, the database file contains everything")
    func closedFile() async throws {
        let store = try SQLiteStore.open(path: folder.database)
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
        try store.close()
        let copy = folder.path + "/copy.db"
        try FileManager.default.copyItem(atPath: folder.database, toPath: copy)
        #expect(
            try await SQLiteStore.open(path: copy).spend([.baseline("a")], at: now)
                == .replayed(.authorizationCode))
    }

    @Test("CR-01: a use is recorded even if the process is killed directly after it")
    func killed() async throws {
        let path = folder.database
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try SQLiteStore.open(path: path)
            let outcome = try await store.spend([.baseline("a"), .baseline("a", .nonce)], at: now)
            if outcome == .first { kill(getpid(), SIGKILL) }
        }
        let store = try SQLiteStore.open(path: path)
        #expect(try await store.spend([.baseline("a")], at: now) == .replayed(.authorizationCode))
        #expect(try await store.spend([.baseline("a", .nonce)], at: now) == .replayed(.nonce))
        #expect(try await store.spend([.baseline("b")], at: now) == .first)
    }

    @Test("CR-12: repeated starts change nothing")
    func startsOften() async throws {
        for start in 0..<10 {
            let store = try SQLiteStore.open(path: folder.database)
            #expect(try await (store.spend([.baseline("a")], at: now) == .first) == (start == 0))
            try store.close()
        }
    }

    @Test(
        "SR-03: while another process writes, a write waits and is then refused as busy, and a read does not wait")
    func busy() async throws {
        let store = try SQLiteStore.open(path: folder.database, busyTimeout: .milliseconds(20))
        try await store.enter(as: "one")
        let other = try DatabaseQueue(path: folder.database, configuration: .unsafe)
        try await other.writeWithoutTransaction { try $0.beginTransaction(.immediate) }

        await #expect(throws: StoreError.unavailable(.busy)) {
            try await store.spend([.baseline("a")], at: now)
        }
        await #expect(throws: StoreError.unavailable(.busy)) { try await store.check() }
        #expect(try await store.enter() == "one")

        try await other.writeWithoutTransaction { try $0.rollback() }
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
        try await store.check()
    }

    @Test("CR-10: while another process starts, a start waits and is then refused as busy")
    func busyStart() throws {
        let descriptor = unsafe open(folder.path, O_RDONLY | O_DIRECTORY)
        // A shared lock, which delays only a process that needs an exclusive one.
        #expect(flock(descriptor, LOCK_SH) == 0)
        #expect(throws: StoreError.unavailable(.busy)) {
            try SQLiteStore.open(path: folder.database, busyTimeout: .milliseconds(20))
        }
        close(descriptor)
        _ = try SQLiteStore.open(path: folder.database, busyTimeout: .milliseconds(20))
    }

    @Test("A closed store is unavailable")
    func closed() async throws {
        let store = try SQLiteStore.open(path: folder.database)
        try store.close()
        await #expect(throws: StoreError.unavailable(.closed)) {
            try await store.spend([.baseline("a")], at: now)
        }
        await #expect(throws: StoreError.unavailable(.closed)) {
            try await store.enter(as: "one")
        }
        await #expect(throws: StoreError.unavailable(.closed)) { try await store.check() }
        await #expect(throws: StoreError.unavailable(.closed)) {
            _ = try await store.poll(.device, client: "tv", at: now)
        }
        await #expect(throws: StoreError.unavailable(.closed)) { try await store.accounts(after: nil, atMost: 1) }
    }

    @Test("Closing a store whose folder is gone reports that, and closes the store")
    func closedWithoutFolder() async throws {
        let inner = folder.path + "/inner"
        try FileManager.default.createDirectory(
            atPath: inner, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let store = try SQLiteStore.open(path: inner + "/store.db")
        try FileManager.default.removeItem(atPath: inner)
        #expect(throws: StoreError.unavailable(.cannotOpen)) { try store.close() }
        await #expect(throws: StoreError.unavailable(.closed)) { try await store.accounts(after: nil, atMost: 1) }
    }

    @Test("CR-10: tables of a later version are refused and not changed")
    func newerSchema() async throws {
        try SQLiteStore.open(path: folder.database).close()
        let queue = try DatabaseQueue(path: folder.database)
        try await queue.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9999 later')")
        }
        #expect(
            throws: StoreError.newerSchema(
                found: "9999 later", supported: "0012 waiting factors")
        ) { try SQLiteStore.open(path: folder.database) }
        try await queue.write {
            try $0.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '9999 later'")
        }
        _ = try SQLiteStore.open(path: folder.database)
    }

    @Test(
        "Tables without a record of their migrations are no earlier version, which could be upgraded",
        arguments: [true, false])
    func noRecord(migrates: Bool) async throws {
        try SQLiteStore.open(path: folder.database).close()
        let queue = try DatabaseQueue(path: folder.database)
        try await queue.write { try $0.execute(sql: "DELETE FROM grdb_migrations") }
        #expect(
            throws: StoreError.unavailable(
                .other, cause: "table spent is there, and no record of the migrations (table grdb_migrations)")
        ) { try SQLiteStore.open(path: folder.database, migrates: migrates) }
    }

    @Test("The store is not made in a folder that does not exist, which is a misspelling")
    func missingFolder() {
        let missing = folder.path + "/missing"
        for path in [missing + "/store.db", missing + "/further/store.db"] {
            expectRefusal(of: path, .folderMissing, "does not exist, and neither does the folder \(missing)")
        }
        #expect(!FileManager.default.fileExists(atPath: missing))
    }

    @Test("A folder, a pipe, a dangling link, and a path through a file are refused, each with what stands there")
    func obstacles() throws {
        expectRefusal(
            of: folder.path, .notAFile,
            "is a folder: write the path of a file, or correct the source of the mount, for which a container engine makes a folder "
                + "if it is missing")
        let pipe = folder.path + "/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        expectRefusal(of: pipe, .notAFile, "is a named pipe: write the path of a file")
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/nowhere/store.db")
        expectRefusal(of: link, .notAFile, "is a symbolic link to /nowhere/store.db, which does not exist")
        let file = folder.path + "/file"
        try Data().write(to: URL(fileURLWithPath: file))
        expectRefusal(of: file + "/store.db", .notAFile, "does not exist: \(file) is not a folder")
    }

    @Test("What stands beside the database is named", arguments: ["-wal", "-shm", "-journal"])
    func beside(suffix: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.database + suffix, withIntermediateDirectories: false)
        let cause =
            "the file \(folder.database)\(suffix) is a folder: write the path of a file, or correct the source of the mount, for "
            + "which a container engine makes a folder if it is missing"
        #expect(throws: StoreError.unavailable(.notAFile, cause: cause)) {
            try SQLiteStore.open(path: folder.database)
        }
    }

    private func expectRefusal(of path: String, _ fault: StoreFault, _ found: String) {
        #expect(throws: StoreError.unavailable(fault, cause: "the file \(path) \(found)")) {
            try SQLiteStore.open(path: path)
        }
    }
}

extension Configuration {
    /// Allows a transaction that outlives the closure that began it.
    static var unsafe: Configuration {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return configuration
    }
}
