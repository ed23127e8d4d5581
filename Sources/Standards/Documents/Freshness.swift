internal import Transport

/// How long an answer may be kept (RFC 9111 §4.2), within the bounds of a policy.
enum Freshness {
    /// The `max-age` of the answer without its `Age`.
    ///
    /// `Expires` and `s-maxage` are not read: nothing says that the peer's clock is ours, nor are we a shared cache.
    static func lifetime(of response: OutboundResponse, policy: DocumentPolicy) -> Duration {
        let directives = response.header
            .filter { $0.name.lowercased() == "cache-control" }
            .flatMap { $0.value.lowercased().split(separator: ",") }
            .map { $0.filter { !$0.isWhitespace } }
        if directives.contains("no-store") || directives.contains("no-cache") { return policy.minimumLifetime }
        guard let directive = directives.first(where: { $0.hasPrefix("max-age=") }) else {
            return policy.defaultLifetime
        }
        // RFC 9111 §4.2.1: "Caches are encouraged to consider responses that have invalid freshness information […] to
        // be stale".
        let age = response[field: "Age"].flatMap(seconds) ?? 0
        guard let maximum = seconds(directive.dropFirst("max-age=".count)), maximum > age else {
            return policy.minimumLifetime
        }
        return min(max(policy.minimumLifetime, .seconds(maximum - age)), policy.maximumLifetime)
    }

    /// RFC 9111 §1.2.2: "If a cache receives a delta-seconds value greater than the greatest integer it can represent
    /// […], the cache MUST consider the value to be 2147483648 […]".
    private static func seconds(_ text: some StringProtocol) -> Int64? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "\"") }
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(Int64(String(decoding: digits, as: UTF8.self)) ?? .max, 2_147_483_648)
    }
}
