internal import ArgumentParser
internal import Logging
internal import OperatingSystem
internal import Settings
internal import Stores

extension StoreError {
    /// The exit code: 78 if no start can succeed before the operator changes the files.
    private var exitCode: ExitCode {
        switch self {
        case .exposed, .notLocal, .unavailable(.folderMissing, _), .unavailable(.notAFile, _),
            .unavailable(.notADatabase, _):
            Exit.configuration
        default: Exit.failure
        }
    }

    /// The end of a command that cannot use a store.
    func exit(for store: Settings.Store) -> ExitReason {
        let subject = isOfDirectory ? "Firebase" : "the store \(store)"
        return Exit.because("\(subject) cannot be used: \(advice(for: store))", exitCode)
    }

    /// The error code with its cause, and with advice for the operator of a store.
    func advice(for store: Settings.Store) -> String {
        [code, cause, remedy(for: store, on: store.fileSystem)].compactMap(\.self).joined(separator: "; ")
    }

    /// The same in parts, for the log.
    func metadata(for store: Settings.Store) -> Logger.Metadata {
        ["error": code, "cause": cause, "advice": remedy(for: store, on: store.fileSystem)]
            .compactMapValues { $0.map { "\($0)" } }
    }

    /// What PostgreSQL, libpq or Firebase reports, what stands at the path of the file, or the setting or migration that is wrong.
    private var cause: String? {
        switch self {
        case .unavailable(let fault, let cause): cause.map(VisibleText.of) ?? fault.sentence
        case .outcomeUnknown(let fault): fault.sentence
        case .notDurable(let setting, let value, let needed):
            VisibleText.of("\(setting) is \(value) and must be \(needed)")
        case .newerSchema(let found, let supported):
            VisibleText.of("its newest migration is \(found), and that of this version is \(supported)")
        default: nil
        }
    }

    /// The advice in the log of a request, which only its client can repeat.
    ///
    /// - Parameter fileSystem: That of the store, which the caller determines once: on a network, the system may block the
    ///   thread that asks for it.
    func adviceOnRequest(for store: Settings.Store, on fileSystem: FileSystem?) -> String? {
        if case .outcomeUnknown(let fault) = self { return fault.remedy(for: store, on: fileSystem) }
        return remedy(for: store, on: fileSystem)
    }

    /// The advice for a database with tables of another program.
    fileprivate static let placeOfItsOwn =
        "name a database in store that no other program uses, or at PostgreSQL a schema (options=-csearch_path%3DNAME)"

    private func remedy(for store: Settings.Store, on fileSystem: FileSystem?) -> String? {
        switch self {
        case .tablesBehind:
            "the tables are missing, or of an earlier version: run token-exchange migrate, at PostgreSQL with a role that may "
                + "create tables. If they are missing although there were accounts, correct store"
        case .newerSchema:
            "if a later version of token-exchange made it, use that version; if another program did, \(Self.placeOfItsOwn)"
        case .unavailable(.directoryRefused, _?): nil
        case .unavailable(let fault, let cause): fault.remedy(for: store, on: fileSystem, because: cause)
        case .notDurable(let setting, _, let needed):
            switch store {
            case .sqlite, .firestore:
                "otherwise it can lose confirmed commits; report this to the developers of token-exchange"
            case .postgres:
                "otherwise it can lose confirmed commits. Set \(setting) = \(needed) for the server (postgresql.conf, or the "
                    + "settings of a managed service), and let neither the role, the database nor the connection string set another "
                    + "value"
            }
        case .outcomeUnknown(let fault):
            ["check whether the change was made before you repeat it", fault.remedy(for: store, on: fileSystem)]
                .compactMap(\.self).joined(separator: "; ")
        case .exposed(let path, let objection):
            "the file \(path) \(objection), or start with \(Settings.Allowances.insecurePermissionsFlag)"
        case .notLocal(let fileSystem):
            "SQLite needs a local file system, and this one is \(fileSystem). Move the file, use PostgreSQL, or start with "
                + Settings.Allowances.networkFilesystemFlag
        case .corrupt: StoreFault.corrupt.remedy(for: store, on: fileSystem)
        case .noFreeUID, .clockBehind: nil
        }
    }
}

extension Settings.Store {
    /// The file system of the database, or of the folder of one that does not exist; `nil` for a store without a file.
    var fileSystem: FileSystem? {
        guard case .sqlite(let path) = self else { return nil }
        return FileSystem.of(path) ?? FileSystem.of(FilePaths.folder(of: path))
    }
}

