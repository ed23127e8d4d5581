import Fixtures
import Postgres
import Standards
import Testing

@Suite("Failed connections")
struct ConnectionFailureTests {
    /// Messages of libpq 15, PostgreSQL 15 and PgBouncer 1.18.
    static let messages: [(String, ConnectionFailure.Reason)] = [
        ("FATAL:  server login has been failing, try again later (server_login_retry)", .pooler),
        ("FATAL:  pgbouncer cannot connect to server", .pooler),
        ("FATAL:  unsupported startup parameter: options", .pooler), ("FATAL:  bouncer config error", .pooler),
        ("FATAL:  query_wait_timeout", .pooler),
        ("FATAL:  password authentication failed for user \"u\"", .authentication),
        ("fe_sendauth: no password supplied", .authentication),
        ("FATAL:  role \"u\" is not permitted to log in", .authentication),
        ("FATAL:  connection requires a valid client certificate", .clientCertificate),
        ("FATAL:  certificate authentication failed for user \"u\"", .clientCertificate),
        (
            "private key file \"/k.pem\" has group or world access; file must have permissions u=rw (0600) or less",
            .clientCertificate
        ),
        ("could not load private key file \"/k.pem\": key values mismatch", .clientCertificate),
        ("certificate present, but not private key file \"/k.pem\"", .clientCertificate),
        ("SSL error: tlsv1 alert unknown ca", .clientCertificate),
        ("SSL error: sslv3 alert certificate expired", .clientCertificate),
        ("FATAL:  no pg_hba.conf entry for host \"::1\", user \"u\", database \"d\", no encryption", .notAdmitted),
        ("FATAL:  pg_hba.conf rejects connection for host \"::1\", user \"u\", database \"d\"", .notAdmitted),
        ("FATAL:  role \"u\" does not exist", .roleMissing), ("FATAL:  no such user: u", .roleMissing),
        ("FATAL:  database \"d\" does not exist", .databaseMissing),
        ("FATAL:  no such database: d", .databaseMissing),
        ("FATAL:  permission denied for database \"d\"", .privilegeMissing),
        ("FATAL:  sorry, too many clients already", .tooManyConnections),
        ("FATAL:  too many connections for role \"u\"", .tooManyConnections),
        (
            "FATAL:  remaining connection slots are reserved for non-replication superuser connections",
            .tooManyConnections
        ),
        ("FATAL:  no more connections allowed (max_client_conn)", .tooManyConnections),
        ("FATAL:  MaxClientsInSessionMode: max clients reached", .tooManyConnections),
        ("FATAL:  Max client connections reached", .tooManyConnections),
        ("FATAL:  Tenant or user not found", .roleMissing),
        ("FATAL:  (ENOTFOUND) tenant/user postgres.abc not found", .roleMissing),
        ("FATAL:  SASL authentication failed", .authentication),
        ("FATAL:  the database system is starting up", .restarting),
        ("FATAL:  the database system is shutting down", .restarting),
        ("session is read-only", .readOnly), ("server is in hot standby mode", .readOnly),
        ("server closed the connection unexpectedly", .interrupted),
        ("SSL connection has been closed unexpectedly", .interrupted),
        ("could not receive data from server: Connection reset by peer", .interrupted),
        ("could not send startup packet: Broken pipe", .interrupted),
        ("received invalid response to SSL negotiation: J", .other),
        ("server does not support SSL, but SSL was required", .tls), ("FATAL:  SSL required", .tls),
        ("ERROR:  connection is insecure (try using `sslmode=require`)", .tls),
        ("FATAL:  this database requires TLS", .tls),
        ("SSL error: certificate verify failed", .tls), ("root certificate file \"/ca.pem\" does not exist", .tls),
        ("server certificate for \"a\" does not match host name \"b\"", .tls),
        ("could not read certificate file \"/c.pem\": no start line", .clientCertificate),
        ("could not read root certificate file \"/c.pem\": no start line", .tls),
        ("timeout expired", .noAnswer), ("Connection timed out", .noAnswer), ("No route to host", .noAnswer),
        ("Network is unreachable", .noAnswer), ("Connection refused", .connectionRefused),
        ("connection to server on socket \"/s\" failed: No such file or directory", .connectionRefused),
        ("could not translate host name \"db.invalid\" to address: Name or service not known", .hostUnknown),
        ("could not parse network address \"x\": Name or service not known", .hostUnknown),
        ("FATAL:  Passwort-Authentifizierung für Benutzer »u« fehlgeschlagen", .other), ("", .other),
    ]

