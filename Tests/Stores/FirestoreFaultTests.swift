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
    private let passed = Mutex(Duration.zero)
    private let start = ContinuousClock.now

    var patience: FirestorePatience {
        FirestorePatience(
            pause: { duration in self.passed.withLock { $0 += duration } },
            clock: { self.start + self.passed.withLock(\.self) })
    }

}

@Suite("Faults between the store and Firestore", .serialized, .enabled(if: FirestoreEmulator.isInstalled))
struct FirestoreFaultTests {
    private let place: FirestorePlace
    private let time = PausedTime()

    init() throws {
        place = try .empty()
    }

    private func store(_ transport: FaultyTransport) throws -> FirestoreStore {
        try FirestoreStore(
            place, transport: transport.transport, token: { _ in Secret("owner") }, time: TimeSource { now },
            patience: time.patience)
    }

    /// Faults after which Firestore has the commit although its answer says nothing of it.
    private static let lost: [Fault] = [
        .lostAnswer, .lateStatus(500, "INTERNAL"), .lateStatus(503, "UNAVAILABLE"),
        .lateStatus(504, "DEADLINE_EXCEEDED"),
    ]

    @Test("A commit whose answer is lost is found by its own octets, and is sent once", arguments: lost.indices)
    func lostAnswer(index: Int) async throws {
        let faulty = try FaultyTransport([Self.lost[index]])
        let records: [SpentRecord] = [.baseline("a", .idToken), .baseline("a", .nonce)]
        #expect(try await store(faulty).spend(records, at: now) == .first)
        #expect(faulty.commits == 1)
        #expect(try await store(faulty).spend(records, at: now) == .replayed(.idToken))
    }

    @Test("A commit that happened although it was called aborted is still the first use")
    func abortedTooLate() async throws {
        let faulty = try FaultyTransport([.lateStatus(409, "ABORTED")])
        let records: [SpentRecord] = [.baseline("a", .idToken), .baseline("a", .nonce)]
        #expect(try await store(faulty).spend(records, at: now) == .first)
        #expect(faulty.commits == 2)
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

    @Test("If the outcome stays unknown until the end of the budget, the credential counts as spent")
    func unknown() async throws {
        let faulty = try FaultyTransport(Array(repeating: .status(503, "UNAVAILABLE"), count: 50))
        await #expect(throws: StoreError.outcomeUnknown(.noAnswer)) {
            try await store(faulty).spend([.baseline("a")], at: now)
        }
        #expect(faulty.commits == FirestorePatience().attempts)
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

    @Test("A handle whose redemption lost its answer is redeemed, and once", arguments: lost.indices)
    func handoff(index: Int) async throws {
        let faulty = try FaultyTransport([])
        let store = try store(faulty)
        try await store.keep(Handoff.baseline())
        faulty.add([Self.lost[index]])
        #expect(try await store.redeem(.baseline(), at: now).name == "redeemed")
        #expect(try await store.redeem(.baseline(), at: now).name == "replayed")
    }

    @Test("A change of an account that lost its answer is made once, and reported as made", arguments: lost.indices)
    func account(index: Int) async throws {
        let faulty = try FaultyTransport([Self.lost[index]])
        let store = try store(faulty)
        try await store.make("uid", of: .baseline())
        _ = try await store.link(.baseline(at: "twitter.com"), to: "uid", at: now)
        faulty.add([Self.lost[index]])
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
        #expect(code == [2, 1, 0])
        let token = try await cost { () async throws in
            let records: [SpentRecord] = [.baseline("c", .idToken), .baseline("c", .nonce)]
            #expect(try await store.spend(records, finding: .baseline, at: now).outcome == .first)
        }
        #expect(token == [2, 2, 0])
        try await store.keep(Handoff.baseline())
        let handoff = try await cost { () async throws in
            #expect(try await store.redeem(.baseline(), at: now).name == "redeemed")
        }
        #expect(handoff == [2, 1, 1])
        #expect(try await store.keep(DeviceGrant.baseline(), as: .device))
        let poll = try await cost { () async throws in
            #expect(try await store.poll(.device, client: "tv", at: now).name == "pending")
        }
        #expect(poll == [1, 1, 0])
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
