import Fixtures
import JOSE
import Postgres
import PostgresStores
import Stores
import Testing

@Suite("Migrations of PostgreSQL")
struct MigrationTests {
    private static let names = [
        "0001 spent credentials, accounts", "0002 handoffs, device grants", "0003 linked accounts",
        "0004 audit", "0005 sweeps", "0006 watch", "0007 pending credentials", "0008 ways in",
        "0009 factors", "0010 servers", "0011 waiting factors",
    ]
    private let server: PostgresServer

    init() throws {
        server = try PostgresServer.shared.get()
    }

    @Test("Migrations are applied once, in their order")
    func once() throws {
        let place = try server.place()
        #expect(try PostgresStore.migrate(conninfo: place) == Self.names)
        #expect(try PostgresStore.migrate(conninfo: place) == [])
        try PostgresStore.open(conninfo: place, migrates: false).close()
    }

    @Test("CR-10: if servers start concurrently without tables, one makes the tables and all find them")
    func together() async throws {
        let place = try server.place()
        let applied = await all(8) { _ in Result { try PostgresStore.migrate(conninfo: place) } }
        #expect(try applied.flatMap { try $0.get() } == Self.names)
    }

    @Test("CR-10: tables of a later version are refused and not changed")
    func newer() throws {
        let place = try server.place()
        try PostgresStore.migrate(conninfo: place)
        try server.query("INSERT INTO migrations (name) VALUES ('0099 later')", in: place)
        let error = StoreError.newerSchema(found: "0099 later", supported: "0011 waiting factors")
        #expect(throws: error) { try PostgresStore.migrate(conninfo: place) }
        for migrates in [true, false] {
            #expect(throws: error) { _ = try PostgresStore.open(conninfo: place, migrates: migrates) }
        }
        #expect(throws: error) { _ = try PostgresStore.tables(conninfo: place, poolsTransactions: false) }
    }

    @Test("Opening without migration refuses missing or earlier tables, and makes none")
    func behind() throws {
        let place = try server.place()
        #expect(throws: StoreError.tablesBehind) { _ = try PostgresStore.open(conninfo: place, migrates: false) }
        #expect(throws: (any Error).self) { try server.query("SELECT name FROM migrations", in: place) }
        try PostgresStore.migrate(conninfo: place)
        try server.query("DELETE FROM migrations WHERE name LIKE '0003%'", in: place)
        #expect(throws: StoreError.tablesBehind) { _ = try PostgresStore.open(conninfo: place, migrates: false) }
    }

    @Test("A migration waits for that of another server longer than the timeout of a statement")
    func patience() async throws {
        let place = try server.place()
        try PostgresStore.migrate(conninfo: place)
        for statement in [
            "DELETE FROM migrations WHERE name LIKE '0006%'", "DROP TABLE watch", "DROP TABLE unwatched",
        ] {
            try server.query(statement, in: place)
        }
        var other = try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
        try other.begin()
        try other.run(script: "SELECT name FROM migrations FOR UPDATE")
        var timeouts = ConnectionTimeouts()
        timeouts.answer = .seconds(3)
        async let applied = Result { [timeouts] in try PostgresStore.migrate(conninfo: place, timeouts: timeouts) }
        try other.run(script: "SELECT pg_sleep(4)")
        other.rollback()
        #expect(try await applied.get() == ["0006 watch"])
    }

