import GRDB
import JOSE
import SQLiteStores
import Stores
import Testing

@Suite("Migrations of SQLite")
struct SQLiteMigrationTests {
    @Test("CR-10: what was there before accounts were linked is all there afterwards")
    func linkedAccounts() async throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.database)
        // The tables of 0002, as far as they are changed.
        try await queue.write { db in
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
        let arrival = Arrival.baseline(at: "twitter.com", email: "a@x")
        guard case .linked(let linked) = try await store.link(arrival, to: "one", at: now) else { throw Unexpected() }
        #expect(linked.identities.count == 2 && linked.email == arrival.email)
        try store.close()
        #expect(try await SQLiteStore.open(path: folder.database).account(uid: "one") == linked)
    }
}
