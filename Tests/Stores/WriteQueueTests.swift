import CoreMetrics
import GRDB
import Glibc
import Stores
import Synchronization
import Testing

@testable import SQLiteStores

@Suite("The queue of writes")
struct WriteQueueTests {
    /// A clock that stands still until it is advanced, and counts its readings.
    private final class SteppedClock: Sendable {
        private let state = Mutex((now: ContinuousClock.now, looks: 0))
        var looks: Int { state.withLock { $0.looks } }

        func look() -> ContinuousClock.Instant {
            state.withLock { state in
                state.looks += 1
                return state.now
            }
        }

        func advance(by duration: Duration) { state.withLock { $0.now += duration } }
    }

    @Test(
        "SR-03: a write that waited more than 8 seconds is refused, since its caller has given up",
        arguments: [(Duration.seconds(8), true), (.milliseconds(8001), false)])
    func lateness(waiting: Duration, isWritten: Bool) async throws {
        let database = try DatabaseQueue()
        try await database.write { try $0.execute(sql: "CREATE TABLE written (name TEXT)") }
        let clock = SteppedClock()
        let queue = WriteQueue(
            database, isInPlace: { true }, meters: StoreMeters(NOOPMetricsHandler.instance), now: clock.look)
        let (isHeld, isFree) = (Flag(), Flag())
        async let first = queue.write { db in
            isHeld.set()
            while !isFree.isSet { sched_yield() }
            try db.execute(sql: "INSERT INTO written VALUES ('first')")
            return .keep(1)
        }
        while !isHeld.isSet { await Task.yield() }
        let looks = clock.looks
        async let second = Self.outcome(of: "second", in: queue)
        while clock.looks == looks { await Task.yield() }
        clock.advance(by: waiting)
        isFree.set()
        #expect(try await first == 1)
        #expect(await second == (isWritten ? .success(2) : .failure(.unavailable(.overloaded))))
        let names = try await database.read { try String.fetchAll($0, sql: "SELECT name FROM written") }
        #expect(names == (isWritten ? ["first", "second"] : ["first"]))
    }

    @Test("All writes and short reads run on one thread, and the thread ends with the queue")
    func thread() async throws {
        let database = try DatabaseQueue()
        weak var ended: WriteQueue?
        do {
            let queue = WriteQueue(database, isInPlace: { true }, meters: StoreMeters(NOOPMetricsHandler.instance))
            ended = queue
            let writer: pthread_t = try await queue.write { _ in .keep(pthread_self()) }
            #expect(try await queue.write { _ in .keep(pthread_self()) } == writer)
            #expect(try await queue.read { _ in pthread_self() } == writer)
        }
        // The thread refers to the queue until it waits for the next job.
        while ended != nil { await Task.yield() }
    }

    @Test("The jobs of a transaction that SQLite has rolled back all fail, and the next transaction is written")
    func rolledBack() async throws {
        let database = try DatabaseQueue()
        try await database.write { try $0.execute(sql: "CREATE TABLE written (name TEXT)") }
        let queue = WriteQueue(database, isInPlace: { true }, meters: StoreMeters(NOOPMetricsHandler.instance))
        await #expect(throws: StoreError.self) {
            try await queue.write { db in
                try db.execute(sql: "INSERT INTO written VALUES ('first'); ROLLBACK")
                throw StoreError.corrupt
            } as Int
        }
        #expect(await Self.outcome(of: "second", in: queue) == .success(2))
        #expect(try await database.read { try String.fetchAll($0, sql: "SELECT name FROM written") } == ["second"])
    }

    private static func outcome(of name: String, in queue: WriteQueue) async -> Result<Int, StoreError> {
        do {
            let value: Int = try await queue.write { db in
                try db.execute(sql: "INSERT INTO written VALUES (?)", arguments: [name])
                return .keep(2)
            }
            return .success(value)
        } catch {
            return .failure(error)
        }
    }
}

private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
