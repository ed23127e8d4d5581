import JOSE
import SQLiteStores
import Stores
import Testing

@Suite("Races")
struct RaceTests {
    /// What came of `count` tasks that do the same at once.
    private func outcomes<Value: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { group in
            for index in 0..<count { group.addTask { try await body(index) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("SR-01: of 200 parallel uses exactly one is the first", arguments: Backend.allCases)
    func oneWinner(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            for round in 0..<5 {
                let record = SpentRecord.baseline("\(round)", .idToken)
                let outcomes = try await outcomes(200) { _ in try await store.spend([record], at: now) }
                #expect(outcomes.count { $0 == .first } == 1)
                #expect(outcomes.count { $0 == .replayed(.idToken) } == 199)
            }
        }
    }

    @Test(
        "Of 200 parallel requests that share one record, one is the first and the others leave nothing",
        arguments: Backend.allCases)
    func sharedRecord(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            let outcomes = try await outcomes(200) { index in
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

    @Test("1,000 parallel uses of as many credentials are all the first", arguments: Backend.allCases)
    func manyAtOnce(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            let outcomes = try await outcomes(1000) {
                try await store.spend([.baseline("\($0)")], at: now)
            }
            #expect(outcomes.allSatisfy { $0 == .first })
        }
    }

    @Test("200 first sign-ins of one person at once make one account", arguments: Backend.allCases)
    func oneAccount(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            let accounts = try await outcomes(200) { index in
                try await store.account(of: .baseline, candidates: ["uid-\(index)"], at: now)
            }
            #expect(Set(accounts.map(\.uid)).count == 1)
            #expect(accounts.count(where: \.isNew) == 1)
        }
    }

    @Test(
        "200 people who are offered the same uids at once get different ones",
        arguments: Backend.allCases)
    func sameCandidates(backend: Backend) async throws {
        let candidates = (0..<200).map { "uid-\($0)" }
        try await backend.withStore { store async throws in
            let accounts = try await outcomes(200) { index in
                let identity = ExternalIdentity(provider: "yahoo.com", subject: "\(index)")
                return try await store.account(of: identity, candidates: candidates, at: now)
            }
            #expect(Set(accounts.map(\.uid)) == Set(candidates))
        }
    }

    @Test(
        "A request that cannot be written does no harm to those written with it",
        arguments: Backend.allCases)
    func poison(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            let outcomes = try await outcomes(100) { index -> Bool in
                guard index.isMultiple(of: 2) else {
                    return try await store.spend([.baseline("\(index)")], at: now) == .first
                }
                let identity = ExternalIdentity(provider: "yahoo.com", subject: "")
                await #expect(throws: StoreError.unavailable(.other)) {
                    try await store.account(of: identity, candidates: ["uid-\(index)"], at: now)
                }
                return true
            }
            #expect(outcomes.allSatisfy { $0 })
            let account = try await store.account(of: .baseline, candidates: ["uid-0"], at: now)
            #expect(account.uid == "uid-0", "What could not be written took no uid.")
        }
    }

    @Test(
        "SR-09: cancelling the caller neither undoes a use nor hides it", arguments: Backend.allCases)
    func cancellation(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            let known = try await store.account(of: .baseline, candidates: ["uid"], at: now)
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                #expect(try await store.account(of: .baseline, candidates: [], at: now).uid == known.uid)
                return try await store.spend([.baseline("a")], at: now)
            }
            task.cancel()
            #expect(try await task.value == .first)
            #expect(try await store.spend([.baseline("a")], at: now) == .replayed(.authorizationCode))
        }
    }

    @Test(
        "SR-03, SR-04: two servers on one file, 50 writers each, have one winner per credential and no failure"
    )
    func twoServers() async throws {
        let folder = try TemporaryFolder()
        let stores = [
            try SQLiteStore.open(path: folder.database), try SQLiteStore.open(path: folder.database),
        ]
        let outcomes = try await outcomes(100) { index in
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

    @Test("CR-10: many servers that start at once on nothing all get the same tables")
    func startTogether() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/new/store.db"
        let outcomes = try await outcomes(8) { _ in
            let store = try SQLiteStore.open(path: path)
            defer { try? store.close() }
            return try await store.spend([.baseline("a")], at: now)
        }
        #expect(outcomes.count { $0 == .first } == 1)
    }
}
