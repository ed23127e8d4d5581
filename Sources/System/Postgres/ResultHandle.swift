internal import CLibpq

/// The sole owner of one `PGresult`.
@safe
struct ResultHandle: ~Copyable {
    private let result: OpaquePointer

    /// Takes it over.
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

    /// Nil where it was libpq that failed, and not the server.
    var state: SQLState? {
        guard let field = unsafe PQresultErrorField(result, tx_pg_diag_sqlstate()) else { return nil }
        return unsafe SQLState(String(cString: field))
    }

    /// All of it, copied.
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
