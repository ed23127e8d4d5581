internal import Octets

/// The parameters of a query or of a form body, in the order in which they were given.
package struct Parameters: Sendable {
    package let pairs: [(name: String, value: String)]

    package init(_ pairs: [(name: String, value: String)]) {
        self.pairs = pairs
    }

    /// Names are compared by octets.
    package subscript(name: String) -> String? {
        pairs.first { $0.name.exactlyEquals(name) }?.value
    }

    /// `name=value&name=value`, with a space as `%20`, which X asks for and every form decoder takes.
    package var encoded: String {
        pairs.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }

    /// Reads a query or an `application/x-www-form-urlencoded` body.
    ///
    /// - Parameters:
    ///   - text: without the question mark.
    ///   - repeatable: names that may be given more than once.
    /// - Returns: all of them, in their order.
    /// - Throws: ``ParametersError/repeated`` for a name that is given twice, in whatever spelling (RFC 6749 §3.1),
    ///   ``ParametersError/malformed`` for broken percent-encoding, control characters or more than 100 parameters.
    package static func parse(
        _ text: some StringProtocol, repeatable: Set<String> = []
    ) throws(ParametersError) -> Self {
        var names: Set<String> = []
        var pairs: [(name: String, value: String)] = []
        // By octets: for Swift an ampersand with a combining mark behind it is another character.
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
