extension JSON {
    /// Writes the value as JSON text in UTF-8, without white space, and with the members of an object in the order of
    /// their names' bytes, so that equal values give the same text.
    ///
    /// Solidus and characters beyond ASCII are not escaped. A real has the fewest digits that read back as the same
    /// number. The text may be a scalar, which
    /// ``parse(_:maximumBytes:maximumDepth:maximumValues:maximumStringBytes:)`` would refuse.
    ///
    /// The function does not use jansson, which would copy, hash and sort a tree for each text.
    ///
    /// - Precondition: Every real is finite, since JSON has no other numbers.
    package func serialized() -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(512)
        append(to: &text)
        return text
    }

    private func append(to text: inout [UInt8]) {
        switch self {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .integer(let value): text += String(value).utf8
        case .real(let value):
            precondition(value.isFinite, "JSON has no number that is not finite (RFC 8259 §6).")
            // The description always has a point or an exponent, so that a whole number remains a real.
            text += value.description.utf8
        case .string(let value): Self.append(value, to: &text)
        case .array(let elements): Self.append(elements, to: &text)
        case .object(let members): Self.append(members, to: &text)
        }
    }

    private static func append(_ elements: [JSON], to text: inout [UInt8]) {
        text.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            element.append(to: &text)
        }
        text.append(UInt8(ascii: "]"))
    }

    private static func append(_ members: [String: JSON], to text: inout [UInt8]) {
        text.append(UInt8(ascii: "{"))
        // `<` would compare canonically equivalent names as equal, so that their order would not be defined.
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (index, member) in sorted.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            append(member.key, to: &text)
            text.append(UInt8(ascii: ":"))
            member.value.append(to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }

    private static func append(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        let start = text.count
        text += string.utf8
        if text[start...].contains(where: isEscaped) {
            text.removeSubrange(start...)
            for octet in string.utf8 {
                if isEscaped(octet) { append(escaped: octet, to: &text) } else { text.append(octet) }
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    /// Whether an octet must be escaped (RFC 8259 §7).
    ///
    /// "characters that MUST be escaped: quotation mark, reverse solidus, and the control characters"
    private static func isEscaped(_ octet: UInt8) -> Bool {
        octet < 0x20 || octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\")
    }

    private static func append(escaped octet: UInt8, to text: inout [UInt8]) {
        switch octet {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), octet]
        case 0x08: text += #"\b"#.utf8
        case 0x0C: text += #"\f"#.utf8
        case UInt8(ascii: "\n"): text += #"\n"#.utf8
        case UInt8(ascii: "\r"): text += #"\r"#.utf8
        case UInt8(ascii: "\t"): text += #"\t"#.utf8
        default: text += (#"\u00"# + (octet < 0x10 ? "0" : "") + String(octet, radix: 16)).utf8
        }
    }

    /// An upper bound for the size of ``serialized()``, computed without writing it.
    package var serializedCountLimit: Int {
        switch self {
        case .null, .bool: 5
        case .integer: 20
        case .real: 32
        // RFC 8259 §7: an escaped octet takes at most six, as in \u001f.
        case .string(let text): 2 + 6 * text.utf8.count
        case .array(let elements): 2 + elements.reduce(0) { $0 + $1.serializedCountLimit + 1 }
        case .object(let members):
            2 + members.reduce(0) { $0 + 4 + 6 * $1.key.utf8.count + $1.value.serializedCountLimit }
        }
    }
}
