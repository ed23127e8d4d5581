import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of accounts that are merged, linked, emptied and removed concurrently", .serialized)
struct OrphanConformance {
    /// The operations on the accounts `a` and `b` of a round, which have one identity each.
    private enum Step: String, CaseIterable {
        case link, linkElsewhere, unlink, merge, mergeBack, retire, retireOther, signIn

        func take(_ store: any Store, _ round: Subject) async throws {
            let (a, b): (UID, UID) = ("\(round) a", "\(round) b")
            let arrival = IncomingIdentity.baseline(round, at: "third", email: "\(round)@x")
            switch self {
            case .link: _ = try await store.link(arrival, to: a, at: now)
            case .linkElsewhere: _ = try await store.link(arrival, to: b, at: now)
            case .unlink: _ = try await store.unlink(provider: "first", from: a, at: now)
            case .merge: _ = try await store.merge(b, into: a, at: now)
            case .mergeBack: _ = try await store.merge(a, into: b, at: now)
            case .retire: _ = try await store.retire(uid: a, at: now)
            case .retireOther: _ = try await store.retire(uid: b, at: now)
            case .signIn:
                _ = try await store.signIn(
                    arrival, candidates: ["\(round) c"], emails: .oneAccountEach, at: now + .seconds(7200))
            }
        }
    }

    private func prepare(_ store: any Store, _ round: Subject) async throws {
        try await store.make("\(round) a", of: .baseline(round, at: "first"))
        try await store.make("\(round) b", of: .baseline(round, at: "second"))
    }

    /// Checks that every identity belongs to an account, and that every account has a sign-in method.
    private func check(_ store: any Store, _ round: Subject) async throws {
        var accounts: [StoredAccount] = []
        for uid in ["a", "b", "c"] {
            if let account = try await store.account(uid: "\(round) \(uid)") { accounts.append(account) }
        }
        for account in accounts {
            #expect(!account.identities.isEmpty)
            for identity in account.identities {
                #expect(try await store.account(of: identity.identity) == account)
            }
        }
        for provider: ProviderID in ["first", "second", "third"] {
            guard let holder = try await store.account(of: ExternalIdentity(provider: provider, subject: round))
            else { continue }
            #expect(accounts.contains(holder))
        }
        let owners = accounts.filter { $0.email == EmailAddress("\(round)@x") }
        #expect(owners.count <= 1)
        // An address of no account is free for a new one.
        let decision = try await store.signIn(
            .baseline(round, at: "last", email: "\(round)@x"), candidates: ["\(round) last"], emails: .oneAccountEach,
            at: now)
        #expect(
            decision
                == (owners.isEmpty
                    ? .signedIn(uid: "\(round) last", isNew: true, hasFactor: false) : .emailTaken(by: owners)))
    }

    @Test("SR-12: two concurrent operations are each done completely or not at all", arguments: Database.allCases)
    func pairs(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for one in Step.allCases {
                for other in Step.allCases {
                    for time in 0..<3 {
                        let round: Subject = "\(one) \(other) \(time)"
                        try await prepare(stores[0], round)
                        async let first: Void = one.take(stores[0], round)
                        async let second: Void = other.take(stores[1], round)
                        _ = (try await first, try await second)
                        try await check(stores[0], round)
                    }
                }
            }
        }
    }

    @Test("SR-12: all operations together are each done completely or not at all", arguments: Database.allCases)
    func together(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<20 {
                try await prepare(stores[0], "\(round)")
                let steps = Step.allCases.shuffled()
                _ = try await all(steps.count) { try await steps[$0].take(stores[$0 % 2], "\(round)") }
                try await check(stores[0], "\(round)")
            }
        }
    }
}
