import Jansson

/// JSON for people: one member a line, sorted by name, long strings shortened.
enum JSONText {
    static func pretty(_ value: JSON, shortening: Bool = true) -> String {
        text(value, indentation: "", shortening)
    }

    /// Keeps both ends of what is long, which is where two of them differ.
    static func shortened(_ text: String) -> String {
        let limit = text.hasPrefix("http") ? 400 : 64
        guard text.count > limit else { return text }
        return "\(text.prefix(32))…\(text.suffix(8)) (\(text.count) characters)"
    }

    private static func text(_ value: JSON, indentation: String, _ shortening: Bool) -> String {
        let inner = indentation + "  "
        switch value {
        case .object(let members) where !members.isEmpty:
            let lines = members.sorted { $0.key < $1.key }.map { name, member in
                inner + quoted(name) + ": " + text(member, indentation: inner, shortening)
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n" + indentation + "}"
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map { inner + text($0, indentation: inner, shortening) }
            return "[\n" + lines.joined(separator: ",\n") + "\n" + indentation + "]"
        case .string(let string):
            return quoted(shortening ? shortened(string) : string)
        case .object: return "{}"
        case .array: return "[]"
        case .integer(let number): return String(number)
        case .real(let number): return String(number)
        case .bool(let truth): return String(truth)
        case .null: return "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
    }
}