    @Test("The words of libpq, PostgreSQL and PgBouncer show the reason", arguments: messages)
    func reasons(text: String, reason: ConnectionFailure.Reason) {
        #expect(ConnectionFailure(libpq: text).reason == reason)
    }

    @Test("Of several attempts, a response of a server counts more than no response, and all are in the message")
    func severalAttempts() {
        let failure = ConnectionFailure(
            libpq: """
                connection to server at "a" (10.0.0.1), port 5432 failed: Connection refused
                \tIs the server running on that host and accepting TCP/IP connections?
                connection to server at "b" (10.0.0.2), port 5432 failed: FATAL:  the database system is starting up

                """)
        #expect(failure.reason == .restarting)
        #expect(
            failure.message
                == "connection to server at \"a\" (10.0.0.1), port 5432 failed: Connection refused "
                + "Is the server running on that host and accepting TCP/IP connections?; "
                + "connection to server at \"b\" (10.0.0.2), port 5432 failed: FATAL: the database system is starting up"
        )
    }

    @Test("The words of two attempts do not count together")
    func apart() {
        let failure = ConnectionFailure(libpq: "connection on socket failed: x\nNo such file or directory\n")
        #expect(failure.reason == .other)
    }

    @Test("A message has at most 1000 characters")
    func length() {
        #expect(ConnectionFailure(libpq: String(repeating: "a", count: 5000)).message?.count == 1000)
    }

    private func reason(_ uri: String) throws -> ConnectionFailure.Reason? {
        do {
            _ = try Connection.open(ConnectionString(uri), name: "test", timeouts: ConnectionTimeouts())
        } catch PostgresError.unreachable(let failure) {
            return failure.reason
        }
        return nil
    }

    @Test("libpq without a server: a socket that does not exist, a closed port, and an unknown host")
    func noServer() throws {
        #expect(try reason("postgresql://u@/d?host=/nowhere") == .connectionRefused)
        #expect(try reason("postgresql://u@127.0.0.1:1/d") == .connectionRefused)
        #expect(try reason("postgresql://u@postgres.invalid/d") == .hostUnknown)
    }

    @Test("A server: a missing database, role and privilege, too many connections, and a read-only session")
    func server() throws {
        let server = try PostgresServer.shared.get()
        let place = try server.place()
        #expect(try reason(place) == nil)
        #expect(try reason(place.replacing("@/postgres?", with: "@/missing?")) == .databaseMissing)
        #expect(try reason(place.replacing("//postgres@", with: "//missing@")) == .roleMissing)
        #expect(try reason(try server.place(settings: ["default_transaction_read_only=on"])) == .readOnly)
        try server.query("CREATE ROLE full_role LOGIN CONNECTION LIMIT 0", in: place)
        #expect(try reason(place.replacing("//postgres@", with: "//full_role@")) == .tooManyConnections)
        try server.query("CREATE ROLE idle_role NOLOGIN", in: place)
        #expect(try reason(place.replacing("//postgres@", with: "//idle_role@")) == .authentication)
        try server.query("CREATE ROLE other_role LOGIN", in: place)
        try server.query("CREATE DATABASE closed_database", in: place)
        try server.query("REVOKE CONNECT ON DATABASE closed_database FROM public", in: place)
        let closed = place.replacing("@/postgres?", with: "@/closed_database?")
        #expect(try reason(closed.replacing("//postgres@", with: "//other_role@")) == .privilegeMissing)
    }
}
