import ArgumentParser
import FirestoreStores
import Foundation
import JOSE
import Jansson
import Server
import Standards
import Stores
import Support
import Testing
import Transport

@testable import Providers
@testable import Settings
@testable import token_exchange

@Suite("doctor")
struct DoctorTests {
    private static let fine = Finding("a.fine", .ok, "It works.")
    private static let register = Finding("b.register", of: "yahoo.com", .info, "Register this.")
    private static let skipped = Finding("c.skipped", .skipped, "There is no key.")
    private static let slow = Finding("d.slow", .warning, "It is slow.", remedy: "Make it faster.")
    private static let broken = Finding("e.broken", of: "a\u{1B}[2Jb", .error, "It is broken.", remedy: "Repair it.")

    @Test(
        "The exit code is that of the worst finding",
        arguments: [
            ([], .success), ([fine, register, skipped], .success), ([fine, slow], ExitCode(2)),
            ([broken, slow, fine], .failure),
        ] as [([Finding], ExitCode)])
    func exitCode(findings: [Finding], code: ExitCode) {
        #expect(DoctorReport(findings: findings).exitCode == code)
    }

    @Test("The text has a line for each finding with its remedy, and the numbers last; a peer cannot move the cursor")
    func text() {
        #expect(
            DoctorReport(findings: [Self.fine, Self.register, Self.skipped, Self.slow, Self.broken]).text == """
                ok: a.fine: It works.
                info: b.register (yahoo.com): Register this.
                skipped: c.skipped: There is no key.
                warning: d.slow: It is slow.
                    Make it faster.
                error: e.broken (a\\u{1b}[2Jb): It is broken.
                    Repair it.
                1 error, 1 warning, 1 check skipped, 1 without a finding
                """)
    }

    @Test("The JSON has the same findings; a member that has no value is missing")
    func json() {
        let report = DoctorReport(findings: [Self.fine, Self.slow]).json
        #expect(report["result"]?.string == "warning")
        #expect(report["findings"]?.array?.first?.object?.keys.sorted() == ["id", "severity", "text"])
        #expect(report["findings"]?.array?.last?["remedy"]?.string == "Make it faster.")
    }

    @Test(
        "A clock is off by more than 5 seconds with a warning, and by more than 30 with an error",
        arguments: [(0, .ok), (-5, .ok), (6, .warning), (-30, .warning), (31, .error), (-3600, .error)]
            as [(Int64, Finding.Severity)])
    func clock(offset: Int64, severity: Finding.Severity) {
        #expect(PeerClocks.finding(offset, by: "a").severity == severity)
        let direction = offset < 0 ? "behind" : "ahead of"
        let words = " is \(abs(offset)) seconds \(direction) that of a."
        #expect(PeerClocks.finding(offset, by: "a").text.contains(words))
    }

    @Test("The date of a copy in a cache is as old as the copy")
    func cachedDate() async throws {
        let clocks = PeerClocks(time: TimeSource { NumericDate(1_700_000_000) })
        let transport = clocks.observing(
            HTTPTransport { _ in
                let header = [HeaderField("Date", "Tue, 14 Nov 2023 21:13:20 GMT"), HeaderField("Age", "3600")]
                return OutboundResponse(status: 200, header: header)
            })
        _ = try await transport.send(OutboundRequest(.get, "https://keys.example/"))
        #expect(clocks.findings() == [PeerClocks.finding(0, by: "keys.example")])
    }

    @Test("The clock is compared with that of the peer that agrees most, because a peer's clock may be wrong")
    func peers() async throws {
        let clocks = PeerClocks(time: TimeSource { NumericDate(1_700_000_000) })
        let transport = clocks.observing(
            HTTPTransport { request throws(TransportError) in
                let date =
                    request.url == "https://right.example/"
                    ? "Tue, 14 Nov 2023 22:13:18 GMT" : "Tue, 14 Nov 2023 20:00:00 GMT"
                return OutboundResponse(status: 200, header: [HeaderField("date", date)])
            })
        #expect(clocks.findings().map(\.severity) == [.skipped])
        _ = try await transport.send(OutboundRequest(.get, "https://wrong.example/"))
        #expect(clocks.findings().map(\.severity) == [.error])
        _ = try await transport.send(OutboundRequest(.get, "https://right.example/"))
        #expect(clocks.findings() == [PeerClocks.finding(2, by: "right.example")])
    }

    @Test("Descriptors are too few if they allow fewer connections than max_in_flight")
    func descriptors() {
        #expect(MachineChecks.descriptors(limit: 1024, connections: 480, inFlight: 481).severity == .warning)
        #expect(MachineChecks.descriptors(limit: 1024, connections: 480, inFlight: 480).severity == .ok)
        // More descriptors do not allow more than 16384 connections.
        let most = MachineChecks.descriptors(limit: 524_288, connections: 16384, inFlight: 20000)
        #expect("\(most)".contains("Lower server.max_in_flight to 16384"), "\(most)")
    }

    @Test("A server without a certificate, whose public URL has https, must know the proxy in front of it")
    func proxyInFront() throws {
        func findings(_ change: (inout Settings.Server) throws -> Void) throws -> [Finding] {
            var settings = Settings()
            settings.server.publicURL = "https://auth.example.com"
            try change(&settings.server)
            let checks = try MachineChecks(settings, time: TimeSource { NumericDate(1_700_000_000) })
            return checks.findings().filter { $0.id == "server.trusted_proxies" }
        }
        #expect(try findings { _ in }.map(\.severity) == [.warning])
        #expect(try findings { $0.publicURL = "http://127.0.0.1:8080" } == [])
        #expect(try findings { $0.trustedProxies = [.cloudRun] } == [])
    }

    @Test(
        "A proxy in the environment, which the server does not read, is named with the key to write",
        arguments: [
            ("HTTPS_PROXY", "http://127.0.0.1:9", 1), ("https_proxy", "http://127.0.0.1:9", 1), ("HTTPS_PROXY", "", 0),
            ("HTTP_PROXY", "http://127.0.0.1:9", 0),
        ])
    func proxyInEnvironment(name: String, value: String, count: Int) throws {
        let checks = try MachineChecks(
            Settings(), time: TimeSource { NumericDate(1_700_000_000) }, environment: [name: value])
        let findings = checks.findings().filter { $0.id == "server.outbound_proxy" }
        #expect(findings.count == count)
        let isNamed = findings.allSatisfy {
            $0.severity == .info && $0.text.hasPrefix("The variable \(name) is set, and this server does not read it")
                && $0.text.hasSuffix("write it as server.outbound_proxy.") && !$0.text.contains("127.0.0.1")
        }
        #expect(isNamed, "\(findings)")
    }

    @Test("A file of credentials whose type is not supported is refused with that type")
    func otherCredentials() throws {
        let file = Settings.CredentialsFile(path: "/keys/a.json", #"{"type": "authorized_user"}"#)
        var settings = Settings()
        settings.firebase.signing = .iam(serviceAccount: nil, credentials: file)
        let firebase = settings.firebase
        let reason = #expect(throws: ExitReason.self) { _ = try GoogleIdentity.credentials(firebase) }
        let beginning =
            "/keys/a.json: its type is authorized_user, which is not supported: write the file of external_account "
        #expect(reason?.message.hasPrefix(beginning) == true, "\(reason?.message ?? "")")
    }

    @Test("The disk needs a GiB, and a store call must take less than 50 ms")
    func store() {
        #expect(StoreChecks.space(1 << 30, in: "/").severity == .ok)
        #expect(StoreChecks.space(1 << 30 - 1, in: "/").severity == .warning)
        #expect(StoreChecks.latency(.milliseconds(49)).severity == .ok)
        #expect(StoreChecks.latency(.milliseconds(50)).severity == .warning)
    }

    @Test("The database (default) of Firestore is a warning, because applications use it too")
    func sharedDatabase() {
        let own = Settings.Store.firestore(project: "my-project", database: "token-exchange")
        #expect(StoreChecks.database(of: own) == nil)
        let shared = Settings.Store.firestore(project: "my-project", database: "(default)")
        let finding = StoreChecks.database(of: shared)
        #expect(finding?.severity == .warning)
        #expect(finding?.remedy?.contains("firestore://my-project/token-exchange") == true)
    }

    @Test("A server in another region than its database is a warning, and a multi-region has several regions")
    func regions() throws {
        #expect(StoreChecks.region(of: "europe-west3", server: "europe-west3")?.severity == .ok)
        #expect(StoreChecks.region(of: "eur3", server: "europe-west4")?.severity == .ok)
        #expect(StoreChecks.region(of: "europe-west3", server: nil)?.severity == .info)
        #expect(StoreChecks.region(of: nil, server: "europe-west3") == nil)
        #expect(StoreChecks.region(of: "", server: "europe-west3") == nil)
        let far = try #require(StoreChecks.region(of: "nam5", server: "europe-west3"))
        #expect(far.severity == .warning)
        #expect(far.text.contains("The database is in nam5, and this server is in europe-west3"))
        #expect(far.remedy?.contains("Deploy the server in us-central1") == true)
        #expect(far.remedy?.contains("gcloud firestore databases create --location=europe-west3") == true)
    }

    /// A store at Google's service, whose every answer is given.
    private static func firestore(
        _ answer: @escaping @Sendable (OutboundRequest) -> OutboundResponse
    ) throws -> FirestoreStore {
        try FirestoreStore(
            FirestorePlace(project: "my-project", database: "token-exchange"),
            transport: HTTPTransport { request in answer(request) }, token: { _ in Secret("token") },
            time: TimeSource { NumericDate(1000) }, patience: FirestorePatience(attempts: 1))
    }

    private static func error(_ status: Int, _ name: String, _ message: String) -> OutboundResponse {
        let error: [String: JSON] = ["status": .string(name), "message": .string(message)]
        return OutboundResponse(status: status, body: JSON.object(["error": .object(error)]).serialized())
    }

    private static func onFirestore() throws -> Settings {
        let (yaml, _) = try Sample.changing(
            "store: sqlite:///data/accounts.db", to: "store: firestore://my-project/token-exchange")
        return try Sample.loader().parse(yaml: yaml)
    }

    @Test(
        "A database of Firestore that cannot be used is an error with its own words and its own remedy",
        arguments: [
            (
                error(
                    400, "FAILED_PRECONDITION",
                    "The Cloud Firestore API is not available for Firestore in Datastore Mode database d."),
                "not_a_database", "create one in native mode"
            ),
            (
                error(404, "NOT_FOUND", "The database token-exchange does not exist for project my-project."),
                "no_database", "gcloud firestore databases create --project=my-project --database=token-exchange"
            ),
            (
                error(403, "PERMISSION_DENIED", "Missing or insufficient permissions."), "no_privilege",
                "--role=roles/datastore.user"
            ),
            (error(429, "RESOURCE_EXHAUSTED", "Quota exceeded."), "busy", "a used-up free quota ends at midnight"),
            (
                error(401, "UNAUTHENTICATED", "Invalid credentials."), "authentication_failed",
                "the clock of this machine"
            ),
            (error(503, "UNAVAILABLE", "Try later."), "no_answer", "let this machine reach firestore.googleapis.com; "),
        ])
    func badDatabase(answer: OutboundResponse, fault: String, remedy: String) async throws {
        let checks = StoreChecks(try Self.onFirestore())
        let (findings, servers) = await checks.firestore(try Self.firestore { _ in answer })
        #expect(findings.map(\.id) == ["store.open"] && servers == nil)
        #expect(findings.first?.severity == .error)
        let text = findings.first?.text ?? ""
        #expect(text.contains("store.unavailable.\(fault); ") && text.contains(remedy), "\(text)")
    }

    /// Google's service with an empty database, of whose answers `other` replaces some.
    private static func service(
        _ other: @escaping @Sendable (OutboundRequest) -> OutboundResponse? = { _ in nil }
    ) throws -> FirestoreStore {
        try firestore { request in
            if let answer = other(request) { return answer }
            guard request.header.contains(where: { $0.name == "Authorization" }) else {
                return OutboundResponse(status: 403)
            }
            let time = #""1970-01-01T00:16:40Z""#
            let body: String
            if request.url.hasSuffix(":batchGet") {
                let names = (try? JSON.parse(request.body))?["documents"]?.array?.compactMap(\.string) ?? []
                let elements = names.map { name in
                    // The document that a check of the store has just written.
                    name.contains("/commits/")
                        ? #"{"found": {"name": "\#(name)", "updateTime": \#(time), "fields": {}}, "readTime": \#(time)}"#
                        : #"{"missing": "\#(name)", "readTime": \#(time)}"#
                }
                body = "[\(elements.joined(separator: ", "))]"
            } else if request.url.hasSuffix(":commit") {
                body = #"{"commitTime": \#(time), "writeResults": [{"updateTime": \#(time)}]}"#
            } else if request.url.hasSuffix(":runQuery") {
                body = #"[{"readTime": \#(time)}]"#
            } else if request.url.contains("/collectionGroups/") {
                body = #"{"indexConfig": {"usesAncestorConfig": true}}"#
            } else {
                body = #"{"uid": "uid-1", "type": "FIRESTORE_NATIVE", "locationId": "europe-west3"}"#
            }
            return OutboundResponse(status: 200, body: Array(body.utf8))
        }
    }

    private static func findings(
        region: String?, _ other: @escaping @Sendable (OutboundRequest) -> OutboundResponse? = { _ in nil }
    ) async throws -> [String: Finding] {
        let (findings, servers) = await StoreChecks(try onFirestore(), region: { region }).firestore(try service(other))
        #expect(servers == [])
        return Dictionary(uniqueKeysWithValues: findings.map { ($0.id, $0) })
    }

    @Test("doctor names the region, the policies that are missing, and the price of 1,000 sign-ins")
    func usualDatabase() async throws {
        let found = try await Self.findings(region: "us-central1")
        // How long a call takes is up to the machine.
        #expect([.ok, .warning].contains(found["store.latency"]?.severity))
        #expect(found["store.identity"]?.severity == .ok)
        #expect(found["store.rules"]?.severity == .ok)
        #expect(found["store.region"]?.severity == .warning)
        #expect(found["store.policies"]?.text.hasPrefix("The database lacks: TTL policy of spent, ") == true)
        #expect(found["store.policies"]?.remedy?.contains("Run token-exchange migrate") == true)
        #expect(found["store.price"]?.severity == .info)
        #expect(found["store.price"]?.text.contains("the same with an ID token and a nonce: 0.0052 dollars") == true)
        let near = try await Self.findings(region: "europe-west3")
        #expect(near["store.region"]?.severity == .ok)
    }

    @Test("doctor names a database that others can read, and what it may not read itself")
    func badRules() async throws {
        let open = try await Self.findings(region: nil) { request in
            request.url.hasSuffix("/accounts?pageSize=1") ? OutboundResponse(status: 200, body: Array("{}".utf8)) : nil
        }
        #expect(open["store.rules"]?.severity == .error)
        #expect(open["store.rules"]?.text == "A caller without a token can read these collections: accounts.")
        #expect(open["store.rules"]?.remedy?.hasSuffix("serve does not start until this is resolved.") == true)
        let refused = Self.error(403, "PERMISSION_DENIED", "Missing or insufficient permissions.")
        let limited = try await Self.findings(region: nil) { request in
            request.url.contains("/collectionGroups/") ? refused : nil
        }
        #expect(limited["store.policies"]?.severity == .skipped)
        #expect(limited["store.policies"]?.text.contains("datastore.indexes.get") == true)
        let nameless = try await Self.findings(region: "europe-west3") { request in
            request.url.hasSuffix("/databases/token-exchange") ? refused : nil
        }
        #expect(nameless["store.identity"]?.severity == .warning && nameless["store.region"] == nil)
    }

    @Test("migrate without the role of an owner names the role, and has changed nothing")
    func migrateWithoutRole() async throws {
        let refused = Self.error(403, "PERMISSION_DENIED", "Missing or insufficient permissions.")
        let store = try Self.service { request in request.method == .patch ? refused : nil }
        let error = await #expect(throws: StoreError.self) { try await store.makePolicies() }
        let advice = error?.advice(for: try Self.onFirestore().store)
        #expect(advice?.hasPrefix("store.unavailable.no_privilege; Firestore answers 403") == true)
        #expect(advice?.contains("migrate needs roles/datastore.owner") == true)
    }

    @Test("A database that a caller without a token can read prevents the start, and an unreachable one does not")
    func openDatabase() async throws {
        let open = try Self.firestore { request in
            request.url.hasSuffix("/accounts?pageSize=1")
                ? OutboundResponse(status: 200, body: Array("{}".utf8)) : OutboundResponse(status: 403)
        }
        let reason = await #expect(throws: ExitReason.self) { try await OpenStore.refuse(open, Self.onFirestore()) }
        #expect(reason?.code == Exit.failure)
        #expect(
            reason?.message
                == "the store firestore://my-project/token-exchange is open: A caller without a token can read these "
                + "collections: accounts. Publish security rules for this database that refuse everything: allow read, "
                + "write: if false. A database of its own, which no application uses, needs no other rules")
        try await OpenStore.refuse(Self.firestore { _ in OutboundResponse(status: 403) }, Self.onFirestore())
        let silent = try FirestoreStore(
            FirestorePlace(project: "my-project", database: "token-exchange"),
            transport: HTTPTransport { _ throws(TransportError) in throw .unreachable(host: "firestore.googleapis.com")
            },
            token: { _ in Secret("token") }, time: TimeSource { NumericDate(1000) })
        try await OpenStore.refuse(silent, Self.onFirestore())
    }

    @Test("A sweep that deletes nothing names the times of which one is wrong")
    func sweepObstacle() {
        func obstacle(watched: Int64, clock: Int64? = nil) -> String {
            let reading = WatchReading(
                watchedUntil: NumericDate(watched), unwatchedUntil: NumericDate(0), sweptThrough: NumericDate(0),
                clock: clock.map { NumericDate($0) })
            return Sweep.obstacle(at: NumericDate(1_700_000_000), reading)
        }
        let shown = "the clock of this machine shows 2023-11-14T22:13:20Z, and "
        #expect(
            obstacle(watched: 1_700_003_600)
                == shown + "the times in the store reach 2023-11-14T23:13:20Z: correct the clock that is wrong. After "
                + "that, token-exchange doctor says what helps")
        #expect(
            obstacle(watched: 1_700_000_000, clock: 1_700_000_100).hasPrefix(
                shown + "that of the database 2023-11-14T22:15:00Z: correct the clock that is wrong"))
        #expect(
            obstacle(watched: 1_699_996_400)
                == "no server has used the store within the last minute, so that nothing confirms the clock of this machine: "
                + "run it while a server runs. If one runs, the clocks of the two machines differ")
    }

    @Test("A clock that is behind the times in the store, or off from its clock, is an error")
    func storeClock() {
        func reading(watchedUntil: Int64 = 1000, clock: Int64? = nil) -> WatchReading {
            WatchReading(
                watchedUntil: NumericDate(watchedUntil), unwatchedUntil: NumericDate(0), sweptThrough: NumericDate(0),
                clock: clock.map(NumericDate.init))
        }
        let now = NumericDate(1000)
        #expect(StoreChecks.clock(reading(), at: now).severity == .ok)
        let behind = StoreChecks.clock(reading(watchedUntil: 1061), at: now)
        #expect(behind.severity == .error)
        let shown = "The clock of this machine shows 1970-01-01T00:16:40Z, and "
        #expect(behind.text == shown + "the times in the store reach 1970-01-01T00:17:41Z.")
        let off = StoreChecks.clock(reading(clock: 1061), at: now)
        #expect(off.severity == .error)
        #expect(off.text == shown + "that of the database 1970-01-01T00:17:41Z.")
    }

    @Test("The finding about keys says why each one is not used")
    func unusedKeys() throws {
        let keys = try JWKSet.parse(
            Array(
                (#"{"keys":[{"kty":"RSA","use":"enc","kid":"k1","n":"AAEC","e":"AQAB"},"#
                    + #"{"kty":"AKP","alg":"ML-DSA-65"},"x"]}"#).utf8))
        #expect(
            ProviderChecks.refusals(of: keys)
                == " Not used: key 1 (kid k1), because use is not sig; key 2, because its type (kty) is not supported; "
                + "key 3, because it is not an object.")
        let many = "{\"keys\":[\(Array(repeating: "1", count: 9).joined(separator: ","))]}"
        #expect(try ProviderChecks.refusals(of: JWKSet.parse(Array(many.utf8))).hasSuffix("; and 1 more."))
    }

    @Test("The finding about keys tells an empty set from one without a usable key")
    func noUsableKeys() throws {
        for (set, words) in [(#"{"keys":[]}"#, "an empty key set; "), (#"{"keys":[1]}"#, "0 usable keys; ")] {
            let finding = ProviderChecks.finding(
                of: try JWKSet.parse(Array(set.utf8)), of: "p", named: nil, accepted: [.rs256])
            #expect(finding.severity == .error && finding.text.hasPrefix("The provider publishes \(words)"), "\(set)")
        }
    }

    @Test(
        "A key for another algorithm than those of the metadata is named, with both",
        arguments: [(false, Finding.Severity.error), (true, .info)])
    func keyOfOtherAlgorithm(hasGoodKey: Bool, severity: Finding.Severity) throws {
        let numbers = try #require(
            try JSON.parse(Array(TestKeys.shared.keySet().utf8))["keys"]?.array?.first { $0["n"] != nil }?.object)
        func key(_ id: String, _ algorithm: String) -> JSON {
            .object(numbers.merging(["kid": .string(id), "alg": .string(algorithm)]) { $1 })
        }
        let entries = [key("k1", "RS512")] + (hasGoodKey ? [key("k9", "RS256")] : [])
        let keys = try JWKSet.parse(JSON.object(["keys": .array(entries)]).serialized())
        let finding = ProviderChecks.finding(of: keys, of: "p", named: [.rs256], accepted: Set(Algorithm.allCases))
        #expect(finding.severity == severity)
        #expect(
            finding.text.contains("allowed algorithms: RS256") && finding.text.contains("k1 (RS512)"), "\(finding.text)"
        )
        let silent = ProviderChecks.finding(of: keys, of: "p", named: nil, accepted: Set(Algorithm.allCases))
        #expect(silent.severity == .ok)
    }

    @Test("Metadata that demands requests which this server does not make is a warning, with the name of the demand")
    func unmetDemands() {
        func finding(_ demands: [String]) -> Finding {
            ProviderChecks.finding(
                of: OpenIDConnectEndpoints(
                    issuers: ["https://op.example"], authorization: "a", token: "t", userInfo: nil, jwks: "k",
                    introspection: nil, revocation: nil, sendsIssuer: false, unmetDemands: demands), of: "p")
        }
        #expect(finding([]).severity == .ok)
        let found = finding(["require_pushed_authorization_requests"])
        #expect(found.severity == .warning && found.remedy?.contains("Switch this demand off") == true)
        #expect(
            found.text
                == "The provider's metadata has require_pushed_authorization_requests, and this server sends authorization "
                + "requests only as parameters of a URL.")
    }

    /// A file system that no database can be on, and that each Linux has.
    private static let onOtherFileSystem = Settings.Store.sqlite(path: "/proc/store.db")

    @Test("A new database on a file system that is not known to be local is an error, as at the start")
    func otherFileSystem() async throws {
        let (yaml, _) = try Sample.changing("store: sqlite:///data/accounts.db", to: "store: \(Self.onOtherFileSystem)")
        let finding = await StoreChecks(try Sample.loader().parse(yaml: yaml)).findings().first
        #expect(finding?.id == "store.open" && finding?.severity == .error)
        #expect(
            finding?.text
                == "The store cannot be used: store.not_local; SQLite needs a local file system, and this one is 0x9fa0. Move the "
                + "file, use PostgreSQL, or start with --allow-network-filesystem.")
    }

    @Test(
        "The advice about a database that is locked or damaged names a file system that is not known to be local",
        arguments: [
            (.busy, true), (.inputOutput, true), (.readOnly, true), (.cannotOpen, true), (.notADatabase, true),
            (.corrupt, true), (.full, false), (.folderMissing, false), (.notAFile, false),
        ] as [(StoreFault, Bool)])
    func faultOnOtherFileSystem(fault: StoreFault, isNamed: Bool) throws {
        let doubt = "SQLite needs a local file system, and this one is 0x9fa0: if nothing else explains it, move"
        #expect(StoreError.unavailable(fault).advice(for: Self.onOtherFileSystem).contains(doubt) == isNamed)
        let local = Settings.Store.sqlite(path: FileManager.default.temporaryDirectory.path + "/store.db")
        #expect(!StoreError.unavailable(fault).advice(for: local).contains("local file system"))
    }

    @Test("The line of a request has the advice on the fault of a change whose outcome is not known")
    func adviceOnRequest() {
        let store = Settings.Store.sqlite(path: "/data/accounts.db")
        for error in [StoreError.unavailable(.full), .outcomeUnknown(.full)] {
            #expect(error.adviceOnRequest(for: store, on: nil)?.hasPrefix("free space for the folder /data") == true)
        }
    }

    @Test("A command whose outcome is not known has the advice on the fault too")
    func adviceOnOutcome() {
        let store = Settings.Store.sqlite(path: "/data/accounts.db")
        #expect(
            StoreError.outcomeUnknown(.inputOutput).advice(for: store).hasPrefix(
                "store.outcome_unknown.input_output; check whether the change was made before you repeat it; the system does not "
                    + "read, write or lock a file of /data"))
    }

    @Test(
        "The advice on a fault is under the condition under which it helps",
        arguments: [
            ("sqlite:///data/a.db", .cannotOpen, nil, "if the file /data/a.db was moved, deleted or replaced"),
            ("sqlite:///data/a.db", .other, "no such table: accounts", "if the cause names a table or a column"),
            ("postgresql://127.0.0.1/te", .cannotOpen, "relation does not exist", "if the cause names a relation"),
            (
                "postgresql://127.0.0.1/te", .other, "column \"name\" does not exist",
                "another program has a table of that name, or has changed one of token-exchange: name a database"
            ),
            ("postgresql://127.0.0.1/te", .busy, nil, "if it lasts, another session may hold a lock, or"),
            (
                "postgresql://127.0.0.1/te", .cannotOpen, "connection to server failed: FATAL: x",
                "if these words do not say what to do, check the user"
            ),
            (
                "postgresql://127.0.0.1/te", .cannotOpen, "failed: received invalid response to SSL negotiation: J",
                "something else than PostgreSQL answers"
            ),
            (
                "postgresql://127.0.0.1/te", .cannotOpen,
                "failed: expected authentication request from server, but received J",
                "something else than PostgreSQL answers"
            ),
            (
                "postgresql://127.0.0.1/te", .noAnswer, "failed: Network is unreachable",
                "mostly this machine has no IPv6"
            ),
            (
                "postgresql://127.0.0.1/te", .hostUnknown,
                "could not translate host name \"db.x.example\" to address: No address associated with hostname",
                "mostly this machine has no IPv6"
            ),
            (
                "postgresql://127.0.0.1/te", .hostUnknown,
                "could not translate host name \"db.x.example\" to address: Name or service not known",
                "correct the host name and the port"
            ),
            (
                "postgresql://127.0.0.1/te", .pooler, "FATAL: query_wait_timeout",
                "PgBouncer had no connection to PostgreSQL for this call"
            ),
            (
                "postgresql://127.0.0.1/te", .tooManyConnections,
                "FATAL: MaxClientsInSessionMode: max clients reached - in Session mode max clients are limited to pool_size",
                "each process of token-exchange opens up to nine connections, and in session mode each takes one"
            ),
            (
                "postgresql://127.0.0.1/te", .tooManyConnections, "FATAL: sorry, too many clients already",
                "each process of token-exchange opens up to nine connections: raise max_connections"
            ),
            (
                "postgresql://127.0.0.1/te", .authentication, "FATAL: PAM authentication failed for user \"te\"",
                "at RDS and Cloud SQL, the role signs in by IAM"
            ),
            (
                "postgresql://127.0.0.1/te", .databaseMissing, "FATAL: no such database: te",
                "name the database in the section"
            ),
            (
                "postgresql://127.0.0.1/te", .roleMissing, "FATAL: no such user: te",
                "correct user and password in store"
            ),
            ("postgresql://127.0.0.1/te", .roleMissing, "role \"te\" does not exist", "create the role"),
            ("postgresql://127.0.0.1/te", .authentication, "SASL authentication failed", "correct user and password"),
            (
                "postgresql://127.0.0.1/te", .roleMissing, "FATAL: Tenant or user not found",
                "in store, write the user as ROLE"
            ),
            (
                "postgresql://127.0.0.1/te", .clientCertificate, "alert certificate expired",
                "the certificate in sslcert of store"
            ),
            (
                "postgresql://127.0.0.1/te", .clientCertificate, "alert unknown ca",
                "if the server demands a certificate"
            ),
            (
                "postgresql://127.0.0.1/te", .tls, "certificate verify failed",
                "the certificate of the server or of its authority"
            ),
            ("postgresql://127.0.0.1/te", .tls, "FATAL: SSL required", "write sslmode=verify-full with sslrootcert"),
            (
                "postgresql://127.0.0.1/te", .tls, "server does not support SSL",
                "if the server offers no TLS, set ssl = on"
            ),
            (
                "postgresql://127.0.0.1/te", .connectionRefused, "on socket \"/cloudsql/p:r:i/.s.PGSQL.5432\" failed",
                "mount the instance"
            ),
        ] as [(String, StoreFault, String?, String)])
    func condition(uri: String, fault: StoreFault, cause: String?, beginning: String) throws {
        let (yaml, _) = try Sample.changing("store: sqlite:///data/accounts.db", to: "store: \(uri)")
        let store = try Sample.loader().parse(yaml: yaml).store
        let advice = StoreError.unavailable(fault, cause: cause).advice(for: store)
        let parts = ["store.unavailable.\(fault.rawValue)", cause, beginning].compactMap(\.self)
        #expect(advice.hasPrefix(parts.joined(separator: "; ")), "\(advice)")
    }

    @Test("A migration of another program is named, and tables that are missing may be in another place")
    func otherTables() throws {
        let (yaml, _) = try Sample.changing("store: sqlite:///data/accounts.db", to: "store: postgresql://127.0.0.1/te")
        let postgres = try Sample.loader().parse(yaml: yaml).store
        let sqlite = Settings.Store.sqlite(path: "/data/a.db")
        let other = StoreError.newerSchema(found: "CreateUsers1700000000000", supported: "0011 waiting factors")
        for store in [postgres, sqlite] {
            #expect(
                other.advice(for: store)
                    == "store.newer_schema; its newest migration is CreateUsers1700000000000, and that of this version is 0011 "
                    + "waiting factors; if a later version of token-exchange made it, use that version; if another program did, name "
                    + "a database in store that no other program uses, or at PostgreSQL a schema (options=-csearch_path%3DNAME)"
            )
            let behind = StoreError.tablesBehind.advice(for: store)
            #expect(behind.hasSuffix("If they are missing although there were accounts, correct store"))
        }
    }

    @Test("A backup for which there is no space is named, because it may be on another disk than the store")
    func backupWithoutSpace() {
        let reason = Exit.because(
            "/backup/copy cannot be written, because no space is left in its folder, or in that of the store "
                + "sqlite:///data/a.db: df shows both", Exit.failure)
        #expect(throws: reason) {
            let store = Settings.Store.sqlite(path: "/data/a.db")
            try BackupReport.reportingErrors(store, "/backup/copy", isTarget: "/backup/copy") { () throws -> Void in
                throw BackupError.store(.unavailable(.full))
            }
        }
    }

    @Test(
        "The words of a program of another version than the server have an advice",
        arguments: [
            ("pg_dump: error: aborting because of server version mismatch", true),
            ("psql:/b:13: ERROR:  unrecognized configuration parameter \"transaction_timeout\"", true),
            ("psql:/b:5: error: invalid command \\restrict", true),
            ("psql:/b:5: ERROR:  permission denied for schema public", false),
        ])
    func otherVersion(words: String, isOther: Bool) {
        #expect(PostgresTools.advice(on: words).hasPrefix(". The versions of PostgreSQL differ: ") == isOther)
    }

    @Test("A pooler in transaction mode is named with the line to write")
    func transactionPooler() throws {
        let (yaml, _) = try Sample.changing("store: sqlite:///data/accounts.db", to: "store: postgresql://127.0.0.1/te")
        let store = try Sample.loader().parse(yaml: yaml).store
        let error = StoreError.unavailable(.transactionPooler, cause: #"prepared statement "tx0" already exists"#)
        let advice = error.advice(for: store)
        #expect(
            advice.hasPrefix(#"store.unavailable.transaction_pooler; prepared statement "tx0" already exists; "#),
            "\(advice)")
        #expect(advice.hasSuffix("write store_pooling: transaction"))
    }

    @Test("A fault of TLS has the remedy of that fault, and not only that the machine must reach the provider")
    func remedyOfTLS() {
        let error = DocumentError.unreachable(.untrusted(host: "idp.example", because: .unknownAuthority))
        #expect(error.remedy(otherwise: "").contains("update-ca-certificates"))
        #expect(
            error.sentence == "the certificate of idp.example is from an authority that this machine does not trust")
        let name = DocumentError.unreachable(.untrusted(host: "idp.example", because: .otherName))
        #expect(
            name.remedy(otherwise: "").contains(
                "openssl s_client -connect idp.example:PORT </dev/null | openssl x509 -noout -ext subjectAltName"))
        let other = DocumentError.unreachable(.unreachable(host: "idp.example"))
        #expect(other.remedy(otherwise: "").contains("server.outbound_proxy"))
    }
}
