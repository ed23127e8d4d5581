internal import JOSE
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
    /// The error of a status other than 200.
    let refusal: @Sendable (Int) -> DocumentError
    let parse: @Sendable ([UInt8]) throws -> Value

    func callAsFunction() async throws(DocumentError) -> Product {
        let response = try await response(from: try await location())
        guard response.status == 200 else {
            throw response.body.isPageOrItsCode && (400..<500).contains(response.status)
                ? .page(status: response.status) : refusal(response.status)
        }
        let value: Value
        do {
            value = try parse(response.body)
        } catch let error as DocumentError {
            throw error
        } catch {
            throw .malformed
        }
        return Product(value: value, lifetime: Freshness.lifetime(of: response, policy: policy))
    }

    /// Returns the response after at most three redirects within the origin of the first URL.
    private func response(from first: String) async throws(DocumentError) -> OutboundResponse {
        var url = first
        for _ in 0...3 {
            let request = OutboundRequest(
                // Some servers refuse a request that does not accept every type (RFC 9110 §15.5.7).
                .get, url, header: [HeaderField("Accept", "application/json, */*;q=0.1")],
                timeout: policy.timeout, maximumBodyBytes: policy.maximumBodyBytes)
            let response: OutboundResponse
            do {
                response = try await transport.send(request)
            } catch {
                throw .unreachable(error)
            }
            guard [301, 302, 303, 307, 308].contains(response.status) else { return response }
            url = try Redirect.target(response[field: "Location"], from: first)
        }
        throw .redirected(to: nil)
    }
}

/// A redirect of a public document (RFC 9110 §15.4).
private enum Redirect {
    /// Returns the URL of a redirect.
    ///
    /// - Parameters:
    ///   - location: The value of the field `Location`: a URL, or a path with its slash.
    ///   - first: The URL that was requested first.
    /// - Returns: The URL, whose origin is that of `first`.
    /// - Throws: ``DocumentError/redirected(to:)``.
    static func target(_ location: String?, from first: String) throws(DocumentError) -> String {
        guard let location, let own = origin(of: first) else { throw .redirected(to: nil) }
        if location.utf8.first == UInt8(ascii: "/"), !location.utf8.dropFirst().starts(with: "/".utf8) {
            return own + location
        }
        guard let other = origin(of: location) else { throw .redirected(to: nil) }
        guard other.lowercased().exactlyEquals(own.lowercased()) else {
            throw .redirected(to: String(other.prefix(300)))
        }
        return location
    }

    /// Scheme and authority; `nil` if the text is not an absolute URL of visible ASCII.
    private static func origin(of url: String) -> String? {
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else { return nil }
        let parts = url.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].last == UInt8(ascii: ":"), parts[1].isEmpty, !parts[2].isEmpty,
            parts[2].allSatisfy({ PercentEncoding.isUnreserved($0) || ":[]".utf8.contains($0) })
        else { return nil }
        return String(Substring(parts[0])) + "//" + String(Substring(parts[2]))
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
