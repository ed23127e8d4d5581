import Fixtures
import JOSE
import SQLiteStores
import Stores
import Testing

@Suite("Races", .serialized)
struct RaceTests {
    @Test("SR-01: of 200 parallel uses exactly one is the first", arguments: Database.allCases)
    func oneWinner(database: Database) async throws {
        try await database.withStore { store async throws in
            for round in 0..<5 {
                let record = SpentRecord.baseline("\(round)", .idToken)
                let outcomes = try await all(200) { _ in try await store.spend([record], at: now) }
                #expect(outcomes.count { $0 == .first } == 1)
                #expect(outcomes.count { $0 == .replayed(.idToken) } == 199)
            }
        }
    }

    @Test(
        "Of 200 parallel requests that share one record one is the first, and the others spend nothing",
        arguments: Database.allCases)
    func sharedRecord(database: Database) async throws {
        try await database.withStore { store async throws in
            let outcomes = try await all(200) { index in
                (
                    index,
                    try await store.spend([.baseline("\(index)"), .baseline("shared", .nonce)], at: now)
                )
            }
            let winners = outcomes.filter { $0.1 == .first }.map(\.0)
            #expect(winners.count == 1)
            for index in 0..<200 {
                let isUsed = try await store.spend([.baseline("\(index)")], at: now) != .first
                #expect(isUsed == winners.contains(index))
            }
        }
    }

    @Test("1,000 parallel uses of different credentials are all first uses", arguments: Database.allCases)
    func manyAtOnce(database: Database) async throws {
        try await database.withStore { store async throws in
            let outcomes = try await all(1000) {
                try await store.spend([.baseline("\($0)")], at: now)
            }
            #expect(outcomes.allSatisfy { $0 == .first })
        }
    }

    @Test(
        "A request that fails does not affect the requests of the same commit",
        arguments: Database.allCases)
    func poison(database: Database) async throws {
        try await database.withStore { store async throws in
            let outcomes = try await all(100) { index -> Bool in
                guard index.isMultiple(of: 2) else {
                    return try await store.spend([.baseline("\(index)")], at: now) == .first
                }
                let identity = ExternalIdentity(provider: "", subject: "s")
                await #expect(throws: database.violation(of: "23514")) {
                    try await store.enter(identity, as: "uid-\(index)")
                }
                return true
            }
            #expect(outcomes.allSatisfy { $0 })
            #expect(try await store.enter(as: "uid-0") == "uid-0", "What could not be written took no uid.")
        }
    }

    @Test(
        "SR-09: cancelling the caller neither reverts a use nor hides its outcome", arguments: Database.allCases)
    func cancellation(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.enter(as: "uid")
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                #expect(try await store.enter() == "uid")
                return try await store.spend([.baseline("a")], at: now)
            }
            task.cancel()
            #expect(try await task.value == .first)
            #expect(try await store.spend([.baseline("a")], at: now) == .replayed(.authorizationCode))
        }
    }

    @Test(
        "SR-03, SR-04: two servers on one file, 50 writers each, have one first use per credential and no failure"
    )
    func twoServers() async throws {
        let folder = try TemporaryFolder()
        let stores = [
            try SQLiteStore.open(path: folder.database), try SQLiteStore.open(path: folder.database),
        ]
        let outcomes = try await all(100) { index in
            var firsts = 0
            for round in 0..<10 {
                let record = SpentRecord.baseline("\(round) \(index / 2)", .session)
                if try await stores[index % 2].spend([record], at: now) == .first { firsts += 1 }
            }
            return firsts
        }
        #expect(outcomes.reduce(0, +) == 500)
        for store in stores { try store.close() }
    }

    @Test("CR-10: servers that start concurrently without a database all use the same tables")
    func startTogether() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/new.db"
        let outcomes = try await all(8) { _ in
            let store = try SQLiteStore.open(path: path)
            defer { try? store.close() }
            return try await store.spend([.baseline("a")], at: now)
        }
        #expect(outcomes.count { $0 == .first } == 1)
    }
}