extension StoreFault {
    /// The advice for the operator of a store; `nil` if the name says everything.
    fileprivate func remedy(
        for store: Settings.Store, on fileSystem: FileSystem?, because cause: String? = nil
    ) -> String? {
        if self == .directoryRefused { return Self.roleOfDirectory }
        if self == .directoryUnreachable { return Self.trialOfDirectory }
        switch store {
        case .sqlite(let path): return sqliteRemedy(path).map { $0 + remedy(on: fileSystem) }
        case .postgres: return cause.flatMap { remedyOfPostgres(saying: $0) } ?? postgresRemedy
        case .firestore(let project, let database, let emulator):
            return firestoreRemedy(project, database, emulator ?? "firestore.googleapis.com")
        }
    }

    private func firestoreRemedy(_ project: String, _ database: String, _ host: String) -> String? {
        let flags = "--project=\(ShellWord.of(project)) --database=\(ShellWord.of(database))"
        return switch self {
        case .databaseMissing:
            "correct project and database in store, of which the one that each project may have is (default) with parentheses, "
                + "or create it: gcloud firestore databases create \(flags) --location=REGION"
        case .notADatabase:
            "a database in Datastore mode cannot be used: create one in native mode, and name it in store: gcloud firestore "
                + "databases create --project=\(ShellWord.of(project)) --database=token-exchange --location=REGION"
        case .privilegeMissing:
            "if the cause names no other reason, give the service account the role roles/datastore.user: gcloud projects "
                + "add-iam-policy-binding \(ShellWord.of(project)) --member=serviceAccount:ADDRESS --role=roles/datastore.user. "
                + "migrate needs roles/datastore.owner. ADDRESS is client_email in the file of firebase.service_account or "
                + "google_credentials; without one, it is the account of the machine. If Firestore was never used in the project, "
                + "enable firestore.googleapis.com"
        case .authentication:
            "token-exchange doctor examines the service account of section firebase, the clock of this machine, and whether Google "
                + "can be reached"
        case .noAnswer:
            "if the cause names no status, let this machine reach \(host); if a page answers, let what is between this machine and "
                + "\(host) pass the calls; otherwise a later call may succeed"
        case .busy:
            "with the status 429, look at the quotas and the usage of Firestore in the console of Google Cloud: a used-up "
                + "free quota ends at midnight Pacific time, or with billing. Otherwise a later call may succeed"
        case .corrupt: "a document was changed by hand, or by another program: restore it, or delete the document"
        default: nil
        }
    }

    /// What to add to the remedy for a file whose file system is not known to be local.
    func remedy(on fileSystem: FileSystem?) -> String {
        guard let fileSystem, !fileSystem.isLocal else { return "" }
        return switch self {
        case .busy, .inputOutput, .readOnly, .cannotOpen, .notADatabase, .corrupt:
            ". SQLite needs a local file system, and this one is \(fileSystem): if nothing else explains it, move the file to a "
                + "local disk, or use PostgreSQL"
        default: ""
        }
    }

    private func sqliteRemedy(_ path: String) -> String? {
        let file = ShellWord.of(path)
        let folder = ShellWord.of(FilePaths.folder(of: path))
        switch self {
        case .busy:
            return
                "the database is locked: fuser -v \(file) shows the programs that use it. End one that is "
                + "not token-exchange, such as a shell of sqlite3 or a program that copies the file"
        case .full:
            return "free space for the folder \(folder), as df \(folder) shows it, or raise the quota of the user "
                + ProcessUser.name
        case .inputOutput:
            return
                "the system does not read, write or lock a file of \(folder). If the log of the kernel (dmesg) names its disk, "
                + "restore a backup on another one with token-exchange restore; if the folder is on a network or shared with a "
                + "virtual machine, move the file to a local disk; if the size of files is limited (ulimit -f), raise the limit"
        case .readOnly, .cannotOpen:
            return
                "if the file \(file) was moved, deleted or replaced while the server runs, put it back, or restart the server. "
                + "Otherwise let the user \(ProcessUser.name) read and write it and the files whose names begin with it, if they "
                + "exist, and make files in its folder, and mount their file system for writing"
                + (self == .cannotOpen ? ". If this process may open only few files (ulimit -n), raise that limit" : "")
        case .folderMissing:
            return
                "correct the path in store if it is misspelled; for a new store, make the folder: mkdir -p -m 700 \(folder)"
        case .notAFile: return "correct the path in store, or remove what stands there"
        case .notADatabase:
            return
                "\(file) is not a database of SQLite: correct the path in store. If it was one, it was overwritten: move it "
                + "away, and restore a backup with token-exchange restore"
        case .corrupt:
            return
                "the database is damaged: stop every program that uses it, keep a copy of \(file) and of its files with "
                + "the endings -wal and -shm, and restore a backup with token-exchange restore"
        case .other:
            return
                "if the cause names a table or a column, another program has changed the database, or made it: correct the path in "
                + "store, or restore a backup with token-exchange restore"
        default: return nil
        }
    }

