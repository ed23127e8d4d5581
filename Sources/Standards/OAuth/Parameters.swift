internal import JOSE

/// The parameters of a query or of a form body, in their original order.
package struct Parameters: Sendable {
    package let pairs: [(name: String, value: String)]

    package init(_ pairs: [(name: String, value: String)]) {
        self.pairs = pairs
    }

    /// Returns the value of the first parameter whose name has the same octets.
    package subscript(name: String) -> String? {
        pairs.first { $0.name.exactlyEquals(name) }?.value
    }

    /// The form `name=value&name=value`.
    ///
    /// A space becomes `%20`: X requires it, and every form decoder accepts it.
    package var encoded: String {
        pairs.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }

    /// Parses a query or an `application/x-www-form-urlencoded` body.
    ///
    /// - Parameters:
    ///   - text: The encoded parameters, without a question mark.
    ///   - repeatable: The names that may occur more than once.
    /// - Returns: All parameters, in their order.
    /// - Throws: ``ParametersError/repeated`` if a decoded name occurs twice (RFC 6749 §3.1), and
    ///   ``ParametersError/malformed`` for broken percent-encoding, control characters, or more than 100 parameters.
    package static func parse(
        _ text: some StringProtocol, repeatable: Set<String> = []
    ) throws(ParametersError) -> Self {
        var names: Set<String> = []
        var pairs: [(name: String, value: String)] = []
        // The text is split by octets: an ampersand followed by a combining mark is another `Character` in Swift.
        for part in Substring(text).utf8.split(separator: UInt8(ascii: "&")) {
            let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map(Substring.init)
            guard
                pairs.count < 100,
                let name = halves.first.flatMap({ PercentEncoding.decode($0, plusIsSpace: true) }),
                let value = PercentEncoding.decode(halves.count == 2 ? halves[1] : "", plusIsSpace: true),
                !(name + value).unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
            else { throw .malformed }
            guard names.insert(name).inserted || repeatable.contains(name) else { throw .repeated }
            pairs.append((name, value))
        }
        return Self(pairs)
    }
}

/// Why a query or a form body cannot be parsed.
package enum ParametersError: Error, Equatable, Sendable {
    case malformed
    case repeated
}
