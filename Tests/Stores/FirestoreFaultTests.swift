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

/// A fault between a store and the emulator.
private enum Fault {
    /// The request does not arrive.
    case unreachable
    /// The request arrives and its answer is lost.
    case lostAnswer
    /// The request does not arrive, and Firestore answers with a status.
    case status(Int, String)
    /// The request arrives, and Firestore answers with a status.
    case lateStatus(Int, String)
    /// The request arrives twice, of which the second answer is read.
    case twice
    /// The request arrives, and the last element of its answer is an error, as if the stream had been cut.
    case cut
    /// The request waits here until the store has sent another commit, and then arrives; its answer is lost.
    case overtaken
}

/// A transport to the emulator with faults, which are taken from the front by commits.
private final class FaultyTransport: Sendable {
    private struct State {
        var faults: [Fault] = []
        var late: [OutboundRequest] = []
        var requests: [String] = []
        var cost = [0, 0, 0]
    }

    private let state = Mutex(State())
    private let inner: HTTPTransport
    private let concerns: String

    /// `concerns` is the end of the URL of the requests that meet faults.
    init(_ faults: [Fault], concerns: String = ":commit") throws {
        self.concerns = concerns
        inner = try FirestoreStore.curl.get().transport
        state.withLock { $0.faults = faults }
    }

    /// The documents that were read, written and deleted.
    var cost: [Int] { state.withLock { $0.cost } }
    var commits: Int { state.withLock { $0.requests.count { $0.hasSuffix(":commit") } } }
    var leftFaults: Int { state.withLock { $0.faults.count } }

    func add(_ faults: [Fault]) { state.withLock { $0.faults += faults } }

    var transport: HTTPTransport {
        HTTPTransport { request throws(TransportError) in
            let concerned = request.url.hasSuffix(self.concerns)
            let (fault, late) = self.state.withLock { state -> (Fault?, [OutboundRequest]) in
                state.requests.append(request.url)
                let body = try? JSON.parse(request.body)
                state.cost[0] += body?["documents"]?.array?.count ?? 0
                for write in body?["writes"]?.array ?? [] { state.cost[write["delete"] == nil ? 1 : 2] += 1 }
                guard concerned else { return (nil, []) }
                let late = state.late
                state.late = []
                return (state.faults.isEmpty ? nil : state.faults.removeFirst(), late)
            }
            for request in late { _ = try await self.inner.send(request) }
            switch fault {
            case nil: return try await self.inner.send(request)
            case .unreachable: throw .unreachable(host: "firestore.example")
            case .lostAnswer:
                _ = try await self.inner.send(request)
                throw .interrupted(host: "firestore.example")
            case .status(let status, let name): return Self.answer(status, name)
            case .lateStatus(let status, let name):
                _ = try await self.inner.send(request)
                return Self.answer(status, name)
            case .twice:
                _ = try await self.inner.send(request)
                return try await self.inner.send(request)
            case .cut:
                let answer = try await self.inner.send(request)
                let elements = (try? JSON.parse(answer.body))?.array ?? []
                let error = JSON.object(["error": .object(["status": .string("UNAVAILABLE"), "message": .string("m")])])
                return OutboundResponse(
                    status: answer.status, body: JSON.array(elements.dropLast() + [error]).serialized())
            case .overtaken:
                self.state.withLock { $0.late.append(request) }
                throw .timedOut(host: "firestore.example", requestSent: true)
            }
        }
    }

    private static func answer(_ status: Int, _ name: String) -> OutboundResponse {
        OutboundResponse(
            status: status,
            body: JSON.object([
                "error": .object(["code": .integer(Int64(status)), "status": .string(name), "message": .string("m")])
            ]).serialized())
    }
}

/// Time that passes only in pauses.
private final class PausedTime: Sendable {
    private let pauses = Mutex(Duration.zero)
    private let start = ContinuousClock.now

    var passed: Duration { pauses.withLock(\.self) }

    var patience: FirestorePatience {
        FirestorePatience(
            pause: { duration in self.pauses.withLock { $0 += duration } }, clock: { self.start + self.passed })
    }
}

@Suite("Faults between the store and Firestore", .serialized, .enabled(if: FirestoreEmulator.isInstalled))
struct FirestoreFaultTests {
    private let place: FirestorePlace
    private let time = PausedTime()

    init() throws {
        place = try .empty()
    }

    private func store(_ transport: FaultyTransport, patience: FirestorePatience? = nil) throws -> FirestoreStore {
        try FirestoreStore(
            place, transport: transport.transport, token: { _ in Secret("owner") }, time: TimeSource { now },
            patience: patience ?? time.patience)
    }

