import Fixtures
import Glibc
import Postgres
import Synchronization
import Testing

@Suite("Pool of connections")
struct PoolTests {
    private let unopened = PostgresError.unreachable(ConnectionFailure(.other))

    private func pool(count: Int, queueLimit: Int, patience: Duration = .seconds(30)) throws -> ConnectionPool {
        let place = try PostgresServer.shared.get().place()
        return ConnectionPool(count: count, queueLimit: queueLimit, patience: patience) {
            () throws(PostgresError) in
            try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
        }
    }

    @Test("At most as many calls as there are connections run concurrently, and all get their results")
    func parallel() async throws {
        let pool = try pool(count: 3, queueLimit: 100)
        let running = Mutex((now: 0, most: 0))
        let answers = await all(50) { index in
            try? await pool.run { connection in
                running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                defer { running.withLock { $0.now -= 1 } }
                return try? connection.run(.reading("SELECT $1::bigint"), [.integer(Int64(index))]).rows.first?.integer(
                    0)
            }
        }
        #expect(answers.compactMap(\.self).compactMap(\.self).sorted() == Array(0..<50))
        #expect(running.withLock(\.most) <= 3)
    }

    @Test("A full pool refuses a call at once, a closed one refuses all, and running calls finish")
    func limits() async throws {
        let pool = try pool(count: 1, queueLimit: 1)
        try await refusesWhenFull(pool)
        pool.close()
        pool.close()
        await #expect(throws: PostgresError.closed) { try await pool.run { _ in 3 } }
    }

