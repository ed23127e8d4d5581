import Fixtures
import JOSE
import Standards
import Stores
import Testing

/// Pairs of calls about one account at the same time, as two sessions of it make them.
///
/// The outcomes depend on which call is first. The invariants hold in either order.
@Suite("Conformance of account calls against each other", .serialized)
struct AccountCallRaceConformance {
    private static let rounds = 2

    @Test(
        "Whichever of two calls is first: nothing that the other one relied on has changed unnoticed",
        arguments: Database.allCases)
    func pairs(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            var races: [Race] = []
            for isProtected in [false, true] {
                for (index, first) in AccountCall.allCases.enumerated() {
                    for second in AccountCall.allCases[index...] {
                        for round in 0..<Self.rounds {
                            races.append(
                                Race(
                                    isProtected: isProtected, first: first, second: second,
                                    // The second session has proven the factor in every other round.
                                    secondProves: isProtected && round % 2 == 1, number: races.count))
                        }
                    }
                }
            }
            for race in races {
                try await race.prepare(stores[0])
                async let first = race.first.run(race, by: .first, on: stores[0])
                async let second = race.second.run(race, by: .second, on: stores[1])
                let done = (try await first, try await second)
                try await race.check(done, stores[0])
            }
            // Ten calls, two states and two rounds.
            #expect(races.count == 220)
        }
    }
}

/// One of the two sessions.
private enum Party: String {
    case first
    case second
}

/// A call about the account ``Race/uid``.
private enum AccountCall: String, CaseIterable, Sendable {
    case link
    case unlink
    case unlinkOther
    case mergeAway
    case mergeOther
    case begin
    case confirm
    case replaceCodes
    case removeFactor
    case delete

    /// Makes the call.
    ///
    /// - Returns: Whether it did what it was asked for.
    func run(_ race: Race, by party: Party, on store: any Store) async throws -> Bool {
        let expectation = race.expectation(of: party)
        let (uid, other) = (race.uid, race.other)
        switch self {
        case .link:
            let decision = try await store.link(
                .baseline(Subject(race.uid), at: "idp"), to: uid, expecting: expectation, at: now)
            if case .linked = decision { return true }
        case .unlink, .unlinkOther:
            let decision = try await store.unlink(
                provider: self == .unlink ? "yahoo.com" : "twitter.com", from: uid, expecting: expectation, at: now)
            if case .unlinked = decision { return true }
        case .mergeAway:
            let proven = race.expectation(of: .first).holding(race.x)
            let decision = try await store.merge(
                uid, into: other, expecting: MergeExpectation(going: proven, staying: .of(other)), at: now)
            if case .merged = decision { return true }
        case .mergeOther:
            let decision = try await store.merge(
                other, into: uid, expecting: MergeExpectation(going: .of(other), staying: expectation), at: now)
            if case .merged = decision { return true }
        case .begin:
            return try await store.keep(.waiting("begun " + party.rawValue), expecting: expectation) == .done
        case .confirm:
            return try await store.confirm(
                "waiting", expecting: expectation, step: 1, recoveryCodes: [], at: now) == .done
        case .replaceCodes:
            let id = "new " + party.rawValue
            guard try await store.keep(.waiting(id), expecting: expectation) == .done else { return false }
            return try await store.confirm(id, expecting: expectation, step: 1, recoveryCodes: [], at: now) == .done
        case .removeFactor:
            return try await store.removeFactor("factor", of: race.holder)
        case .delete:
            return try await store.retire(uid: uid, expecting: expectation, at: now) == .retired(existed: true)
        }
        return false
    }

    var endsAccount: Bool { self == .mergeAway || self == .delete }

    var confirms: Bool { self == .confirm || self == .replaceCodes }

    /// Whether the call needs the proof of a factor, if the account has one.
    var needsProof: Bool { self != .removeFactor }
}

/// Two calls about one account.
private struct Race: Sendable {
    /// Whether the account has a confirmed factor before.
    let isProtected: Bool
    let first: AccountCall
    let second: AccountCall
    let secondProves: Bool
    let number: Int

    var uid: UID { "uid \(number)" }
    var other: UID { "other \(number)" }
    var holder: FactorHolder { FactorHolder(uid: uid) }
    var yahoo: ExternalIdentity { ExternalIdentity(provider: "yahoo.com", subject: Subject(uid)) }
    var x: ExternalIdentity { ExternalIdentity(provider: "twitter.com", subject: Subject(uid)) }

    func expectation(of party: Party) -> AccountExpectation {
        .of(uid, provesFactor: party == .second && secondProves)
    }

    /// Makes an account with two identities and a waiting factor, and another one with one identity.
    func prepare(_ store: any Store) async throws {
        try await store.make(uid, of: .baseline(Subject(uid)))
        _ = try await store.link(.baseline(Subject(uid), at: "twitter.com"), to: uid, at: now)
        try await store.make(other, of: .baseline(Subject(uid), at: "google"))
        if isProtected { try await store.addFactor("factor", to: uid) }
        guard try await store.keep(.waiting("waiting"), expecting: .of(uid, provesFactor: true)) == .done
        else { throw Unexpected() }
    }

    func check(_ done: (Bool, Bool), _ store: any Store) async throws {
        let label = Comment(rawValue: "\(first) \(done.0), \(second) \(done.1), \(isProtected), \(secondProves)")
        let account = try await store.account(uid: uid)
        let accounts = [account, try await store.account(uid: other)].compactMap(\.self)
        let factors = try await store.factors(of: holder)

        // Nothing is lost or doubled: an identity has one holder, which exists, and an account has a way in.
        for identity in [yahoo, x] {
            let holders = accounts.filter { $0.identities.contains { $0.identity == identity } }
            #expect(holders.count <= 1, label)
            #expect(try await store.account(of: identity) == holders.first, label)
        }
        #expect(accounts.allSatisfy { !$0.identities.isEmpty }, label)
        #expect(factors.factors.count - factors.confirmed.count <= 1, label)

        // An account that is gone has no factor, and no factor was confirmed that is lost with it.
        let hasEnded = first.endsAccount && done.0 || second.endsAccount && done.1
        #expect((account == nil) == hasEnded, label)
        if hasEnded { #expect(factors.factors.isEmpty, label) }
        let hasConfirmed = first.confirms && done.0 || second.confirms && done.1
        let endedWithProof = second == .delete && done.1 && secondProves
        if hasEnded, !endedWithProof { #expect(!hasConfirmed, label) }

        // A second factor is confirmed, and an account with one changed, only by a session that has proven it.
        if !secondProves, !hasEnded { #expect(factors.confirmed.count <= 1, label) }
        let wasRemoved = first == .removeFactor && done.0 || second == .removeFactor && done.1
        if isProtected, !wasRemoved {
            if first.needsProof { #expect(!done.0, label) }
            if second.needsProof, !secondProves || second == .mergeAway { #expect(!done.1, label) }
        }
    }
}
