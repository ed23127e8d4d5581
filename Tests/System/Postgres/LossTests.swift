import Fixtures
import Postgres
import PostgresStores
import Standards
import Stores
import Synchronization
import Testing

@Suite("Lost connections and servers", .serialized)
struct LossTests {
    /// A message from libpq, by its type or by the start of its text.
    enum Moment: String, CaseIterable, Sendable {
        case begin = "BEGIN"
        /// The execution of a prepared statement.
        case statement = "bind"
        case commit = "COMMIT"

        func marks(_ bytes: [UInt8]) -> Bool {
            self == .statement
                ? bytes.first == UInt8(ascii: "B")
                : Array(bytes.dropFirst(5).prefix(rawValue.utf8.count)) == Array(rawValue.utf8)
        }
    }

    private func withProxy(
        _ body: (PostgresStore, CuttingProxy) async throws -> Void
    ) async throws {
        let server = try PostgresServer.shared.get()
        let proxy = try CuttingProxy(before: server.socketFolder)
        let store = try PostgresStore.open(conninfo: try server.place(host: proxy.folder), connections: 1)
        defer { store.close() }
        try await store.check()
        // This prepares all statements, so that the next message is the one to cut.
        #expect(try await store.spend([.baseline("before")], at: now) == .first)
        try await body(store, proxy)
    }

    @Test(
        "SR-08: a single use whose response is lost has an unknown outcome, whether or not it was recorded",
        arguments: [true, false])
    func lone(isDone: Bool) async throws {
        try await withProxy { store, proxy async throws in
            proxy.arm(isDone ? .answer : .request, at: Moment.statement.marks)
            await #expect(throws: StoreError.outcomeUnknown(.inputOutput)) {
                try await store.spend([.baseline("a")], at: now)
            }
            #expect(
                try await store.spend([.baseline("a")], at: now) == (isDone ? .replayed(.authorizationCode) : .first))
        }
    }

    @Test(
        "SR-08: uses whose COMMIT gets no response are unknown; if the loss is earlier, nothing was written",
        arguments: Moment.allCases, [true, false])
    func several(moment: Moment, isDone: Bool) async throws {
        try await withProxy { store, proxy async throws in
            proxy.arm(isDone ? .answer : .request, at: moment.marks)
            let records: [SpentRecord] = [.baseline("a", .idToken), .baseline("a", .nonce)]
            let expected: StoreError =
                moment == .commit ? .outcomeUnknown(.inputOutput) : .brokenConnection
            await #expect(throws: expected) { try await store.spend(records, at: now) }
            let isWritten = moment == .commit && isDone
            for record in records {
                #expect(try await store.spend([record], at: now) == (isWritten ? .replayed(record.kind) : .first))
            }
        }
    }

    @Test("A read whose response is lost writes nothing, and the connection is opened again")
    func reading() async throws {
        try await withProxy { store, proxy async throws in
            let arrival = IncomingIdentity(
                identity: ExternalIdentity(provider: "yahoo.com", subject: "SUBJECT"), details: IdentityDetails(),
                email: nil)
            func enter(_ uid: UID) async throws -> SignInDecision {
                try await store.signIn(arrival, candidates: [uid], emails: .oneAccountEach, at: now)
            }
            #expect(try await enter("one") == .signedIn(uid: "one", isNew: true, hasFactor: false))
            proxy.arm(.answer, at: Moment.statement.marks)
            await #expect(throws: StoreError.brokenConnection) { try await enter("two") }
            #expect(try await enter("two") == .signedIn(uid: "one", isNew: false, hasFactor: false))
        }
    }

    @Test("CR-01: after kill -9 during 200 uses, no first use can be repeated")
    func killed() async throws {
        let server = try PostgresServer()
        defer { server.stop() }
        let store = try PostgresStore.open(conninfo: try server.place(), connections: 4)
        defer { store.close() }
        let done = Atomic<Int>(0)
        @Sendable func use(_ index: Int) async -> (Int, Result<SpendOutcome, StoreError>) {
            do throws(StoreError) {
                let outcome = try await store.spend(
                    [.baseline("\(index)", .idToken)] + (index % 2 == 0 ? [.baseline("\(index)", .nonce)] : []), at: now
                )
                if done.wrappingAdd(1, ordering: .relaxed).newValue == 60 { server.kill() }
                return (index, .success(outcome))
            } catch {
                return (index, .failure(error))
            }
        }
        var outcomes = await all(180, use)
        // The server may have responded to all of them before it was killed. These uses come after it.
        outcomes += await all(20) { await use(180 + $0) }
        #expect(outcomes.count { $0.1 == .success(.first) } >= 60)
        let errors = outcomes.compactMap { if case .failure(let error) = $0.1 { error } else { nil } }
        #expect(!errors.isEmpty)
        let codes = [
            "store.unavailable.connection_refused", "store.unavailable.input_output",
            "store.outcome_unknown.input_output",
        ]
        for error in errors { #expect(codes.contains(error.code)) }
        let failure = await #expect(throws: StoreError.self) { try await store.check() }
        #expect(failure?.code == "store.unavailable.connection_refused")
        try server.start()
        try await store.check()
        for (index, outcome) in outcomes {
            let again = try await store.spend([.baseline("\(index)", .idToken)], at: now)
            switch outcome {
            case .success: #expect(again == .replayed(.idToken))
            case .failure(let error) where error.nothingWasWritten: #expect(again == .first)
            case .failure: break
            }
        }
    }

    @Test("A query to a server that never responds ends after its timeout")
    func held() async throws {
        let server = try PostgresServer()
        defer { server.stop() }
        var timeouts = ConnectionTimeouts()
        // Enough for a response on a busy machine.
        timeouts.answer = .seconds(4)
        let store = try PostgresStore.open(conninfo: try server.place(), connections: 1, timeouts: timeouts)
        defer { store.close() }
        #expect(try await store.spend([.baseline("a")], at: now) == .first)
        server.hold(true)
        await #expect(throws: StoreError.outcomeUnknown(.inputOutput)) {
            try await store.spend([.baseline("b")], at: now)
        }
        server.hold(false)
        #expect(try await store.spend([.baseline("c")], at: now) == .first)
    }
}

extension StoreError {
    /// The error of a call whose connection was cut before it could change anything.
    static let brokenConnection = unavailable(
        .inputOutput, cause: "the connection to PostgreSQL broke, or no answer came in time")
}