    /// Faults after which Firestore has the commit although its answer says nothing of it.
    private static let lost: [Fault] = [
        .lostAnswer, .lateStatus(500, "INTERNAL"), .lateStatus(503, "UNAVAILABLE"),
        .lateStatus(504, "DEADLINE_EXCEEDED"), .lateStatus(499, "CANCELLED"), .lateStatus(408, ""),
    ]
    /// Faults after which Firestore has the commit although its answer says that it does not.
    private static let denied: [Fault] = [.lateStatus(409, "ABORTED"), .lateStatus(429, "RESOURCE_EXHAUSTED"), .twice]
    private static let hidden = lost + denied

    @Test("A commit whose answer is lost is found by its own octets, and is sent once", arguments: lost.indices)
    func lostAnswer(index: Int) async throws {
        let faulty = try FaultyTransport([Self.lost[index]])
        let records: [SpentRecord] = [.baseline("a", .idToken), .baseline("a", .nonce)]
        #expect(try await store(faulty).spend(records, at: now) == .first)
        #expect(faulty.commits == 1)
        #expect(try await store(faulty).spend(records, at: now) == .replayed(.idToken))
    }

    @Test(
        "A commit that happened although its answer says that it did not is still the first use",
        arguments: denied.indices)
    func deniedCommit(index: Int) async throws {
        let faulty = try FaultyTransport([Self.denied[index]])
        let records: [SpentRecord] = [.baseline("a", .idToken), .baseline("a", .nonce)]
        #expect(try await store(faulty).spend(records, at: now) == .first)
        #expect(try await store(faulty).spend(records, at: now) == .replayed(.idToken))
    }

    /// Faults before Firestore has the commit.
    private static let missing: [[Fault]] = [
        [.unreachable], [.status(429, "RESOURCE_EXHAUSTED")], [.status(409, "ABORTED")],
        [.status(503, "UNAVAILABLE")], [.status(504, "DEADLINE_EXCEEDED"), .unreachable, .status(500, "INTERNAL")],
    ]

    @Test("A commit that did not arrive is sent again", arguments: missing.indices)
    func sentAgain(index: Int) async throws {
        let faulty = try FaultyTransport(Self.missing[index])
        #expect(try await store(faulty).spend([.baseline("a")], at: now) == .first)
        #expect(faulty.leftFaults == 0 && faulty.commits == Self.missing[index].count + 1)
    }

    @Test("Of a commit that arrives after it was sent again, the use is still the first")
    func overtaken() async throws {
        let faulty = try FaultyTransport([.overtaken])
        #expect(try await store(faulty).spend([.baseline("a")], at: now) == .first)
        #expect(faulty.commits == 2)
    }

