import Firebase
import Fixtures
import JOSE
import Minting
import Providers
import Standards
import Stores
import Support
import Synchronization
import Testing
import Transport

@testable import Server

@Suite("Readiness")
struct ReadinessTests {
    @Test("Findings of all checks are put together, in alphabetical order")
    func together() async {
        let readiness = Readiness {
            [
                { .failing("store") }, { .none }, { .busy("signer") },
                { .init(failing: ["clock_behind"], warnings: ["keys of yahoo.com"]) },
            ]
        }
        let findings = await readiness.findings()
        #expect(findings.failing == ["clock_behind", "store"])
        #expect(findings.warnings == ["keys of yahoo.com", "signer is busy"])
    }

    @Test(
        "A full queue is busy and not broken; any other failure of the store is one, and says why",
        arguments: [
            (StoreError?.none, Readiness.Findings.none), (.unavailable(.overloaded), .busy("store")),
            (
                .unavailable(.busy, cause: "the file is locked"),
                .failing("store", because: "store.unavailable.busy: the file is locked")
            ), (.outcomeUnknown(.overloaded), .failing("store", because: "store.outcome_unknown.overloaded")),
            (.corrupt, .failing("store", because: "store.corrupt")),
        ])
    func store(error: StoreError?, findings: Readiness.Findings) async {
        #expect(await ReadinessChecks.store(CheckedStore(error: error)) == findings)
    }

    @Test(
        "The signer's full queue is busy and not broken; any other failure says why",
        arguments: [
            (MintingError?.none, Readiness.Findings.none), (.overloaded, .busy("signer")),
            (.cancelled, .failing("signer", because: "signer: the call was cancelled")),
            (.process(.unreachable(.timedOut)), .failing("signer", because: "signer: the signer does not answer")),
        ])
    func signer(error: MintingError?, findings: Readiness.Findings) async {
        let found = await ReadinessChecks.signer { () async throws(MintingError) in
            if let error { throw error }
        }
        #expect(found == findings)
    }

    @Test("A clock that lies before the store's time is a failure, and a store that is set up badly is a warning")
    func clock() async {
        let now = NumericDate(1_700_000_000)
        func findings(_ until: NumericDate, _ warnings: [StoreWarning] = []) async -> Readiness.Findings {
            await ReadinessChecks.clock(TimeSource { now }, WatchedStore(until: until, listed: warnings))
        }
        #expect(await findings(now) == .none)
        #expect(await findings(now + .seconds(60)) == .none)
        let behind = await findings(now + .seconds(61))
        #expect(behind.failing == ["clock_behind"])
        #expect(behind.warnings.first?.hasPrefix("sign-ins are possible again in 1 seconds, when") == true)
        #expect(behind.warnings.first?.contains("--new-store") == true)
        #expect(await findings(now - .seconds(86400)) == .none)
        #expect(await findings(now - .seconds(86401)).failing == ["clock_behind"])
        #expect(await findings(now, [.asynchronousReplicas]) == .warning("asynchronous_replicas"))
    }

    @Test("A provider that cannot be used is a warning while another can be, and a failure if none can be")
    func providers() async {
        func parts(_ works: [Bool]) async -> Readiness.Findings {
            await ReadinessChecks.alternatives(
                works.enumerated().map { index, works in ("keys of \(index)", { works }) })
        }
        #expect(await parts([]) == .none)
        #expect(await parts([true, true]) == .none)
        #expect(await parts([true, false]) == .warning("keys of 1"))
        #expect(await parts([false]) == .failing("keys of 0"))
        let none = await parts([false, false])
        #expect(none.failing.sorted() == ["keys of 0", "keys of 1"])
        #expect(none.warnings.isEmpty)
    }

    @Test("Within a second the checks run once, and after it again")
    func second() async {
        let (clock, rounds) = (SteppedClock(), Counter())
        let readiness = Readiness(now: clock.read) { [{ .failing("round \(rounds.next())") }] }
        #expect(await readiness.findings() == .failing("round 1"))
        clock.advance(by: .milliseconds(999))
        #expect(await readiness.findings() == .failing("round 1"))
        clock.advance(by: .milliseconds(1))
        #expect(await readiness.findings() == .failing("round 2"))
    }

