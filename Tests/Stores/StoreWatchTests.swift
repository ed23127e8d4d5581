import JOSE
import Stores
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
        #expect(!clock.renew(at: now))
        #expect(clock.renew(at: now + .seconds(9)))
        #expect(clock.renew(at: now))
        // An hour is longer than this test takes.
        #expect(!clock.renew(at: now + .seconds(3600)))
        #expect(clock.renew(at: now + .seconds(3601)))
    }
}