    @Test("If another use won while the answer was lost, the outcome is a replay")
    func anotherWon() async throws {
        let other = try FirestoreStore.open(place)
        #expect(try await other.spend([.baseline("a")], at: now) == .first)
        for fault in [Fault.status(503, "UNAVAILABLE"), .overtaken] {
            let faulty = try FaultyTransport([fault])
            #expect(
                try await store(faulty).spend([.baseline("a")], at: now) == .replayed(.authorizationCode))
        }
    }

    @Test("If the outcome stays unknown until the last attempt, the credential counts as spent")
    func unknown() async throws {
        let faulty = try FaultyTransport(Array(repeating: .status(503, "UNAVAILABLE"), count: 50))
        var patience = time.patience
        // The pauses are random: their sum is sometimes more than the usual budget.
        patience.budget = .seconds(60)
        await #expect(throws: StoreError.outcomeUnknown(.noAnswer)) {
            try await store(faulty, patience: patience).spend([.baseline("a")], at: now)
        }
        #expect(faulty.commits == patience.attempts)
    }

    @Test("If the outcome stays unknown until the end of the budget, the credential counts as spent")
    func unknownInTime() async throws {
        let faulty = try FaultyTransport(Array(repeating: .status(503, "UNAVAILABLE"), count: 1000))
        var patience = time.patience
        patience.attempts = 1000
        await #expect(throws: StoreError.outcomeUnknown(.noAnswer)) {
            try await store(faulty, patience: patience).spend([.baseline("a")], at: now)
        }
        // The longest pause has 1.28 seconds.
        #expect(patience.budget - .milliseconds(1280) <= time.passed && time.passed < patience.budget)
    }

    @Test(
        "If nothing arrived, nothing was written, and the error says so",
        arguments: [
            (429, "RESOURCE_EXHAUSTED", StoreFault.busy), (409, "ABORTED", .busy),
            (403, "PERMISSION_DENIED", .privilegeMissing),
            (400, "INVALID_ARGUMENT", .other),
        ])
    func nothingWritten(status: Int, name: String, fault: StoreFault) async throws {
        let faulty = try FaultyTransport(Array(repeating: .status(status, name), count: 50))
        await #expect(throws: StoreError.unavailable(fault, cause: "Firestore answers \(status) \(name): m")) {
            try await store(faulty).spend([.baseline("a")], at: now)
        }
        #expect(try await FirestoreStore.open(place).spend([.baseline("a")], at: now) == .first)
    }

    @Test("A token that Firestore refuses is replaced once")
    func tokens() async throws {
        let faulty = try FaultyTransport([.status(401, "UNAUTHENTICATED")])
        let refused = Mutex(0)
        let store = try FirestoreStore(
            place, transport: faulty.transport,
            token: { token in
                // The emulator accepts no other token.
                if token != nil { refused.withLock { $0 += 1 } }
                return Secret("owner")
            }, time: TimeSource { now }, patience: time.patience)
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
        #expect(refused.withLock(\.self) == 1)
        faulty.add([.status(401, "UNAUTHENTICATED"), .status(401, "UNAUTHENTICATED")])
        await #expect(
            throws: StoreError.unavailable(.authentication, cause: "Firestore answers 401 UNAUTHENTICATED: m")
        ) {
            try await store.spend([.baseline("b")], at: now)
        }
    }

    @Test("A handle whose redemption lost its answer is redeemed, and once", arguments: hidden.indices, Handle.allCases)
    private func handle(index: Int, handle: Handle) async throws {
        let faulty = try FaultyTransport([])
        let store = try store(faulty)
        try await handle.keep(in: store)
        faulty.add([Self.hidden[index]])
        #expect(try await handle.redeem(in: store) == "redeemed")
        #expect(try await handle.redeem(in: store) == "replayed")
    }

    @Test("A change of an account that lost its answer is made once, and reported as made", arguments: hidden.indices)
    func account(index: Int) async throws {
        let faulty = try FaultyTransport([Self.hidden[index]])
        let store = try store(faulty)
        try await store.make("uid", of: .baseline())
        _ = try await store.link(.baseline(at: "twitter.com"), to: "uid", at: now)
        faulty.add([Self.hidden[index]])
        guard case .unlinked = try await store.unlink(provider: "yahoo.com", from: "uid", at: now) else {
            Issue.record("The caller was told that another one had unlinked the identity.")
            return
        }
    }

    @Test("A repeated give-back does not delete the record of a later use")
    func giveBack() async throws {
        let faulty = try FaultyTransport([])
        let store = try store(faulty)
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
        // The deletion happens, another request uses the credential, and the deletion arrives a second time.
        let other = try FirestoreStore.open(place)
        let record = SpentRecord.baseline("a")
        faulty.add([.lostAnswer])
        let racing = FaultyTransport.Between {
            _ = try? await other.spend([record], at: now)
        }
        let again = try FirestoreStore(
            place, transport: racing.wrapping(faulty.transport), token: { _ in Secret("owner") },
            time: TimeSource { now }, patience: time.patience)
        try await again.giveBack([record])
        #expect(try await other.spend([record], at: now) == .replayed(.authorizationCode))
    }

    @Test(
        "A repeated give-back of a handle does not delete the record of a later redemption", arguments: Handle.allCases)
    private func giveBackHandle(handle: Handle) async throws {
        let other = try FirestoreStore.open(place)
        try await handle.keep(in: other)
        #expect(try await handle.redeem(in: other) == "redeemed")
        // The handle is made again, another request redeems it, and the same commit is refused.
        let faulty = try FaultyTransport([.lostAnswer])
        let between = Mutex("")
        let racing = FaultyTransport.Between {
            let outcome = try? await handle.redeem(in: other)
            between.withLock { $0 = outcome ?? "" }
        }
        let again = try FirestoreStore(
            place, transport: racing.wrapping(faulty.transport), token: { _ in Secret("owner") },
            time: TimeSource { now }, patience: time.patience)
        try await handle.giveBack(to: again)
        #expect(between.withLock(\.self) == "redeemed")
        #expect(try await handle.redeem(in: other) == "replayed")
    }

    /// A store that lets `body` run before its reading of a number.
    private func interrupted(
        before number: Int, _ body: @escaping @Sendable (FirestoreStore) async throws -> Void
    ) throws -> FirestoreStore {
        let other = try FirestoreStore.open(place)
        let inner = try FirestoreStore.curl.get().transport
        let count = Mutex(0)
        let transport = HTTPTransport { request throws(TransportError) in
            if request.url.hasSuffix(":batchGet"),
                count.withLock({
                    $0 += 1; return $0 == number
                })
            {
                do { try await body(other) } catch { Issue.record(error) }
            }
            return try await inner.send(request)
        }
        return try FirestoreStore(
            place, transport: transport, token: { _ in Secret("owner") }, time: TimeSource { now },
            patience: time.patience)
    }

    @Test(
        "Two first sign-ins of one person at the same time lead to one account, whichever reading one of them meets",
        arguments: [1, 2, 3, 4], ["first", "second"] as [UID])
    func firstSignIns(number: Int, candidate: UID) async throws {
        let arrival = IncomingIdentity.baseline(email: "a@example.com")
        let store = try interrupted(before: number) { other in try await other.make("first", of: arrival) }
        #expect(
            try await store.signIn(arrival, candidates: [candidate], emails: .oneAccountEach, at: now)
                == .signedIn(uid: "first", isNew: false, hasFactor: false))
    }

    @Test("While a merge is committed, an identity belongs to one of both accounts")
    func merged() async throws {
        let before = try FirestoreStore.open(place)
        try await before.make("going", of: .baseline())
        try await before.make("staying", of: .baseline(at: "twitter.com"))
        let store = try interrupted(before: 2) { other in
            guard case .merged = try await other.merge("going", into: "staying", expecting: nil, at: now)
            else { throw Unexpected() }
        }
        #expect(try await store.account(of: .baseline)?.uid == "staying")
    }

    @Test("A link that meets a merge of the identity's account names the account that has it now")
    func linkMeetsMerge() async throws {
        let before = try FirestoreStore.open(place)
        try await before.make("going", of: .baseline())
        try await before.make("staying", of: .baseline(at: "twitter.com"))
        try await before.make("uid", of: .baseline(at: "google.com"))
        let store = try interrupted(before: 2) { other in
            _ = try await other.merge("going", into: "staying", expecting: nil, at: now)
        }
        guard case .identityTaken(let holder) = try await store.link(.baseline(), to: "uid", expecting: nil, at: now)
        else { throw Unexpected() }
        #expect(holder.uid == "staying")
    }

    @Test("A poll that meets a give-back redeems the grant, which exists in every moment")
    func pollMeetsGiveBack() async throws {
        let before = try FirestoreStore.open(place)
        try await Handle.device.keep(in: before)
        #expect(try await Handle.device.redeem(in: before) == "redeemed")
        // The first reading is that of the first start.
        let store = try interrupted(before: 3) { other in try await Handle.device.giveBack(to: other) }
        #expect(try await Handle.device.redeem(in: store) == "redeemed")
    }

    @Test(
        "A list whose stream ends with an error is read again, and is never short",
        arguments: [":runQuery", ":batchGet"])
    func cutStream(concerned: String) async throws {
        let before = try FirestoreStore.open(place)
        try await before.make("a", of: .baseline("1"))
        try await before.make("b", of: .baseline("2"))
        let faulty = try FaultyTransport([.cut], concerns: concerned)
        let store = try store(faulty)
        #expect(try await store.accounts(after: nil, atMost: 9).map(\.uid) == ["a", "b"])
        #expect(try await store.account(uid: "b")?.uid == "b")
        #expect(faulty.leftFaults == 0)
        faulty.add(Array(repeating: .cut, count: 50))
        await #expect(throws: StoreError.unavailable(.noAnswer, cause: "Firestore answers 200 UNAVAILABLE: m")) {
            _ = try await store.accounts(after: nil, atMost: 9)
            _ = try await store.account(uid: "b")
        }
    }

    @Test("A sweep deletes as many audit lines as it is asked for, so that its caller continues")
    func auditSweep() async throws {
        let store = try FirestoreStore.open(place)
        try await store.append((0..<401).map { AuditLine(id: "\($0)", at: now, uid: nil, text: "{}") })
        #expect(try await store.sweepAudit(olderThan: later, atMost: 401) == 401)
    }

    @Test("If the account cannot be looked up, the credential is given back")
    func findingFails() async throws {
        let faulty = try FaultyTransport([], concerns: ":batchGet")
        let store = try store(faulty)
        // The first call reads the record of the first start.
        #expect(try await store.spend([.baseline("before")], at: now) == .first)
        faulty.add([.status(403, "PERMISSION_DENIED")])
        await #expect(throws: StoreError.self) {
            try await store.spend([.baseline("a")], finding: .baseline, at: now)
        }
        #expect(try await FirestoreStore.open(place).spend([.baseline("a")], at: now) == .first)
    }

    @Test("Each kind of call costs the requests that the guide states")
    func cost() async throws {
        let faulty = try FaultyTransport([])
        let store = try store(faulty)
        try await store.enter(as: "uid")
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
        func cost(_ body: () async throws -> Void) async throws -> [Int] {
            let before = faulty.cost
            try await body()
            return zip(faulty.cost, before).map { $0 - $1 }
        }
        let code = try await cost { () async throws in
            #expect(try await store.spend([.baseline("b")], finding: .baseline, at: now).known?.uid == "uid")
        }
        #expect(code == Self.cost(0))
        let token = try await cost { () async throws in
            let records: [SpentRecord] = [.baseline("c", .idToken), .baseline("c", .nonce)]
            #expect(try await store.spend(records, finding: .baseline, at: now).outcome == .first)
        }
        #expect(token == Self.cost(1))
        try await store.keep(Handoff.baseline())
        let handoff = try await cost { () async throws in
            #expect(try await store.redeem(.baseline(), at: now).name == "redeemed")
        }
        #expect(handoff == Self.cost(2))
        #expect(try await store.keep(DeviceGrant.baseline(), as: .device))
        let poll = try await cost { () async throws in
            #expect(try await store.poll(.device, client: "tv", at: now).name == "pending")
        }
        #expect(poll == Self.cost(3))
    }

    private static func cost(_ row: Int) -> [Int] {
        let cost = FirestoreCost.calls[row].cost
        return [cost.reads, cost.writes, cost.deletes]
    }

    @Test("The guide states what each kind of call costs, and the prices with their date")
    func guide() throws {
        let page = Fixtures.repository.appending(path: "Sources/Documentation/Guide.docc/Deployment.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        for (name, cost) in FirestoreCost.calls {
            #expect(text.contains("| \(name) | \(cost.reads) | \(cost.writes) | \(cost.deletes) | \(cost.expiring) |"))
        }
        let prices = FirestoreCost.prices
        let flat = text.replacing("\n", with: " ")
        #expect(
            flat.contains(
                "100,000 reads cost \(prices.reads) dollars, writes \(prices.writes) and deletes \(prices.deletes)"))
        #expect(flat.contains("(\(prices.date), \(prices.region))"))
        #expect(
            flat.contains(
                "1,000 sign-ins with an ID token cost \(String(format: "%.4f", FirestoreCost.calls[1].cost.dollarsPerThousand)) dollars"
            ))
    }
}

