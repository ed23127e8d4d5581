package import Jansson

/// An answer as it came.
package struct Answer: Sendable {
    package let status: Int
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]
    package let duration: Duration

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Nil for anything but JSON.
    package var json: JSON? { try? JSON.parse(body, maximumBytes: 4 << 20) }

    package func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    package func allFields(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// A member of the JSON object that the body is.
    package subscript(member: String) -> String? { json?[member]?.string }

    /// What an input of the page's form holds.
    func input(_ name: String) -> String? {
        let page = text
        guard let start = page.firstRange(of: "name=\"\(name)\" value=\"")?.upperBound else { return nil }
        return String(page[start...].prefix { $0 != "\"" })
    }

    /// Parameters of the redirect, in its query.
    package func redirected(_ name: String) -> String? {
        guard let location = field("location"),
            let query = location.split(separator: "?", maxSplits: 1).dropFirst().first
        else { return nil }
        return PercentEncoding.parameters(query.prefix { $0 != "#" }).first { $0.name == name }?.value
    }
}

/// What became of a request.
package enum Reply: Sendable {
    case answer(Answer)
    /// The connection ended without an answer.
    case closed
    case timedOut

    package var answer: Answer? {
        guard case .answer(let answer) = self else { return nil }
        return answer
    }
}
