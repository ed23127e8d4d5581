import Fixtures
import PostgresStores
import Stores
import Testing

@Suite("Privileges of a role in PostgreSQL")
struct PrivilegeTests {
    private let server: PostgresServer
    private let place: String
    private let schema: String
    private let role: String

    init() throws {
        server = try PostgresServer.shared.get()
        place = try server.place()
        schema = try #require(try server.query("SELECT current_schema()::text", in: place).first)
        role = "role_of_\(schema)"
        try server.query("CREATE ROLE \(role) LOGIN", in: place)
    }

    private var uri: String { place.replacing("//postgres@", with: "//\(role)@") }

    private func grant(_ privileges: String...) throws {
        for privilege in privileges { try server.query("GRANT \(privilege) TO \(role)", in: place) }
    }

    @Test("A role with the privileges of a server opens the store, and one that loses a table names this table")
    func table() async throws {
        try PostgresStore.migrate(conninfo: place)
        try grant("USAGE ON SCHEMA \(schema)", "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema)")
        let store = try PostgresStore.open(conninfo: uri)
        defer { store.close() }
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
        try server.query("REVOKE INSERT ON spent FROM \(role)", in: place)
        let denied = StoreError.unavailable(.privilegeMissing, cause: "permission denied for table spent")
        await #expect(throws: denied) { try await store.spend([.baseline("b")], at: now) }
        try grant("INSERT ON spent")
        #expect(try await store.spend([.baseline("b")], at: now) == .first)
    }

    @Test("Without USAGE on the schema, the tables are not reported as missing")
    func usage() throws {
        try PostgresStore.migrate(conninfo: place)
        for migrates in [false, true] {
            #expect(
                throws: StoreError.unavailable(
                    .privilegeMissing, cause: "no schema of search_path exists that this role may use")
            ) { _ = try PostgresStore.open(conninfo: uri, migrates: migrates) }
        }
    }

    @Test("A server whose role may not make tables asks for a migration, and the migration names the privilege")
    func creation() throws {
        try grant("USAGE ON SCHEMA \(schema)")
        #expect(throws: StoreError.tablesBehind) { _ = try PostgresStore.open(conninfo: uri) }
        #expect(
            throws: StoreError.unavailable(.privilegeMissing, cause: "permission denied for schema \(schema)")
        ) { try PostgresStore.migrate(conninfo: uri) }
    }

    @Test("A session that an administrator ends during a statement shows that the server ends sessions")
    func ended() async throws {
        let store = try PostgresStore.open(conninfo: place)
        defer { store.close() }
        try server.query(
            """
            CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW;
            END $$
            """, in: place)
        try server.query(
            "CREATE TRIGGER leaving BEFORE UPDATE ON heartbeat FOR EACH ROW EXECUTE FUNCTION leave()", in: place)
        await #expect(throws: StoreError.outcomeUnknown(.restarting)) { try await store.check() }
    }
}