    private static let poolingKey = "write store_pooling: transaction"

    /// The advice on what a server, a pooler or libpq says; `nil` if its words tell no more than the fault.
    private func remedyOfPostgres(saying cause: String) -> String? {
        func has(_ words: String...) -> Bool { words.contains { cause.contains($0) } }
        switch self {
        case .databaseMissing where has("no such database"):
            return "name the database in the section [databases] of PgBouncer, or correct its name in store"
        case .roleMissing where has("no such user"), .authentication where has("SASL authentication failed"):
            return
                "correct user and password in store (in a URI, write @ : / # % of the password as %40 %3A %2F %23 %25), or add "
                + "the user to auth_file of PgBouncer, or let its auth_query find that user"
        case .roleMissing where has("Tenant or user", "tenant/user"):
            return "in store, write the user as ROLE.PROJECT, and the host as the console of Supabase shows it"
        case .clientCertificate where has("certificate expired"):
            return "the certificate in sslcert of store has expired: renew it"
        case .tls where has("certificate verify failed"):
            return
                "the certificate of the server or of its authority has expired, or sslrootcert has another authority: openssl "
                + "s_client -starttls postgres -connect HOST:PORT shows both. Renew the certificate, or write its authority into "
                + "sslrootcert"
        case .tls where has("requires TLS", "SSL required", "SSL connection is required", "connection is insecure"):
            return
                "write sslmode=verify-full with sslrootcert in store, or at least sslmode=require, if it has neither. If it has "
                + "one of them, the words are about the connection of the pooler to PostgreSQL: let it use TLS there "
                + "(server_tls_sslmode of PgBouncer)"
        case .connectionRefused where has("\"/cloudsql/"):
            return
                "mount the instance: name PROJECT:REGION:INSTANCE in the annotation run.googleapis.com/cloudsql-instances, "
                + "enable the Cloud SQL Admin API (sqladmin.googleapis.com), and give the service account the role "
                + "roles/cloudsql.client"
        case .other where has("relation \"", "column \""):
            return
                "another program has a table of that name, or has changed one of token-exchange: \(StoreError.placeOfItsOwn)"
        case .cannotOpen where has("SSL negotiation", "expected authentication request"):
            return "something else than PostgreSQL answers at this address: correct the host and the port in store"
        case .cannotOpen where has("connection to server"):
            return
                "if these words do not say what to do, check the user, the database and the address in store, and try them with psql"
        case .noAnswer where has("Network is unreachable"), .hostUnknown where has("No address associated"):
            return
                "mostly this machine has no IPv6, and the name no other address (getent ahosts): give it IPv6, or name a host with "
                + "IPv4 in store, at Supabase that of its pooler"
        case .pooler where has("query_wait_timeout"):
            return
                "PgBouncer had no connection to PostgreSQL for this call: if its log names no reason, raise its pool_size, or look "
                + "for long transactions (SHOW POOLS)"
        case .tooManyConnections where has("session mode", "Session mode", "SessionMode"):
            return
                "each process of token-exchange opens up to nine connections, and in session mode each takes one of the pool: raise "
                + "the pool size of Supabase, or name the port 6543 in store and \(Self.poolingKey)"
        case .authentication where has("PAM authentication failed", "IAM user authentication failed"):
            return
                "at RDS and Cloud SQL, the role signs in by IAM, whose token ends within an hour: give it a password (at RDS, REVOKE "
                + "rds_iam FROM it), or let the Cloud SQL Auth Proxy sign in (--auto-iam-authn). Elsewhere, correct user and "
                + "password in store"
        default: return nil
        }
    }

