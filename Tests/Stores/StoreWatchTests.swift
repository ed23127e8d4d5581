import JOSE
import Stores
import Synchronization
import Testing

@Suite("Limits of a sweep, and wrong clocks")
struct SweepStepTests {
    private static func reading(
        watchedUntil watched: NumericDate = now, sweptThrough swept: NumericDate = now - .seconds(7200),
        clock: NumericDate? = nil
    ) -> WatchReading {
        WatchReading(watchedUntil: watched, unwatchedUntil: NumericDate(0), sweptThrough: swept, clock: clock)
    }

    @Test("SR-21: a sweep keeps records that expired in the last hour, and advances by at most one hour")
    func step() {
        #expect(SweepStep.end(at: now, Self.reading()) == now - .seconds(3600))
        #expect(
            SweepStep.end(at: now, Self.reading(sweptThrough: now - .seconds(3601))) == now - .seconds(3600))
        #expect(
            SweepStep.end(at: now, Self.reading(sweptThrough: now - .seconds(7201))) == now - .seconds(3601))
        #expect(
            SweepStep.end(at: now, Self.reading(sweptThrough: now - .seconds(864_000))) == now - .seconds(860_400))
    }

    @Test(
        "SR-21: no sweep happens if the clocks of process and store differ by more than a minute",
        arguments: [(-61, true), (-60, false), (0, false), (60, false), (61, true)] as [(Int64, Bool)])
    func otherClock(seconds: Int64, isOff: Bool) {
        let reading = Self.reading(clock: now + .seconds(seconds))
        #expect(reading.isClockOff(from: now) == isOff)
        #expect((SweepStep.end(at: now, reading) == nil) == isOff)
        #expect(!Self.reading().isClockOff(from: now + .seconds(86_400)))
    }

    @Test("SR-21: no sweep happens with a clock over a minute behind the watched time, or behind the last sweep")
    func behind() {
        for (reading, isBehind) in [
            (Self.reading(watchedUntil: now + .seconds(60)), false),
            (Self.reading(watchedUntil: now + .seconds(61)), true),
            (Self.reading(sweptThrough: now), false), (Self.reading(sweptThrough: now + .seconds(1)), true),
        ] {
            #expect(reading.isBehind(now) == isBehind)
            #expect((SweepStep.end(at: now, reading) == nil) == isBehind)
        }
    }

    @Test("A record counts for 10 seconds if another process may have renewed it, and not at all after a clean stop")
    func continuity() {
        let recorded = now - .seconds(10)
        for (continuity, record, expected) in [
            (.shared, recorded, nil), (.shared, recorded - .seconds(1), .since(recorded - .seconds(1))),
            (.resumed, now, nil), (.resumed, now - .seconds(1), .since(now - .seconds(1))),
            (.unbroken, now - .seconds(3600), nil), (.broken, now, .everythingBefore),
            // A store that never watched has no watched time, whatever continuity its caller claims.
            (.unbroken, NumericDate(0), .everythingBefore), (.resumed, NumericDate(0), .everythingBefore),
        ] as [(WatchContinuity, NumericDate, UnwatchedTime?)] {
            #expect(UnwatchedTime.between(record, and: now, continuity) == expected)
        }
        #expect(UnwatchedTime.since(recorded).end(at: now) == now)
        #expect(UnwatchedTime.everythingBefore.end(at: now) == now + .seconds(1))
    }

    @Test("A clock that is set ahead between two renewals is detected, and the first renewal proves nothing")
    func clock() {
        let clock = WatchClock()
        #expect(!clock.renew(at: now).isUnbroken)
        #expect(clock.renew(at: now + .seconds(9)).isUnbroken)
        #expect(clock.renew(at: now).isUnbroken)
        // An hour is longer than this test takes.
        #expect(!clock.renew(at: now + .seconds(3600)).isUnbroken)
        #expect(clock.renew(at: now + .seconds(3601)).isUnbroken)
    }

    @Test("What has expired may be deleted only if the clock agrees with the times in the store")
    func deletion() {
        for (seconds, allows) in [(-61, false), (-60, true), (0, true), (60, true), (61, false)] as [(Int64, Bool)] {
            #expect(Self.reading().allowsDeletion(at: now + .seconds(seconds)) == allows)
        }
        #expect(!Self.reading(clock: now + .seconds(61)).allowsDeletion(at: now))
    }

    @Test(
        "A wait is said in the largest unit of which it has two",
        arguments: [
            (-5, "1 seconds"), (119, "119 seconds"), (120, "about 2 minutes"), (7199, "about 119 minutes"),
            (86400, "about 24 hours"), (200_000, "about 2 days"), (6_000_000, "about 2 months"),
            (441_797_328, "about 14 years"),
        ] as [(Int64, String)])
    func words(seconds: Int64, words: String) {
        #expect(Duration.seconds(seconds).inWords == words)
        let reading = Self.reading(watchedUntil: now + .seconds(seconds + 60))
        #expect(reading.remedy(at: now).contains("again in \(words), when"))
        #expect(reading.remedy(at: now).contains("--new-store"))
    }
}

