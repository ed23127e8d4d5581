internal import JOSE

/// The text that a signature covers (RFC 5849 §3.4.1).
package enum SignatureBaseString {
    /// Returns `METHOD&base-string-URI&parameters`, with each part encoded.
    ///
    /// - Parameters:
    ///   - method: The HTTP method, in any letter case.
    ///   - url: The absolute URL. Its query is added to the parameters.
    ///   - parameters: The decoded parameters of the body and of the field `Authorization`, without `realm` and
    ///     `oauth_signature` (§3.4.1.3.1), and without those of the query.
    package static func make(
        method: String, url: String, parameters: [(name: String, value: String)]
    ) -> String {
        // All splitting is by octets: a separator followed by a combining mark is another `Character` in Swift.
        let halves = url.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
            .map(Substring.init)
        let query = halves.count == 2 ? decodedPairs(halves[1]) : []
        let normalized = (query + parameters)
            .map { (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }
            // §3.4.1.3.2: parameters are sorted by the octets of the name, then by those of the value.
            .sorted { $0.0.exactlyEquals($1.0) ? precedes($0.1, $1.1) : precedes($0.0, $1.0) }
            .map { $0.0 + "=" + $0.1 }
            .joined(separator: "&")
        return [method.uppercased(), baseStringURI(String(halves[0])), normalized]
            .map(PercentEncoding.encode)
            .joined(separator: "&")
    }

    private static func precedes(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }

    /// Returns the URI of §3.4.1.2: scheme and host in lower case, without the default port, the path unchanged.
    private static func baseStringURI(_ url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return url }
        let scheme = parts[0].lowercased()
        var authority = parts[2].lowercased()
        let defaultPort = scheme == "https:" ? ":443" : ":80"
        if authority.hasSuffix(defaultPort) {
            authority.removeLast(defaultPort.count)
        }
        return scheme + "//" + authority + "/" + (parts.count == 4 ? parts[3] : "")
    }

    private static func decodedPairs(_ query: Substring) -> [(name: String, value: String)] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map(Substring.init)
            let value = halves.count == 2 ? halves[1] : ""
            return (
                PercentEncoding.decode(halves[0], plusIsSpace: true) ?? String(halves[0]),
                PercentEncoding.decode(value, plusIsSpace: true) ?? String(value)
            )
        }
    }
}
