import PostgresServer
import PostgresStores
import Stores
import Testing

@Suite("Migrations of PostgreSQL")
struct MigrationTests {
    private static let names = ["0001 spent credentials, accounts", "0002 handoffs, device grants"]
    private let server: PostgresServer

    init() throws {
        server = try PostgresServer.shared.get()
    }

    @Test("They are applied once, in their order")
    func once() throws {
        let place = try server.place()
        #expect(try PostgresStore.migrate(conninfo: place) == Self.names)
        #expect(try PostgresStore.migrate(conninfo: place) == [])
        try PostgresStore.open(conninfo: place, migrates: false).close()
    }

    @Test("CR-10: of many servers that start at once on nothing one makes the tables, and all find them")
    func together() async throws {
        let place = try server.place()
        let applied = await all(8) { _ in Result { try PostgresStore.migrate(conninfo: place) } }
        #expect(try applied.flatMap { try $0.get() } == Self.names)
    }

    @Test("CR-10: tables of a later version are refused, and left as they are")
    func newer() throws {
        let place = try server.place()
        try PostgresStore.migrate(conninfo: place)
        try server.query("INSERT INTO migrations (name) VALUES ('0099 later')", in: place)
        let error = StoreError.newerSchema(found: "0099 later", supported: "0002 handoffs, device grants")
        #expect(throws: error) { try PostgresStore.migrate(conninfo: place) }
        for migrates in [true, false] {
            #expect(throws: error) { _ = try PostgresStore.open(conninfo: place, migrates: migrates) }
        }
    }

    @Test("Who does not migrate refuses tables that are behind, and makes none")
    func behind() throws {
        let place = try server.place()
        #expect(throws: StoreError.unavailable(.cannotOpen)) {
            _ = try PostgresStore.open(conninfo: place, migrates: false)
        }
        #expect(throws: (any Error).self) { try server.query("SELECT name FROM migrations", in: place) }
        try PostgresStore.migrate(conninfo: place)
        try server.query("DELETE FROM migrations WHERE name LIKE '0002%'", in: place)
        #expect(throws: StoreError.unavailable(.cannotOpen)) {
            _ = try PostgresStore.open(conninfo: place, migrates: false)
        }
    }

    @Test("A migration that fails leaves nothing of it")
    func failing() throws {
        let place = try server.place()
        try server.query("CREATE TABLE device_grants (digest bytea)", in: place)
        #expect(throws: StoreError.unavailable(.other)) { try PostgresStore.migrate(conninfo: place) }
        #expect(try server.query("SELECT name FROM migrations ORDER BY name", in: place) == ["0000 lock"])
        try server.query("DROP TABLE device_grants", in: place)
        #expect(try PostgresStore.migrate(conninfo: place) == Self.names)
    }

    @Test("A role that may change rows and nothing else serves sign-ins")
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
