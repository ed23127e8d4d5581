import Fixtures
import Postgres
import PostgresStores
import Stores
import Testing

@Suite("Connections to a pooler of transactions")
struct PoolingTests {
    private let server: PostgresServer
    private let place: String

    init() throws {
        server = try PostgresServer.shared.get()
        place = try server.place()
    }

    private func connection() throws -> Connection {
        let string = ConnectionString(place, poolsTransactions: true)
        return try Connection.open(string, name: "test", timeouts: ConnectionTimeouts())
    }

    private func texts(_ answer: Answer) -> [String?] { (0..<3).map { answer.rows.first?.text($0) } }

    @Test("Settings apply in every transaction, and a session keeps no setting and no prepared statement")
    func noTrace() throws {
        var connection = try connection()
        let query = """
            SELECT current_setting('statement_timeout'), current_setting('synchronous_commit'),
                (SELECT count(*) FROM pg_prepared_statements)::text
            """
        let before = texts(try connection.run(script: query))
        try connection.set(["synchronous_commit = local"])
        let single = texts(try connection.run(.reading(query)))
        try connection.begin()
        let several = [texts(try connection.run(.reading(query))), texts(try connection.run(.reading(query)))]
        try connection.commit()
        let after = texts(try connection.run(script: query))
        #expect(single == ["5s", "local", "0"] && several == [single, single])
        #expect(before == ["0", "on", "0"] && after == before)
    }

    @Test("Statements that another session has prepared name a pooler, with the words of PostgreSQL")
    func duplicateStatement() throws {
        var connection = try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
        // What a pooler in transaction mode does to a session without store_pooling: transaction.
        for number in 0..<9 { try connection.run(script: "PREPARE tx\(number) AS SELECT 1") }
        let error = #expect(throws: PostgresError.self) { try connection.run(.reading("SELECT 1")) }
        guard case .refused(let state, let message?, mayHaveCommitted: false) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(StoreError(sqlState: state.code, mayHaveCommitted: false) == .unavailable(.transactionPooler))
        #expect(message.contains("already exists"))
    }

    @Test("A statement outside of a transaction is committed, and one that fails leaves the connection usable")
    func single() throws {
        try server.query("CREATE TABLE numbers (n bigint PRIMARY KEY)", in: place)
        var connection = try connection()
        let insert = Statement.writing("INSERT INTO numbers (n) VALUES ($1)")
        try connection.run(insert, [.integer(1)])
        #expect(throws: PostgresError.refused(SQLState("23505"), mayHaveCommitted: false)) {
            try connection.run(insert, [.integer(1)])
        }
        try connection.run(insert, [.integer(2)])
        let (isAlive, isInTransaction) = (connection.isAlive(), connection.isInTransaction)
        #expect(isAlive && !isInTransaction)
        #expect(try server.query("SELECT n::text FROM numbers ORDER BY n", in: place) == ["1", "2"])
    }

    @Test("After the pinned row has changed, the connection is lost before anything is written")
    func pinned() throws {
        try server.query("CREATE TABLE servers AS SELECT 1 AS id", in: place)
        var connection = try connection()
        try connection.pin("SELECT id FROM servers")
        let insert = Statement.writing("INSERT INTO servers VALUES (3)")
        try connection.run(.reading("SELECT id FROM servers"))
        try server.query("UPDATE servers SET id = 2", in: place)
        #expect(throws: PostgresError.interrupted(mayHaveCommitted: false)) { try connection.run(insert) }
        let isAlive = connection.isAlive()
        #expect(!isAlive)
        #expect(try server.query("SELECT id::text FROM servers", in: place) == ["2"])
    }

    @Test("A query whose row has null cannot be pinned")
    func null() throws {
        var connection = try connection()
        #expect(throws: PostgresError.unexpectedAnswer) { try connection.pin("SELECT NULL") }
    }

    @Test("Every commit of the store waits for the disk, and every wait has a timeout")
    func settings() async throws {
        for (found, used) in [("local", "on"), ("remote_apply", "remote_apply")] {
            let place = try server.place(settings: ["synchronous_commit=" + found])
            let store = try PostgresStore.open(conninfo: place, poolsTransactions: true)
            defer { store.close() }
            let settings = try await store.settings()
            #expect(settings.synchronousCommit == used && settings.statementTimeout == "5s")
            #expect(settings.lockTimeout == "3s" && settings.idleInTransactionTimeout == "10s")
        }
        let off = try server.place(settings: ["synchronous_commit=off"])
        #expect(throws: StoreError.notDurable(setting: "synchronous_commit", value: "off", needed: "on")) {
            _ = try PostgresStore.open(conninfo: off, poolsTransactions: true)
        }
    }

    @Test(
        "SR-08: a single use is unknown if its COMMIT gets no response; if the loss is earlier, nothing was written",
        arguments: ["BEGIN", "INSERT", "COMMIT"], [true, false])
    func lost(moment: String, isDone: Bool) async throws {
        let proxy = try CuttingProxy(before: server.socketFolder)
        let place = try server.place(host: proxy.folder)
        let store = try PostgresStore.open(conninfo: place, connections: 1, poolsTransactions: true)
        defer { store.close() }
        try await store.check()
        proxy.arm(isDone ? .answer : .request) { String(decoding: $0, as: UTF8.self).contains(moment) }
        let expected: StoreError = moment == "COMMIT" ? .outcomeUnknown(.inputOutput) : .brokenConnection
        await #expect(throws: expected) { try await store.spend([.baseline("a")], at: now) }
        let isWritten = moment == "COMMIT" && isDone
        #expect(
            try await store.spend([.baseline("a")], at: now) == (isWritten ? .replayed(.authorizationCode) : .first))
    }
}
