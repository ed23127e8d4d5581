internal import CLibpq

extension Connection {
    /// A `PGconn` that is connected.
    static func connect(
        _ string: ConnectionString, name: String, _ timeouts: ConnectionTimeouts
    ) throws(PostgresError) -> OpaquePointer {
        let keywords = keywords(string, name: name, timeouts)
        let connection = unsafe withCStrings(keywords.map(\.0)) { names in
            unsafe withCStrings(keywords.map(\.1)) { values in
                unsafe PQconnectdbParams(names, values, 1)
            }
        }
        guard let connection = unsafe connection else { throw .unreachable }
        // Notices would go to standard error.
        unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
        guard unsafe PQstatus(connection) == CONNECTION_OK else {
            // "Note that […] PQfinish should be called even if the server connection attempt fails" (libpq manual).
            unsafe PQfinish(connection)
            throw .unreachable
        }
        return unsafe connection
    }

    /// What we say before the string can be said otherwise in it; what we say after it cannot.
    private static func keywords(
        _ string: ConnectionString, name: String, _ timeouts: ConnectionTimeouts
    ) -> [(String, String)] {
        let seconds = (timeouts.connect.wholeMilliseconds + 999) / 1000
        return [
            ("application_name", name), ("connect_timeout", "\(seconds)"),
            // A server that vanished is noticed by its silence, on an idle connection too.
            ("keepalives", "1"), ("keepalives_idle", "15"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "\(timeouts.answer.wholeMilliseconds)"),
            ("target_session_attrs", "read-write"), ("gssencmode", "disable"),
            // "dbname […] is checked for an expanded connection string" (libpq manual, PQconnectdbParams).
            ("dbname", string.text), ("client_encoding", "UTF8"),
        ]
    }

    /// Lets `body` see the texts as an array of C strings that ends with null.
    private static func withCStrings<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        var starts: [Int] = []
        for text in texts {
            starts.append(bytes.count)
            bytes += text.utf8CString
        }
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            var pointers = unsafe starts.map { start in unsafe buffer.baseAddress.map { unsafe $0 + start } }
            unsafe pointers.append(nil)
            return unsafe body(pointers)
        }
    }

    /// As statements, not as `options` of the connection: the string may have options of its own.
    mutating func setLimits(_ timeouts: ConnectionTimeouts) throws(PostgresError) {
        try run(
            script: """
                SET statement_timeout = \(timeouts.statement.wholeMilliseconds);
                SET lock_timeout = \(timeouts.lock.wholeMilliseconds);
                SET idle_in_transaction_session_timeout = \(timeouts.idleInTransaction.wholeMilliseconds)
                """)
    }
}

/// Where a PostgreSQL is and who we are there: a URI or a list of keywords, as libpq takes them.
///
/// It may hold a password, so it prints as `[connection string elided]`.
package struct ConnectionString: Sendable {
    let text: String

    /// - Parameter text: several hosts may be named (PostgreSQL manual, "Connection Strings").
    package init(_ text: String) {
        self.text = text
    }
}

extension ConnectionString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[connection string elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// How long a server may take, so that none of our threads waits for ever.
package struct ConnectionTimeouts: Sendable, Equatable {
    /// For each host, unless the connection string says otherwise; libpq takes no less than two seconds.
    package var connect: Duration = .seconds(5)
    /// After this the server itself gives a statement up.
    package var statement: Duration = .seconds(5)
    /// After this the server gives a lock up.
    package var lock: Duration = .seconds(3)
    /// After this the server ends a transaction in which it hears nothing.
    package var idleInTransaction: Duration = .seconds(10)
    /// After this we take the connection for broken; longer than ``statement``.
    package var answer: Duration = .seconds(8)

    package init() {}
}

extension Duration {
    /// Rounded up, so that what is short does not become zero, which is for ever.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