extension FaultyTransport {
    /// Runs `body` after the first commit that fails.
    fileprivate struct Between: Sendable {
        let body: @Sendable () async -> Void

        init(_ body: @escaping @Sendable () async -> Void) {
            self.body = body
        }

        func wrapping(_ transport: HTTPTransport) -> HTTPTransport {
            HTTPTransport { request throws(TransportError) in
                do throws(TransportError) {
                    return try await transport.send(request)
                } catch {
                    await body()
                    throw error
                }
            }
        }
    }
}

/// The kinds of handles that are redeemed once, and given back if nothing was issued.
private enum Handle: CaseIterable {
    case handoff, pending, device

    func keep(in store: FirestoreStore) async throws {
        switch self {
        case .handoff: try await store.keep(Handoff.baseline())
        case .pending: try await store.keep(PendingCredential.baseline())
        case .device:
            #expect(try await store.keep(DeviceGrant.baseline(), as: .device))
            for step in DeviceStep.path(to: .approved) { #expect(try await step.take(store)) }
        }
    }

    func redeem(in store: FirestoreStore) async throws -> String {
        switch self {
        case .handoff: try await store.redeem(.baseline(), at: now).name
        case .pending: try await store.redeem(.claiming(), at: now).name
        case .device: try await store.poll(.device, client: "tv", at: now).name.replacing(" payload", with: "")
        }
    }

    func giveBack(to store: FirestoreStore) async throws {
        switch self {
        case .handoff: try await store.giveBack(Handoff.baseline())
        case .pending: try await store.giveBack(PendingCredential.baseline())
        case .device: try await store.giveBack(.baseline(), as: .device, payload: "payload")
        }
    }
}