    private func refusesWhenFull(_ pool: ConnectionPool) async throws {
        let gate = Latch()
        let begun = Latch()
        async let first = pool.run { _ in
            begun.open()
            while !gate.isOpen { sched_yield() }
            return 1
        }
        while !begun.isOpen { await Task.yield() }
        // One of the two calls waits and the other is refused; then the gate opens.
        let outcomes = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do throws(PostgresError) {
                        return try await pool.run { _ in 2 }
                    } catch {
                        #expect(error == .overloaded)
                        gate.open()
                        return nil
                    }
                }
            }
            return await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1 && outcomes.count { $0 == 2 } == 1)
        #expect(try await first == 1)
    }

    @Test("While no connection can be opened, a full queue reports unreachable, not overloaded")
    func unreachable() async throws {
        let open = Mutex(0)
        let gate = Latch()
        let pool = ConnectionPool(count: 1, queueLimit: 1, patience: .seconds(30)) {
            [unopened] () throws(PostgresError) in
            let attempt = open.withLock { count in
                count += 1
                return count
            }
            while attempt == 2, !gate.isOpen { sched_yield() }
            throw unopened
        }
        await #expect(throws: unopened) { try await pool.run { _ in } }
        let second = Task { try await pool.run { _ in } }
        while open.withLock(\.self) < 2 { await Task.yield() }
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    await #expect(throws: unopened) { try await pool.run { _ in } }
                    gate.open()
                }
            }
        }
        await #expect(throws: unopened) { try await second.value }
    }

    @Test("After a connection was opened, a full queue reports overloaded again")
    func reachableAgain() async throws {
        let isFirst = Mutex(true)
        let place = try PostgresServer.shared.get().place()
        let pool = ConnectionPool(count: 1, queueLimit: 1, patience: .seconds(30)) { () throws(PostgresError) in
            if isFirst.withLock({ first in
                defer { first = false }
                return first
            }) {
                throw unopened
            }
            return try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
        }
        await #expect(throws: unopened) { try await pool.run { _ in } }
        try await refusesWhenFull(pool)
    }

    @Test("A call does not fail because of an attempt to connect that began before it")
    func laterCall() async throws {
        let place = try PostgresServer.shared.get().place()
        let isFirst = Mutex(true)
        let gate = Latch()
        let pool = ConnectionPool(count: 1, queueLimit: 9, patience: .seconds(30)) {
            [unopened] () throws(PostgresError) in
            if isFirst.withLock({ first in
                defer { first = false }
                return first
            }) {
                while !gate.isOpen { sched_yield() }
                throw unopened
            }
            return try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
        }
        let earlier = Task { try await pool.run { _ in 1 } }
        while isFirst.withLock(\.self) { await Task.yield() }
        let later = Task { try await pool.run { _ in 2 } }
        while pool.waiting < 2 { await Task.yield() }
        gate.open()
        await #expect(throws: unopened) { try await earlier.value }
        #expect(try await later.value == 2)
    }

    @Test("A call does not fail because of an attempt to connect while another attempt is in progress")
    func concurrentAttempts() async throws {
        let server = try PostgresServer.shared.get()
        let place = try server.place()
        let attempts = Mutex(0)
        let gate = Latch()
        let pool = ConnectionPool(count: 2, queueLimit: 9, patience: .seconds(30)) {
            [unopened] () throws(PostgresError) in
            let isFirst = attempts.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { throw unopened }
            while !gate.isOpen { sched_yield() }
            return try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
        }
        let first = Task { try await pool.run { _ in 1 } }
        while attempts.withLock(\.self) < 1 { await Task.yield() }
        let second = Task { try await pool.run { _ in 2 } }
        while attempts.withLock(\.self) < 2 { await Task.yield() }
        // The second attempt fails meanwhile.
        for _ in 0..<20 { try server.query("SELECT 'another connection'", in: place) }
        gate.open()
        #expect(try await first.value == 1)
        #expect(try await second.value == 2)
    }

    @Test("While the server accepts no further connections, calls wait for an open one")
    func noFreeSlot() async throws {
        let server = try PostgresServer.shared.get()
        let place = try server.place()
        try server.query("CREATE ROLE one_slot LOGIN CONNECTION LIMIT 1", in: place)
        let string = ConnectionString(place.replacing("//postgres@", with: "//one_slot@"))
        let attempts = Mutex((all: 0, failed: 0))
        let pool = ConnectionPool(count: 3, queueLimit: 9, patience: .seconds(30)) { () throws(PostgresError) in
            // PostgreSQL may refuse both of two concurrent connections because of each other.
            try attempts.withLock { attempts throws(PostgresError) in
                attempts.all += 1
                do throws(PostgresError) {
                    return try Connection.open(string, name: "test", timeouts: ConnectionTimeouts())
                } catch {
                    if case .unreachable(let failure) = error { #expect(failure.reason == .tooManyConnections) }
                    attempts.failed += 1
                    throw error
                }
            }
        }
        let (begun, gate) = (Latch(), Latch())
        let first = Task {
            try await pool.run { _ in
                begun.open()
                while !gate.isOpen { sched_yield() }
                return 1
            }
        }
        while !begun.isOpen { await Task.yield() }
        let second = Task { try await pool.run { _ in 2 } }
        while attempts.withLock(\.failed) == 0 { await Task.yield() }
        // A thread that repeated its attempts would do so meanwhile.
        for _ in 0..<20 { try server.query("SELECT 'another connection'", in: place) }
        gate.open()
        #expect(try await first.value == 1)
        #expect(try await second.value == 2)
        pool.close()
        // Two threads fail at most once for each call.
        #expect(attempts.withLock(\.all) <= 5)
    }

    @Test("If the server refuses further connections, a call fails after the last connection has broken")
    func lastConnection() async throws {
        let server = try PostgresServer.shared.get()
        let place = try server.place()
        let string = ConnectionString(place)
        let refusals = Mutex(0)
        let isOpen = Mutex(true)
        let pool = ConnectionPool(count: 2, queueLimit: 9, patience: .seconds(30)) {
            [unopened] () throws(PostgresError) in
            guard isOpen.withLock(\.self) else {
                refusals.withLock { $0 += 1 }
                throw unopened
            }
            return try Connection.open(string, name: "test", timeouts: ConnectionTimeouts())
        }
        let arrived = Mutex(0)
        // Each call waits for the other, so that two connections are open.
        let identifiers = await all(2) { _ in
            try? await pool.run { connection in
                arrived.withLock { $0 += 1 }
                while arrived.withLock(\.self) < 2 { sched_yield() }
                return try? connection.run(.reading("SELECT pg_backend_pid()::bigint")).rows.first?.integer(0)
            }
        }
        isOpen.withLock { $0 = false }
        for identifier in identifiers {
            let identifier = try #require(identifier ?? nil)
            _ = try server.query("SELECT pg_terminate_backend(\(identifier), 5000)::text", in: place)
        }
        await #expect(throws: unopened) { try await pool.run { _ in 1 } }
        // The thread that found its connection broken left the call to the other one.
        #expect(refusals.withLock(\.self) == 2)
        isOpen.withLock { $0 = true }
        #expect(try await pool.run { _ in 2 } == 2)
    }

    @Test("A call that has waited longer than the limit is refused")
    func patience() async throws {
        let pool = try pool(count: 1, queueLimit: 1, patience: .zero)
        await #expect(throws: PostgresError.overloaded) { try await pool.run { _ in 1 } }
    }

    @Test("A call ends after the limit although every thread waits for the server, and later calls succeed")
    func frozen() async throws {
        let place = try PostgresServer.shared.get().place()
        let gate = Latch()
        let pool = ConnectionPool(count: 1, queueLimit: 9, patience: .milliseconds(20)) { () throws(PostgresError) in
            while !gate.isOpen { sched_yield() }
            return try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
        }
        // The gate opens only after these calls, so that they would wait for ever for the connection.
        await withTaskGroup { group in
            for _ in 0..<3 {
                group.addTask { await #expect(throws: PostgresError.overloaded) { try await pool.run { _ in 1 } } }
            }
        }
        gate.open()
        var answer: Int?
        while answer == nil { answer = try? await pool.run { _ in 2 } }
        #expect(answer == 2)
        #expect(pool.waiting == 0)
    }

    @Test("The limits of a server end a call within three seconds")
    func serving() {
        let limits = ConnectionTimeouts.serving
        #expect(limits.wait + limits.answer <= .seconds(3))
        #expect(limits.lock < limits.statement && limits.statement < limits.answer)
    }

    @Test("A transaction that a call leaves open is rolled back before the next call")
    func leftOpen() async throws {
        let pool = try pool(count: 1, queueLimit: 9)
        let isOpen = try await pool.run { connection in
            try? connection.begin()
            return connection.isInTransaction
        }
        #expect(isOpen)
        let isStillOpen = try await pool.run { $0.isInTransaction }
        #expect(!isStillOpen)
    }

    @Test("A broken connection is replaced")
    func reconnects() async throws {
        let server = try PostgresServer.shared.get()
        let place = try server.place()
        let pool = ConnectionPool(count: 1, queueLimit: 9, patience: .seconds(30)) {
            () throws(PostgresError) in
            try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
        }
        let pid: Int64? = try await pool.run { connection in
            try? connection.run(.reading("SELECT pg_backend_pid()::bigint")).rows.first?.integer(0)
        }
        _ = try server.query("SELECT pg_terminate_backend(\(try #require(pid)), 5000)::text", in: place)
        let other: Int64? = try await pool.run { connection in
            try? connection.run(.reading("SELECT pg_backend_pid()::bigint")).rows.first?.integer(0)
        }
        #expect(other != nil && other != pid)
    }
}
