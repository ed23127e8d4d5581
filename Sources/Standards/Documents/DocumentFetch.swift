internal import Transport

/// One attempt to fetch a document.
struct Fetch<Value: Sendable>: Sendable {
    struct Product: Sendable {
        let value: Value
        let lifetime: Duration
    }

    let location: @Sendable () async throws(DocumentError) -> String
    let transport: HTTPTransport
    let policy: DocumentPolicy
    let parse: @Sendable ([UInt8]) throws -> Value

    func callAsFunction() async throws(DocumentError) -> Product {
        let request = OutboundRequest(
            .get, try await location(), header: [HeaderField("Accept", "application/json")],
            timeout: policy.timeout, maximumBodyBytes: policy.maximumBodyBytes)
        let response: OutboundResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw .unreachable(error)
        }
        guard response.status == 200 else { throw .status(response.status) }
        let value: Value
        do {
            value = try parse(response.body)
        } catch {
            throw .malformed
        }
        return Product(value: value, lifetime: Freshness.lifetime(of: response, policy: policy))
    }
}

/// The time for which a response may be cached (RFC 9111 §4.2), within the limits of a policy.
enum Freshness {
    /// Returns the `max-age` of the response minus its `Age`.
    ///
    /// `Expires` is ignored because the peer's clock may differ from ours, and `s-maxage` because this cache is not
    /// shared (RFC 9111 §5.2.2.10).
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

    /// Parses delta-seconds; `nil` if the text is not a number.
    ///
    /// RFC 9111 §1.2.2: "If a cache receives a delta-seconds value greater than the greatest integer it can represent
    /// […], the cache MUST consider the value to be 2147483648 […]".
    private static func seconds(_ text: some StringProtocol) -> Int64? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "\"") }
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(Int64(String(decoding: digits, as: UTF8.self)) ?? .max, 2_147_483_648)
    }
}
