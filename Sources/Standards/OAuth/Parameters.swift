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
    /// - Parameter text: The encoded parameters, without a question mark.
    /// - Returns: All parameters, in their order.
    /// - Throws: ``ParametersError/repeated`` if a decoded name occurs twice (RFC 6749 §3.1), and
    ///   ``ParametersError/malformed`` for broken percent-encoding, control characters, or more than 100 parameters.
    package static func parse(
        _ text: some StringProtocol, repeatable: Set<String> = []
    ) throws(ParametersError) -> Self {
        var names: Set<String> = []
        var pairs: [(name: String, value: String)] = []
        for (name, value) in encoded(text) {
            guard pairs.count < 100, let name = decoded(name), let value = decoded(value) else { throw .malformed }
            guard names.insert(name).inserted || repeatable.contains(name) else { throw .repeated }
            pairs.append((name, value))
        }
        return Self(pairs)
    }

    /// Returns the first of the names that count and occur twice.
    package static func repeatedName(
        in text: some StringProtocol, where counts: (String) -> Bool
    ) -> String? {
        var names: Set<String> = []
        for (name, _) in encoded(text) {
            guard let name = decoded(name) else { return nil }
            guard names.insert(name).inserted || !counts(name) else { return name }
        }
        return nil
    }

    /// Says why a text is ``ParametersError/malformed``.
    ///
    /// - Parameters:
    ///   - known: The names that may be in the sentence.
    ///   - maximum: The maximum number of parameters.
    ///   - skipsOthers: Whether parameters with other names may hold anything.
    /// - Returns: A sentence about the first fault, which has no other part of the text than a name in `known`.
    package static func malformation(
        of text: some StringProtocol, known: Set<String>, maximum: Int = 100, skipsOthers: Bool = false
    ) -> String {
        for (position, (encodedName, value)) in encoded(text).enumerated() {
            guard position < maximum else { break }
            let name = decoded(encodedName).flatMap { known.containsExactly($0) ? $0 : nil }
            if name == nil, skipsOthers { continue }
            guard let part = [encodedName, value].first(where: { decoded($0) == nil }) else { continue }
            let subject = name.map { "the parameter \($0)" } ?? "a parameter"
            if hasBrokenEscape(part) { return "\(subject) has a percent sign without two hexadecimal digits after it" }
            return PercentEncoding.decode(part, plusIsSpace: true) == nil
                ? "\(subject) is not UTF-8" : "\(subject) has a control character"
        }
        return "there are more than \(maximum) parameters"
    }

    private static func hasBrokenEscape(_ text: Substring) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst().contains { part in
            let digits = part.prefix(2)
            return digits.count < 2
                || !digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
        }
    }

    /// Parses a text of which only a few parameters are read, such as the response of a provider.
    ///
    /// The other parameters may hold anything: providers write line breaks and Latin-1 into `error_description`.
    ///
    /// - Parameters:
    ///   - text: The encoded parameters, without a question mark.
    ///   - read: The names of the parameters that are read.
    ///   - optional: The names of further ones, each of which is left out if its first value cannot be parsed.
    ///   - described: The names of those that only an operator reads. Their first value is kept in any case: what is not
    ///     percent-encoded UTF-8 remains visible, and control characters become spaces.
    /// - Returns: These parameters, in their order.
    /// - Throws: ``ParametersError/repeated`` if one of these names occurs twice (RFC 6749 §3.1), and
    ///   ``ParametersError/malformed`` if the value of one has broken percent-encoding or control characters, or for
    ///   more than 1000 parameters of any name.
    package static func parse(
        _ text: some StringProtocol, reading read: Set<String>, optional: Set<String> = [], described: Set<String> = []
    ) throws(ParametersError) -> Self {
        var pairs: [(name: String, value: String)] = []
        for (position, (name, value)) in encoded(text).enumerated() {
            guard position < 1000 else { throw .malformed }
            guard let name = decoded(name) else { continue }
            if optional.containsExactly(name) || described.containsExactly(name),
                !pairs.contains(where: { $0.name == name }),
                let value = decoded(value) ?? (described.containsExactly(name) ? words(value) : nil)
            {
                pairs.append((name, value))
            }
            guard read.containsExactly(name) else { continue }
            guard let value = decoded(value) else { throw .malformed }
            guard !pairs.contains(where: { $0.name == name }) else { throw .repeated }
            pairs.append((name, value))
        }
        return Self(pairs)
    }

    /// Splits a text into names and values, which are still encoded.
    ///
    /// It is split by octets: an ampersand followed by a combining mark is another `Character` in Swift.
    private static func encoded(
        _ text: some StringProtocol
    ) -> some Sequence<(name: Substring, value: Substring)> {
        Substring(text).utf8.split(separator: UInt8(ascii: "&")).lazy.map { part in
            let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Substring(halves[0]), halves.count == 2 ? Substring(halves[1]) : "")
        }
    }

    /// Decodes what can be decoded, and replaces control characters by spaces.
    private static func words(_ text: Substring) -> String {
        var octets: [UInt8] = []
        var rest = text.utf8[...]
        while let octet = rest.popFirst() {
            let digits = Substring(rest.prefix(2))
            if octet == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            {
                octets.append(value)
                rest = rest.dropFirst(2)
            } else {
                octets.append(octet == UInt8(ascii: "+") ? UInt8(ascii: " ") : octet)
            }
        }
        let scalars = String(decoding: octets, as: UTF8.self).unicodeScalars
        return String(String.UnicodeScalarView(scalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }

    /// Returns nil for broken percent-encoding, invalid UTF-8 and control characters.
    private static func decoded(_ text: Substring) -> String? {
        PercentEncoding.decode(text, plusIsSpace: true).flatMap { text in
            text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } ? nil : text
        }
    }
}

/// Why a query or a form body cannot be parsed.
package enum ParametersError: Error, Equatable, Sendable {
    case malformed
    case repeated
}

extension Parameters {
    /// Returns a URL with these parameters behind its own query, if it has one (RFC 6749 §3.1).
    package func appended(to endpoint: String) -> String {
        pairs.isEmpty ? endpoint : Self.append(encoded, to: endpoint)
    }

    package static func append(_ query: String, to endpoint: String) -> String {
        endpoint + (endpoint.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }
}