    @Test("Callers at once share one round, and the age of its findings counts from its beginning")
    func flight() async {
        let (clock, rounds) = (SteppedClock(), Counter())
        let (isOpen, open) = AsyncStream.makeStream(of: Void.self)
        let readiness = Readiness(now: clock.read) {
            let round = rounds.next()
            return [
                {
                    if round == 1 { for await _ in isOpen {} }
                    return .failing("round \(round)")
                }
            ]
        }
        let found = await withTaskGroup(of: Readiness.Findings.self) { group in
            for _ in 0..<100 { group.addTask { await readiness.findings() } }
            while clock.readings < 100 { await Task.yield() }
            clock.advance(by: .seconds(1))
            open.finish()
            var found: [Readiness.Findings] = []
            for await findings in group { found.append(findings) }
            return found
        }
        #expect(found.allSatisfy { $0 == .failing("round 1") })
        #expect(await readiness.findings() == .failing("round 2"))
    }

    @Test("A cancelled caller does not cancel the checks for the others")
    func cancellation() async {
        let clock = SteppedClock()
        let (isOpen, open) = AsyncStream.makeStream(of: Void.self)
        let readiness = Readiness(now: clock.read) {
            [
                {
                    for await _ in isOpen {}
                    return Task.isCancelled ? .failing("round") : .none
                }
            ]
        }
        let first = Task { await readiness.findings() }
        while clock.readings < 1 { await Task.yield() }
        first.cancel()
        async let second = readiness.findings()
        while clock.readings < 2 { await Task.yield() }
        open.finish()
        #expect(await second == .none)
        #expect(await first.value == .none)
    }
}

/// Returns what the test sets.
private struct CheckedStore: StoreHealth {
    let error: StoreError?

    func check() async throws(StoreError) {
        if let error { throw error }
    }
}

private struct WatchedStore: StoreWatch {
    let until: NumericDate
    let listed: [StoreWarning]

    func watch(at now: NumericDate) async throws(StoreError) {}

    func watchReading() async throws(StoreError) -> WatchReading {
        WatchReading(
            watchedUntil: until, unwatchedUntil: NumericDate(0), sweptThrough: NumericDate(0), clock: nil)
    }

    func warnings() async throws(StoreError) -> [StoreWarning] { listed }
}

/// A clock that stands still until it is set, and counts how often it is read.
private final class SteppedClock: Sendable {
    private let state = Mutex((now: ContinuousClock.now, readings: 0))

    var readings: Int { state.withLock { $0.readings } }
    var read: @Sendable () -> ContinuousClock.Instant {
        {
            self.state.withLock { state in
                state.readings += 1
                return state.now
            }
        }
    }

    func advance(by duration: Duration) { state.withLock { $0.now += duration } }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

@Suite("Refused parts of profiles")
struct ProfileRefusalTests {
    private static let start = NumericDate(1_700_000_000)
    private static let x = ProviderID("twitter.com")

    @Test("Each refusal is counted by provider and cause, and /metrics shows the count")
    func counts() {
        let metrics = Metrics()
        let refusals = ProfileRefusals(metrics.factory)
        for _ in 0..<3 { _ = refusals.record(Self.x, .failed(status: 403), at: Self.start) }
        _ = refusals.record(Self.x, .refusedClient(.credit), at: Self.start)
        _ = refusals.record(Self.x, .malformedResponse("x"), at: Self.start)
        _ = refusals.record(ProviderID("yahoo.com"), .failed(status: 403), at: Self.start)
        let lines = metrics.text(ConcurrencyLimit(maximum: 1, maximumBodies: 1), [])
            .split(separator: "\n").map(String.init)
        let name = "token_exchange_profile_refusals_total"
        #expect(
            lines.filter { $0.hasPrefix(name) }
                == [
                    #"\#(name){provider="twitter.com",cause="\#(ClientRefusal.credit.rawValue)"} 1"#,
                    #"\#(name){provider="twitter.com",cause="other"} 1"#,
                    #"\#(name){provider="twitter.com",cause="status_403"} 3"#,
                    #"\#(name){provider="yahoo.com",cause="status_403"} 1"#,
                ].sorted())
    }

    @Test("The log reports each cause once a minute, and again if the clock was set back")
    func told() {
        let refusals = ProfileRefusals(Metrics().factory)
        func isTold(_ failure: ProviderFailure, after seconds: Int64) -> Bool {
            refusals.record(Self.x, failure, at: NumericDate(Self.start.seconds + seconds))
        }
        #expect(isTold(.failed(status: 403), after: 0))
        #expect(!isTold(.failed(status: 403), after: 59))
        #expect(isTold(.failed(status: 402), after: 59))
        #expect(isTold(.failed(status: 403), after: 60))
        #expect(!isTold(.failed(status: 403), after: 61))
        #expect(isTold(.failed(status: 403), after: -1))
    }
}
