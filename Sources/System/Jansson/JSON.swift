/// A JSON value, which owns its content.
///
/// `1` is an integer and `1.0` a real, as they were written. Strings compare by Unicode's canonical equivalence, as
/// everywhere in Swift. If a string is an identifier, compare its `utf8`.
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
    /// The member whose name has exactly these bytes; `nil` if there is none, or if the value is not an object.
    package subscript(member: String) -> JSON? {
        guard case .object(let members) = self, let found = members.index(forKey: member) else { return nil }
        // The dictionary would find "K" (KELVIN SIGN, U+212A) for "K".
        return members[found].key.utf8.elementsEqual(member.utf8) ? members[found].value : nil
    }

    package var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The integer; `nil` for a real, even a whole one.
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

extension JSON {
    /// The type of the value, as a message names it.
    package var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .real: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// The reason why a JSON text is refused.
///
/// Lines count from 1. Columns count characters and are the position where reading stopped, just after the error. An
/// error never contains the text, since it may contain a token.
package enum JSONError: Error, Equatable, Sendable {
    /// The text is too long. Nothing was read.
    case tooLarge(maximumBytes: Int)
    /// Brackets are nested too deeply. They are counted before the parser runs.
    case tooDeep(maximumDepth: Int)
    /// The text has too many values. They are counted before the parser runs.
    case tooManyValues(maximum: Int)
    /// A string is too long. Strings are measured before the parser runs.
    case stringTooLong(maximumBytes: Int)
    /// A number or a literal is too long. They are measured before the parser runs.
    case scalarTooLong(maximumBytes: Int)
    /// Two members of one object have the same name, with or without escapes (RFC 8259 §4; RFC 7519 §4).
    case duplicateMember(line: Int, column: Int)
    /// Two members of one object have names that differ in bytes but are canonically equivalent in Unicode.
    case equivalentMembers
    /// An integer exceeds 64 bits, or a real exceeds a double. Numbers are not rounded.
    case numberOutOfRange(line: Int, column: Int)
    /// A string or a name contains `\u0000`.
    case nulCharacter(line: Int, column: Int)
    /// The text is not UTF-8. This includes overlong forms, encoded surrogates and truncated sequences.
    case invalidUTF8(line: Int, column: Int)
    /// The text does not conform to RFC 8259, or the top-level value is not an object or an array.
    case malformed(line: Int, column: Int)
    /// The text ends before its value does, as if it was cut off.
    case incomplete(line: Int, column: Int)
}
