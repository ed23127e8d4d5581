internal import Jansson

/// The members of one JSON object; one that nobody asked for is refused.
struct Fields {
    private let members: [String: JSON]

    init(_ object: JSON, known: [String]) throws(Refusal) {
        members = object.object ?? [:]
        for name in members.keys where !known.contains(where: { same($0, name) }) {
            throw .unknownField.with(input: name)
        }
    }

    func text(_ name: String, upTo maximumBytes: Int = 2048) throws(Refusal) -> String {
        guard let text = try optionalText(name, upTo: maximumBytes) else { throw .missing(name) }
        return text
    }

    func optionalText(_ name: String, upTo maximumBytes: Int = 2048) throws(Refusal) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string, (1...maximumBytes).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { throw .malformedBody.with(input: value.string ?? name) }
        return text
    }

    func object(_ name: String) throws(Refusal) -> JSON {
        guard let value = members[name] else { throw .missing(name) }
        guard value.object != nil else { throw .malformedBody }
        return value
    }
}
