import Curl
import FirestoreStores
import Fixtures
import Foundation
import JOSE
import Jansson
import Standards
import Stores
import Synchronization
import Testing
import Transport

/// Google's service, made of the emulator: a database has an identity, and commits have the time of a clock.
private final class Service: Sendable {
    /// The `uid` of the database; `nil` if the caller may not read it.
    let uid = Mutex<String?>("uid-1")
    /// Firestore's clock; `nil` for that of the emulator.
    let clock = Mutex<String?>("2023-11-14T22:13:20.123456Z")
    let emulator: String
    let database: String
    /// The settings of fields that were made, by the end of their path.
    let made = Mutex<Set<String>>([])
    /// Whether the answer to the next commit is lost.
    let losesCommit = Mutex(false)
    let identityReadings = Mutex(0)
    /// The answers to requests that have no token, by a part of their URL; 403 for every other.
    let answersToOthers = Mutex<[String: OutboundResponse]>([:])
    /// The requests that had no token.
    let others = Mutex<[String]>([])
    /// What the next reading of the identity waits for.
    let held = Mutex<AsyncStream<Void>?>(nil)

    init() throws {
        let place = try FirestorePlace.empty()
        emulator = try #require(place.emulator)
        database = place.database
    }

    func open(_ watching: Watching?, patience: FirestorePatience = FirestorePatience()) throws -> FirestoreStore {
        try FirestoreStore(
            FirestorePlace(project: "test", database: database), transport: transport(),
            token: { _ in Secret("owner") }, time: TimeSource { now }, watching: watching, patience: patience)
    }

