/// The reason why no connection could be opened.
package struct ConnectionFailure: Sendable, Equatable {
    /// What an operator has to examine.
    package enum Reason: Sendable, CaseIterable {
        /// PgBouncer responded, and does not serve the connection.
        case pooler
        /// The password is wrong or missing, or the role may not log in.
        case authentication
        /// The certificate of this client is missing, is refused, or cannot be used with its key.
        case clientCertificate
        /// No line of `pg_hba.conf` allows the connection.
        case notAdmitted
        case roleMissing
        case databaseMissing
        /// The role lacks the privilege CONNECT on the database.
        case privilegeMissing
        /// The server, the role, the database or PgBouncer has its maximum of connections.
        case tooManyConnections
        /// The server starts, stops or recovers.
        case restarting
        /// All servers of the connection string are standbys, or read-only by a setting.
        case readOnly
        /// The connection ended during the login, for example because the server crashed.
        case interrupted
        /// The TLS that `sslmode` requires is not possible: no TLS, a certificate that is not trusted, or files that
        /// cannot be read.
        case tls
        /// A host did not respond in time, or no route leads to it.
        case noAnswer
        /// No process listens at the address.
        case connectionRefused
        case hostUnknown
        /// libpq cannot read the connection string.
        case invalidString
        case other
    }

    package let reason: Reason
    /// What libpq and the server say about each attempt, in one line.
    ///
    /// It can name hosts, the user, the database and files, but no password: libpq receives a password only in the
    /// connection string, and never quotes a string that it could read. `nil` if libpq could not read the string,
    /// because it then quotes a part of it.
    package let message: String?

    /// A failure in which libpq made no attempt.
    package init(_ reason: Reason) {
        self.reason = reason
        message = nil
    }

    /// Reads the reason from `PQerrorMessage`.
    ///
    /// libpq gives no SQLSTATE if a connection fails, because `PQresultErrorField` needs a result. This initializer
    /// therefore looks for words that libpq 15, PostgreSQL, PgBouncer and hosts of databases use. If the setting
    /// `lc_messages` of the server is not English, it finds none of them: the reason is then ``Reason/other``, and only
    /// ``message`` tells the cause.
    ///
    /// - Parameter text: The text, with one or more lines for each attempt. If attempts failed for different reasons, a
    ///   response of a server counts more than no response.
    package init(libpq text: String) {
        let attempts = Self.attempts(of: text)
        let found = Self.words.first { _, parts in attempts.contains { attempt in parts.allSatisfy(attempt.contains) } }
        reason = found?.reason ?? .other
        message = String(attempts.joined(separator: "; ").prefix(Self.maximumLength))
    }

    private static let maximumLength = 1000

    /// Returns one text for each attempt.
    ///
    /// libpq begins a line that continues another one with a tabulator.
    private static func attempts(of text: String) -> [String] {
        text.replacing("\n\t", with: " ").split(whereSeparator: \.isNewline)
            .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }.filter { !$0.isEmpty }
    }

    /// The parts of a text that together show a reason, in the order in which they count.
    private static let words: [(reason: Reason, parts: [String])] = [
        // PgBouncer may quote the response of the server, which is about its own connection.
        (.pooler, ["server login has been failing"]), (.pooler, ["server_login_retry"]),
        (.pooler, ["pgbouncer cannot connect"]), (.pooler, ["unsupported startup parameter"]),
        (.pooler, ["bouncer config error"]), (.pooler, ["query_wait_timeout"]),
        (.clientCertificate, ["certificate authentication failed"]), (.clientCertificate, ["private key file"]),
        (.clientCertificate, ["requires a valid client certificate"]),
        (.clientCertificate, ["could not read certificate file"]),
        // The server sends an alert of TLS about a certificate that it received, or lacks.
        (.clientCertificate, ["alert unknown ca"]), (.clientCertificate, [" alert ", "certificate"]),
        (.authentication, ["authentication failed"]), (.authentication, ["no password supplied"]),
        (.authentication, ["is not permitted to log in"]),
        (.notAdmitted, ["no pg_hba.conf entry"]), (.notAdmitted, ["pg_hba.conf rejects connection"]),
        (.roleMissing, ["role \"", "\" does not exist"]), (.roleMissing, ["no such user"]),
        // Supabase.
        (.roleMissing, ["Tenant or user not found"]), (.roleMissing, ["tenant/user", "not found"]),
        (.databaseMissing, ["database \"", "\" does not exist"]), (.databaseMissing, ["no such database"]),
        (.privilegeMissing, ["permission denied for database"]),
        (.tooManyConnections, ["too many clients"]), (.tooManyConnections, ["too many connections"]),
        (.tooManyConnections, ["remaining connection slots are reserved"]),
        (.tooManyConnections, ["no more connections allowed"]), (.tooManyConnections, ["max clients reached"]),
        (.tooManyConnections, ["Max client connections reached"]),
        (.restarting, ["the database system is"]),
        (.readOnly, ["session is read-only"]), (.readOnly, ["server is in hot standby mode"]),
        (.interrupted, ["closed the connection unexpectedly"]), (.interrupted, ["has been closed unexpectedly"]),
        (.interrupted, ["Connection reset by peer"]), (.interrupted, ["Broken pipe"]),
        // A server of another protocol, such as MySQL.
        (.other, ["received invalid response to SSL negotiation"]),
        (.tls, ["SSL"]), (.tls, ["certificate"]), (.tls, ["requires TLS"]), (.tls, ["connection is insecure"]),
        (.noAnswer, ["timeout expired"]), (.noAnswer, ["timed out"]), (.noAnswer, ["No route to host"]),
        (.noAnswer, ["Network is unreachable"]),
        (.connectionRefused, ["Connection refused"]), (.connectionRefused, ["on socket", "No such file or directory"]),
        (.hostUnknown, ["could not translate host name"]), (.hostUnknown, ["could not parse network address"]),
    ]
}
