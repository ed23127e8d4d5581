package import JOSE
package import Standards

/// The anonymous accounts among a page of accounts, counted by their age.
package struct AnonymousPage: Sendable, Equatable {
    /// The last uid of the page; `nil` after the last page.
    package let last: UID?
    /// For each moment of the question, the number of anonymous accounts that were created after it.
    package let createdAfter: [Int]
    /// All anonymous accounts of the page.
    package let total: Int

    package init(last: UID?, createdAfter: [Int], total: Int) {
        self.last = last
        self.createdAfter = createdAfter
        self.total = total
    }
}

/// The number of anonymous accounts in a range of ages.
package struct AnonymousAge: Sendable, Equatable {
    /// The lowest age of the range, which belongs to it.
    package let from: Duration
    /// The end of the range, which does not belong to it; `nil` for no end.
    package let below: Duration?
    package let count: Int
}

extension AccountAdministration {
    /// Counts all anonymous accounts by age.
    ///
    /// No query reads more than `pageSize` accounts, so that a large store answers sign-ins meanwhile. Accounts that are
    /// created or deleted meanwhile may be counted or not.
    ///
    /// - Parameters:
    ///   - bounds: The ends of the ranges, in ascending order, each once.
    ///   - pageSize: The maximum number of accounts in a query.
    /// - Returns: A range below each bound, and one after the last bound.
    package func anonymousAges(
        _ bounds: [Duration], at now: NumericDate, pageSize: Int = 10_000
    ) async throws(StoreError) -> [AnonymousAge] {
        var younger = [Int](repeating: 0, count: bounds.count)
        var total = 0
        var last: UID?
        repeat {
            let page = try await countAnonymous(
                after: last, atMost: pageSize, createdAfter: bounds.map { now - $0 })
            for (index, count) in page.createdAfter.enumerated() { younger[index] += count }
            total += page.total
            last = page.last
        } while last != nil
        let starts = [Duration.zero] + bounds
        let sums = [0] + younger + [total]
        return starts.indices.map { index in
            AnonymousAge(
                from: starts[index], below: index < bounds.count ? bounds[index] : nil,
                count: sums[index + 1] - sums[index])
        }
    }
}
