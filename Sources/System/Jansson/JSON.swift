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