    private var postgresRemedy: String? {
        switch self {
        case .hostUnknown, .connectionRefused, .noAnswer:
            "correct the host name and the port in store, start PostgreSQL if it does not run, and compare its listen_addresses, "
                + "port and unix_socket_directories. DNS, routes and firewalls have to lead there, by IPv6 if the name has no other "
                + "address (getent ahosts). In a container, localhost is the container itself. If a pooler is at this address, it may "
                + "wait because it cannot log in at PostgreSQL: read its log. If a host suspends the database while it is idle, try "
                + "again, or add connect_timeout=10 to store"
        case .tls:
            "if the server offers no TLS, set ssl = on in postgresql.conf, and in a pooler what it has in its place (client_tls_sslmode "
                + "of PgBouncer). For verify-ca and verify-full, name the "
                + "certificate of the authority in sslrootcert (system needs libpq 16), and for verify-full the host as in the "
                + "certificate of the server. A file that store does not name is looked for in .postgresql of the folder that the "
                + "variable HOME names: let the user \(ProcessUser.name) read it, or let HOME name a folder of that user"
        case .authentication:
            "correct user and password in store (in a URI, write @ : / # % of the password as %40 %3A %2F %23 %25), set the "
                + "password with \\password in psql, or change the method in pg_hba.conf. The role needs LOGIN. If a pooler "
                + "is at the address in store, its own user and password for PostgreSQL may be wrong, and its log says so"
        case .clientCertificate:
            "if the server demands a certificate of this client, name it in sslcert of store, and its key in sslkey, both in PEM. An "
                + "authority in ssl_ca_file of the server has to have signed it, and if it has extendedKeyUsage, clientAuth has to be "
                + "in it. If the line of pg_hba.conf has the method cert or clientcert=verify-full, its common name has to be the role "
                + "in store, or a name that pg_ident.conf maps to that role. "
                + "The key has to be that of the certificate, which it is if openssl x509 -noout -pubkey -in CERTIFICATE and openssl "
                + "pkey -pubout -in KEY print the same. It needs the mode 0600 (0640 if it belongs to root), and if it has a "
                + "passphrase, sslpassword in store. A file that store does not name is looked for in .postgresql of the folder that "
                + "the variable HOME names"
        case .notAdmitted:
            "add a line for this user, database and address to pg_hba.conf, above those that reject it, and reload PostgreSQL. If "
                + "only lines of type hostssl would allow it, add sslmode=require to store. If a pooler is at the address in store, the "
                + "cause is about its own connection to PostgreSQL: let it use TLS there (server_tls_sslmode = require of "
                + "PgBouncer). At a managed service, its firewall or list of networks has to admit this machine"
        case .databaseMissing: "create the database with createdb, or correct its name in store"
        case .roleMissing: "create the role with CREATE ROLE and LOGIN, or correct the user in store"
        case .privilegeMissing:
            "if store names a schema that does not exist, create it or correct its name. Grant the role of store CONNECT on the "
                + "database, USAGE on the schema, and SELECT, INSERT, UPDATE and DELETE on the tables. To make or upgrade tables "
                + "it needs CREATE on the schema, and has to own the tables"
        case .tooManyConnections:
            "each process of token-exchange opens up to nine connections: raise max_connections in postgresql.conf, the "
                + "CONNECTION LIMIT of the role or database, or the limits of PgBouncer"
        case .readOnly:
            "name the primary in store, or all hosts with target_session_attrs=read-write. On the primary, "
                + "default_transaction_read_only must be off for the server, the database and the role; a managed service may "
                + "switch it on if the disk is nearly full"
        case .full: "free space on the disk of PostgreSQL"
        case .pooler:
            "read the log of PgBouncer, and correct its configuration or the server behind it; if it refuses the parameter options, "
                + "leave it out of store, and set what it sets with ALTER ROLE; if it is in transaction mode, \(Self.poolingKey)"
        case .transactionPooler:
            "a pooler in transaction mode, such as PgBouncer or the port 6543 of Supabase, is between this server and PostgreSQL: "
                + Self.poolingKey
        case .restarting, .inputOutput:
            "wait until PostgreSQL accepts connections and answers; its log, or that of a pooler or proxy in front of it, has the reason"
        case .cannotOpen:
            "if the cause names a relation, let search_path lead to the tables, or restore a backup if the table was deleted; "
                + "otherwise check the address in store, and the database there. psql with the same address shows the cause as "
                + "well"
        case .corrupt:
            "the stored data is damaged: read the log of PostgreSQL, and restore a backup with token-exchange restore"
        case .busy:
            "if it lasts, another session may hold a lock, or PostgreSQL is overloaded: SELECT pid, state, query FROM "
                + "pg_stat_activity shows the sessions, and SELECT pg_terminate_backend(PID) ends one that is not of token-exchange"
        case .closed, .directoryUnreachable, .directoryRefused, .directoryBusy, .overloaded, .other,
            .folderMissing, .notAFile, .notADatabase:
            nil
        }
    }
}
