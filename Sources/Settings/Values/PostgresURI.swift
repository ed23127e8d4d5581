internal import OperatingSystem

/// A connection URI of libpq (PostgreSQL manual, "Connection URIs"), parsed as far as this program needs it.
///
/// The form is `postgresql://user:password@host1:5432,host2/database?keyword=value&…`. Each part may be missing and may
/// contain percent-encoded octets.
struct PostgresURI {
    static let schemes = ["postgresql:", "postgres:"]

    /// The hosts as written, with their ports.
    let hosts: Substring
    let database: Substring
    /// All passwords in the text, decoded.
    let passwords: [String]
    /// The decoded options by keyword.
    let options: [String: String]

    /// The URI without user, password and options.
    var place: String { "postgresql://\(hosts)/\(database)" }

    /// The reason why a text is not such a URI.
    ///
    /// It does not repeat the text, which may contain a password.
    struct Fault: Error {
        let message: String
    }

    /// Whether a text that is no such URI names PostgreSQL in the form of a command, of another driver, or of keywords.
    static func isOtherForm(_ text: String) -> Bool {
        let text = text.lowercased()
        return ["postgresql+", "postgres+", "pg:", "pgsql:", "postgis:"].contains(where: text.hasPrefix)
            || (schemes + ["host="]).contains(where: text.contains)
    }

    static func parse(_ text: String) throws(Fault) -> PostgresURI {
        guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else {
            throw Fault(message: "write two slashes after the scheme: postgresql://user@host/database")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Fault(
                message:
                    "contains a blank, or another character that a URI does not have: write a blank as %20, and in user name and "
                    + "password also @ as %40, / as %2F, ? as %3F, : as %3A and % as %25")
        }
        let rest = text.dropFirst(scheme.count)
        guard !rest.contains("#") else {
            throw Fault(message: "contains #, which ends a URI: write it as %23, in a password too")
        }
        // As in libpq: credentials end at the first @, if the authority contains one.
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        // A path after file: would end the authority.
        let reference = references.first {
            authority.contains(":\($0)") || rest[authority.endIndex...].contains("password=\($0)")
        }
        if let reference { throw unread(reference) }
        guard authority.count(where: { $0 == "@" }) <= 1, !rest[authority.endIndex...].contains("@") else {
            throw Fault(
                message:
                    "has an ambiguous @: in user name and password write @ as %40, / as %2F, ? as %3F, : as %3A and % "
                    + "as %25"
            )
        }
        let credentials = authority.contains("@") ? authority.prefix { $0 != "@" } : ""
        let hosts = authority.contains("@") ? authority[credentials.endIndex...].dropFirst() : authority
        let tail = rest[authority.endIndex...]
        let path = tail.prefix { $0 != "?" }
        let options = try options(of: tail[path.endIndex...].dropFirst())
        let password = credentials.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let written = password.count == 2 ? [try decode(password[1])] : []
        for part in [credentials, hosts, path] { _ = try decode(part) }
        try checkPorts(of: hosts)
        // Cloud SQL mounts its sockets as folders.
        guard !path.dropFirst().contains("/") else {
            throw Fault(
                message: "has more than one / after the host: write only the name of the database there. If it is the "
                    + "folder of a socket, write it as the host of the options, as in "
                    + "postgresql://user@/database?host=/cloudsql/project:region:instance")
        }
        return PostgresURI(
            hosts: hosts, database: path.dropFirst(),
            passwords: (written + ["password", "sslpassword"].compactMap { options[$0] }).filter { !$0.isEmpty },
            options: options)
    }

    private static func options(of query: Substring) throws(Fault) -> [String: String] {
        var options: [String: String] = [:]
        for part in query.split(separator: "&", omittingEmptySubsequences: false) where !query.isEmpty {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else { throw Fault(message: "write each option after ? as keyword=value") }
            let keyword = try decode(sides[0])
            if let advice = PostgresKeyword.foreign(keyword) {
                throw Fault(message: "has the option \(keyword), which is not of libpq: leave it out\(advice)")
            }
            guard PostgresKeyword.all.contains(keyword) else {
                // An unknown keyword may be a part of a password, so messages do not repeat it.
                let hint = Spelling.nearest(to: keyword, among: PostgresKeyword.all)
                throw Fault(
                    message: "has an option that libpq does not know: "
                        + (hint.map { "did you mean \($0)?" } ?? "use a keyword of its connection strings"))
            }
            let value = try decode(sides[1])
            if let objection = PostgresKeyword.objection(to: value, of: keyword) { throw Fault(message: objection) }
            guard options.updateValue(value, forKey: keyword) == nil else {
                throw Fault(message: "has the option \(keyword) twice: keep one")
            }
        }
        // libpq reads ssl=true as sslmode=require, and uses the last one: with verify-full it would verify nothing.
        guard options["ssl"] == nil || options["sslmode"] == nil else {
            throw Fault(message: "has the options ssl and sslmode, of which libpq uses the last one: leave ssl out")
        }
        return options
    }

    /// What begins a value that is read elsewhere, and no part of this URI.
    private static let references = ["env:", "file:", CloudSecretName.prefix]

