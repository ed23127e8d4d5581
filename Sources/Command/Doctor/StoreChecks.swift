internal import FirestoreStores
internal import Foundation
internal import JOSE
internal import Logging
internal import PostgresStores
internal import SQLiteStores
internal import Settings
internal import Stores

/// Checks of the store, and of the keys that seal.
struct StoreChecks {
    private let settings: Settings
    /// The region in which this server runs; `nil` if it is not known.
    private let region: @Sendable () async -> String?

    init(_ settings: Settings, region: @escaping @Sendable () async -> String? = { nil }) {
        self.settings = settings
        self.region = region
    }

    func findings() async -> [Finding] {
        let (ofStore, servers) = await store()
        return ofStore + [space].compactMap(\.self) + keys(servers)
    }

    /// - Returns: The findings, and the servers that run; `nil` if the store could not be read.
    private func store() async -> ([Finding], [RunningServer]?) {
        if case .sqlite(let path) = settings.store, !FileManager.default.fileExists(atPath: path) {
            return ([missing(path)], [])
        }
        let opened: OpenedStore
        do throws(StoreError) {
            // Without a clock record and without migrations, opening writes nothing.
            opened = try OpenedStore.open(settings, migrates: false, watching: nil)
        } catch .tablesBehind {
            return (
                [
                    Finding(
                        "store.open", .warning,
                        hasNoTables ? "There are no tables yet." : "The tables are those of an earlier version.",
                        remedy:
                            "serve creates and upgrades them at its start. If its role may not, run token-exchange migrate."
                            + (hasNoTables ? " If there were accounts, correct store." : "")
                    )
                ], nil
            )
        } catch {
            return ([unusable(error)], nil)
        }
        defer { opened.close() }
        let files = opened.fileWarnings.map {
            Finding("store.files", .warning, $0, remedy: "Run the command in this message.")
        }
        if let store = opened.store as? FirestoreStore { return await firestore(store) }
        let (readings, servers) = await readings(opened.store)
        return (files + readings, servers)
    }

    /// Judges a database that does not exist: it is a new one, or one that was lost.
    private func missing(_ path: String) -> Finding {
        do throws(StoreError) {
            try SQLiteStore.check(path, settings.allowances.databaseRules)
        } catch {
            return unusable(error, of: path)
        }
        do {
            try StorePresence.checkNew(settings, path, allowsNew: false, nil)
            return Finding(
                "store.open", of: path, .info, "There is no database yet; serve creates it at its first start.")
        } catch {
            let problem = (error as? ExitReason)?.message ?? "the store cannot be used"
            return Finding("store.open", of: path, .error, "\(problem).", remedy: Self.consequence)
        }
    }

    private static let consequence = "Until this is resolved, serve does not start, and sign-ins fail."

    private func unusable(_ error: StoreError, of path: String? = nil) -> Finding {
        Finding(
            "store.open", of: path, .error, "The store cannot be used: \(error.advice(for: settings.store)).",
            remedy: Self.consequence)
    }

    private var hasNoTables: Bool {
        guard case .postgres(let connection, let pooling) = settings.store else { return false }
        let missing = try? PostgresStore.missingMigrations(
            conninfo: connection.secretText, poolsTransactions: pooling == .transaction)
        return missing == PostgresStore.migrationNames
    }

    private func readings(_ store: any Store) async -> ([Finding], [RunningServer]?) {
        do throws(StoreError) {
            // Reading succeeds with a full disk, and while another program holds the lock.
            try await store.check()
            let (reading, took) = try await Self.timed(store)
            let warnings = try await store.warnings().map {
                Finding("store.\($0.rawValue)", .warning, "\($0.advice).", remedy: "Change the settings of PostgreSQL.")
            }
            let now = TimeSource.system.now()
            let servers = try await store.servers(at: now)
            return ([Self.latency(took), Self.clock(reading, at: now)] + warnings, servers)
        } catch {
            return ([unusable(error)], nil)
        }
    }

    /// Reads, lists and writes, and verifies that only the server can.
    func firestore(_ store: FirestoreStore) async -> ([Finding], [RunningServer]?) {
        do throws(StoreError) {
            let latency = Self.latency(try await store.examine())
            let servers = try await store.servers(at: TimeSource.system.now())
            if case .firestore(_, _, let emulator?) = settings.store {
                let finding = Finding(
                    "store.emulator", .warning,
                    "The store is the emulator at \(emulator), which keeps everything in memory.",
                    remedy: "Remove store_emulator_host in production.")
                return ([latency, finding], servers)
            }
            let clock = Self.clock(try await store.watchReading(), at: TimeSource.system.now())
            let location = try await store.location()
            let findings = [
                latency, clock, Self.database(of: settings.store), Self.identity(isKnown: location != nil),
                await Self.region(of: location, server: region()), try await policies(store), await rules(store),
                Self.price,
            ]
            return (findings.compactMap(\.self), servers)
        } catch {
            return ([unusable(error)], nil)
        }
    }

    /// Warns of the database that a project has for its applications.
    static func database(of store: Settings.Store) -> Finding? {
        guard case .firestore(let project, "(default)", _) = store else { return nil }
        return Finding(
            "store.database", .warning,
            "The store is the database (default) of \(project), which applications and other programs use: their security "
                + "rules, imports and deletions would concern accounts and the record of used credentials.",
            remedy: "Create a database of its own, and write store: firestore://\(project)/token-exchange.")
    }

    private static func identity(isKnown: Bool) -> Finding {
        if isKnown {
            return Finding("store.identity", .ok, "The identity of the database is known.")
        }
        return Finding(
            "store.identity", .warning,
            "The identity of the database is not known, so that a restored database of the same name is not noticed.",
            remedy:
                "Give the service account the permission datastore.databases.getMetadata, which roles/datastore.user has. "
                + "After a restore, run token-exchange migrate --new-store once.")
    }

