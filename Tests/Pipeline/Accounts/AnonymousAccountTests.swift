import Accounts
import JOSE
import OAuth
import Stores
import Support
import Testing

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

    @Test("It ends when its retention does, or not at all")
    func retention() async throws {
        for (retention, end) in [(nil, nil), (Duration.seconds(60), deployment.clock.now + .seconds(60))]
            as [(Duration?, NumericDate?)]
        {
            let uid = try await deployment.accounts.makeAnonymous(retention: retention).uid.text
            let stored = try await deployment.store.account(uid: uid)
            #expect(stored?.isAnonymous == true)
            #expect(stored?.deleteAfter == end)
            #expect(stored?.createdAt == deployment.clock.now)
        }
    }

    @Test("Where the randomness gives the same uid twice, nobody gets somebody's")
    func noFreeUID() async throws {
        let resolver = AccountResolver(
            directory: deployment.store, rule: .random, emails: .shared, time: deployment.clock.source,
            random: RandomSource { count throws(RandomFailure) in [UInt8](repeating: 0, count: count) })
        let first = try await resolver.makeAnonymous(retention: nil)
        #expect(first.uid.text == "anonymous:" + String(repeating: "A", count: 28))
        await #expect(throws: AccountError.store(.noFreeUID)) { try await resolver.makeAnonymous(retention: nil) }
    }

    @Test("A second uid is tried where the first is taken")
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

    @Test("Without randomness, and without a store, there is none")
    func faults() async throws {
        deployment.random.fail(atCall: 1)
        await #expect(throws: AccountError.random(RandomFailure())) {
            try await deployment.accounts.makeAnonymous(retention: nil)
        }
        #expect(deployment.store.calls.isEmpty)
        deployment.store.fail(atCall: 1)
        await #expect(throws: AccountError.store(.unavailable(.busy))) {
            try await deployment.accounts.makeAnonymous(retention: nil)
        }
    }
}
