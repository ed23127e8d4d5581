/// The place of a value in a JSON text (RFC 6901), such as `/data/id`.
///
/// The empty pointer stands for the whole text.
package struct JSONPointer: Sendable, Hashable {
    fileprivate let tokens: [String]

    /// - Parameter text: The pointer as RFC 6901 §3 writes it; `nil` is returned for every other text.
    package init?(_ text: String) {
        guard !text.isEmpty else {
            tokens = []
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var tokens: [String] = []
        for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let token = Self.unescaped(part) else { return nil }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    /// RFC 6901 §4: `~1` stands for `/` and `~0` for `~`.
    private static func unescaped(_ part: Substring) -> String? {
        var rest = part.unicodeScalars[...]
        var token = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            guard scalar == "~" else {
                token.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "0": token.append("~")
            case "1": token.append("/")
            default: return nil
            }
        }
        return String(token)
    }
}

extension JSONPointer: ExpressibleByStringLiteral {
    /// A pointer in the source code, which ends the process if it has the wrong form.
    package init(stringLiteral text: String) {
        guard let pointer = Self(text) else { preconditionFailure("\(text) is not a JSON Pointer.") }
        self = pointer
    }
}

extension JSONPointer {
    /// The member of the whole text in which the place is; `nil` for the whole text itself.
    package var member: String? { tokens.first }
}

extension JSONPointer: CustomStringConvertible {
    package var description: String {
        tokens.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}

extension JSON {
    /// The value at a place; `nil` if there is none (RFC 6901 §4).
    package subscript(_ pointer: JSONPointer) -> JSON? {
        pointer.tokens.reduce(Optional(self)) { value, token in
            guard case .array(let elements)? = value else { return value?[token] }
            guard let index = JSONPointer.index(token), elements.indices.contains(index) else { return nil }
            return elements[index]
        }
    }
}

extension JSONPointer {
    /// The index of an element, which is written without leading zeros.
    fileprivate static func index(_ token: String) -> Int? {
        guard (1...9).contains(token.utf8.count), token == "0" || token.utf8.first != UInt8(ascii: "0"),
            token.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(token)
    }
}
