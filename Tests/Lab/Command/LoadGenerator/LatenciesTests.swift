import Testing
import token_exchange_lab

@Suite("Latencies")
struct LatenciesTests {
    @Test(
        "A percentile is the smallest value that at least this share of the values does not exceed",
        arguments: [(0.0, 1), (0.01, 1), (0.011, 2), (0.5, 50), (0.501, 51), (0.99, 99), (0.999, 100), (1, 100)])
    func nearestRank(share: Double, expected: UInt32) {
        var latencies = Latencies((1...100).reversed())
        #expect(latencies.percentile(share) == expected)
    }

    @Test("A single value is every percentile, and without values there is none")
    func few() {
        var one = Latencies()
        #expect(one.percentile(0.5) == nil)
        one.record(nanoseconds: 7_999)
        #expect(one.percentile(0) == 7)
        #expect(one.percentile(1) == 7)
    }

    @Test("A value that is recorded after a percentile was read counts in the next one")
    func later() {
        var latencies = Latencies([5, 6])
        #expect(latencies.percentile(0) == 5)
        latencies.record(nanoseconds: 1_000)
        #expect(latencies.percentile(0) == 1)
        #expect(latencies.count == 3)
    }

    @Test("A time beyond the largest number is recorded as the largest number")
    func clamped() {
        var latencies = Latencies()
        latencies.record(nanoseconds: .max)
        #expect(latencies.percentile(0.5) == .max)
    }
}
