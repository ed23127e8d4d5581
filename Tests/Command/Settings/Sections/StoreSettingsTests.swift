import Fixtures
import OperatingSystem
import Settings
import Support
import Testing

/// Tests of `store` with a URI of PostgreSQL.
@Suite("PostgreSQL")
struct StoreSettingsTests {
    private static let store = "store: sqlite:///data/accounts.db"
    private static let password = "5f4dcc3b5aa765d6"
    private static let insecure =
        "allows libpq to send passwords and accounts without encryption: add the options sslmode=verify-full and "
        + "sslrootcert=FILE, with the file of the authority's certificate, or sslmode=require"

    private func settings(_ value: String, environment: [String: String] = [:]) throws -> Settings {
        try Sample.loader(environment: Sample.environment.merging(environment) { $1 })
            .parse(yaml: Sample.changing(Self.store, to: "store: \"\(value)\"").yaml)
    }

    @Test(
        "A URI of libpq is kept unchanged, and printed without user, password and options",
        arguments: [
            ("postgresql://user@host1,host2/db?target_session_attrs=read-write&sslmode=verify-full", "host1,host2/db"),
            ("postgres://user@127.0.0.1:5433/db", "127.0.0.1:5433/db"),
            ("postgresql://[::1]:5433/db", "[::1]:5433/db"),
            ("postgresql:///db?host=/run/postgresql", "/db"),
            ("postgresql://%2Frun%2Fpostgresql/db", "%2Frun%2Fpostgresql/db"),
            ("postgresql://localhost", "localhost/"),
            ("postgresql://u%40x:@host:5432,[fd00::1]:5433/d%20b?ssl=true", "host:5432,[fd00::1]:5433/d%20b"),
        ])
    func taken(uri: String, place: String) throws {
        let settings = try settings(uri)
        guard case .postgres(let connection, .session) = settings.store else {
            Issue.record("no PostgreSQL")
            return
        }
        #expect(connection.secretText == uri)
        #expect(settings.warnings.isEmpty)
        #expect(settings.summary.contains("store: postgresql://\(place)"))
        #expect("\(settings.store)" == "postgresql://\(place)")
    }

    @Test("A weak password of a database is taken", arguments: ["pass%5Eword", "changeme", "secret", "password"])
    func weak(password: String) throws {
        let uri = "postgresql://user:\(password)@host/db?sslmode=require"
        #expect(try settings("env:DATABASE", environment: ["DATABASE": uri]).warnings.isEmpty)
    }

