import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of what a call expects of an account", .serialized)
struct ExpectationConformance {
    /// The account "uid" with identities of Yahoo and X, and "other" with one of Google.
    private func withAccounts(
        _ database: Database, _ body: (any Store) async throws -> Void
    ) async throws {
        try await database.withStore { store async throws in
            try await store.make("uid", of: .baseline("uid"))
            _ = try await store.link(.baseline("uid", at: "twitter.com"), to: "uid", at: now)
            try await store.make("other", of: .baseline("other", at: "google"))
            try await body(store)
        }
    }

    @Test(
        "An account that has got a second factor since it was checked is not changed, except by a session that proved one",
        arguments: Database.allCases)
    func factor(database: Database) async throws {
        try await withAccounts(database) { store async throws in
            let unproven = AccountExpectation.of("uid")
            try await store.addFactor("f", to: "uid")
            let before = try await store.account(uid: "uid")
            let refused = AccountRefusal.factorNotProven
            #expect(try await store.refusal(of: unproven) == refused)
            #expect(
                try await store.link(.baseline("new", at: "idp"), to: "uid", expecting: unproven, at: now)
                    == .refused(refused))
            #expect(
                try await store.unlink(provider: "yahoo.com", from: "uid", expecting: unproven, at: now)
                    == .refused(refused))
            #expect(
                try await store.merge(
                    "other", into: "uid", expecting: MergeExpectation(going: .of("other"), staying: unproven), at: now)
                    == .refused(refused))
            #expect(
                try await store.merge(
                    "uid", into: "other", expecting: MergeExpectation(going: unproven, staying: .of("other")), at: now)
                    == .hasFactor)
            #expect(try await store.retire(uid: "uid", expecting: unproven, at: now) == .refused(refused))
            #expect(try await store.keep(.waiting("n"), expecting: unproven) == .refused(refused))
            #expect(try await store.account(uid: "uid") == before)
            #expect(try await store.factors(of: FactorHolder(uid: "uid")).factors.map(\.id) == ["f"])

            let proven = AccountExpectation.of("uid", provesFactor: true)
            #expect(try await store.refusal(of: proven) == nil)
            let linked = try await store.link(.baseline("new", at: "idp"), to: "uid", expecting: proven, at: now)
            guard case .linked = linked else { throw Unexpected() }
            let unlinked = try await store.unlink(provider: "idp", from: "uid", expecting: proven, at: now)
            guard case .unlinked = unlinked else { throw Unexpected() }
            let merge = MergeExpectation(going: .of("other"), staying: proven)
            guard case .merged = try await store.merge("other", into: "uid", expecting: merge, at: now)
            else { throw Unexpected() }
            #expect(try await store.retire(uid: "uid", expecting: proven, at: now) == .retired(existed: true))
        }
    }

    @Test(
        "A factor is not confirmed after another one, except by a session that proved that one",
        arguments: Database.allCases)
    func confirmation(database: Database) async throws {
        try await withAccounts(database) { store async throws in
            let (unproven, proven) = (AccountExpectation.of("uid"), AccountExpectation.of("uid", provesFactor: true))
            func confirm(_ id: String, _ expectation: AccountExpectation) async throws -> FactorDecision {
                try await store.confirm(
                    id, expecting: expectation, step: 1, recoveryCodes: [[UInt8](repeating: 2, count: 32)], at: now)
            }
            try await store.addFactor("f", to: "uid")
            #expect(try await store.keep(.waiting("n"), expecting: proven) == .done)
            let before = try await store.factors(of: FactorHolder(uid: "uid"))
            #expect(try await confirm("n", unproven) == .refused(.factorNotProven))
            #expect(try await store.factors(of: FactorHolder(uid: "uid")) == before)
            #expect(try await confirm("n", proven) == .done)
            for id in ["a", "b", "c"] { try await store.addFactor(id, to: "uid") }
            #expect(try await store.keep(.waiting("m"), expecting: proven) == .tooMany)
            #expect(try await confirm("m", proven) == .tooMany)
            #expect(try await store.factors(of: FactorHolder(uid: "uid")).factors.count == 5)
        }
    }

    @Test("An account that was deleted, merged away or disabled gets no factor", arguments: Database.allCases)
    func gone(database: Database) async throws {
        try await withAccounts(database) { store async throws in
            for uid: UID in ["uid", "other", "unknown"] {
                #expect(try await store.keep(.waiting("w \(uid)"), expecting: .of(uid)) == .done)
            }
            guard case .merged = try await store.merge("uid", into: "other", at: now) else { throw Unexpected() }
            #expect(try await store.retire(uid: "unknown", at: now) == false)
            #expect(try await store.setDisabled(true, uid: "other"))
            for (uid, refusal) in [
                ("uid", .retired), ("unknown", .retired), ("other", .disabled),
            ] as [(UID, AccountRefusal)] {
                #expect(try await store.keep(.waiting("w"), expecting: .of(uid)) == .refused(refusal))
                #expect(
                    try await store.confirm(
                        "w \(uid)", expecting: .of(uid), step: 1, recoveryCodes: [], at: now) == .refused(refusal))
            }
        }
    }

    @Test(
        "An identity that has left the account proves nothing about it, wherever it is now",
        arguments: Database.allCases)
    func identity(database: Database) async throws {
        try await withAccounts(database) { store async throws in
            let x = ExternalIdentity(provider: "twitter.com", subject: "uid")
            let proven = AccountExpectation.of("uid").holding(x)
            let merge = MergeExpectation(going: proven, staying: .of("other"))
            #expect(try await store.refusal(of: proven) == nil)
            _ = try await store.unlink(provider: "twitter.com", from: "uid", at: now)
            for isElsewhere in [false, true] {
                if isElsewhere { _ = try await store.link(.baseline("uid", at: "twitter.com"), to: "other", at: now) }
                #expect(
                    try await store.link(.baseline("new", at: "idp"), to: "uid", expecting: proven, at: now)
                        == .refused(.identityLost))
                #expect(
                    try await store.merge("uid", into: "other", expecting: merge, at: now) == .refused(.identityLost))
            }
        }
    }

    @Test("An account has one waiting factor at most, however many are begun at once", arguments: Database.allCases)
    func waiting(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            try await stores[0].make("uid", of: .baseline("uid"))
            // The second account has no row: Firebase made its user.
            for uid: UID in ["uid", "unknown"] {
                let decisions = try await all(20) { index in
                    try await stores[index % 2].keep(.waiting("\(index)"), expecting: .of(uid))
                }
                #expect(decisions.allSatisfy { $0 == .done })
                let factors = try await stores[0].factors(of: FactorHolder(uid: uid)).factors
                #expect(factors.count == 1)
                let confirmed = try await all(20) { index in
                    try await stores[index % 2].confirm(
                        "\(index)", expecting: .of(uid), step: 1, recoveryCodes: [], at: now)
                }
                #expect(confirmed.count { $0 == .done } == 1)
                #expect(try await stores[0].factors(of: FactorHolder(uid: uid)).confirmed.count == 1)
            }
        }
    }

    @Test("A waiting factor is removed, and a confirmed one stays", arguments: Database.allCases)
    func removal(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.addFactor("f", to: "uid")
            try await store.addFactor("g", to: "other")
            for uid: UID in ["uid", "other"] {
                #expect(
                    try await store.keep(.waiting("w"), expecting: .of(uid, provesFactor: true)) == .done)
            }
            try await store.removeWaitingFactor(of: FactorHolder(uid: "uid"))
            #expect(try await store.factors(of: FactorHolder(uid: "uid")).factors.map(\.id) == ["f"])
            #expect(try await store.factors(of: FactorHolder(uid: "other")).factors.count == 2)
            try await store.removeWaitingFactor(of: FactorHolder(uid: "uid"))
        }
    }
}

extension AccountExpectation {
    static func of(_ uid: UID, provesFactor: Bool = false) -> Self {
        Self(uid: uid, holder: FactorHolder(uid: uid), provesFactor: provesFactor)
    }
}

extension EnrolledFactor {
    /// A factor that waits for ten minutes.
    static func waiting(_ id: String) -> Self {
        EnrolledFactor(id: id, name: nil, secret: "sealed", createdAt: now, expiresAt: later)
    }
}

extension EnrolledFactors {
    /// Adds a confirmed factor to an account.
    func addFactor(_ id: String, to uid: UID) async throws {
        let expectation = AccountExpectation.of(uid, provesFactor: true)
        guard try await keep(.waiting(id), expecting: expectation) == .done,
            try await confirm(id, expecting: expectation, step: 0, recoveryCodes: [], at: now) == .done
        else { throw Unexpected() }
    }
}
