/// Steps with many concurrent requests.
extension AttackContext {
    /// Sends all requests, several at a time, and counts the responses by status and reason.
    ///
    /// Missing responses are counted as `nothing`.
    func count(_ requests: [Request], atOnce width: Int = 50) async -> [String: Int] {
        let (wire, source) = (lab.server, source)
        return await withTaskGroup(of: String.self) { group in
            var counts: [String: Int] = [:]
            for (index, request) in requests.enumerated() {
                if index >= width, let outcome = await group.next() { counts[outcome, default: 0] += 1 }
                group.addTask {
                    guard let answer = await wire.send(request, from: source, within: .seconds(20)).answer else {
                        return "nothing"
                    }
                    if let sign = Disclosure.sign(in: answer.text) {
                        await self.found(.leaked, "A response reveals internals: \(sign)")
                    }
                    return ["\(answer.status)", answer["reason"] ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
                }
            }
            for await outcome in group { counts[outcome, default: 0] += 1 }
            return counts
        }
    }

    /// Sends all requests; at most `rate` per minute may be accepted, and the others must get 429.
    func expectLimited(_ requests: [Request], to rate: Int, _ what: String) async {
        let begin = ContinuousClock.now
        let counts = await count(requests)
        // Pages have no reason.
        let limited = counts["429 rate_limited", default: 0] + counts["429", default: 0]
        let entered = requests.count - limited
        // The limit refills while the requests are sent.
        let most = rate + Int(begin.duration(to: .now).components.seconds + 1) * rate / 60 + 2
        await expect(
            entered <= most, .raced,
            "\(entered) of \(requests.count) \(what) were accepted, the limit is \(most): \(counts)"
        )
        await expect(limited > 0, .raced, "None of \(requests.count) \(what) got 429: \(counts)")
    }
}
