import Foundation
import Stores
import Testing

@Suite("Locks after wrong codes")
struct FactorLockTests {
    private static let hour = 3600

    @Test("The first lock lasts 15 minutes, each further one twice as long, and none longer than a day")
    func times() {
        let locks = (1..<100).compactMap { FactorLock.time(after: $0)?.components.seconds }
        #expect(locks.prefix(8) == [900, 1800, 3600, 7200, 14400, 28800, 57600, 86400])
        #expect(locks.count == 19 && locks.dropFirst(7).allSatisfy { $0 == 86400 })
        #expect((1..<200).allSatisfy { FactorLock.time(after: $0) == nil || $0 % FactorLock.tries == 0 })
    }

    @Test("After 100 wrong codes the locks are short, because only recovery codes are compared")
    func recovery() {
        #expect(FactorLock.time(after: 100) == nil)
        #expect(FactorLock.time(after: 105)?.components.seconds == 900)
        #expect(FactorLock.time(after: 1000)?.components.seconds == 900)
    }

    /// The number of codes that can be tried in a time if there is no right one in between.
    private func guesses(within seconds: Int) -> Int {
        var (count, elapsed) = (0, 0)
        while count < FactorLock.limit, elapsed < seconds {
            count += 1
            elapsed += Int(FactorLock.time(after: count)?.components.seconds ?? 0)
        }
        return count
    }

    /// The probability that one of `guesses` codes is right: each factor has three valid codes of a million.
    private func percent(_ guesses: Int, factors: Double) -> String {
        String(format: "%.2f", (1 - pow(1 - 3 * factors / 1_000_000, Double(guesses))) * 100)
    }

    @Test("The probabilities are those of SECURITY.md")
    func probability() throws {
        // 100 guesses need 13 days. After that only a recovery code counts.
        #expect(guesses(within: 365 * 24 * Self.hour) == 100)
        #expect(guesses(within: 13 * 24 * Self.hour) < 100 && guesses(within: 14 * 24 * Self.hour) == 100)
        // A right code once a day ends the count each time.
        #expect(guesses(within: 24 * Self.hour) == 35)
        let numbers = [
            percent(100, factors: 1), percent(100, factors: 5), percent(35 * 365, factors: 1),
            percent(35 * 365, factors: 5),
        ]
        #expect(numbers == ["0.03", "0.15", "3.76", "17.44"])
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let page = try String(contentsOf: root.appending(path: "SECURITY.md"), encoding: .utf8)
        for number in numbers { #expect(page.contains(number + " %")) }
    }
}
