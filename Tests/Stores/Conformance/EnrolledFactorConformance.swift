import Fixtures
import JOSE
import Stores
import Testing

@Suite("Conformance of second factors", .serialized)
struct EnrolledFactorConformance {
    @Test("A factor counts only after it was confirmed in time", arguments: Database.allCases)
    func confirmation(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.keep(.baseline("f1", endingAt: later), of: .baseline)
            #expect(try await store.factors(of: .baseline).factors == [.baseline("f1", endingAt: later)])
            #expect(try await store.factors(of: .baseline).confirmed.isEmpty)
            #expect(try await !store.confirm("f1", of: .baseline, step: 7, recoveryCodes: [digest(1)], at: later))
            #expect(try await !store.confirm("f2", of: .baseline, step: 7, recoveryCodes: [digest(1)], at: now))
            #expect(try await !store.confirm("f1", of: .other, step: 7, recoveryCodes: [digest(1)], at: now))
            #expect(try await store.factors(of: .baseline).recoveryCodes == 0)
            #expect(try await store.confirm("f1", of: .baseline, step: 7, recoveryCodes: [digest(1)], at: now))
            #expect(try await !store.confirm("f1", of: .baseline, step: 8, recoveryCodes: [], at: now))
            #expect(
                try await store.factors(of: .baseline)
                    == FactorsOfAccount(
                        factors: [.baseline("f1", endingAt: nil, lastStep: 7)], recoveryCodes: 1))
        }
    }

    @Test(
        "A new factor replaces the unconfirmed one, and a confirmation the recovery codes", arguments: Database.allCases
    )
    func replacement(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.enroll("f1", codes: [digest(1), digest(2)])
            try await store.keep(.baseline("f2", endingAt: later), of: .baseline)
            try await store.keep(.baseline("f3", endingAt: later, name: nil), of: .baseline)
            #expect(try await store.factors(of: .baseline).factors.map(\.id) == ["f1", "f3"])
            #expect(try await store.factors(of: .baseline).factors.last?.name == nil)
            #expect(try await store.confirm("f3", of: .baseline, step: 1, recoveryCodes: [digest(3)], at: now))
            #expect(try await store.factors(of: .baseline).recoveryCodes == 1)
            #expect(try await !store.use(.recoveryCode(digest(1)), of: .baseline, at: now))
            #expect(try await store.use(.recoveryCode(digest(3)), of: .baseline, at: now))
        }
    }

    @Test("A code is used once, no earlier one is accepted, and it can be given back", arguments: Database.allCases)
    func use(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.enroll("f1", codes: [digest(1)])
            let code = FactorUse.totp(factor: "f1", step: 9, previous: 0)
            #expect(try await !store.use(code, of: .other, at: now))
            #expect(try await store.use(code, of: .baseline, at: later))
            #expect(try await store.factors(of: .baseline).factors.first?.lastUsedAt == later)
            #expect(try await !store.use(code, of: .baseline, at: now))
            #expect(try await !store.use(.totp(factor: "f1", step: 8, previous: 0), of: .baseline, at: now))
            try await store.giveBack(code, of: .baseline)
            #expect(try await store.use(code, of: .baseline, at: now))
            #expect(try await store.use(.totp(factor: "f1", step: 10, previous: 9), of: .baseline, at: now))
            // A later code was used, so that the earlier one must not become usable again.
            try await store.giveBack(code, of: .baseline)
            #expect(try await !store.use(code, of: .baseline, at: now))
            let recovery = FactorUse.recoveryCode(digest(1))
            #expect(try await store.use(recovery, of: .baseline, at: now))
            #expect(try await !store.use(recovery, of: .baseline, at: now))
            try await store.giveBack(recovery, of: .baseline)
            #expect(try await store.use(recovery, of: .baseline, at: now))
        }
    }

    @Test(
        "After five tries without success the factors are locked until the time is over", arguments: Database.allCases)
    func locking(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.enroll("f1")
            for _ in 0..<5 { #expect(try await store.beginTry(.baseline(), at: now).isAllowed) }
            let end = now + .seconds(900)
            #expect(try await store.beginTry(.baseline(), at: now) == .locked(until: end))
            #expect(try await store.factors(of: .baseline).tries.lockedUntil == end)
            #expect(try await store.beginTry(.baseline(.other), at: now) == .allowed([]))
            #expect(try await store.beginTry(.baseline(), at: end - .seconds(1)) == .locked(until: end))
            #expect(try await store.beginTry(.baseline(), at: end).isAllowed)
            for _ in 0..<4 { #expect(try await store.beginTry(.baseline(), at: end).isAllowed) }
            #expect(try await store.beginTry(.baseline(), at: end) == .locked(until: end + .seconds(1800)))
            try await store.unlockFactors(of: .baseline)
            #expect(try await store.beginTry(.baseline(), at: end).isAllowed)
        }
    }

    @Test(
        "Each lock is twice as long as the one before, at most a day, until a success ends the count",
        arguments: Database.allCases)
    func growingLocks(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.enroll("f1")
            var time = now
            for seconds in [900, 1800, 3600, 7200, 14400, 28800, 57600, 86400, 86400] as [Int64] {
                for _ in 0..<5 { #expect(try await store.beginTry(.baseline(), at: time).isAllowed) }
                let end = time + .seconds(seconds)
                #expect(try await store.beginTry(.baseline(), at: end - .seconds(1)) == .locked(until: end))
                time = end
            }
            #expect(try await store.beginTry(.baseline(), at: time).isAllowed)
            #expect(try await store.factors(of: .baseline).tries == CountedTries(count: 46))
            #expect(try await store.use(.totp(factor: "f1", step: 1, previous: 0), of: .baseline, at: time))
            for _ in 0..<5 { #expect(try await store.beginTry(.baseline(), at: time).isAllowed) }
            #expect(try await store.beginTry(.baseline(), at: time) == .locked(until: time + .seconds(900)))
        }
    }

    @Test(
        "After 100 tries without success only recovery codes are compared, five in 15 minutes",
        arguments: Database.allCases)
    func limit(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            let store = stores[0]
            try await store.enroll("f1", codes: [digest(1)])
            var time = now
            for _ in 0..<19 {
                for _ in 0..<5 { #expect(try await store.beginTry(.baseline(), at: time).isAllowed) }
                time = time + .seconds(86400)
            }
            let last = try await all(20) { [time] in try await stores[$0 % 2].beginTry(.baseline(), at: time) }
            #expect(last.count { $0.isAllowed } == 5 && last.count { $0 == .locked(until: nil) } == 15)
            #expect(try await store.factors(of: .baseline).tries.needsRecoveryCode)
            let later = time + .seconds(86400 * 365)
            #expect(try await store.beginTry(.baseline(), at: later) == .locked(until: nil))
            for _ in 0..<5 { #expect(try await store.beginTry(.baseline(isRecovery: true), at: time).isAllowed) }
            let end = time + .seconds(900)
            #expect(
                try await store.beginTry(.baseline(isRecovery: true), at: end - .seconds(1)) == .locked(until: end))
            #expect(try await store.beginTry(.baseline(), at: end) == .locked(until: nil))
            #expect(try await store.beginTry(.baseline(isRecovery: true), at: end).isAllowed)
            #expect(try await store.use(.recoveryCode(digest(1)), of: .baseline, at: end))
            #expect(try await store.beginTry(.baseline(), at: end).isAllowed)
        }
    }

    @Test("A success sets the number of tries to zero", arguments: Database.allCases)
    func success(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.enroll("f1")
            for step in 1...4 as ClosedRange<Int64> {
                for _ in 0..<5 { #expect(try await store.beginTry(.baseline(), at: now).isAllowed) }
                #expect(try await store.use(.totp(factor: "f1", step: step, previous: 0), of: .baseline, at: now))
            }
        }
    }

    @Test("Twenty simultaneous tries at two servers: five are allowed", arguments: Database.allCases)
    func race(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            try await stores[0].enroll("f1")
            let outcomes = try await all(20) { index in
                try await stores[index % 2].beginTry(.baseline(), at: now)
            }
            #expect(outcomes.count { $0.isAllowed } == 5)
        }
    }

    @Test("A handle has five tries, also if the account has more", arguments: Database.allCases)
    func handles(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.enroll("f1")
            try await store.keep(PendingCredential.baseline("h", uses: [.secondFactor], uids: []))
            let record = SpentRecord.baseline("h", .pendingCredential)
            for _ in 0..<5 {
                #expect(try await store.beginTry(.baseline(handle: record), at: now).isAllowed)
                try await store.unlockFactors(of: .baseline)
            }
            #expect(try await store.beginTry(.baseline(handle: record), at: now) == .handleEnded)
            // That try was not counted for the account.
            for _ in 0..<5 { #expect(try await store.beginTry(.baseline(), at: now).isAllowed) }
            let missing = SpentRecord.baseline("missing", .pendingCredential)
            try await store.unlockFactors(of: .baseline)
            #expect(try await store.beginTry(.baseline(handle: missing), at: now) == .handleEnded)
        }
    }

    @Test("With its last factor an account loses its recovery codes", arguments: Database.allCases)
    func removal(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.enroll("f1")
            try await store.enroll("f2", codes: [digest(1)])
            try await store.keep(.baseline("f3", endingAt: later), of: .baseline)
            #expect(try await !store.removeFactor("f3", of: .baseline))
            #expect(try await !store.removeFactor("f1", of: .other))
            #expect(try await store.removeFactor("f1", of: .baseline))
            #expect(try await store.factors(of: .baseline).recoveryCodes == 1)
            #expect(try await store.removeFactor("f2", of: .baseline))
            #expect(try await store.factors(of: .baseline).recoveryCodes == 0)
            #expect(try await !store.removeFactor("f2", of: .baseline))
        }
    }

    @Test("A deleted account loses its factors; that of another tenant keeps its own", arguments: Database.allCases)
    func retirement(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.enter(as: "uid")
            try await store.enroll("f1", codes: [digest(1)])
            try await store.enroll("f2", of: .otherTenant)
            _ = try await store.beginTry(.baseline(), at: now)
            #expect(try await store.retire(uid: "uid", at: now))
            #expect(
                try await store.factors(of: .baseline)
                    == FactorsOfAccount(factors: [], recoveryCodes: 0))
            #expect(try await store.factors(of: .otherTenant).confirmed.count == 1)
            try await store.removeFactors(of: .otherTenant)
            #expect(try await store.factors(of: .otherTenant).factors.isEmpty)
        }
    }

    @Test("A sign-in tells whether the account has a confirmed factor", arguments: Database.allCases)
    func signIn(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.enter(as: "uid")
            let arrival = IncomingIdentity(identity: .baseline, details: IdentityDetails(), email: nil)
            func decision() async throws -> SignInDecision {
                try await store.signIn(arrival, candidates: [], emails: .oneAccountEach, at: now)
            }
            try await store.keep(.baseline("f1", endingAt: later), of: .baseline)
            try await store.enroll("f2", of: .otherTenant)
            #expect(try await decision() == .signedIn(uid: "uid", isNew: false, hasFactor: false))
            try await store.enroll("f1")
            #expect(try await decision() == .signedIn(uid: "uid", isNew: false, hasFactor: true))
            let spent = try await store.spend([.baseline("code")], finding: .baseline, at: now)
            #expect(spent.known?.signedIn() == .signedIn(uid: "uid", isNew: false, hasFactor: true))
        }
    }
}