    private func transport() throws -> HTTPTransport {
        let inner = try FirestoreStore.curl.get().transport
        return HTTPTransport { request throws(TransportError) in
            var request = request
            request.url = request.url.replacing(
                "https://firestore.googleapis.com/", with: "http://\(self.emulator)/")
            let path = String(request.url.prefix { $0 != "?" })
            if !request.header.contains(where: { $0.name == "Authorization" }) {
                let url = request.url
                self.others.withLock { $0.append(url) }
                let answer = self.answersToOthers.withLock { $0.first { url.contains($0.key) }?.value }
                if answer?.status == 0 { throw .timedOut(host: "firestore.example", requestSent: true) }
                return answer ?? OutboundResponse(status: 403)
            }
            if path.contains("/collectionGroups/") {
                let field = path.split(separator: "/").suffix(3).joined(separator: "/")
                if request.method == .patch { _ = self.made.withLock { $0.insert(field) } }
                let isMade = self.made.withLock { $0.contains(field) }
                let body =
                    isMade
                    ? #"{"ttlConfig": {"state": "CREATING"}, "indexConfig": {}}"#
                    : #"{"indexConfig": {"usesAncestorConfig": true}}"#
                return OutboundResponse(status: 200, body: Array(body.utf8))
            }
            if request.method == .get {
                self.identityReadings.withLock { $0 += 1 }
                if let held = self.held.withLock({ exchange(&$0, with: nil) }) { for await _ in held {} }
                guard let uid = self.uid.withLock(\.self) else {
                    return OutboundResponse(
                        status: 403, body: Array(#"{"error": {"status": "PERMISSION_DENIED"}}"#.utf8))
                }
                return OutboundResponse(
                    status: 200,
                    body: Array(
                        #"{"uid": "\#(uid)", "type": "FIRESTORE_NATIVE", "locationId": "europe-west3"}"#.utf8))
            }
            let answer = try await inner.send(request)
            if path.hasSuffix(":commit"), self.losesCommit.withLock({ exchange(&$0, with: false) }) {
                throw .interrupted(host: "firestore.example")
            }
            guard let clock = self.clock.withLock(\.self) else { return answer }
            let text = String(decoding: answer.body, as: UTF8.self)
                .replacing(#/"(commitTime|readTime)": "[^"]*"/#) { #""\#($0.output.1)": "\#(clock)""# }
            return OutboundResponse(status: answer.status, header: answer.header, body: Array(text.utf8))
        }
    }
}

private func exchange<Value>(_ value: inout Value, with other: Value) -> Value {
    defer { value = other }
    return value
}

@Suite("The watched time of Firestore", .serialized, .enabled(if: FirestoreEmulator.isInstalled))
struct FirestoreWatchTests {
    private static func watching(at moment: NumericDate = now, anew: Bool = false) -> Watching {
        Watching(TimeSource { moment }, isAnew: anew)
    }

    private static func token(_ text: String, issuedAfter seconds: Int64) -> SpentRecord {
        SpentRecord(
            .idToken, of: [Array(text.utf8)], issuedAt: now + .seconds(seconds), expiresAt: now + .seconds(100_000))
    }

    @Test("A reading of the identity during which the process was stopped is given up by the next sign-in")
    func stoppedDuringReading() async throws {
        let service = try Service()
        let clock = Mutex(ContinuousClock.now)
        let store = try service.open(Self.watching(), patience: FirestorePatience(clock: { clock.withLock(\.self) }))
        #expect(try await store.spend([Self.token("a", issuedAfter: 1)], at: now) == .first)
        let (held, release) = AsyncStream.makeStream(of: Void.self)
        service.held.withLock { $0 = held }
        clock.withLock { $0 += .seconds(61) }
        let before = service.identityReadings.withLock(\.self)
        async let stopped: Void = store.watch(at: now)
        while service.identityReadings.withLock(\.self) == before { await Task.yield() }
        clock.withLock { $0 += .seconds(10) }
        #expect(try await store.spend([Self.token("b", issuedAfter: 1)], at: now) == .first)
        release.finish()
        try await stopped
    }

    @Test("After a stop without a record of its time, nothing is refused, because no commit is lost")
    func stopped() async throws {
        let service = try Service()
        let first = try service.open(Self.watching())
        #expect(try await first.spend([Self.token("used", issuedAfter: 1)], at: now) == .first)
        try await first.keep(Handoff.baseline())
        let second = try service.open(Self.watching(at: now + .seconds(50)))
        #expect(try await second.spend([Self.token("a", issuedAfter: 20)], at: now + .seconds(50)) == .first)
        #expect(
            try await second.spend([Self.token("used", issuedAfter: 1)], at: now + .seconds(50)) == .replayed(.idToken))
        #expect(try await second.redeem(.baseline(), at: now + .seconds(50)).name == "redeemed")
    }

    @Test("In a database that was restored, all that was issued before its first start is refused")
    func restored() async throws {
        let service = try Service()
        let first = try service.open(Self.watching())
        #expect(try await first.spend([Self.token("used", issuedAfter: 1)], at: now) == .first)
        try await first.keep(Handoff.baseline())
        try await first.keep(PendingCredential.baseline())
        #expect(try await first.keep(DeviceGrant.baseline(), as: .device))
        service.uid.withLock { $0 = "uid-2" }
        service.clock.withLock { $0 = "2023-11-14T22:14:10Z" }
        let second = try service.open(Self.watching(at: now + .seconds(50)))
        let moment = now + .seconds(50)
        #expect(try await second.spend([Self.token("a", issuedAfter: 49)], at: moment) == .unwatched(.idToken))
        #expect(try await second.spend([Self.token("b", issuedAfter: 51)], at: moment) == .first)
        #expect(try await second.spend([Self.token("used", issuedAfter: 1)], at: moment) == .replayed(.idToken))
        #expect(try await second.redeem(.baseline(), at: moment).name == "unknown")
        #expect(try await second.redeem(.claiming(), at: moment).name == "unknown")
        #expect(try await second.poll(.device, client: "tv", at: moment).name == "unknown")
        #expect(try await second.watchReading().unwatchedUntil == now + .seconds(51))
    }

    @Test("A running server notices within a minute that its database is another one")
    func replaced() async throws {
        let service = try Service()
        let passed = Mutex(Duration.zero)
        let start = ContinuousClock.now
        let patience = FirestorePatience(clock: { start + passed.withLock(\.self) })
        let moment = now + .seconds(60)
        let watching = Watching(TimeSource { passed.withLock(\.self) == .zero ? now : moment })
        let store = try service.open(watching, patience: patience)
        #expect(try await store.spend([Self.token("a", issuedAfter: 20)], at: now) == .first)
        service.uid.withLock { $0 = "uid-2" }
        service.clock.withLock { $0 = "2023-11-14T22:14:20Z" }
        #expect(try await store.spend([Self.token("b", issuedAfter: 20)], at: now) == .first)
        passed.withLock { $0 = .seconds(60) }
        #expect(try await store.spend([Self.token("c", issuedAfter: 20)], at: moment) == .unwatched(.idToken))
        #expect(try await store.spend([Self.token("d", issuedAfter: 61)], at: moment) == .first)
    }

    @Test("After a restore, the server whose clock is late does not accept what the lost records may have had")
    func lateClock() async throws {
        let service = try Service()
        let late = try service.open(Self.watching(at: now - .seconds(3600)))
        #expect(try await late.watchReading().unwatchedUntil == now + .seconds(1))
        let right = try service.open(Self.watching())
        #expect(try await right.spend([Self.token("a", issuedAfter: 0)], at: now) == .unwatched(.idToken))
        #expect(try await right.spend([Self.token("b", issuedAfter: 1)], at: now) == .first)
    }

    @Test("A server whose clock is 40 days ahead deletes nothing, and is right again as soon as its clock is")
    func aheadClock() async throws {
        let service = try Service()
        let start = ContinuousClock.now
        let store = try service.open(Self.watching(), patience: FirestorePatience(clock: { start }))
        let ahead = now + .seconds(40 * 86400)
        try await store.watch(at: ahead)
        let reading = try await store.watchReading()
        #expect(reading.clock == now && !reading.allowsDeletion(at: ahead))
        #expect(reading.allowsDeletion(at: now + .seconds(60)) && !reading.allowsDeletion(at: now + .seconds(61)))
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
    }

    @Test("Firestore's clock is kept between two readings, and refuses before anything is sent")
    func keptClock() async throws {
        let service = try Service()
        let passed = Mutex(Duration.zero)
        let start = ContinuousClock.now
        let patience = FirestorePatience(clock: { start + passed.withLock(\.self) })
        let store = try service.open(Self.watching(), patience: patience)
        #expect(try await store.watchReading().clock == now)
        passed.withLock { $0 = .seconds(59) }
        #expect(try await store.watchReading().clock == now + .seconds(59))
        #expect(try await store.spend([.baseline("a")], at: now - .seconds(1)) == .first)
        await #expect(throws: StoreError.clockBehind) {
            try await store.spend([.baseline("b")], at: now - .seconds(2))
        }
    }

    @Test("A commit that is found by its octets is compared with Firestore's clock like every other")
    func lostAnswer() async throws {
        let service = try Service()
        let store = try service.open(Self.watching())
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
        // 61 seconds after `now`.
        service.clock.withLock { $0 = "2023-11-14T22:14:21Z" }
        service.losesCommit.withLock { $0 = true }
        await #expect(throws: StoreError.clockBehind) { try await store.spend([.baseline("b")], at: now) }
        #expect(service.losesCommit.withLock(\.self) == false)
        service.clock.withLock { $0 = "2023-11-14T22:13:20Z" }
        #expect(try await store.spend([.baseline("b")], at: now) == .first)
    }

    @Test("The name of the database does not replace an identity that is recorded")
    func identityNotReadable() async throws {
        let service = try Service()
        let first = try service.open(Self.watching())
        #expect(try await first.spend([Self.token("a", issuedAfter: 1)], at: now) == .first)
        service.uid.withLock { $0 = nil }
        service.clock.withLock { $0 = "2023-11-14T22:13:30Z" }
        let second = try service.open(Self.watching())
        let error = StoreError.unavailable(
            .privilegeMissing,
            cause:
                "the identity of the database needs the permission datastore.databases.getMetadata; Firestore answers "
                + "403 PERMISSION_DENIED")
        await #expect(throws: error) { try await second.spend([Self.token("b", issuedAfter: 1)], at: now) }
        // With the permission, nothing is refused.
        service.uid.withLock { $0 = "uid-1" }
        #expect(try await second.spend([Self.token("b", issuedAfter: 1)], at: now) == .first)
        // The operator decides that all that was issued before is refused, which needs no identity.
        service.uid.withLock { $0 = nil }
        let anew = try service.open(Self.watching(anew: true))
        #expect(try await anew.watchReading().unwatchedUntil == now + .seconds(11))
    }

    @Test("Calls that begin at the same time read the first start once")
    func oneReading() async throws {
        let service = try Service()
        let store = try service.open(Self.watching(anew: true))
        let ends = try await all(20) { _ in try await store.watchReading().unwatchedUntil }
        #expect(ends == Array(repeating: now + .seconds(1), count: 20))
        #expect(service.identityReadings.withLock(\.self) == 1)
    }

    @Test("At the emulator, the first sweep deletes what has expired since the first start")
    func emulatorSweep() async throws {
        let store = try FirestoreStore.open(.empty(), watching: Self.watching())
        #expect(try await store.watchReading().sweptThrough == now - .seconds(3599))
    }

    @Test("If the server may not read the identity of the database, its name stands in")
    func withoutIdentity() async throws {
        let service = try Service()
        service.uid.withLock { $0 = nil }
        for moment in [now, now + .seconds(50)] {
            let store = try service.open(Self.watching(at: moment))
            #expect(try await store.spend([Self.token("\(moment)", issuedAfter: 1)], at: moment) == .first)
        }
    }

    @Test("An operator's new store refuses all that was issued before, once")
    func anew() async throws {
        let service = try Service()
        let first = try service.open(Self.watching())
        #expect(try await first.spend([Self.token("a", issuedAfter: 1)], at: now) == .first)
        service.clock.withLock { $0 = "2023-11-14T22:14:10Z" }
        let second = try service.open(Self.watching(at: now + .seconds(50), anew: true))
        for _ in 0..<2 {
            #expect(try await second.watchReading().unwatchedUntil == now + .seconds(51))
        }
        #expect(
            try await second.spend([Self.token("b", issuedAfter: 50)], at: now + .seconds(50)) == .unwatched(.idToken))
    }

    @Test("A clock that is more than a minute behind Firestore's spends nothing, because a record may be deleted")
    func clockBehind() async throws {
        let service = try Service()
        let store = try service.open(Self.watching())
        try await store.keep(Handoff.baseline())
        // 61 seconds after `now`.
        service.clock.withLock { $0 = "2023-11-14T22:14:21.5Z" }
        await #expect(throws: StoreError.clockBehind) { try await store.spend([.baseline("a")], at: now) }
        await #expect(throws: StoreError.clockBehind) { try await store.redeem(.baseline(), at: now) }
        service.clock.withLock { $0 = "2023-11-14T22:14:20Z" }
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
        #expect(try await store.redeem(.baseline(), at: now).name == "redeemed")
    }

    @Test("Expired records of Google's service are left to its policies")
    func policies() async throws {
        let store = try Service().open(Self.watching())
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
        #expect(try await store.sweep(expiredBefore: later + .seconds(1), atMost: 9) == 0)
        let again = SpentRecord(
            .authorizationCode, of: [Array("a".utf8)], issuedAt: nil, expiresAt: later + .seconds(600))
        #expect(try await store.spend([again], at: now) == .replayed(.authorizationCode))
    }

    @Test("The policies that delete expired documents are made once")
    func makingPolicies() async throws {
        let store = try Service().open(nil)
        let collections = ["spent", "handoffs", "pending", "devices", "user_codes", "commits", "servers"]
        let all =
            collections.map { "TTL policy of \($0)" } + collections.dropLast().map { "exemption of \($0) from indexes" }
            + [
                "audit.id", "audit.line", "audit.uid", "accounts.created_at", "accounts.delete_after",
                "accounts.identities",
            ].map { "exemption of \($0) from indexes" }
        #expect(try await store.missingPolicies() == all)
        #expect(try await store.makePolicies() == all)
        #expect(try await store.missingPolicies() == [])
        #expect(try await store.makePolicies() == [])
    }

    @Test(
        "Each collection is asked for without a token, by its list and by a document, with the API key and without it")
    func probes() async throws {
        let service = try Service()
        let open = try await service.open(nil).openCollections(apiKey: "KEY")
        #expect(open.names == [] && open.failure == nil)
        let others = service.others.withLock(\.self)
        #expect(others.count == 60 && Set(others).count == 60)
        let spent = others.filter { $0.contains("/documents/spent") }.compactMap { $0.split(separator: "/").last }
        #expect(Set(spent) == ["none?", "none?&key=KEY", "spent?pageSize=1", "spent?pageSize=1&key=KEY"])
        // The emulator refuses no one.
        let emulator = try await FirestoreStore.open(.empty()).openCollections(apiKey: "KEY")
        #expect(emulator.names == [] && emulator.failure == nil)
    }

    private static func refusal(_ status: Int, _ message: String) -> OutboundResponse {
        OutboundResponse(
            status: status,
            body: JSON.object(["error": .object(["code": .integer(Int64(status)), "message": .string(message)])])
                .serialized())
    }

    private static let list = OutboundResponse(status: 200, body: Array("{}".utf8))
    private static let missing = refusal(404, "Document \"projects/test/databases/d/documents/spent/none\" not found.")

    @Test(
        "Only an answer that shows a collection or the absence of a document proves that a caller without a token can read",
        arguments: [
            ("/spent?pageSize=1", list, true), ("/spent/none", missing, true),
            ("key=KEY", list, true),
            ("/spent/none", refusal(404, "The database d does not exist for project test."), false),
            ("/spent/none", OutboundResponse(status: 404, body: Array("<html>".utf8)), false),
            ("/spent?pageSize=1", OutboundResponse(status: 200, body: Array("<html>".utf8)), false),
            ("/spent?pageSize=1", refusal(400, "API key not valid."), false),
            ("/spent?pageSize=1", refusal(429, "Quota exceeded."), false),
        ])
    func rules(part: String, answer: OutboundResponse, isOpen: Bool) async throws {
        let service = try Service()
        service.answersToOthers.withLock { $0 = [part: answer] }
        let open = try await service.open(nil).openCollections(apiKey: "KEY")
        #expect(open.names.contains("spent") == isOpen)
        #expect(open.failure == nil)
    }

    @Test("A request without an answer hides no other collection")
    func silentRules() async throws {
        let service = try Service()
        service.answersToOthers.withLock { $0 = ["/accounts": OutboundResponse(status: 0), "/audit?": Self.list] }
        let open = try await service.open(nil).openCollections(apiKey: nil)
        #expect(open.names == ["audit"])
        #expect(open.failure?.code == "store.unavailable.no_answer")
    }

    @Test("The region of the database is in the resource of its identity, which a server may not be allowed to read")
    func location() async throws {
        let service = try Service()
        let store = try service.open(nil)
        #expect(try await store.location() == "europe-west3")
        service.uid.withLock { $0 = nil }
        #expect(try await store.location() == nil)
    }

    @Test("Lines of the audit trail are spread over indexes, so that none receives all writes")
    func auditIndexes() async throws {
        let place = try FirestorePlace.empty()
        let store = try FirestoreStore.open(place)
        try await store.append((0..<40).map { AuditLine(id: "\($0)", at: now, uid: "uid", text: "{}") })
        let url = "http://\(place.host)/v1/\(place.name)/documents/audit?pageSize=100"
        let answer = try await FirestoreStore.curl.get().transport.send(
            OutboundRequest(.get, url, header: [HeaderField("Authorization", "Bearer owner")]))
        let documents = try #require(try JSON.parse(answer.body)["documents"]?.array)
        let indexes = Set(documents.flatMap { $0["fields"]?.object?.keys.filter { $0.hasPrefix("at_") } ?? [] })
        #expect(documents.count == 40)
        #expect(indexes.isSubset(of: Set((0..<8).map { "at_\($0)" })) && indexes.count > 4)
        #expect(try await store.sweepAudit(olderThan: later, atMost: 30) == 30)
        #expect(try await store.sweepAudit(olderThan: later, atMost: 30) == 10)
    }

    /// A store whose calls Firestore refuses.
    private static func refusing(_ status: Int, _ name: String, _ message: String) throws -> FirestoreStore {
        let answer = OutboundResponse(
            status: status, body: Array(#"{"error": {"status": "\#(name)", "message": "\#(message)"}}"#.utf8))
        return try FirestoreStore(
            FirestorePlace(project: "p", database: "token-exchange", emulator: "127.0.0.1:1"),
            transport: HTTPTransport { _ in answer }, token: { _ in Secret("owner") }, time: TimeSource { now })
    }

    @Test(
        "A database in Datastore mode is named, and so is one that does not exist",
        arguments: [
            (
                400, "FAILED_PRECONDITION",
                "The Cloud Firestore API is not available for Firestore in Datastore Mode database p.",
                StoreFault.notADatabase
            ),
            (404, "NOT_FOUND", "The database token-exchange does not exist for project p.", .databaseMissing),
        ])
    func wrongDatabase(status: Int, name: String, message: String, fault: StoreFault) async throws {
        let store = try Self.refusing(status, name, message)
        await #expect(
            throws: StoreError.unavailable(fault, cause: "Firestore answers \(status) \(name): \(message)")
        ) {
            try await store.spend([.baseline("a")], at: now)
        }
    }

    @Test("A certificate that this machine does not trust has its own advice")
    func untrusted() async throws {
        let store = try FirestoreStore(
            FirestorePlace(project: "p", database: "token-exchange"),
            transport: HTTPTransport { _ throws(TransportError) in
                throw .untrusted(host: "firestore.googleapis.com", because: .unknownAuthority)
            }, token: { _ in Secret("token") }, time: TimeSource { now }, patience: FirestorePatience(attempts: 1))
        let error = await #expect(throws: StoreError.self) { _ = try await store.account(uid: "a") }
        guard case .unavailable(.noAnswer, let cause?) = error else { throw Unexpected() }
        #expect(
            cause.hasPrefix(
                "the certificate of firestore.googleapis.com is from an authority that this machine does not trust. If the "
                    + "authority is your own, or that of a proxy which decrypts TLS, copy its certificate"))
    }

    @Test(
        "What Firestore says about a reading is kept, also if the same status would be a condition of a commit",
        arguments: [
            (404, "NOT_FOUND", "Project 'projects/p' not found or deleted.", StoreFault.databaseMissing),
            (400, "FAILED_PRECONDITION", "The Cloud Firestore database is being deleted.", .other),
            (400, "FAILED_PRECONDITION", "The query requires an index.", .other),
        ])
    func refusedReading(status: Int, name: String, message: String, fault: StoreFault) async throws {
        let store = try Self.refusing(status, name, message)
        let error = StoreError.unavailable(fault, cause: "Firestore answers \(status) \(name): \(message)")
        await #expect(throws: error) { _ = try await store.account(uid: "a") }
        await #expect(throws: error) { _ = try await store.accounts(after: nil, atMost: 1) }
    }
}
