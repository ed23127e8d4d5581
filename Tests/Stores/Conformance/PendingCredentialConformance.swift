import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of pending credentials", .serialized)
struct PendingCredentialConformance {
    @Test("A pending credential is redeemed once, with the stored values", arguments: Database.allCases)
    func once(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.keep(PendingCredential.baseline(uids: ["provoker", "a b", "caf\u{E9}\0"]))
            guard case .redeemed(let pending) = try await store.redeem(.claiming(), at: now) else {
                Issue.record("It is not redeemed.")
                return
            }
            #expect(pending.record == .baseline("handle", .pendingCredential))
            #expect(pending.client == "app" && pending.provider == "yahoo.com" && pending.payload == "payload")
            #expect(pending.uses == Set(PendingCredential.Use.allCases))
            #expect(pending.uids == ["provoker", "a b", "caf\u{E9}\0"])
            #expect(pending.holder == "holder" && pending.expiresAt == later)
            #expect(try await store.redeem(.claiming(), at: now).name == "replayed")
            #expect(try await store.redeem(.claiming(use: .exchange, accounts: nil), at: now).name == "replayed")
            #expect(try await store.redeem(.claiming("another"), at: now).name == "unknown")
            #expect(
                try await store.spend([.baseline("handle", .pendingCredential)], at: now)
                    == .replayed(.pendingCredential))
        }
    }

    @Test(
        "A claim must equal client, provider and uid byte by byte, and a claim that differs spends nothing",
        arguments: Database.allCases)
    func binding(database: Database) async throws {
        let claims: [(PendingCredentialClaim, String)] = [
            (.claiming(client: "App"), "unknown"), (.claiming(client: "app\0"), "unknown"),
            (.claiming(client: ""), "unknown"), (.claiming(provider: "twitter.com"), "unknown"),
            (.claiming(provider: "yahoo.com "), "unknown"), (.claiming(accounts: ["holder"]), "unknown"),
            (.claiming(accounts: ["Provoker"]), "unknown"), (.claiming(accounts: []), "unknown"),
            (.claiming(use: .merge, accounts: ["cafe\u{301}"]), "unknown"), (.claiming(use: .merge), "otherUse"),
            (.claiming(use: .exchange, accounts: nil), "otherUse"),
            (.claiming(client: "other", use: .merge), "unknown"),
            (.claiming(use: .merge, accounts: ["other"]), "unknown"),
        ]
        try await database.withStore { store async throws in
            for (index, (claim, outcome)) in claims.enumerated() {
                let kept = PendingCredential.baseline("\(index)", uses: [.link], uids: ["provoker", "caf\u{E9}"])
                try await store.keep(kept)
                let changed = PendingCredentialClaim(
                    record: kept.record, client: claim.client, provider: claim.provider, use: claim.use,
                    accounts: claim.accounts)
                #expect(try await store.redeem(changed, at: now).name == outcome, "\(index)")
                #expect(try await store.redeem(.claiming("\(index)"), at: now).name == "redeemed")
            }
        }
    }

    @Test(
        "A credential is redeemed only for its stored use, and a claim may omit the provider",
        arguments: Database.allCases)
    func uses(database: Database) async throws {
        try await database.withStore { store async throws in
            for kept in PendingCredential.Use.allCases {
                for named in PendingCredential.Use.allCases {
                    let handle = "\(kept) \(named)"
                    try await store.keep(PendingCredential.baseline(handle, uses: [kept]))
                    let claim = PendingCredentialClaim.claiming(
                        handle, provider: named == .merge ? nil : "yahoo.com", use: named,
                        accounts: named == .exchange ? nil : ["provoker"])
                    let outcome = try await store.redeem(claim, at: now).name
                    #expect(outcome == (kept == named ? "redeemed" : "otherUse"))
                }
            }
        }
    }

    @Test(
        "A credential that names no account is for another use at every account, and links to none",
        arguments: Database.allCases)
    func withoutAccounts(database: Database) async throws {
        try await database.withStore { store async throws in
            let factor = PendingCredential.baseline("factor", uses: [.secondFactor], uids: [])
            try await store.keep(factor)
            #expect(try await store.redeem(.claiming("factor", use: .link), at: now).name == "otherUse")
            #expect(
                try await store.redeem(.claiming("factor", use: .secondFactor, accounts: nil), at: now).name
                    == "redeemed")
            let link = PendingCredential.baseline("link", uses: [.link], uids: [])
            try await store.keep(link)
            #expect(try await store.redeem(.claiming("link", use: .link), at: now).name == "unknown")
        }
    }

    @Test("A pending credential is valid until its expiry", arguments: Database.allCases)
    func expiry(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.keep(PendingCredential.baseline())
            #expect(try await store.redeem(.claiming(), at: later).name == "expired")
            #expect(try await store.redeem(.claiming(client: "other"), at: later).name == "unknown")
            #expect(try await store.redeem(.claiming(), at: later - .seconds(1)).name == "redeemed")
        }
    }

    @Test("A pending credential that was given back is valid once more", arguments: Database.allCases)
    func givenBack(database: Database) async throws {
        try await database.withStore { store async throws in
            for holder: UID? in ["holder", nil] {
                let handle = holder?.text ?? "none"
                try await store.keep(PendingCredential.baseline(handle, uses: [.link], holder: holder))
                guard case .redeemed(let first) = try await store.redeem(.claiming(handle), at: now) else {
                    throw Unexpected()
                }
                try await store.giveBack(first)
                #expect(try await store.redeem(.claiming(handle, use: .merge), at: now).name == "otherUse")
                guard case .redeemed(let again) = try await store.redeem(.claiming(handle), at: now) else {
                    throw Unexpected()
                }
                #expect(again.holder == holder && again.uids == ["provoker"] && again.expiresAt == later)
                #expect(try await store.redeem(.claiming(handle), at: now).name == "replayed")
            }
        }
    }

    @Test("A handle that was spent separately redeems nothing, and its credential stays", arguments: Database.allCases)
    func spentBefore(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.keep(PendingCredential.baseline())
            let record = SpentRecord.baseline("handle", .pendingCredential)
            #expect(try await store.spend([record], at: now) == .first)
            #expect(try await store.redeem(.claiming(), at: now).name == "replayed")
            try await store.giveBack([record])
            #expect(try await store.redeem(.claiming(), at: now).name == "redeemed")
        }
    }

    @Test("SR-01: of parallel redemptions at two servers one succeeds", arguments: Database.allCases)
    func race(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<5 {
                try await stores[0].keep(PendingCredential.baseline("\(round)"))
                let names = try await all(20) { index in
                    try await stores[index % 2].redeem(.claiming("\(round)"), at: now).name
                }
                #expect(names.count { $0 == "redeemed" } == 1)
                #expect(names.count { $0 == "replayed" } == 19)
            }
        }
    }

    @Test("A sweep removes expired credentials, as many as the limit allows", arguments: Database.allCases)
    func sweep(database: Database) async throws {
        try await database.withStore { store async throws in
            for index in 0..<5 { try await store.keep(PendingCredential.baseline("\(index)")) }
            #expect(try await store.sweepPendingCredentials(expiredBefore: later, atMost: 10) == 0)
            #expect(try await store.sweepPendingCredentials(expiredBefore: later + .seconds(1), atMost: 3) == 3)
            #expect(try await store.sweepPendingCredentials(expiredBefore: later + .seconds(1), atMost: 3) == 2)
            for index in 0..<5 {
                #expect(try await store.redeem(.claiming("\(index)"), at: later).name == "unknown")
            }
        }
    }

    @Test("A second credential with the same handle is refused", arguments: Database.allCases)
    func twice(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.keep(PendingCredential.baseline())
            await #expect(throws: StoreError.self) { try await store.keep(PendingCredential.baseline()) }
        }
    }
}
