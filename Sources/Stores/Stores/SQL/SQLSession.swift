package import JOSE
package import Standards

/// A connection on which an ``SQLStore`` runs statements, inside or outside of a transaction.
///
/// The statements are the same for all databases. What differs between them is here.
package protocol SQLSession {
    /// Runs one statement.
    ///
    /// - Parameters:
    ///   - sql: The statement, a constant of the program, with `?1`, `?2` … for its values.
    ///   - writes: Whether the statement changes rows, and thus commits outside of a transaction.
    ///   - values: The values in the order of their numbers.
    /// - Returns: The rows that the statement returns, and the number of rows that it changed or returned.
    func run(_ sql: String, writes: Bool, _ values: [SQLValue]) throws -> SQLAnswer

    /// The statement that adds a record to `spent` if it does not exist and if ``isWatched``.
    ///
    /// Its values are ``SpentRecord/spendingValues(at:)``.
    static var spending: String { get }
    /// The clause that locks the rows of a query until the end of the transaction.
    ///
    /// It is empty if transactions that write run one after another.
    static var rowLock: String { get }
    /// The name of the column with the polling interval of a device.
    static var pollInterval: String { get }
    /// The error for a transaction that saw only a part of another one's changes.
    static var overtaken: any Error { get }

    /// Claims a uid, so that only one of several concurrent callers gets it.
    ///
    /// - Returns: `false` if the uid was ever claimed. A database whose transactions run one after another needs no
    ///   claim, and returns `true`.
    func reserve(uid: UID) throws -> Bool
    /// Removes the claim of a uid that may be used again.
    func release(uid: UID) throws

    /// Claims an address for an account, so that only one of several accounts gets it.
    ///
    /// - Returns: `false` if another account has the address.
    func claim(_ email: EmailAddress, uid: UID) throws -> Bool
    /// Removes the claim of an account to its address.
    func releaseEmail(uid: UID) throws
    /// Moves the claim of an account to another account.
    func moveEmail(from uid: UID, to other: UID) throws

    /// Spends a record as ``spend(_:at:)`` does, and finds the account of an identity.
    ///
    /// If the lookup fails, nothing is spent. At most one statement writes.
    func spend(
        _ record: SpentRecord, finding identity: ExternalIdentity, at now: NumericDate
    ) throws -> (refusal: SpendRefusal?, known: KnownIdentity?)

    /// The expression for the clock of the database's machine; `NULL` if that is the caller's machine.
    static var machineClock: String { get }
}

extension SQLSession {
    /// Runs a statement that only reads.
    package func read(_ sql: String, _ values: [SQLValue] = []) throws -> [any SQLRow] {
        try run(sql, writes: false, values).rows
    }

    /// Runs a statement that changes or locks rows.
    @discardableResult
    package func write(_ sql: String, _ values: [SQLValue] = []) throws -> SQLAnswer {
        try run(sql, writes: true, values)
    }

    /// Reads one number, which is in the first column of the first row.
    func number(_ sql: String, _ values: [SQLValue] = []) throws -> Int {
        guard let number = try read(sql, values).first?.integer(0) else { throw StoreError.corrupt }
        return Int(clamping: number)
    }

    /// Reads the uids in the first column of all rows.
    func uids(_ sql: String, _ values: [SQLValue]) throws -> [UID] {
        try read(sql, values).map { try $0.identifier(0) }
    }

    /// Deletes rows that have expired, the oldest first.
    ///
    /// - Parameters:
    ///   - key: The columns of its primary key.
    ///   - time: The column that is compared with `moment`.
    ///   - moment: Rows with an earlier time are deleted.
    ///   - limit: The maximum number of rows.
    /// - Returns: The number of deleted rows.
    func sweep(
        _ table: String, by key: String = "digest", _ time: String = "expires_at", before moment: NumericDate,
        atMost limit: Int
    ) throws -> Int {
        try write(
            """
            DELETE FROM \(table) WHERE (\(key)) IN (
                SELECT \(key) FROM \(table) WHERE \(time) < ?1 ORDER BY \(time) LIMIT ?2)
            """, [.integer(moment.seconds), .limit(limit)]
        ).count
    }
}

/// The result of a statement.
package struct SQLAnswer {
    package let rows: [any SQLRow]
    /// The number of rows that the statement inserted, changed, removed or returned.
    package let count: Int

    package init(rows: [any SQLRow], count: Int) {
        self.rows = rows
        self.count = count
    }
}

/// A row, with the columns in the order of the statement.
///
/// An accessor returns `nil` for SQL null and for a value of another type.
package protocol SQLRow {
    func bytes(_ column: Int) -> [UInt8]?
    /// Reads a column of UTF-8 octets.
    func text(_ column: Int) -> String?
    func integer(_ column: Int) -> Int64?
    func flag(_ column: Int) -> Bool?
}

extension SQLRow {
    func time(_ column: Int) -> NumericDate? { integer(column).map { NumericDate($0) } }

    /// Reads an identifier.
    ///
    /// - Throws: ``StoreError/corrupt`` for SQL null, and for octets that are not an identifier of this type in UTF-8.
    func identifier<Identifier: StoredIdentifier>(_ column: Int) throws(StoreError) -> Identifier {
        guard let identifier: Identifier = try optionalIdentifier(column) else { throw .corrupt }
        return identifier
    }

    /// Reads an identifier as ``identifier(_:)`` does, or returns `nil` for SQL null.
    func optionalIdentifier<Identifier: StoredIdentifier>(_ column: Int) throws(StoreError) -> Identifier? {
        guard let octets = bytes(column) else { return nil }
        return try Identifier(octets: octets)
    }
}

/// An identifier in a column of UTF-8 octets.
package protocol StoredIdentifier: OctetIdentifier {
    init?(stored text: String)
}

extension StoredIdentifier {
    package init?(stored text: String) { self.init(text) }

    /// - Throws: ``StoreError/corrupt``.
    package init(octets: [UInt8]) throws(StoreError) {
        guard let identifier = String(validating: octets, as: UTF8.self).flatMap({ Self(stored: $0) })
        else { throw .corrupt }
        self = identifier
    }
}

extension ClientID: StoredIdentifier {}
extension ProviderID: StoredIdentifier {}
extension Subject: StoredIdentifier {}
extension UID: StoredIdentifier {
    /// Reads a uid, or the name of a user of another tenant, which may be longer.
    package init?(stored text: String) {
        let (tenant, name) = TenantName.split(text)
        guard let uid = UID(text) ?? UID(name).map(tenant.stored), uid.text.exactlyEquals(text) else { return nil }
        self = uid
    }
}

/// A value of a statement.
package enum SQLValue: Sendable, Equatable {
    /// A BLOB or `bytea`; `nil` is SQL null, here and in the other cases.
    case bytes([UInt8]?)
    case integer(Int64?)
    case flag(Bool)
    case text(String)
    /// A text for a column that is TEXT in SQLite and `bytea` in PostgreSQL.
    case content(String?)

    /// A text as octets, which are compared independently of the collation of the database.
    package static func octets(_ text: String?) -> Self { .bytes(text.map { Array($0.utf8) }) }

    package static func octets(_ identifier: (some OctetIdentifier)?) -> Self { .octets(identifier?.text) }

    static func time(_ time: NumericDate?) -> Self { .integer(time?.seconds) }

    /// A limit of rows.
    ///
    /// A negative one would mean no limit in SQLite.
    static func limit(_ limit: Int) -> Self { .integer(Int64(max(0, limit))) }
}
