internal import CLibpq

/// The result of a statement.
package struct Answer: Sendable {
    package let rows: [Row]
    /// The number of rows that the statement inserted, changed, removed or found.
    package let count: Int
    /// The command tag, such as `INSERT 0 1` or `COMMIT`.
    let tag: String
}

/// One row, with the columns in the order of the statement.
package struct Row: Sendable, Equatable {
    let columns: [[UInt8]?]

    /// The bytes of a column; `nil` for null, or if there is no such column.
    package func bytes(_ index: Int) -> [UInt8]? {
        columns.indices.contains(index) ? columns[index] : nil
    }

    /// The value of a `bigint`; `nil` for null and for a value that has not eight bytes.
    package func integer(_ index: Int) -> Int64? {
        guard let bytes = bytes(index), bytes.count == 8 else { return nil }
        return Int64(bitPattern: bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }

    /// The value of a `text`, or of a `bytea` with UTF-8; `nil` for null and for other octets.
    package func text(_ index: Int) -> String? {
        bytes(index).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

/// The sole owner of one `PGresult`.
@safe
struct ResultHandle: ~Copyable {
    private let result: OpaquePointer

    /// Takes ownership of a result.
    init(owning result: OpaquePointer) {
        unsafe self.result = unsafe result
    }

    var status: ExecStatusType { unsafe PQresultStatus(result) }

    var isFailure: Bool {
        switch status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: false
        default: true
        }
    }

    /// The SQLSTATE; `nil` if libpq failed and not the server.
    var state: SQLState? {
        guard let field = unsafe PQresultErrorField(result, tx_pg_diag_sqlstate()) else { return nil }
        return unsafe SQLState(String(cString: field))
    }

    /// The first line of the server's message; `nil` if libpq failed and not the server.
    var message: String? {
        guard let field = unsafe PQresultErrorField(result, tx_pg_diag_message()) else { return nil }
        return unsafe String(cString: field)
    }

    /// A copy of the whole result.
    var answer: Answer {
        let rows = unsafe (0..<PQntuples(result)).map { row in
            unsafe Row(columns: (0..<PQnfields(result)).map { field(row, $0) })
        }
        let count = unsafe Int(String(cString: PQcmdTuples(result))) ?? 0
        return unsafe Answer(rows: rows, count: count, tag: String(cString: PQcmdStatus(result)))
    }

    private borrowing func field(_ row: CInt, _ column: CInt) -> [UInt8]? {
        guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
        return unsafe Array(bytes)
    }

    deinit { unsafe PQclear(result) }
}
