extension StringProtocol {
    /// Returns whether two texts have the same UTF-8 octets.
    ///
    /// Swift's `==` treats canonically equivalent texts as equal, for example "\u{212A}" (KELVIN SIGN) and "K". Names,
    /// identifiers and tokens of the protocols are sequences of octets: RFC 7515 §5.3 says "Unicode Normalization MUST
    /// NOT be applied at any point".
    package func exactlyEquals(_ other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension String? {
    /// Returns whether two texts have the same UTF-8 octets, or are both `nil`.
    package func exactlyEquals(_ other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.exactlyEquals(other)
    }
}

extension Sequence<String> {
    /// Returns whether one of the texts has the same UTF-8 octets; `contains` would also find an equivalent text.
    package func containsExactly(_ text: String) -> Bool {
        contains { $0.exactlyEquals(text) }
    }
}

/// An identifier that equals another one only if their UTF-8 octets are equal.
///
/// With the equality of `String`, a KELVIN SIGN and the letter K would name the same client.
package protocol OctetIdentifier: Sendable, Hashable, Comparable, CustomStringConvertible {
    var text: String { get }

    /// Returns `nil` for a text that is not a value of the type.
    init?(_ text: String)
}

extension OctetIdentifier {
    package static func == (one: Self, other: Self) -> Bool { one.text.exactlyEquals(other.text) }

    package static func < (one: Self, other: Self) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for octet in text.utf8 { hasher.combine(octet) }
    }

    package var description: String { text }
}