    private static func unread(_ reference: String) -> Fault {
        Fault(
            message: "contains \(reference) within the URI, where no reference is read: write env:NAME or file:/path "
                + "in place of the whole URI, with the whole URI in that variable or file, or the option "
                + "passfile=/path with a password file of libpq. If the password itself contains \(reference), write "
                + "its colon as %3A")
    }

    private static func checkPorts(of hosts: Substring) throws(Fault) {
        for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
            // A host may have the name env or file.
            let reference = references.first { host.hasPrefix($0) && Port.parse(host.dropFirst($0.count)) == nil }
            if let reference { throw unread(reference) }
            guard !host.hasPrefix("[") || host.contains("]") else {
                throw Fault(message: "has [ without ] in the place of the host: write an IPv6 address as [IPv6]:port")
            }
            let afterAddress = host.hasPrefix("[") ? host.drop { $0 != "]" }.dropFirst() : host
            let parts = afterAddress.split(separator: ":", omittingEmptySubsequences: false)
            let isAddress = !host.hasPrefix("[") || IPAddress.version6(host.dropFirst().prefix { $0 != "]" }) != nil
            guard isAddress, parts.count <= 2, parts.count < 2 || Port.parse(parts[1]) != nil else {
                throw Fault(message: "write hosts as host:port, [IPv6]:port or host, separated by commas")
            }
        }
    }

    /// Decodes percent-encoded octets.
    ///
    /// Like libpq, refuses invalid ones and `%00`.
    private static func decode(_ text: Substring) throws(Fault) -> String {
        var octets: [UInt8] = []
        var rest = text.utf8[...]
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16), value != 0 else {
                throw Fault(
                    message: "has a percent sign that is not followed by two hexadecimal digits: write it as %25")
            }
            octets.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: octets, as: UTF8.self)
    }
}

extension PostgresURI {
    /// The files that the options name, with their keywords, and that of `PGSSLROOTCERT` if libpq uses it.
    ///
    /// libpq ignores most of those that do not exist: with `sslmode=require` it then does not verify the server.
    func files(environment: [String: String]) -> [(name: String, path: String)] {
        var named = ["passfile", "sslcert", "sslcrl", "sslkey"].compactMap { keyword in
            options[keyword].map { (name: keyword, path: $0) }
        }
        if let path = options["sslrootcert"] {
            if path != "system" { named.append((name: "sslrootcert", path: path)) }
        } else if let path = environment["PGSSLROOTCERT"], path != "system", isRemote, mode(environment) != "disable" {
            named.append((name: "the variable PGSSLROOTCERT", path: path))
        }
        return named.filter { !["", "/dev/null"].contains($0.path) }
    }

    /// Says why libpq would refuse a file that is the client's certificate or its key; `nil` for another file.
    ///
    /// Its rules for the mode are those of libpq, which lets the group of root read a key of root.
    func objection(to file: SettingsFile, of keyword: String, at path: String) -> String? {
        guard ["sslcert", "sslkey"].contains(keyword) else { return nil }
        let isKey = keyword == "sslkey"
        let isOfRoot =
            file.exposure.contains(.ofRoot) || ProcessUser.name == "root" && !file.exposure.contains(.foreign)
        let refused: FileExposure = isOfRoot ? [.writable, .otherReadable] : [.writable, .readable]
        if isKey, !file.exposure.isDisjoint(with: refused) {
            return FileContent.secret.objection(to: file.exposure, at: path)
        }
        // libpq also reads a key in DER.
        guard let text = try? file.text() else { return nil }
        let isEncrypted =
            text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----")
            || text.contains("Proc-Type:") && text.contains("ENCRYPTED")
        if isKey, isEncrypted {
            return (options["sslpassword"] ?? "").isEmpty
                ? "has a passphrase, for which libpq cannot ask here: write the option sslpassword, or decrypt the key with openssl "
                    + "pkey -in FILE -out NEWFILE" : nil
        }
        let labels =
            isKey
            ? ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"]
            : ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
        guard !labels.contains(where: { text.contains("-----BEGIN \($0)-----") }) else { return nil }
        return PEMText.damage(of: text, as: isKey ? .privateKey : .certificate)
    }

    /// Whether a connection to another machine is possible without TLS.
    ///
    /// - Parameter environment: The variables of the process. libpq uses `PGSSLMODE` if the URI has no `sslmode`.
    /// - Returns: Whether a host is remote and nothing makes libpq require TLS.
    func mayTravelInClear(environment: [String: String]) -> Bool {
        isRemote && !["require", "verify-ca", "verify-full"].contains(mode(environment))
    }

    private var isRemote: Bool {
        ([String(hosts)] + ["host", "hostaddr"].compactMap { options[$0] })
            .flatMap { $0.split(separator: ",") }.contains { !Self.isLocal($0) }
    }

    /// Whether the authorities of the system are named, and a version of libpq that knows only files verifies nothing.
    ///
    /// libpq 15 takes `system` for the path of a file. If there is none, every mode before `verify-ca` goes on without it.
    func ignoresSystemAuthorities(environment: [String: String]) -> Bool {
        (options["sslrootcert"] ?? environment["PGSSLROOTCERT"]) == "system" && mode(environment) != "verify-full"
    }

