import Fixtures
import Glibc
import Postgres
import PostgresStores
import Stores
import Testing

@Suite("PostgreSQL store")
struct PostgresStoreTests {
    private let server: PostgresServer

    init() throws {
        server = try PostgresServer.shared.get()
    }

    @Test("CR-03: every commit waits for the disk, and every wait has a timeout")
    func settings() async throws {
        let store = try PostgresStore.open(conninfo: try server.place())
        defer { store.close() }
        let settings = try await store.settings()
        #expect(settings.synchronousCommit == "on" && settings.syncsToDisk == true && !settings.isReadOnly)
        #expect(settings.statementTimeout == "5s" && settings.lockTimeout == "3s")
        #expect(settings.idleInTransactionTimeout == "10s" && settings.applicationName == "token-exchange")
    }

    @Test(
        "A weaker synchronous_commit is raised to on, and a stronger one is kept",
        arguments: [("local", "on"), ("remote_write", "on"), ("remote_apply", "remote_apply")])
    func raised(found: String, used: String) async throws {
        let store = try PostgresStore.open(conninfo: try server.place(settings: ["synchronous_commit=" + found]))
        defer { store.close() }
        #expect(try await store.settings().synchronousCommit == used)
    }

    @Test("CR-03: a server with synchronous_commit or fsync off is refused")
    func notDurable() throws {
        #expect(throws: StoreError.notDurable(setting: "synchronous_commit", value: "off", needed: "on")) {
            _ = try PostgresStore.open(conninfo: try server.place(settings: ["synchronous_commit=off"]))
        }
        let other = try PostgresServer(settings: ["fsync=off"])
        defer { other.stop() }
        let place = try other.place()
        #expect(throws: StoreError.notDurable(setting: "fsync", value: "off", needed: "on")) {
            _ = try PostgresStore.open(conninfo: place)
        }
    }

    @Test("A closed store is unavailable")
    func shut() async throws {
        let store = try PostgresStore.open(conninfo: try server.place())
        store.close()
        store.close()
        await #expect(throws: StoreError.unavailable(.closed)) { try await store.spend([.baseline("a")], at: now) }
        await #expect(throws: StoreError.unavailable(.closed)) { try await store.check() }
    }

    @Test("A used credential is a replay after the store is opened again")
    func restart() async throws {
        let place = try server.place()
        let first = try PostgresStore.open(conninfo: place)
        #expect(try await first.spend([.baseline("a")], at: now) == .first)
        first.close()
        let second = try PostgresStore.open(conninfo: place)
        defer { second.close() }
        #expect(try await second.spend([.baseline("a")], at: now) == .replayed(.authorizationCode))
    }

    @Test("SR-06: if another session holds a lock for too long, the store is unavailable, and nothing is written")
    func locked() async throws {
        let place = try server.place()
        var timeouts = ConnectionTimeouts()
        timeouts.lock = .milliseconds(50)
        let store = try PostgresStore.open(conninfo: place, timeouts: timeouts)
        defer { store.close() }
        try await hold(place) {
            let error = StoreError.unavailable(.busy, cause: "canceling statement due to lock timeout")
            await #expect(throws: error) { try await store.spend([.baseline("a")], at: now) }
            await #expect(throws: error) {
                try await store.spend([.baseline("a"), .baseline("b")], at: now)
            }
        }
        #expect(try await store.spend([.baseline("a"), .baseline("b")], at: now) == .first)
    }

    /// Runs `body` while another connection blocks all writes to `spent`.
    private func hold(_ place: String, _ body: () async throws -> Void) async throws {
        let pool = ConnectionPool(count: 1, queueLimit: 9, patience: .seconds(30)) {
            () throws(PostgresError) in
            try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
        }
        let locked = Latch()
        let finished = Latch()
        async let holding = pool.run { connection in
            try? connection.begin()
            let isHeld = (try? connection.run(script: "LOCK TABLE spent IN SHARE MODE")) != nil
            locked.open()
            while !finished.isOpen { sched_yield() }
            connection.rollback()
            return isHeld
        }
        while !locked.isOpen { await Task.yield() }
        try await body()
        finished.open()
        #expect(try await holding)
        pool.close()
    }

    /// Makes the first `times` insertions into `spent` fail, at the insertion or at the commit.
    private func fail(_ place: String, state: String, times: Int, atCommit: Bool) throws {
        var connection = try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
        let trigger =
            atCommit
            ? "CREATE CONSTRAINT TRIGGER refusal AFTER INSERT ON spent DEFERRABLE INITIALLY DEFERRED"
            : "CREATE TRIGGER refusal BEFORE INSERT ON spent"
        try connection.run(
            script: """
                CREATE SEQUENCE tries;
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF nextval('tries') <= \(times) THEN RAISE 'refused' USING ERRCODE = '\(state)'; END IF;
                    RETURN NEW;
                END $$;
                \(trigger) FOR EACH ROW EXECUTE FUNCTION refuse()
                """)
    }

    @Test(
        "SR-06: a statement or transaction that fails because of a conflict is repeated",
        arguments: ["40001", "40P01"], [true, false])
    func again(state: String, atCommit: Bool) async throws {
        for records in [[SpentRecord.baseline("a")], [.baseline("a"), .baseline("b", .nonce)]] {
            let place = try server.place()
            let store = try PostgresStore.open(conninfo: place)
            defer { store.close() }
            try fail(place, state: state, times: 3, atCommit: atCommit)
            #expect(try await store.spend(records, at: now) == .first)
            #expect(try await store.spend(records, at: now) == .replayed(.authorizationCode))
        }
    }

    @Test("A conflict is repeated at most a fixed number of times", arguments: [true, false])
    func bounded(atCommit: Bool) async throws {
        let place = try server.place()
        let store = try PostgresStore.open(conninfo: place)
        defer { store.close() }
        try fail(place, state: "40001", times: 1_000_000, atCommit: atCommit)
        await #expect(throws: StoreError.unavailable(.busy)) { try await store.spend([.baseline("a")], at: now) }
        #expect(try server.query("SELECT last_value::text FROM tries", in: place) == ["25"])
    }

    @Test(
        "An error without a rollback is unknown at the commit and not repeated; before it nothing was written",
        arguments: ["40003", "XX000"])
    func leftOpen(state: String) async throws {
        for atCommit in [true, false] {
            for records in [[SpentRecord.baseline("a")], [.baseline("a"), .baseline("b")]] {
                let place = try server.place()
                let store = try PostgresStore.open(conninfo: place)
                defer { store.close() }
                try fail(place, state: state, times: 1, atCommit: atCommit)
                // A single statement is its own commit.
                let isOpen = atCommit || records.count == 1
                let error =
                    isOpen ? StoreError.outcomeUnknown(.other) : .unavailable(.other, cause: "SQLSTATE \(state)")
                await #expect(throws: error) { try await store.spend(records, at: now) }
            }
        }
    }
}