    /// Compares the region of the database with that of the server.
    ///
    /// - Parameter location: The region of the database; `nil` or empty if it is not known.
    /// - Returns: The finding; `nil` if the region of the database is not known.
    static func region(of location: String?, server: String?) -> Finding? {
        let id = "store.region"
        guard let location, !location.isEmpty else { return nil }
        guard let server else {
            return Finding(
                id, .info,
                "The database is in \(location). The region of this server is not known, because no metadata server of "
                    + "Google answers.")
        }
        guard !(multiRegions[location] ?? [location]).contains(server) else {
            return Finding(id, .ok, "The database and this server are in the same region (\(location)).")
        }
        return Finding(
            id, .warning,
            "The database is in \(location), and this server is in \(server): every sign-in waits for the way "
                + "between them.",
            remedy:
                "Deploy the server in \(multiRegions[location]?.joined(separator: " or ") ?? location). The region of a "
                + "database never changes: another one needs a new database, with gcloud firestore databases create "
                + "--location=\(server).")
    }

    /// The regions in which the multi-regions of Firestore can be written.
    private static let multiRegions = [
        "eur3": ["europe-west1", "europe-west4"], "nam5": ["us-central1"], "nam7": ["us-central1", "us-east4"],
    ]

    private static var price: Finding {
        let prices = FirestoreCost.calls.prefix(3).map { name, cost in
            "\(name): \(String(format: "%.4f", cost.dollarsPerThousand)) dollars"
        }
        return Finding(
            "store.price", .info,
            "1,000 sign-ins of known persons cost, by the prices of \(FirestoreCost.prices.date) for "
                + "\(FirestoreCost.prices.region) and without the free quota: \(prices.joined(separator: "; ")).")
    }

    private func policies(_ store: FirestoreStore) async throws(StoreError) -> Finding {
        let missing: [String]
        do throws(StoreError) {
            missing = try await store.missingPolicies()
        } catch .unavailable(.privilegeMissing, _) {
            return Finding(
                "store.policies", .skipped,
                "The policies that delete expired documents cannot be read without the permission datastore.indexes.get."
            )
        }
        guard !missing.isEmpty else {
            return Finding("store.policies", .ok, "Expired documents are deleted by the policies of the database.")
        }
        return Finding(
            "store.policies", .warning, "The database lacks: \(missing.joined(separator: ", ")).",
            remedy:
                "Run token-exchange migrate with roles/datastore.owner: otherwise expired documents are kept, and paid for."
        )
    }

    private func rules(_ store: FirestoreStore) async -> Finding {
        let (open, failure) = await store.openCollections(apiKey: settings.firebase.apiKey?.secretText)
        if !open.isEmpty {
            return Finding(
                "store.rules", .error, "\(OpenStore.problem(open)).",
                remedy: "\(OpenStore.remedy). serve does not start until this is resolved.")
        }
        if let failure {
            return Finding(
                "store.rules", .skipped,
                "Whether others can read the database is not known: \(failure.advice(for: settings.store)).")
        }
        return Finding("store.rules", .ok, "A caller without a token can read none of the collections.")
    }

    /// Reads five times, because one call may wait for other processes of this machine.
    ///
    /// - Returns: The last reading, and the time of the fastest call.
    private static func timed(_ store: any Store) async throws(StoreError) -> (WatchReading, Duration) {
        var fastest = Duration.seconds(3600)
        var reading: WatchReading
        var count = 0
        repeat {
            let began = ContinuousClock.now
            reading = try await store.watchReading()
            fastest = min(fastest, ContinuousClock.now - began)
            count += 1
        } while count < 5
        return (reading, fastest)
    }

    static func latency(_ took: Duration) -> Finding {
        let text = "One call to the store takes \(Int64(took / .milliseconds(1))) ms."
        return took < .milliseconds(50)
            ? Finding("store.latency", .ok, text)
            : Finding(
                "store.latency", .warning, text,
                remedy: "Move server and database nearer to each other: a sign-in needs one to three calls.")
    }

    static func clock(_ reading: WatchReading, at now: NumericDate) -> Finding {
        guard let times = reading.differingTimes(at: now) else {
            return Finding("store.clock", .ok, "The clock of this machine agrees with the times in the store.")
        }
        return Finding(
            "store.clock", .error, "The \(times).",
            remedy: "Synchronize the clocks with NTP."
                + (reading.isBehind(now) ? " With this clock, \(reading.remedy(at: now))." : ""))
    }

    private var space: Finding? {
        guard case .sqlite(let path) = settings.store else { return nil }
        let folder = (path as NSString).deletingLastPathComponent
        guard let free = (try? FileManager.default.attributesOfFileSystem(forPath: folder))?[.systemFreeSize] as? Int64
        else { return nil }
        return Self.space(free, in: folder)
    }

    static func space(_ free: Int64, in folder: String) -> Finding {
        let text = "\(free >> 20) MiB are free."
        return free >= 1 << 30
            ? Finding("store.space", of: folder, .ok, text)
            : Finding(
                "store.space", of: folder, .warning, text,
                remedy: "Free some space: without any, no credential can be recorded, and every sign-in fails.")
    }

    private func keys(_ servers: [RunningServer]?) -> [Finding] {
        do {
            // serve warns of an exposed file that the operator allowed.
            let logger = Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }
            return KeyChecks.findings(try SealKeys.fingerprints(settings, logger: logger), servers)
        } catch {
            let problem = (error as? ExitReason)?.message ?? "\(error)"
            return [
                Finding(
                    "key_file", .error, "The keys cannot be used: \(problem).",
                    remedy: "serve does not start until this is resolved.")
            ]
        }
    }
}