    /// The value of `sslmode` that libpq uses; `nil` stands for its default.
    func mode(_ environment: [String: String]) -> String? {
        options["sslmode"] ?? (options["ssl"] == "true" ? "require" : nil) ?? environment["PGSSLMODE"]
    }

    /// Whether a host is a loopback address or the folder of a Unix-domain socket.
    private static func isLocal(_ host: Substring) -> Bool {
        if host.hasPrefix("/") || host.hasPrefix("@") || host.lowercased().hasPrefix("%2f") { return true }
        if IPAddress.version6(host) != nil || host.hasPrefix("[") {
            let address = host.hasPrefix("[") ? host.dropFirst().prefix { $0 != "]" } : host
            return IPAddress.version6(address).map(IPAddress.isLoopback) == true
        }
        let name = host.prefix { $0 != ":" }
        return name.isEmpty || name == "localhost" || IPAddress.version4(name).map(IPAddress.isLoopback) == true
    }
}

/// The keywords allowed in the query of a libpq URI (PostgreSQL manual, "Parameter Key Words", and `ssl`).
enum PostgresKeyword {
    static let all = [
        "application_name", "channel_binding", "client_encoding", "connect_timeout", "dbname",
        "fallback_application_name", "gssdelegation", "gssencmode", "gsslib", "host", "hostaddr", "keepalives",
        "keepalives_count", "keepalives_idle", "keepalives_interval", "krbsrvname", "load_balance_hosts", "options",
        "passfile", "password", "port", "require_auth", "requirepeer", "service", "ssl", "ssl_max_protocol_version",
        "ssl_min_protocol_version", "sslcert", "sslcertmode", "sslcompression", "sslcrl", "sslcrldir", "sslkey",
        "sslmode", "sslnegotiation", "sslpassword", "sslrootcert", "sslsni", "target_session_attrs",
        "tcp_user_timeout", "user",
    ]

    /// The values of the keywords that have a fixed set of them; libpq refuses another one at the first connection.
    private static let values: [String: [String]] = [
        "channel_binding": ["disable", "prefer", "require"],
        "gssencmode": ["disable", "prefer", "require"],
        "load_balance_hosts": ["disable", "random"],
        "sslcertmode": ["disable", "allow", "require"],
        "sslmode": ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"],
        "sslnegotiation": ["postgres", "direct"],
        "target_session_attrs": ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"],
    ]

    /// The keywords whose value is a number of seconds, of milliseconds or of attempts.
    private static let numbers: Set = [
        "connect_timeout", "keepalives_count", "keepalives_idle", "keepalives_interval", "tcp_user_timeout",
    ]

    /// Says why libpq would refuse the value of a keyword, without the value: it may be a part of a password.
    static func objection(to value: String, of keyword: String) -> String? {
        guard keyword != "ssl" || value == "true" else {
            return "has another value of ssl than libpq knows: write sslmode in its place"
        }
        // libpq 15 refuses another text at the first connection.
        if numbers.contains(keyword), Int32(value.filter { $0 != " " }) == nil {
            return "has a value of \(keyword) that is not a number: write a whole number"
        }
        guard let known = values[keyword], !known.contains(value) else { return nil }
        // node-postgres encrypts with no-verify and checks no certificate; so does libpq with require.
        let hint = keyword == "sslmode" && value == "no-verify" ? " (require for no-verify)" : ""
        return "has another value of \(keyword) than libpq knows: write \(known.inWords)\(hint)"
    }

    /// Returns what to write instead of an option that hosts of databases add for other drivers; `nil` for any other
    /// keyword.
    static func foreign(_ keyword: String) -> String? {
        switch keyword {
        case "pgbouncer", "connection_limit", "pool_timeout", "pool_size", "pool_max_conns", "max_connections",
            "statement_cache_size", "statement_cache_capacity", "prepared_statement_cache_size", "prepared_statements",
            "prepareThreshold", "preparedStatementCacheQueries", "pool", "pool_mode", "max_conns", "max_overflow",
            "default_query_exec_mode", "binary_parameters", "supa", "workaround":
            ", and write store_pooling: transaction if a pooler at this address pools transactions"
        case "schema", "currentSchema", "search_path":
            ", and for another schema than public write options=-csearch_path%3DNAME"
        case "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout":
            "; the server sets its own time limits"
        case "connectTimeout", "loginTimeout", "timeout", "connection_timeout": ", or write connect_timeout=SECONDS"
        case "sslca", "ssl_ca": ", or write sslrootcert=/path"
        case "ApplicationName": ", or write application_name"
        case "sslaccept", "sslidentity", "sslfactory", "uselibpqcompat": "; sslmode decides what is checked"
        case "socket_timeout", "socketTimeout", "tcpKeepAlive", "reWriteBatchedInserts", "charset", "encoding",
            "TimeZone", "timezone", "serverVersion", "stringtype":
            ""
        default: nil
        }
    }
}
