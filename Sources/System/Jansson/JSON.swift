/// A JSON value that owns all it holds.
///
/// `1` is an integer and `1.0` a real, as they were written. Strings compare by Unicode's canonical equivalence, as
/// everywhere in Swift: where identity is at stake, compare their `utf8`.
package enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])
}

extension JSON {
    /// The member whose name has exactly these bytes; nil where there is none, and for anything but an object.
    package subscript(member: String) -> JSON? {
        guard case .object(let members) = self, let found = members.index(forKey: member) else { return nil }
        // The dictionary would answer "K" (KELVIN SIGN, U+212A) for "K".
        return members[found].key.utf8.elementsEqual(member.utf8) ? members[found].value : nil
    }

    package var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// Nil for a real, a whole one too.
    package var integer: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    package var array: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    package var object: [String: JSON]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

/// Why bytes are not a JSON text that is accepted here.
///
/// Lines count from 1. Columns count characters and stand where reading stopped, so just behind the offence. The text
/// itself is never part of an error, since it may hold a token.
package enum JSONError: Error, Equatable, Sendable {
    /// Nothing was read.
    case tooLarge(maximumBytes: Int)
    /// Nothing was built: brackets are counted before the parser runs.
    case tooDeep(maximumDepth: Int)
    /// Nothing was built: values are counted before the parser runs.
    case tooManyValues(maximum: Int)
    /// Nothing was built: strings are measured before the parser runs.
    case stringTooLong(maximumBytes: Int)
    /// Nothing was built: numbers and literals are measured before the parser runs.
    case scalarTooLong(maximumBytes: Int)
    /// Two members of one object have the same name, however it is spelt (RFC 8259 §4; RFC 7519 §4).
    case duplicateMember(line: Int, column: Int)
    /// Two members of one object have names that differ in bytes but are canonically equivalent in Unicode.
    case equivalentMembers
    /// An integer beyond 64 bits, or a real beyond a double: it is not rounded.
    case numberOutOfRange(line: Int, column: Int)
    /// `\u0000` in a string or a name.
    case nulCharacter(line: Int, column: Int)
    /// Overlong forms, encoded surrogates and cut-off sequences included.
    case invalidUTF8(line: Int, column: Int)
    /// Not RFC 8259, or neither an object nor an array at the top.
    case malformed(line: Int, column: Int)
}
