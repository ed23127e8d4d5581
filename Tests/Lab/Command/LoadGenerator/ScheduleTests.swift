import Testing
import token_exchange_lab

@Suite("The schedule of an open loop")
struct ScheduleTests {
    private static func moments(_ count: Int, _ spacing: Schedule.Spacing, seed: UInt64 = 1) -> [Int64] {
        var schedule = Schedule(rate: 2000, spacing: spacing, seed: seed)
        return (0..<count).map { _ in schedule.next() }
    }

    @Test("Even spacing puts the same time between any two requests")
    func even() {
        #expect(Self.moments(4, .even) == [500_000, 1_000_000, 1_500_000, 2_000_000])
    }

    @Test("Even spacing does not drift over a million requests")
    func drift() {
        #expect(Self.moments(1_000_000, .even).last == 500_000_000_000)
    }

    @Test("Poisson spacing keeps the rate, and the standard deviation of its intervals is equal to their mean")
    func poisson() {
        let moments = Self.moments(100_000, .poisson)
        let intervals = zip(moments.dropFirst(), moments).map { Double($0 - $1) }
        let mean = intervals.reduce(0, +) / Double(intervals.count)
        let variance = intervals.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(intervals.count)
        #expect(abs(mean / 500_000 - 1) < 0.02)
        #expect(abs(variance.squareRoot() / mean - 1) < 0.02)
        #expect(intervals.allSatisfy { $0 >= 0 })
    }

    @Test("The same seed gives the same times, and another seed gives others")
    func seeds() {
        #expect(Self.moments(100, .poisson) == Self.moments(100, .poisson))
        #expect(Self.moments(100, .poisson) != Self.moments(100, .poisson, seed: 2))
    }
}
