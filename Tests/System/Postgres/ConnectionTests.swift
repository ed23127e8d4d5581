import Fixtures
import Postgres
import Testing

@Suite("Connections")
struct ConnectionTests {
    private func connection() throws -> Connection {
        let place = try PostgresServer.shared.get().place()
        return try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
    }

    @Test("Values are returned as they were sent, including empty and null ones")
    func values() throws {
        var connection = try connection()
        let statement = Statement.reading("SELECT $1::bytea, $2::bytea, $3::bytea, $4::bigint, $5::bigint, $6::text")
        let bytes = (0...255).map { UInt8($0) }
        let values: [Value] = [
            .bytes(bytes), .bytes([]), .bytes(nil), .integer(.min), .integer(1_700_000_000), .text("é'\\"),
        ]
        let answer = try connection.run(statement, values)
        let row = try #require(answer.rows.first)
        #expect(row.bytes(0) == bytes)
        #expect(row.bytes(1) == [])
        #expect(row.bytes(2) == nil)
        #expect(row.integer(3) == .min && row.integer(4) == 1_700_000_000)
        #expect(row.text(5) == "é'\\")
        #expect(row.bytes(6) == nil && row.bytes(-1) == nil && row.integer(5) == nil)
    }

    @Test("An error contains its SQLSTATE, and the connection can still be used")
    func refusal() throws {
        var connection = try connection()
        #expect(throws: PostgresError.refused(SQLState("22012"), mayHaveCommitted: false)) {
            try connection.run(.writing("SELECT 1 / $1"), [.integer(0)])
        }
        let missing = PostgresError.refused(
            SQLState("42P01"), message: "relation \"nowhere\" does not exist", mayHaveCommitted: false)
        #expect(throws: missing) { try connection.run(.reading("SELECT 1 FROM nowhere")) }
        let (one, isAlive) = (try connection.run(.reading("SELECT 1::bigint")).rows.first, connection.isAlive())
        #expect(one?.integer(0) == 1 && isAlive)
    }

    @Test("Committing a transaction that had an error fails")
    func failedTransaction() throws {
        var connection = try connection()
        try connection.run(script: "CREATE TABLE numbers (n bigint PRIMARY KEY)")
        let insert = Statement.writing("INSERT INTO numbers (n) VALUES ($1)")
        try connection.begin()
        let isOpen = connection.isInTransaction
        #expect(isOpen)
        try connection.run(insert, [.integer(1)])
        #expect(throws: PostgresError.refused(SQLState("23505"), mayHaveCommitted: false)) {
            try connection.run(insert, [.integer(1)])
        }
        #expect(throws: PostgresError.refused(SQLState("25P02"), mayHaveCommitted: false)) { try connection.commit() }
        try expect(0, &connection)
        try connection.begin()
        try connection.run(insert, [.integer(1)])
        connection.rollback()
        try expect(0, &connection)
        try connection.begin()
        try connection.run(insert, [.integer(1)])
        try connection.commit()
        try expect(1, &connection)
    }

    private func expect(_ count: Int, _ connection: inout Connection) throws {
        let found = try connection.run(.reading("SELECT n FROM numbers")).count
        #expect(found == count)
    }

    @Test("A connection that the server has closed is detected before a statement is sent")
    func closedByServer() throws {
        let server = try PostgresServer.shared.get()
        let place = try server.place()
        var connection = try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
        let found = try connection.run(.reading("SELECT pg_backend_pid()::bigint")).rows.first?.integer(0)
        let pid = try #require(found)
        var isAlive = connection.isAlive()
        #expect(isAlive)
        _ = try server.query("SELECT pg_terminate_backend(\(pid), 5000)::text", in: place)
        isAlive = connection.isAlive()
        #expect(!isAlive)
    }

    @Test("Neither a connection string nor an error contains the password")
    func secrecy() throws {
        let string = ConnectionString("postgresql://someone:hunter2@/postgres?host=/nowhere")
        let error = #expect(throws: PostgresError.self) {
            _ = try Connection.open(string, name: "test", timeouts: ConnectionTimeouts())
        }
        #expect("\(string)" == "[connection string elided]")
        #expect(String(reflecting: string) == "[connection string elided]")
        var dumped = ""
        dump(string, to: &dumped)
        #expect(!dumped.contains("hunter2") && !dumped.contains("someone"))
        dump(error, to: &dumped)
        #expect(dumped.contains("/nowhere") && !dumped.contains("hunter2"))
    }

    @Test("An invalid connection string is not quoted")
    func invalidString() throws {
        #expect(throws: PostgresError.unreachable(ConnectionFailure(.invalidString))) {
            _ = try Connection.open(
                ConnectionString("hunter2 is no keyword"), name: "t", timeouts: ConnectionTimeouts())
        }
    }

    @Test("If several hosts are named, the reachable one is used")
    func severalHosts() throws {
        let server = try PostgresServer.shared.get()
        let place = try server.place()
        let folder = try #require(place.split(separator: "host=").last?.split(separator: "&").first)
        let several = place.replacing("host=\(folder)", with: "host=/nowhere,\(folder)")
        #expect(try server.query("SELECT 'here'", in: several) == ["here"])
    }
}