    @Test("A migration that fails leaves no changes")
    func failing() throws {
        let place = try server.place()
        try server.query("CREATE TABLE device_grants (digest bytea)", in: place)
        let failure = StoreError.unavailable(.other, cause: #"relation "device_grants" already exists"#)
        #expect(throws: failure) { try PostgresStore.migrate(conninfo: place) }
        #expect(try server.query("SELECT name FROM migrations ORDER BY name", in: place) == ["0000 lock"])
        try server.query("DROP TABLE device_grants", in: place)
        #expect(try PostgresStore.migrate(conninfo: place) == Self.names)
    }

    /// The tables of migration 0002, as far as later migrations change them, with a row in each.
    private static let before = """
        CREATE TABLE migrations (name text NOT NULL PRIMARY KEY);
        INSERT INTO migrations VALUES
            ('0000 lock'), ('0001 spent credentials, accounts'), ('0002 handoffs, device grants');
        CREATE TABLE uids (uid bytea NOT NULL PRIMARY KEY CHECK (octet_length(uid) > 0));
        CREATE TABLE accounts (uid bytea NOT NULL PRIMARY KEY REFERENCES uids (uid), created_at bigint NOT NULL);
        CREATE TABLE identities (
            provider bytea NOT NULL CHECK (octet_length(provider) > 0),
            subject bytea NOT NULL CHECK (octet_length(subject) > 0),
            uid bytea NOT NULL REFERENCES accounts (uid),
            PRIMARY KEY (provider, subject),
            UNIQUE (uid, provider)
        );
        CREATE TABLE retired_uids (uid bytea NOT NULL PRIMARY KEY REFERENCES uids (uid), at bigint NOT NULL);
        INSERT INTO uids VALUES ('one'), ('two');
        INSERT INTO accounts VALUES ('one', 1600000000);
        INSERT INTO identities VALUES ('yahoo.com', 'SUBJECT', 'one');
        INSERT INTO retired_uids VALUES ('two', 1600000000);
        """

    @Test("CR-10: accounts, identities and retired uids stay when the tables of linked accounts are added")
    func linkedAccounts() async throws {
        let place = try server.place()
        var connection = try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
        try connection.run(script: Self.before)
        #expect(throws: StoreError.tablesBehind) { _ = try PostgresStore.open(conninfo: place, migrates: false) }
        #expect(try PostgresStore.migrate(conninfo: place) == Array(Self.names.dropFirst(2)))
        let store = try PostgresStore.open(conninfo: place, migrates: false)
        defer { store.close() }
        let identity = ExternalIdentity(provider: "yahoo.com", subject: "SUBJECT")
        let arrival = IncomingIdentity(identity: identity, details: IdentityDetails(), email: nil)
        var expected = StoredAccount(uid: "one", createdAt: NumericDate(1_600_000_000))
        expected.identities = [StoredIdentity(arrival, at: expected.createdAt)]
        #expect(try await store.account(uid: "one") == expected)
        await #expect(throws: StoreError.noFreeUID) {
            try await store.makeAnonymous(candidates: ["one", "two"], deleteAfter: nil, at: now)
        }
        let decision = try await store.signIn(arrival, candidates: [], emails: .oneAccountEach, at: now)
        #expect(decision == .signedIn(uid: "one", isNew: false, hasFactor: false))
        let known = try #require(try await store.account(of: identity)?.identities.first)
        #expect(known.linkedAt == expected.createdAt && known.lastUsedAt == now)
        let further = IncomingIdentity(
            identity: ExternalIdentity(provider: "twitter.com", subject: "X"), details: IdentityDetails(),
            email: EmailAddress("a@x"))
        guard case .linked(let linked) = try await store.link(further, to: "one", at: now) else {
            Issue.record("It is not linked.")
            return
        }
        #expect(linked.identities.count == 2 && linked.email == further.email)
        #expect(try await store.account(uid: "one") == linked)
    }

    @Test("A role that may only change rows can serve sign-ins")
    func leastPrivilege() async throws {
        let place = try server.place()
        try PostgresStore.migrate(conninfo: place)
        let schema = try #require(try server.query("SELECT current_schema()::text", in: place).first)
        let role = "role_of_" + schema
        for statement in [
            "CREATE ROLE \(role) LOGIN", "GRANT USAGE ON SCHEMA \(schema) TO \(role)",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(role)",
        ] { try server.query(statement, in: place) }
        let uri = place.replacing("//postgres@", with: "//\(role)@")
        for migrates in [true, false] {
            let store = try PostgresStore.open(conninfo: uri, migrates: migrates)
            defer { store.close() }
            #expect(try await store.spend([.baseline("\(migrates)")], at: now) == .first)
            try await store.check()
        }
    }
}
