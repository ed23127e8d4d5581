import Accounts
import Fixtures
import JOSE
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("Accounts")
struct AccountResolverTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    private func resolve(_ subject: String = Yahoo.subject) async throws -> Account {
        try await deployment.accounts.findOrMake(deployment.yahooIdentity(subject: subject))
    }

    @Test("The first sign-in creates the account, and later ones find it")
    func sameAccount() async throws {
        let first = try await resolve()
        #expect(first.isNew)
        #expect(first.identity?.subject.text == Yahoo.subject)
        for _ in 0..<5 {
            let later = try await resolve()
            #expect(!later.isNew)
            #expect(later.uid == first.uid)
        }
    }

    @Test("A person keeps the uid when the rule changes")
    func otherRule() async throws {
        let first = try await resolve()
        let resolver = AccountResolver(
            directory: deployment.store, rule: .random, emails: .shared, time: deployment.clock.source,
            random: deployment.random.source)
        #expect(try await resolver.findOrMake(deployment.yahooIdentity()).uid == first.uid)
    }

    @Test("The identity of a conflict signs in to the account of the conflict, and creates none")
    func heldBy() async throws {
        let identity = try await deployment.yahooIdentity()
        let before = try await deployment.accounts.find(identity, stillHeldBy: "yahoo.com:\(Yahoo.subject)")
        #expect(before == nil)
        let uid = try await resolve().uid
        let holder = try await deployment.accounts.find(identity, stillHeldBy: uid)
        #expect(holder?.uid == uid)
        let other = try await deployment.accounts.find(identity, stillHeldBy: "another")
        #expect(other == nil)
    }

    @Test("SR-01: Of fifty parallel first sign-ins one creates the account, and all get it")
    func parallel() async throws {
        let identity = try await deployment.yahooIdentity()
        let accounts = try await withThrowingTaskGroup(of: Account.self) { group in
            for _ in 0..<50 {
                group.addTask { try await deployment.accounts.findOrMake(identity) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(accounts.count { $0.isNew } == 1)
        #expect(Set(accounts.map(\.uid)).count == 1)
    }

    @Test(
        "IDT-50, X2-08: An e-mail address does not join accounts, verified or not",
        arguments: ["true", "false", #""true""#, "1", nil])
    func address(_ verified: String?) async throws {
        let owner = try await resolve("owner")
        let other = try await deployment.accounts.findOrMake(
            deployment.yahooIdentity(subject: "other") { $0 = $0.setting("email_verified", toText: verified) })
        #expect(other.isNew)
        #expect(other.uid != owner.uid)
        #expect(other.identity?.profile.email == owner.identity?.profile.email)
    }

    @Test("IDT-52: A name does not join accounts")
    func name() async throws {
        let owner = try await resolve("owner")
        let other = try await deployment.accounts.findOrMake(
            deployment.yahooIdentity(subject: "other") {
                $0.claims["preferred_username"] = .string("owner")
                $0.claims["uid"] = .string(owner.uid.text)
                $0.claims["user_id"] = .string(owner.uid.text)
            })
        #expect(other.uid != owner.uid)
    }

    @Test("The uid of a deleted account is never given again")
    func retired() async throws {
        let first = try await resolve()
        #expect(try await deployment.store.retire(uid: first.uid, at: deployment.clock.now))
        let second = try await resolve()
        #expect(second.isNew)
        #expect(second.uid != first.uid)
        #expect(second.uid.text.utf8.count == 28)
    }

    @Test("A failing store creates no account")
    func storeFails() async throws {
        let identity = try await deployment.yahooIdentity()
        for error in [StoreError.unavailable(.full), .outcomeUnknown(.inputOutput), .corrupt] {
            deployment.store.fail(atCall: 1, with: error)
            await expectRefusal(error.refusal) { try await deployment.accounts.findOrMake(identity) }
        }
        #expect(try await deployment.accounts.findOrMake(identity).isNew)
    }

    @Test("If the random source repeats a uid, no person gets another person's uid")
    func noFreeUID() async throws {
        let resolver = AccountResolver(
            directory: deployment.store, rule: .random, emails: .shared, time: deployment.clock.source,
            random: RandomSource { count throws(RandomFailure) in [UInt8](repeating: 0, count: count) })
        let first = try await resolver.findOrMake(deployment.yahooIdentity(subject: "a"))
        #expect(first.uid.text == String(repeating: "A", count: 28))
        let second = try await deployment.yahooIdentity(subject: "b")
        await expectRefusal(StoreError.noFreeUID.refusal) { try await resolver.findOrMake(second) }
    }

    @Test("Without randomness there is no account")
    func noRandomness() async throws {
        let identity = try await deployment.yahooIdentity()
        deployment.random.fail(atCall: 1)
        await expectRefusal(RandomFailure().refusal) {
            try await deployment.accounts.findOrMake(identity)
        }
        #expect(!deployment.store.calls.contains(.account))
    }
}

@Suite("Anonymous accounts")
struct AnonymousAccountTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    @Test("AN-03: A uid has a prefix that is no provider's id, and 28 random characters")
    func uid() async throws {
        let account = try await deployment.accounts.makeAnonymous(retention: nil)
        #expect(account.isNew)
        #expect(account.identity == nil)
        let parts = account.uid.text.split(separator: ":", omittingEmptySubsequences: false)
        #expect(parts.count == 2)
        #expect(parts.first == "anonymous")
        #expect(parts.last?.utf8.count == 28)
        #expect(parts.last?.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } == true)
    }

    @Test("An anonymous account is deleted after its retention, or never")
    func retention() async throws {
        for (retention, end) in [(nil, nil), (Duration.seconds(60), deployment.clock.now + .seconds(60))]
            as [(Duration?, NumericDate?)]
        {
            let uid = try await deployment.accounts.makeAnonymous(retention: retention).uid
            let stored = try await deployment.store.account(uid: uid)
            #expect(stored?.isAnonymous == true)
            #expect(stored?.deleteAfter == end)
            #expect(stored?.createdAt == deployment.clock.now)
        }
    }

    @Test("If the random source repeats a uid, no account gets another account's uid")
    func noFreeUID() async throws {
        let resolver = AccountResolver(
            directory: deployment.store, rule: .random, emails: .shared, time: deployment.clock.source,
            random: RandomSource { count throws(RandomFailure) in [UInt8](repeating: 0, count: count) })
        let first = try await resolver.makeAnonymous(retention: nil)
        #expect(first.uid.text == "anonymous:" + String(repeating: "A", count: 28))
        await expectRefusal(StoreError.noFreeUID.refusal) { try await resolver.makeAnonymous(retention: nil) }
    }

    @Test("A second uid is tried if the first is taken")
    func secondCandidate() async throws {
        let mirror = TestRandom()
        let resolver = AccountResolver(
            directory: deployment.store, rule: .random, emails: .shared, time: deployment.clock.source,
            random: mirror.source)
        let first = try await resolver.makeAnonymous(retention: nil).uid
        let again = AccountResolver(
            directory: deployment.store, rule: .random, emails: .shared, time: deployment.clock.source,
            random: TestRandom().source)
        let second = try await again.makeAnonymous(retention: nil).uid
        #expect(second != first)
        #expect(second.text.hasPrefix("anonymous:"))
    }

    @Test("Without randomness or a store there is no anonymous account")
    func faults() async throws {
        deployment.random.fail(atCall: 1)
        await expectRefusal(RandomFailure().refusal) {
            try await deployment.accounts.makeAnonymous(retention: nil)
        }
        #expect(deployment.store.calls.isEmpty)
        deployment.store.fail(atCall: 1)
        await expectRefusal(StoreError.unavailable(.busy).refusal) {
            try await deployment.accounts.makeAnonymous(retention: nil)
        }
    }
}
