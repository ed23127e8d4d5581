package import JOSE
internal import Postgres
package import Standards
package import Stores

/// A session at a PostgreSQL server while one call uses it.
package final class PostgresSession: SQLSession {
    private var connection: Connection?

    private init(_ connection: consuming Connection) {
        self.connection = consume connection
    }

    /// Runs `body` on a connection, and repeats it after conflicts.
    ///
    /// - Parameters:
    ///   - connection: The connection. A transaction that is left open is rolled back.
    ///   - body: One transaction or one statement.
    /// - Throws: The error of the last attempt.
    static func run<Value>(
        on connection: inout Connection, _ body: (PostgresSession) throws -> Value
    ) throws -> Value {
        try Attempts.run(&connection) { connection in
            let session = PostgresSession(consume connection)
            let result = Result { try body(session) }
            connection = session.end()
            return try result.get()
        }
    }

    private func end() -> Connection {
        guard let connection = connection.take() else { preconditionFailure("A session ends once.") }
        return connection
    }

    package func run(_ sql: String, writes: Bool, _ values: [SQLValue]) throws -> SQLAnswer {
        // The parameters are `$1`, `$2` … here, and no statement has another question mark.
        let sql = String(
            decoding: sql.utf8.map { $0 == UInt8(ascii: "?") ? UInt8(ascii: "$") : $0 }, as: UTF8.self)
        let statement = writes ? Statement.writing(sql) : .reading(sql)
        guard let answer = try connection?.run(statement, values.map(\.sent)) else { throw PostgresError.closed }
        return SQLAnswer(rows: answer.rows, count: answer.count)
    }

    func begin() throws { try connection?.begin() }
    func commit() throws { try connection?.commit() }
    func rollback() { connection?.rollback() }
    var hostCount: Int { connection?.hostCount ?? 1 }

    package static let spending = """
        INSERT INTO spent (kind, digest, expires_at) SELECT ?1, ?2, ?3 WHERE \(isWatched) ON CONFLICT DO NOTHING
        """

    package static var rowLock: String { " FOR UPDATE" }
    package static var pollInterval: String { "poll_interval" }
    package static var machineClock: String { "floor(extract(epoch FROM clock_timestamp()))::bigint" }
    /// As a serializable server would report it.
    package static var overtaken: any Error { PostgresError.refused(SQLState("40001"), mayHaveCommitted: false) }

    package func reserve(uid: UID) throws -> Bool {
        try write("INSERT INTO uids (uid) VALUES (?1) ON CONFLICT DO NOTHING", [.octets(uid)]).count == 1
    }

    package func release(uid: UID) throws {
        try write("DELETE FROM uids WHERE uid = ?1", [.octets(uid)])
    }

    package func claim(_ email: EmailAddress, uid: UID) throws -> Bool {
        try write(
            """
            INSERT INTO email_owners (email, uid)
            SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE email = ?1 AND uid <> ?2)
            ON CONFLICT DO NOTHING
            """, [.octets(email), .octets(uid)]
        ).count == 1
    }

    package func releaseEmail(uid: UID) throws {
        try write("DELETE FROM email_owners WHERE uid = ?1", [.octets(uid)])
    }

    package func moveEmail(from uid: UID, to other: UID) throws {
        try write(
            "UPDATE email_owners SET uid = ?2 WHERE uid = ?1", [.octets(uid), .octets(other)])
    }

    // One statement, which saves a round trip. It returns one row if this was the first use. The columns of the row are
    // null if the identity is not linked.
    package func spend(
        _ record: SpentRecord, finding identity: ExternalIdentity, at now: NumericDate
    ) throws -> (refusal: SpendRefusal?, known: KnownIdentity?) {
        let row = try write(
            """
            WITH first AS (\(Self.spending) RETURNING true)
            SELECT \(KnownIdentity.columns)
            FROM first LEFT JOIN (identities JOIN accounts USING (uid)) ON provider = ?7 AND subject = ?8
            """, record.spendingValues(at: now) + identity.key
        ).rows.first
        guard let row else { return (try refusal(of: record, at: now), nil) }
        return (nil, row.bytes(0) == nil ? nil : try KnownIdentity(row: row))
    }
}

extension SQLValue {
    fileprivate var sent: Value {
        switch self {
        case .bytes(let bytes): .bytes(bytes)
        case .integer(let number): .integer(number)
        case .flag(let isSet): .flag(isSet)
        case .text(let text): .text(text)
        case .content(let text): .bytes(text.map { Array($0.utf8) })
        }
    }
}

extension Row: SQLRow {
    package func flag(_ column: Int) -> Bool? {
        // A `boolean` is one byte, 1 or 0 (`boolsend` in PostgreSQL).
        switch bytes(column) {
        case [1]: true
        case [0]: false
        default: nil
        }
    }
}
