internal import CLibpq
internal import Glibc

extension Connection {
    /// Connects, and returns a `PGconn`.
    ///
    /// - Throws: ``PostgresError/unreachable(_:)``.
    static func connect(
        _ string: ConnectionString, name: String, _ timeouts: ConnectionTimeouts
    ) throws(PostgresError) -> OpaquePointer {
        // libpq would take a string without any keyword for the name of a database.
        guard string.keywords != nil else { throw .unreachable(ConnectionFailure(.invalidString)) }
        let keywords = keywords(string, name: name, timeouts)
        let connection = unsafe withCStrings(keywords.map(\.0)) { names in
            unsafe withCStrings(keywords.map(\.1)) { values in
                unsafe PQconnectdbParams(names, values, 1)
            }
        }
        guard let connection = unsafe connection else { throw .unreachable(ConnectionFailure(.other)) }
        // By default libpq writes notices to standard error.
        unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
        guard unsafe PQstatus(connection) == CONNECTION_OK else {
            let failure = unsafe ConnectionFailure(libpq: String(cString: PQerrorMessage(connection)))
            // "Note that […] PQfinish should be called even if the server connection attempt fails" (libpq manual).
            unsafe PQfinish(connection)
            throw .unreachable(failure)
        }
        return unsafe connection
    }

    /// The parameters of the connection.
    ///
    /// The connection string can override keywords before it, but not keywords after it.
    private static func keywords(
        _ string: ConnectionString, name: String, _ timeouts: ConnectionTimeouts
    ) -> [(String, String)] {
        let seconds = (timeouts.connect.wholeMilliseconds + 999) / 1000
        // Without a passphrase libpq lets OpenSSL ask for that of a client's key on the terminal. A service may have one, which a
        // keyword would override.
        let hasService = unsafe string.text.contains("service=") || getenv("PGSERVICE") != nil
        let passphrase = hasService ? [] : [("sslpassword", "none")]
        return passphrase + [
            ("application_name", name), ("connect_timeout", "\(seconds)"),
            // Keepalives detect a server that vanished, also on an idle connection.
            ("keepalives", "1"), ("keepalives_idle", "15"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "\(timeouts.answer.wholeMilliseconds)"),
            ("target_session_attrs", "read-write"), ("gssencmode", "disable"),
            // "dbname […] is checked for an expanded connection string" (libpq manual, PQconnectdbParams).
            ("dbname", string.text), ("client_encoding", "UTF8"),
        ]
    }

    /// Calls `body` with the texts as a null-terminated array of C strings.
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

    /// Sets the timeouts with statements.
    ///
    /// The keyword `options` is not used, because it would conflict with options in the connection string.
    mutating func setLimits(_ timeouts: ConnectionTimeouts) throws(PostgresError) {
        try set([
            "statement_timeout = \(timeouts.statement.wholeMilliseconds)",
            "lock_timeout = \(timeouts.lock.wholeMilliseconds)",
            "idle_in_transaction_session_timeout = \(timeouts.idleInTransaction.wholeMilliseconds)",
        ])
    }
}

/// The address and credentials of a PostgreSQL server: a URI or keywords for libpq.
///
/// It may contain a password, so its description is `[connection string elided]`.
package struct ConnectionString: Sendable {
    let text: String
    /// Whether a pooler behind this address may run each transaction in another session.
    package let poolsTransactions: Bool

    /// Keeps the text, which only libpq reads.
    ///
    /// - Parameters:
    ///   - text: The string, which may name several hosts (PostgreSQL manual, "Connection Strings").
    ///   - poolsTransactions: Whether it is the address of a pooler that may run each transaction in another session.
    package init(_ text: String, poolsTransactions: Bool = false) {
        self.text = text
        self.poolsTransactions = poolsTransactions
    }

    /// The keywords of the string, with their values; `nil` for a string that libpq refuses.
    ///
    /// One of the values may be a password, so that a caller must not print them.
    package var keywords: [(name: String, value: String)]? {
        guard let options = unsafe PQconninfoParse(text, nil) else { return nil }
        defer { unsafe PQconninfoFree(options) }
        var keywords: [(name: String, value: String)] = []
        var option = unsafe options
        // A null keyword ends the array.
        while let name = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe keywords.append((String(cString: name), String(cString: value)))
            }
            unsafe option += 1
        }
        return keywords
    }
}

extension ConnectionString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[connection string elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The timeouts of a session, so that no thread waits forever.
package struct ConnectionTimeouts: Sendable, Equatable {
    /// The limit for connecting to each host, unless the connection string sets another one.
    ///
    /// The minimum of libpq is 2 seconds.
    package var connect: Duration = .seconds(5)
    /// The time after which the server aborts a statement.
    package var statement: Duration = .seconds(5)
    /// The time after which the server aborts waiting for a lock.
    package var lock: Duration = .seconds(3)
    /// The time after which the server ends a session with an idle transaction.
    package var idleInTransaction: Duration = .seconds(10)
    /// The time after which the client treats a connection without a response as broken.
    ///
    /// It must be longer than ``statement``.
    package var answer: Duration = .seconds(8)
    /// The time for which a call waits for a connection of a pool.
    package var wait: Duration = .seconds(8)

    package init() {}

    /// The timeouts of a server whose clients wait: a call ends after three seconds, also if the database does not answer.
    package static var serving: Self {
        var timeouts = Self()
        timeouts.connect = .seconds(2)
        timeouts.statement = .milliseconds(1800)
        timeouts.lock = .seconds(1)
        timeouts.answer = .seconds(2)
        timeouts.wait = .seconds(1)
        return timeouts
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up, since zero would mean no limit.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