/// A wall clock and a monotonic clock that a test sets.
private final class TwoClocks: Sendable {
    private let began = ContinuousClock.now
    private let state = Mutex((passed: Duration.zero, ahead: Duration.zero))

    var steady: ContinuousClock.Instant { began + state.withLock { $0.passed } }
    var wall: NumericDate { state.withLock { now + $0.passed + $0.ahead } }

    func pass(_ seconds: Int64) { state.withLock { $0.passed += .seconds(seconds) } }
    func set(ahead seconds: Int64) { state.withLock { $0.ahead = .seconds(seconds) } }
}

@Suite("A clock that jumps ahead by more than a day")
struct ClockJumpTests {
    private static let years: Int64 = 400_000_000

    private let clocks = TwoClocks()
    private let clock: WatchClock

    init() {
        clock = WatchClock { [clocks] in clocks.steady }
        _ = clock.renew(at: clocks.wall)
    }

    /// Renews after some seconds, and returns what is recorded: seconds after ``now``, and whether nothing was missed.
    private func renewed(after seconds: Int64) -> [Int64] {
        clocks.pass(seconds)
        let (time, isUnbroken) = clock.renew(at: clocks.wall)
        return [time.seconds - now.seconds, isUnbroken ? 1 : 0]
    }

    @Test("A jump that ends is never recorded, and no period counts as unwatched because of it")
    func ends() {
        #expect(renewed(after: 4) == [4, 1])
        clocks.set(ahead: Self.years)
        #expect(clock.time(at: clocks.wall) == now + .seconds(4))
        #expect(renewed(after: 4) == [8, 1])
        #expect(clock.isInDoubt(at: clocks.wall))
        #expect(renewed(after: 4) == [12, 1])
        #expect(clock.time(at: clocks.wall) == now + .seconds(12))
        clocks.set(ahead: 0)
        #expect(renewed(after: 4) == [16, 1])
        #expect(!clock.isInDoubt(at: clocks.wall))
    }

    @Test("A step of a day is believed at once, and a second more is not", arguments: [86400, 86401] as [Int64])
    func bound(seconds: Int64) {
        clocks.set(ahead: seconds)
        #expect(renewed(after: 4) == (seconds == 86400 ? [86404, 0] : [4, 1]))
    }

    @Test("A jump is believed when both clocks have advanced equally for a minute, and then counts as unwatched")
    func isBelieved() {
        clocks.set(ahead: Self.years)
        #expect(renewed(after: 4) == [4, 1])
        #expect(renewed(after: 59) == [63, 1])
        #expect(clock.isInDoubt(at: clocks.wall))
        #expect(renewed(after: 1) == [Self.years + 64, 0])
        #expect(!clock.isInDoubt(at: clocks.wall))
        #expect(renewed(after: 4) == [Self.years + 68, 1])
    }

    @Test("A clock that jumps again and again is not believed")
    func again() {
        for jump in 1...20 {
            clocks.set(ahead: Self.years + Int64(jump) * 20)
            #expect(renewed(after: 30) == [Int64(jump) * 30, 1])
        }
    }

    @Test(
        "At a start after more than a day the clock is read twice, and a jump that ends is not recorded",
        arguments: [false, true])
    func start(isReal: Bool) {
        let reading = WatchReading(
            watchedUntil: now, unwatchedUntil: NumericDate(0), sweptThrough: NumericDate(0), clock: nil)
        clocks.set(ahead: Self.years)
        let watching = Watching(TimeSource { [clocks] in clocks.wall }) { [clocks] in
            clocks.pass(5)
            if !isReal { clocks.set(ahead: 0) }
        }
        #expect(watching.confirmedNow(after: reading) == now + .seconds(isReal ? Self.years + 5 : 5))
    }

    @Test("A start on a database whose own clock did not jump needs no second reading")
    func otherClock() {
        let reading = WatchReading(
            watchedUntil: now, unwatchedUntil: NumericDate(0), sweptThrough: NumericDate(0), clock: now + .seconds(9))
        let time = TimeSource { now + .seconds(Self.years) }
        #expect(
            Watching(time, pause: { Issue.record("It waited.") }).confirmedNow(after: reading)
                == now + .seconds(Self.years))
        #expect(
            Watching(time, isAnew: true, pause: { Issue.record("It waited.") }).confirmedNow(after: reading)
                == now + .seconds(Self.years))
    }
}
