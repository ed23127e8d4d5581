internal import Jansson

/// The members of a JSON object, taken one by one; what is left over is an error.
struct Members {
    private let members: [String: JSON]

    /// - Throws: ``RequestError/unknownField(known:)`` for a member that is not in `known`.
    init(_ object: JSON, known: [String]) throws(RequestError) {
        members = object.object ?? [:]
        guard members.keys.allSatisfy(known.contains) else { throw .unknownField(known: known) }
    }

    /// Text of 1 to `maximumBytes` octets without control characters.
    func text(_ name: String, upTo maximumBytes: Int = 2048) throws(RequestError) -> String {
        guard let text = try optionalText(name, upTo: maximumBytes) else { throw .missingField(name) }
        return text
    }

    func optionalText(_ name: String, upTo maximumBytes: Int = 2048) throws(RequestError) -> String? {
        guard let value = members[name] else { return nil }
        guard
            let text = value.string, (1...maximumBytes).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { throw .malformedField(name) }
        return text
    }

    func object(_ name: String) throws(RequestError) -> JSON {
        guard let value = members[name] else { throw .missingField(name) }
        guard value.object != nil else { throw .malformedField(name) }
        return value
    }

    /// Absent means none.
    func texts(_ name: String) throws(RequestError) -> [String] {
        guard let value = members[name] else { return [] }
        guard let elements = value.array, elements.count <= 50 else { throw .malformedField(name) }
        return try elements.map { element throws(RequestError) in
            guard let text = element.string, isParameter(text), !text.contains(" ") else { throw .malformedField(name) }
            return text
        }
    }

    /// Absent means none.
    func textsByName(_ name: String) throws(RequestError) -> [String: String] {
        guard let value = members[name] else { return [:] }
        guard let object = value.object, object.count <= 50 else { throw .malformedField(name) }
        var texts: [String: String] = [:]
        for (key, element) in object {
            guard let text = element.string, isParameter(text) else { throw .malformedField(name) }
            texts[key] = text
        }
        return texts
    }

    private func isParameter(_ text: String) -> Bool {
        (1...1024).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}
