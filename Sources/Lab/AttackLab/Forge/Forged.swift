/// JSON that need not be right: members keep their order, may stand twice, and may hold any text.
indirect enum Forged: Sendable {
    case text(String)
    case number(Int64)
    case bool(Bool)
    case null
    case array([Forged])
    case object([(name: String, value: Forged)])
    /// As it stands.
    case raw(String)

    var json: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .number(let number): String(number)
        case .bool(let bool): String(bool)
        case .null: "null"
        case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.json }.joined(separator: ",") + "}"
        case .raw(let text): text
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20:
                quoted += "\\u00" + Base16.encode([UInt8(scalar.value)])
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension Forged: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral
{
    init(stringLiteral value: String) { self = .text(value) }

    init(integerLiteral value: Int64) { self = .number(value) }

    init(booleanLiteral value: Bool) { self = .bool(value) }

    init(arrayLiteral elements: Forged...) { self = .array(elements) }
}