    @Test("A URI with a password may come from a variable or a file, and is printed without the password")
    func elsewhere() throws {
        let uri = "postgresql://user:\(Self.password)@db.example/accounts?sslmode=require"
        let settings = try settings("env:DATABASE", environment: ["DATABASE": uri])
        #expect(settings.warnings.isEmpty)
        var dumped = ""
        dump(settings, to: &dumped)
        for text in ["\(settings)", dumped, "\(settings.store)", String(reflecting: settings.store)] {
            #expect(!text.contains(Self.password))
        }
        #expect(settings.summary.contains("store: postgresql://db.example/accounts"))
        let loader = SettingsLoader(environment: Sample.environment) { path throws(SettingsFileError) in
            guard let text = path == "/keys/store" ? uri : Sample.files[path] else { throw .missing }
            return SettingsFile(bytes: Array(text.utf8))
        }
        let yaml = try Sample.changing(Self.store, to: "store: file:/keys/store").yaml
        #expect(try loader.parse(yaml: yaml).store.description == "postgresql://db.example/accounts")
        #expect(
            try self.settings("env:DATABASE", environment: ["DATABASE": "sqlite:///x.db"]).store
                == .sqlite(path: "/x.db"))
    }

    @Test("A pooler of transactions is named beside a URI of PostgreSQL, and refused beside a path of SQLite")
    func pooling() throws {
        let file = try Sample.changing(Self.store, to: "store: postgresql://localhost/db\nstore_pooling: transaction")
        let settings = try Sample.loader().parse(yaml: file.yaml)
        guard case .postgres(_, .transaction) = settings.store else {
            Issue.record("no pooler")
            return
        }
        #expect(settings.summary.contains("store_pooling: transaction"))
        let (yaml, line) = try Sample.changing(Self.store, to: Self.store + "\nstore_pooling: transaction")
        let problem = SettingsProblem(line: line + 1, key: "store_pooling", message: "applies only to PostgreSQL")
        #expect(throws: SettingsProblems([problem])) { try Sample.loader().parse(yaml: yaml) }
    }

    /// A configuration with a database of Firestore and both lists of keys.
    private static func firestore(
        _ value: String, firebase: String? = nil, further: String = "", environment: [String: String] = [:]
    ) throws -> Settings {
        var yaml = try Sample.changing(store, to: "store: \"\(value)\"\(further)").yaml
        if let firebase {
            yaml = yaml.replacing(#/service_account: .*/#, with: firebase)
                .replacing("https://auth.example.com", with: "http://127.0.0.1:8080")
        }
        return try Sample.loader(environment: Sample.environment.merging(environment) { $1 }).parse(yaml: yaml)
    }

    @Test(
        "A database of Firestore is named by project and id",
        arguments: [
            ("firestore://my-project/token-exchange", "my-project", "token-exchange"),
            ("firestore://my-project/(default)", "my-project", "(default)"),
            ("firestore://example.com:my-project/abcd", "example.com:my-project", "abcd"),
        ])
    func firestore(value: String, project: String, database: String) throws {
        let settings = try Self.firestore(value)
        #expect(settings.store == .firestore(project: project, database: database))
        #expect(settings.summary.contains("store: \(value)"))
        #expect(settings.warnings.isEmpty)
    }

    @Test(
        "An address of Firestore with a missing or wrong part is refused, and the message names the part",
        arguments: [
            ("firestore:my-project/db", "write two slashes after the scheme: firestore://project/database"),
            ("firestore:///db", "names no project: write firestore://project/database, with the id of the project"),
            (
                "firestore://my project/abcd",
                "names no project of Google: write its id, of letters, digits and hyphens, as in firestore://my-project/(default)"
            ),
            ("firestore://p", noDatabase), ("firestore://p/", noDatabase), ("firestore://p/Default", wrongDatabase),
            ("firestore://p/abc", wrongDatabase), ("firestore://p/1abc", wrongDatabase),
            ("firestore://p/abcd/", wrongDatabase), ("firestore://p/abcd?x=y", wrongDatabase),
            (
                "datastore://p/abcd",
                "write sqlite:///path; or, with seal_keys and store_keys, postgresql://user@host/database or "
                    + "firestore://project/database"
            ),
        ])
    func refusedFirestore(value: String, message: String) throws {
        let (yaml, line) = try Sample.changing(Self.store, to: "store: \"\(value)\"")
        let problem = SettingsProblem(line: line, key: "store", message: message)
        #expect(throws: SettingsProblems([problem])) { try Sample.loader().parse(yaml: yaml) }
    }

    private static let noLoopback = "write a loopback address and a port, such as 127.0.0.1:8080"
    private static let noDatabase =
        "names no database: write firestore://p/token-exchange with the id of a database of its own, or firestore://p/(default)"
    private static let wrongDatabase =
        "names no database of Firestore: write its id, of 4 to 63 lower-case letters, digits and hyphens, or (default) with "
        + "parentheses, as in firestore://p/(default)"

    @Test("The key selects the emulator of Firestore, and no variable does")
    func firestoreEmulator() throws {
        let key = "\nstore_emulator_host: 127.0.0.1:8081"
        let variable = ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:8081"]
        let emulator = Settings.Store.firestore(project: "p", database: "abcd", emulator: "127.0.0.1:8081")
        let ignored = try Self.firestore("firestore://p/abcd", environment: variable)
        #expect(ignored.store == .firestore(project: "p", database: "abcd"))
        let warning =
            "the variable FIRESTORE_EMULATOR_HOST is ignored: only the key store_emulator_host selects the emulator"
        #expect(ignored.warnings.map(\.message) == [warning])
        for firebase in ["service_account: /keys/account.json", "emulator_host: 127.0.0.1:9099", "signer: process"] {
            let settings = try Self.firestore(
                "firestore://p/abcd", firebase: firebase, further: key, environment: variable)
            #expect(settings.store == emulator)
            #expect(!settings.warnings.contains { $0.message.contains("FIRESTORE_EMULATOR_HOST") })
            #expect(settings.summary.contains("store_emulator_host: 127.0.0.1:8081"))
        }
        #expect("\(emulator)" == "firestore://p/abcd (emulator at 127.0.0.1:8081)")
        #expect(try Self.firestore("firestore://p/abcd", further: "\nstore_emulator_host: null").store == ignored.store)
    }

    @Test(
        "The emulator of Firestore is on loopback, for Firestore and for a server on loopback",
        arguments: [
            ("127.0.0.1", noLoopback), ("127.0.0.1:0", noLoopback), ("db.example:8080", noLoopback),
            ("10.0.0.1:8080", noLoopback), ("http://127.0.0.1:8080", noLoopback),
        ])
    func refusedEmulator(host: String, message: String) throws {
        let error = #expect(throws: SettingsProblems.self) {
            try Self.firestore(
                "firestore://p/abcd", firebase: "service_account: /keys/account.json",
                further: "\nstore_emulator_host: \"\(host)\"")
        }
        #expect(error.map { "\($0)" }?.contains("store_emulator_host: " + message) ?? false)
    }

    @Test(
        "The emulator of Firestore is refused for another store and a public server, and required with unsigned tokens")
    func emulatorElsewhere() throws {
        func problem(_ value: String, firebase: String? = nil, host: String?) throws -> String {
            let error = #expect(throws: SettingsProblems.self) {
                try Self.firestore(
                    value, firebase: firebase, further: host.map { "\nstore_emulator_host: \($0)" } ?? "")
            }
            return error.map { "\($0)" } ?? ""
        }
        let host = "127.0.0.1:8080"
        #expect(
            try problem("sqlite:///data/accounts.db", host: host).contains(
                "store_emulator_host: applies only to Firestore: leave it out"))
        #expect(
            try problem("firestore://p/abcd", host: host).contains(
                "store_emulator_host: is allowed only with a public URL on loopback, because the emulator forgets which "
                    + "credentials were used: change server.public_url, or leave this key out"))
        #expect(
            try problem("firestore://p/abcd", firebase: "emulator_host: 127.0.0.1:9099", host: nil).contains(
                "store_emulator_host: is missing: write it beside firebase.emulator_host, such as 127.0.0.1:8080, because no "
                    + "service account is read with which Firestore itself could be called"))
    }

    @Test("Firestore has no pooler, and needs access tokens that a signer in another process does not give")
    func firestoreNeeds() {
        let pooled = #expect(throws: SettingsProblems.self) {
            try Self.firestore("firestore://p/abcd", further: "\nstore_pooling: transaction")
        }
        #expect(pooled.map { "\($0)" }?.contains("store_pooling: applies only to PostgreSQL") ?? false)
        let process = #expect(throws: SettingsProblems.self) {
            try Self.firestore("firestore://p/abcd", firebase: "signer: process")
        }
        #expect(
            process.map { "\($0)" }?.contains(
                "store: cannot be Firestore with signer: process, whose access tokens are only for Firebase Authentication: write "
                    + "signer: iam, or leave out signer and name firebase.service_account") ?? false)
    }

    @Test("A plain-text password is a warning, and is refused in a file that others can read")
    func clearPassword() throws {
        let clear = "is in plain text: write env:NAME or file:/path"
        for uri in [
            "postgresql://user:\(Self.password)@localhost/db", "postgresql://localhost/db?password=\(Self.password)",
            "postgresql://localhost/db?sslpassword=\(Self.password)",
        ] {
            let (yaml, line) = try Sample.changing(Self.store, to: "store: \(uri)")
            #expect(
                try Sample.loader().parse(yaml: yaml).warnings
                    == [SettingsProblem(line: line, key: "store", message: clear)])
            #expect(throws: SettingsProblems.self) { try Sample.loader().parse(yaml: yaml, exposure: .readable) }
        }
    }

    @Test(
        "A connection to another machine that may be unencrypted is a warning",
        arguments: [
            ("postgresql://host/db", true), ("postgresql://host/db?sslmode=prefer", true),
            ("postgresql://localhost,host/db", true), ("postgresql://10.0.0.1/db", true),
            ("postgresql://[fd00::1]/db", true), ("postgresql:///db?host=db.example", true),
            ("postgresql:///db?hostaddr=10.0.0.1", true),
            ("postgresql:///db?hostaddr=fd00::1", true),
            ("postgresql://host/db?sslmode=require", false), ("postgresql://host/db?sslmode=verify-ca", false),
            ("postgresql://localhost:1/db", false), ("postgresql://127.0.0.1,[::1]:2/db", false),
            ("postgresql:///db?host=/tmp&hostaddr=::1", false), ("postgresql:///db", false),
            ("postgresql:///db?host=%40abstract", false),
        ])
    func clearLine(uri: String, warns: Bool) throws {
        #expect(try settings(uri).warnings.map(\.message) == (warns ? [Self.insecure] : []))
        #expect(
            try settings(uri, environment: ["PGSSLMODE": "verify-full"]).warnings.isEmpty || uri.contains("sslmode"))
    }

    @Test("A file that the URI names must be there, because libpq would verify nothing without it")
    func files() throws {
        for path in ["$HOME/.postgresql/root.crt", "~/.postgresql/root.crt"] {
            let uri = "postgresql://host/db?sslmode=verify-full&sslrootcert=\(path)"
            let problems = try #require(throws: SettingsProblems.self) { try settings(uri) }.problems
            #expect(problems.map(\.message).allSatisfy { $0.hasPrefix("the file \(path) (in ") })
            #expect(
                problems.map(\.message).allSatisfy {
                    $0.hasSuffix(
                        "of sslrootcert does not exist: ~ and variables such as $HOME are not replaced here")
                })
            #expect(problems.count == 1)
        }
        for path in ["system", "/keys/chain.pem", "/dev/null"] {
            _ = try settings("postgresql://host/db?sslmode=verify-full&sslrootcert=\(path)")
        }
    }

    @Test(
        "A certificate of the client and its key must be a pair that libpq can use without a question",
        arguments: [
            ("sslcert=/pg/rsa-2048-certificate&sslkey=/pg/rsa-2048", nil),
            ("sslcert=/pg/rsa-2048-certificate&sslkey=/pg/rsa-2048-encrypted&sslpassword=p", nil),
            (
                "sslcert=/pg/rsa-2048-certificate&sslkey=/open/rsa-2048",
                "the file /open/rsa-2048 of sslkey can be read by its group and by all other users: run chmod 600 /open/rsa-2048"
            ),
            (
                "sslcert=/pg/rsa-2048-certificate&sslkey=/pg/p256",
                "the file /pg/p256 of sslkey is not the key of the first certificate in the file /pg/rsa-2048-certificate of "
                    + "sslcert: name the two files of one certificate"
            ),
            ("sslcert=/pg/rsa-2048-certificate&sslkey=/pg/rsa-2048-encrypted", passphrase("rsa-2048-encrypted")),
            (
                "sslcert=/pg/rsa-2048-certificate&sslkey=/pg/rsa-2048-pkcs1-encrypted",
                passphrase("rsa-2048-pkcs1-encrypted")
            ),
            (
                "sslcert=/pg/rsa-2048&sslkey=/pg/rsa-2048-certificate",
                "the file /pg/rsa-2048 of sslcert is a private key, and must be a certificate: name the right file"
            ),
            (
                "sslcert=/pg/rsa-2048-certificate&sslkey=/pg/rsa-2048-certificate",
                "the file /pg/rsa-2048-certificate of sslkey is a block with the label CERTIFICATE, and must be a private key: "
                    + "name the right file"
            ),
            (
                "sslcert=/pg/rsa-2048-certificate",
                "has sslcert without sslkey, and the file /home/te/.postgresql/postgresql.key, which libpq then reads, does not "
                    + "exist: add sslkey=FILE with the private key of the certificate"
            ),
        ] as [(String, String?)])
    func clientCertificate(options: String, message: String?) throws {
        let loader = SettingsLoader(environment: Sample.environment.merging(["HOME": "/home/te"]) { $1 }) {
            path throws(SettingsFileError) in
            if let text = Sample.files[path] { return SettingsFile(bytes: Array(text.utf8)) }
            let parts = path.split(separator: "/").map(String.init)
            guard parts.count == 2, let text = try? Fixtures.pem(parts[1]) else { throw .missing }
            return SettingsFile(bytes: Array(text.utf8), exposure: parts[0] == "open" ? .readable : [])
        }
        // Without TLS libpq does not read them.
        let plain = "postgresql://te@127.0.0.1/te?sslmode=disable&\(options)"
        _ = try loader.parse(yaml: try Sample.changing(Self.store, to: "store: \(plain)").0)
        let uri = "postgresql://te@host/te?sslmode=require&\(options)"
        let (yaml, line) = try Sample.changing(Self.store, to: "store: \(uri)")
        guard let message else {
            #expect(try loader.parse(yaml: yaml).store.description == "postgresql://host/te")
            return
        }
        #expect(throws: SettingsProblems([SettingsProblem(line: line, key: "store", message: message)])) {
            try loader.parse(yaml: yaml)
        }
    }

    private static func passphrase(_ file: String) -> String {
        "the file /pg/\(file) of sslkey has a passphrase, for which libpq cannot ask here: write the option sslpassword, or "
            + "decrypt the key with openssl pkey -in FILE -out NEWFILE"
    }

    @Test(
        "A URI that libpq would refuse or misread is refused, and the message does not repeat it",
        arguments: [
            (
                "postgresql://u:hunter2@/cloudsql/p:r:i:5432/db",
                "has more than one / after the host: write only the name of the database there. If it is the folder of a socket, "
                    + "write it as the host of the options, as in postgresql://user@/database?host=/cloudsql/project:region:instance"
            ),
            (
                "postgresql://u:hunter2@${{Postgres.RAILWAY_PRIVATE_DOMAIN}}:5432/railway",
                "has a placeholder instead of a host: write the real one"
            ),
            (
                "postgresql://u:hunter2@h/db?sslmode=require&sslrootcert=/nonexistent.crt",
                "the file /nonexistent.crt of sslrootcert does not exist"
            ),
            (
                "postgresql://u:hunter2@h/db?sslmode=require&sslcert=/missing.crt",
                "the file /missing.crt of sslcert does not exist"
            ),
            ("postgresql:host/db", "write two slashes after the scheme: postgresql://user@host/database"),
            (
                "postgresql://us er@host/db",
                "contains a blank, or another character that a URI does not have: write a blank as %20, and in user name and password "
                    + "also @ as %40, / as %2F, ? as %3F, : as %3A and % as %25"
            ),
            (
                "postgresql://user:hunter#2@host/db", "contains #, which ends a URI: write it as %23, in a password too"
            ),
            ("postgresql://user:hunter@2@host/db", escape), ("postgresql://user:hun/ter2@host/db", escape),
            ("postgresql://user:hun?ter2@host/db", escape), ("postgresql://host?user=a@b", escape),
            ("postgresql://user:hunter2", hosts), ("postgresql://host:0/db", hosts), ("postgresql://a:1:2/db", hosts),
            ("postgresql://[::g]/db", hosts),
            (
                "postgresql://te:x@[2a01:4f8::1/db",
                "has [ without ] in the place of the host: write an IPv6 address as [IPv6]:port"
            ),
            ("postgresql://a%zz@host/db", octet), ("postgresql://a:b%0@host/db", octet),
            ("postgresql://host/%00", octet),
            ("postgresql://host/db?user=%", octet),
            ("postgresql://host/db?sslmode", "write each option after ? as keyword=value"),
            ("postgresql://host/db?ssl_mode=require", "has an option that libpq does not know: did you mean sslmode?"),
            (
                "postgresql://host/db?x=1",
                "has an option that libpq does not know: use a keyword of its connection strings"
            ),
            ("postgresql://host/db?sslmode=require&sslmode=disable", "has the option sslmode twice: keep one"),
            (
                "postgresql://user:your-password@host/db",
                "has a placeholder instead of a password: write the real one"
            ),
        ])
    func refused(uri: String, message: String) throws {
        try Change(Self.store, "store: \"\(uri)\"", "store", message).expectRefusal()
    }

    @Test(
        "A reference within a URI is refused, because only the whole value can be one",
        arguments: [
            ("postgresql://user:env:DB_PASSWORD@localhost/db", "env:"),
            ("postgresql://user:file:/run/secrets/db@localhost/db", "file:"),
            ("postgresql://user:gcp-secret:db@localhost/db", "gcp-secret:"),
            ("postgresql://env:DB_USER:env:DB_PASSWORD@localhost/db", "env:"),
            ("postgresql://user@env:DB_HOST/db", "env:"), ("postgresql://user@localhost,env:DB_HOST/db", "env:"),
            ("postgresql://user@localhost:env:DB_PORT/db", "env:"), ("postgresql://env:DATABASE_URL", "env:"),
            ("postgresql://localhost/db?password=env:DB_PASSWORD", "env:"),
            ("postgresql://localhost/db?sslpassword=file:/run/secrets/key", "file:"),
        ])
    func reference(uri: String, reference: String) throws {
        let message =
            "contains \(reference) within the URI, where no reference is read: write env:NAME or file:/path in place of the "
            + "whole URI, with the whole URI in that variable or file, or the option passfile=/path with a password file of "
            + "libpq. If the password itself contains \(reference), write its colon as %3A"
        try Change(Self.store, "store: \"\(uri)\"", "store", message).expectRefusal()
        var environment = Sample.environment
        environment["DATABASE"] = uri
        try Change(Self.store, "store: env:DATABASE", "store", message).expectRefusal(environment: environment)
    }

    @Test(
        "A user, host or password with such a name or text is none",
        arguments: [
            "postgresql://user:env%3ADB_PASSWORD@localhost/db", "postgresql://env:\(password)@localhost/db",
            "postgresql://user@env:5432,file:5433/db?sslmode=require",
            "postgresql://user@localhost/db?application_name=env:production",
        ])
    func noReference(uri: String) throws {
        #expect(try settings("env:DATABASE", environment: ["DATABASE": uri]).warnings.isEmpty)
    }

    @Test(
        "An address of PostgreSQL in another form is named as one, and not repeated",
        arguments: [
            "postgresql+asyncpg://u:hunter2@host/db", "postgresql+psycopg2://u:hunter2@host/db",
            "jdbc:postgresql://host/db?user=u&password=hunter2", "pg://u:hunter2@host/db", "pgsql://u:hunter2@host/db",
            "postgis://u:hunter2@host/db", "psql 'postgresql://u:hunter2@host/db?sslmode=require'",
            "host=db user=u dbname=x", "POSTGRESQL://u:hunter2@host/db",
        ])
    func otherForm(address: String) throws {
        let message =
            "is an address of PostgreSQL in the form of a command or of another driver: write it as "
            + "postgresql://user:password@host/database, without other words and quotation marks"
        try Change(Self.store, "store: \"\(address)\"", "store", message).expectRefusal()
        var environment = Sample.environment
        environment["DATABASE"] = address
        try Change(Self.store, "store: env:DATABASE", "store", message).expectRefusal(environment: environment)
    }

    private static let escape =
        "has an ambiguous @: in user name and password write @ as %40, / as %2F, ? as %3F, : as %3A and % as %25"
    private static let hosts = "write hosts as host:port, [IPv6]:port or host, separated by commas"
    private static let octet = "has a percent sign that is not followed by two hexadecimal digits: write it as %25"

    @Test(
        "An option of another driver is named with what to write instead, and its value is not repeated",
        arguments: [
            ("pgbouncer", pooler), ("connection_limit", pooler), ("pool_timeout", pooler),
            ("schema", ", and for another schema than public write options=-csearch_path%3DNAME"),
            ("statement_timeout", "; the server sets its own time limits"),
            ("connectTimeout", ", or write connect_timeout=SECONDS"),
            ("sslaccept", "; sslmode decides what is checked"), ("socket_timeout", ""),
            ("serverVersion", ""), ("charset", ""), ("stringtype", ""), ("pool", pooler), ("pool_mode", pooler),
            ("max_conns", pooler), ("prepared_statement_cache_size", pooler),
        ])
    func foreign(keyword: String, advice: String) throws {
        let uri = "postgresql://postgres.abcd:p%40ss%24@aws-0-eu-west-1.pooler.example:6543/postgres"
        try Change(
            Self.store, "store: \"\(uri)?\(keyword)=hunter2&sslmode=require\"", "store",
            "has the option \(keyword), which is not of libpq: leave it out\(advice)"
        ).expectRefusal()
    }

    private static let pooler = ", and write store_pooling: transaction if a pooler at this address pools transactions"

    @Test(
        "A value that libpq does not know is refused with those that it knows",
        arguments: [
            ("sslmode=no-verify", sslmode + " (require for no-verify)"), ("sslmode=hunter2", sslmode),
            ("sslmode=Require", sslmode), ("ssl=false", ssl),
            ("ssl=no-verify", ssl),
            // libpq 15 reads the first two as sslmode=require, which verifies nothing.
            ("sslmode=verify-full&ssl=true", both), ("sslmode=verify-full&sslrootcert=system&ssl=true", both),
            ("ssl=true&sslmode=verify-full", both),
            // libpq 15 takes it for the path of a file.
            ("sslrootcert=system", system), ("sslmode=require&sslrootcert=system", system),
            ("ssl=true&sslrootcert=system", system), ("sslmode=verify-ca&sslrootcert=system", system),
            ("connect_timeout=hunter2", "has a value of connect_timeout that is not a number: write a whole number"),
            ("connect_timeout=", "has a value of connect_timeout that is not a number: write a whole number"),
            (
                "channel_binding=hunter2",
                "has another value of channel_binding than libpq knows: write disable, prefer or require"
            ),
        ])
    func badValue(option: String, message: String) throws {
        try Change(Self.store, "store: postgresql://host/db?\(option)", "store", message).expectRefusal()
    }

    private static let ssl = "has another value of ssl than libpq knows: write sslmode in its place"
    private static let system =
        "has sslrootcert=system without sslmode=verify-full, so that libpq before version 16 verifies nothing: write "
        + "sslmode=verify-full, without the option ssl"
    private static let both = "has the options ssl and sslmode, of which libpq uses the last one: leave ssl out"
    private static let sslmode =
        "has another value of sslmode than libpq knows: write disable, allow, prefer, require, verify-ca or verify-full"

    @Test("A file of PGSSLROOTCERT that does not exist is refused, unless libpq does not use it")
    func missingAuthorities() throws {
        let variables = ["PGSSLROOTCERT": "/nonexistent.crt"]
        try Change(
            Self.store, "store: postgresql://host/db?sslmode=require", "store",
            "the file /nonexistent.crt of the variable PGSSLROOTCERT does not exist"
        ).expectRefusal(environment: Sample.environment.merging(variables) { $1 })
        for uri in ["host/db?sslmode=disable", "host/db?sslmode=require&sslrootcert=/keys/chain.pem", "localhost/db"] {
            _ = try settings("postgresql://\(uri)", environment: variables)
        }
        try Change(
            Self.store, "store: postgresql://host/db?sslmode=require", "store",
            Self.system.replacing("has sslrootcert", with: "uses PGSSLROOTCERT")
        ).expectRefusal(environment: Sample.environment.merging(["PGSSLROOTCERT": "system"]) { $1 })
    }

    @Test("A value of PGSSLMODE that libpq does not know is refused, unless the URI has its own")
    func badVariable() throws {
        let environment = Sample.environment.merging(["PGSSLMODE": "no-verify"]) { $1 }
        try Change(
            Self.store, "store: postgresql://host/db", "store",
            "the variable PGSSLMODE \(Self.sslmode) (require for no-verify)"
        ).expectRefusal(environment: environment)
        #expect(throws: Never.self) {
            try settings("postgresql://host/db?sslmode=require", environment: ["PGSSLMODE": "no-verify"])
        }
    }

    private static let missingKeys =
        "is missing: with PostgreSQL write [env:NAME], with a key of its own that is the same at every server"

    @Test(
        "Seal keys are required with PostgreSQL, since all servers must have the same ones",
        arguments: ["", "seal_keys: []\n"])
    func sealKeys(line: String) throws {
        let yaml = try Sample.changing(Self.store, to: "store: postgresql://localhost/db").yaml
            .replacing("seal_keys: [env:SEAL_KEY]\n", with: line)
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: line.isEmpty ? nil : 13, key: "seal_keys",
                    message: Self.missingKeys)
            ])
        ) { try Sample.loader().parse(yaml: yaml) }
    }

    @Test("Store keys are required with PostgreSQL", arguments: ["", "store_keys: []\n"])
    func storeKeys(line: String) throws {
        let yaml = try Sample.changing(Self.store, to: "store: postgresql://localhost/db").yaml
            .replacing("store_keys: [env:STORE_KEY]", with: "").replacing("seal_keys:", with: line + "seal_keys:")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: line.isEmpty ? nil : 13, key: "store_keys",
                    message: Self.missingKeys)
            ])
        ) { try Sample.loader().parse(yaml: yaml) }
    }

    @Test("A file that contains the URI and that others can read is refused")
    func openFile() throws {
        let loader = SettingsLoader(environment: Sample.environment) { path throws(SettingsFileError) in
            guard let text = path == "/open/store" ? "postgresql://localhost/db" : Sample.files[path]
            else { throw .missing }
            return SettingsFile(bytes: Array(text.utf8), exposure: path == "/open/store" ? .readable : [])
        }
        let (yaml, line) = try Sample.changing(Self.store, to: "store: file:/open/store")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: line, key: "store",
                    message:
                        "the file /open/store can be read by its group and by all other users: run chmod 600 /open/store, or start with "
                        + "--allow-insecure-permissions")
            ])
        ) { try loader.parse(yaml: yaml) }
    }
}
