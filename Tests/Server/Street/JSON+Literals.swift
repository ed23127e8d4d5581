package import Jansson

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .string(text) }
    package init(integerLiteral number: Int64) { self = .integer(number) }
    package init(booleanLiteral isTrue: Bool) { self = .bool(isTrue) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(Dictionary(uniqueKeysWithValues: members))
    }
}

extension JSON {
    var text: String { String(decoding: serialized(), as: UTF8.self) }

    /// The same with one member, however deep, of another value, or without it.
    func setting(_ path: String..., to value: JSON?) -> JSON {
        setting(path[...], to: value)
    }

    private func setting(_ path: ArraySlice<String>, to value: JSON?) -> JSON {
        guard let name = path.first, var members = object else { return value ?? self }
        if path.count == 1 {
            members[name] = value
        } else {
            members[name] = members[name]?.setting(path.dropFirst(), to: value)
        }
        return .object(members)
    }
}
