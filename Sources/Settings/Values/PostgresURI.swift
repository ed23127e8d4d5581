/// A connection URI of libpq (PostgreSQL manual, "Connection URIs"), as far as it has to be understood here.
///
/// `postgresql://user:password@host1:5432,host2/database?keyword=value&…`, each part of which may be missing and may hold
/// percent-encoded octets.
struct PostgresURI {
    static let schemes = ["postgresql:", "postgres:"]

    /// As they are written, with their ports.
    let hosts: Substring
    let database: Substring
    /// Every one that stands in the text, decoded.
    let passwords: [String]
    /// Decoded, by keyword.
    let options: [String: String]

    /// Without user, password and options.
    var place: String { "postgresql://\(hosts)/\(database)" }

    /// Why a text is none, without repeating it: it may hold a password.
    struct Fault: Error {
        let message: String
    }

    static func parse(_ text: String) throws(Fault) -> PostgresURI {
        guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else {
            throw Fault(message: "write two slashes behind the scheme: postgresql://user@host/database")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Fault(message: "holds a character that a URI cannot have: percent-encode it")
        }
        let rest = text.dropFirst(scheme.count)
        guard !rest.contains("#") else { throw Fault(message: "percent-encode # as %23") }
        // As libpq looks for it: what stands before the first @, unless the authority ends before.
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard authority.count(where: { $0 == "@" }) <= 1, !rest[authority.endIndex...].contains("@") else {
            throw Fault(message: "percent-encode what the user name and the password hold besides letters and digits")
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
        return PostgresURI(
            hosts: hosts, database: path.dropFirst(),
            passwords: (written + ["password", "sslpassword"].compactMap { options[$0] }).filter { !$0.isEmpty },
            options: options)
    }

    private static func options(of query: Substring) throws(Fault) -> [String: String] {
        var options: [String: String] = [:]
        for part in query.split(separator: "&", omittingEmptySubsequences: false) where !query.isEmpty {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else { throw Fault(message: "write each option behind ? as keyword=value") }
            let keyword = try decode(sides[0])
            guard PostgresKeyword.all.contains(keyword) else {
                // What is not known may be a part of a password, so it is repeated only where it is nearly one.
                let hint = Spelling.nearest(to: keyword, among: PostgresKeyword.all)
                throw Fault(
                    message: "has an option that libpq does not know: "
                        + (hint.map { "did you mean \($0)?" } ?? "write those of its connection strings"))
            }
            guard options.updateValue(try decode(sides[1]), forKey: keyword) == nil else {
                throw Fault(message: "has the option \(keyword) twice: keep one")
            }
        }
        return options
    }

    private static func checkPorts(of hosts: Substring) throws(Fault) {
        for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
            let afterAddress = host.hasPrefix("[") ? host.drop { $0 != "]" }.dropFirst() : host
            let parts = afterAddress.split(separator: ":", omittingEmptySubsequences: false)
            let isAddress = !host.hasPrefix("[") || IPAddress.version6(host.dropFirst().prefix { $0 != "]" }) != nil
            guard isAddress, parts.count <= 2, parts.count < 2 || Port.parse(parts[1]) != nil else {
                throw Fault(message: "write hosts as host:port, [IPv6]:port, or host alone, with commas between them")
            }
        }
    }

    /// A percent sign that is none is refused, and `%00` with it, as libpq does.
    private static func decode(_ text: Substring) throws(Fault) -> String {
        var octets: [UInt8] = []
        var rest = text.utf8[...]
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16), value != 0 else {
                throw Fault(message: "has a percent sign that begins no octet: write it as %25")
            }
            octets.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: octets, as: UTF8.self)
    }
}

extension PostgresURI {
    /// Whether some host is beyond this machine, and nothing makes libpq insist on TLS.
    ///
    /// - `environment`: libpq takes `PGSSLMODE` where the URI has no `sslmode`.
    func mayTravelInClear(environment: [String: String]) -> Bool {
        let mode = options["sslmode"] ?? (options["ssl"] == "true" ? "require" : nil) ?? environment["PGSSLMODE"]
        guard !["require", "verify-ca", "verify-full"].contains(mode) else { return false }
        let named = ([String(hosts)] + ["host", "hostaddr"].compactMap { options[$0] })
            .flatMap { $0.split(separator: ",") }
        return named.contains { !Self.isLocal($0) }
    }

    /// A loopback address, or the folder of a Unix-domain socket.
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

/// What may stand behind the question mark of a libpq URI (PostgreSQL manual, "Parameter Key Words", and `ssl`).
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
}
