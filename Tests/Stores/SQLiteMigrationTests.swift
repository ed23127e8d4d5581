import Fixtures
import Foundation
import GRDB
import JOSE
import SQLiteStores
import Stores
import Testing

@Suite("Migrations of SQLite")
struct SQLiteMigrationTests {
    /// The table as migration 0001 made it.
    private static let spent = """
        CREATE TABLE spent (
            kind TEXT NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            expires_at INTEGER NOT NULL,
            PRIMARY KEY (kind, digest)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX spent_by_expiry ON spent (expires_at);
        """

    @Test("Opening without migration refuses tables of an earlier version and does not change them")
    func behind() async throws {
        let folder = try TemporaryFolder()
        #expect(throws: StoreError.tablesBehind) { try SQLiteStore.open(path: folder.database, migrates: false) }
        try SQLiteStore.open(path: folder.database).close()
        try SQLiteStore.open(path: folder.database, migrates: false).close()
        let queue = try DatabaseQueue(path: folder.database)
        try await queue.write { try $0.execute(sql: "DELETE FROM grdb_migrations WHERE identifier LIKE '0007%'") }
        #expect(throws: StoreError.tablesBehind) { try SQLiteStore.open(path: folder.database, migrates: false) }
        #expect(
            try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM grdb_migrations") } == 11)
    }

    @Test("If several factors of an account waited, none waits after the migration, and a confirmed one stays")
    func waitingFactors() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.database)
        try await store.addFactor("confirmed", to: "uid")
        try store.close()
        let queue = try DatabaseQueue(path: folder.database)
        try await queue.write { db in
            try db.execute(
                sql: """
                    DELETE FROM grdb_migrations WHERE identifier LIKE '0012%';
                    DROP INDEX waiting_factors;
                    INSERT INTO factors SELECT uid, tenant, CAST('a' AS BLOB), name, secret, created_at, 1, 0, NULL
                        FROM factors;
                    INSERT INTO factors SELECT uid, tenant, CAST('b' AS BLOB), name, secret, created_at, 1, 0, NULL
                        FROM factors WHERE expires_at IS NULL;
                    """)
        }
        try queue.close()
        let migrated = try SQLiteStore.open(path: folder.database)
        #expect(try await migrated.factors(of: FactorHolder(uid: "uid")).factors.map(\.id) == ["confirmed"])
        try migrated.close()
    }

    @Test("CR-10: accounts, identities and retired uids stay when the tables of linked accounts are added")
    func linkedAccounts() async throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.database)
        // The tables of migration 0002, as far as later migrations change them.
        try await queue.write { db in
            try db.execute(sql: Self.spent)
            try db.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES
                        ('0001 spent credentials, accounts'), ('0002 handoffs, device grants');
                    CREATE TABLE accounts (
                        uid BLOB NOT NULL PRIMARY KEY CHECK (length(uid) > 0),
                        created_at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE identities (
                        provider BLOB NOT NULL CHECK (length(provider) > 0),
                        subject BLOB NOT NULL CHECK (length(subject) > 0),
                        uid BLOB NOT NULL REFERENCES accounts (uid),
                        PRIMARY KEY (provider, subject),
                        UNIQUE (uid, provider)
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE retired_uids (
                        uid BLOB NOT NULL PRIMARY KEY,
                        at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    INSERT INTO accounts VALUES (CAST('one' AS BLOB), 1600000000);
                    INSERT INTO identities VALUES
                        (CAST('yahoo.com' AS BLOB), CAST('SUBJECT' AS BLOB), CAST('one' AS BLOB));
                    INSERT INTO retired_uids VALUES (CAST('two' AS BLOB), 1600000000);
                    """)
        }
        try queue.close()
        let store = try SQLiteStore.open(path: folder.database)
        var expected = StoredAccount(uid: "one", createdAt: NumericDate(1_600_000_000))
        expected.identities = [StoredIdentity(.baseline(), at: expected.createdAt)]
        #expect(try await store.account(uid: "one") == expected)
        await #expect(throws: StoreError.noFreeUID) {
            try await store.makeAnonymous(candidates: ["one", "two"], deleteAfter: nil, at: now)
        }
        #expect(try await store.enter() == "one")
        let identity = try #require(try await store.account(uid: "one")?.identities.first)
        #expect(identity.linkedAt == expected.createdAt && identity.lastUsedAt == now)
        let arrival = IncomingIdentity.baseline(at: "twitter.com", email: "a@x")
        guard case .linked(let linked) = try await store.link(arrival, to: "one", at: now) else { throw Unexpected() }
        #expect(linked.identities.count == 2 && linked.email == arrival.email)
        try store.close()
        #expect(try await SQLiteStore.open(path: folder.database).account(uid: "one") == linked)
    }

    @Test("EX-01: credentials that were spent before the table of records was reordered are still spent")
    func spentInOrder() async throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.database)
        let records: [SpentRecord] = [.baseline("a"), .baseline("b"), .baseline("a", .idToken)]
        let swept = SpentRecord(.authorizationCode, of: [[1]], issuedAt: nil, expiresAt: now - .seconds(1))
        // The tables of migration 0005, as far as later migrations change or read them.
        try await queue.write { db in
            try db.execute(sql: Self.spent)
            try db.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES
                        ('0001 spent credentials, accounts'), ('0002 handoffs, device grants'),
                        ('0003 linked accounts'), ('0004 audit'), ('0005 sweeps');
                    CREATE TABLE accounts (uid BLOB NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
                    CREATE TABLE swept (
                        id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                        through INTEGER NOT NULL
                    ) STRICT;
                    """)
            try db.execute(sql: "INSERT INTO swept (id, through) VALUES (1, ?)", arguments: [now.seconds])
            for record in records + [swept] {
                try db.execute(
                    sql: "INSERT INTO spent VALUES (?, ?, ?)",
                    arguments: [record.kind.rawValue, Data(record.digest), record.expiresAt.seconds])
            }
        }
        try queue.close()
        let store = try SQLiteStore.open(path: folder.database)
        for record in records {
            #expect(try await store.spend([record], at: now) == .replayed(record.kind))
        }
        #expect(try await store.spend([.baseline("c")], at: now) == .first)
        // The three records and the new one. The record that had expired at the last sweep was not copied.
        #expect(try await store.sweep(expiredBefore: later + .seconds(1), atMost: 10) == 4)
    }
}
