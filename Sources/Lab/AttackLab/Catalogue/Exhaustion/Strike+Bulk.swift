/// Many requests at once.
extension Strike {
    /// Sends all of them, some at a time, and counts the answers by status and reason; -1 is none.
    ///
    /// - `sources`: taken in turn; nil for the attack's own address.
    func count(
        _ requests: [Request], at wire: Wire? = nil, from sources: [String]? = nil, atOnce width: Int = 50
    ) async -> [String: Int] {
        let wire = wire ?? lab.server
        return await withTaskGroup(of: String.self) { group in
            var counts: [String: Int] = [:]
            for (index, request) in requests.enumerated() {
                if index >= width, let outcome = await group.next() { counts[outcome, default: 0] += 1 }
                let from = sources.map { $0[index % $0.count] } ?? source
                group.addTask {
                    guard let answer = await wire.send(request, from: from, within: .seconds(20)).answer else {
                        return "nothing"
                    }
                    if let sign = Disclosure.sign(in: answer.text) {
                        await self.found(.leaked, "An answer tells of the inside: \(sign)")
                    }
                    return ["\(answer.status)", answer["reason"] ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
                }
            }
            for await outcome in group { counts[outcome, default: 0] += 1 }
            return counts
        }
    }

    /// Sends all of them; no more than so many a minute may be let in, and the others must be told to wait.
    func expectLimited(_ requests: [Request], to rate: Int, _ what: String) async {
        let begin = ContinuousClock.now
        let counts = await count(requests)
        // Pages have no reason.
        let limited = counts["429 rate_limited", default: 0] + counts["429", default: 0]
        let entered = requests.count - limited
        // While they come, the allowance grows again.
        let most = rate + Int(begin.duration(to: .now).components.seconds + 1) * rate / 60 + 2
        await expect(
            entered <= most, .raced, "\(entered) of \(requests.count) \(what) were let in, where \(most) may: \(counts)"
        )
        await expect(limited > 0, .raced, "None of \(requests.count) \(what) was told to wait: \(counts)")
    }
}