private func digest(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

extension EnrolledFactors {
    /// Keeps and confirms a factor.
    fileprivate func enroll(
        _ id: String, of holder: FactorHolder = .baseline, codes: [[UInt8]] = []
    ) async throws {
        try await keep(.baseline(id, endingAt: later), of: holder)
        guard try await confirm(id, of: holder, step: 0, recoveryCodes: codes, at: now) else { throw Unexpected() }
    }

    /// Keeps a factor, for a caller who has proven any other.
    fileprivate func keep(_ factor: EnrolledFactor, of holder: FactorHolder) async throws {
        guard try await keep(factor, expecting: .proven(holder)) == .done else { throw Unexpected() }
    }

    /// Confirms a factor, for a caller who has proven any other.
    fileprivate func confirm(
        _ id: String, of holder: FactorHolder, step: Int64, recoveryCodes: [[UInt8]], at now: NumericDate
    ) async throws -> Bool {
        let decision = try await confirm(
            id, expecting: .proven(holder), step: step, recoveryCodes: recoveryCodes, at: now)
        return decision == .done
    }
}

extension AccountExpectation {
    fileprivate static func proven(_ holder: FactorHolder) -> Self {
        Self(uid: holder.uid, holder: holder, provesFactor: true)
    }
}

extension FactorHolder {
    fileprivate static let baseline = FactorHolder(uid: "uid")
    fileprivate static let other = FactorHolder(uid: "Uid")
    fileprivate static let otherTenant = FactorHolder(uid: "uid", tenant: "tenant")
}

extension FactorTry {
    fileprivate static func baseline(
        _ holder: FactorHolder = .baseline, handle: SpentRecord? = nil, isRecovery: Bool = false
    ) -> Self {
        FactorTry(holder: holder, handle: handle, isRecovery: isRecovery)
    }
}

extension FactorTryOutcome {
    fileprivate var isAllowed: Bool { if case .allowed = self { true } else { false } }
}

extension EnrolledFactor {
    fileprivate static func baseline(
        _ id: String, endingAt end: NumericDate?, lastStep: Int64 = 0, name: String? = "Phone"
    ) -> Self {
        EnrolledFactor(
            id: id, name: name, secret: "sealed", createdAt: now, expiresAt: end, lastStep: lastStep)
    }
}
