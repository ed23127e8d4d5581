/// A text with placeholders in braces: `{provider}:{subject}`.
package struct Template: Sendable, Equatable {
    package enum Placeholder: String, Sendable, CaseIterable {
        case provider
        case subject
        case clientID = "client_id"
        case email
        case emailVerified = "email_verified"
        case audienceProof = "audience_proof"
    }

    package enum Segment: Sendable, Equatable {
        case text(String)
        case placeholder(Placeholder)
    }

    package let segments: [Segment]

    var placeholders: [Placeholder] {
        segments.compactMap { if case .placeholder(let placeholder) = $0 { placeholder } else { nil } }
    }

    var constantParts: [String] {
        segments.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
}

extension Template: CustomStringConvertible {
    /// As it was written.
    package var description: String {
        segments.map { segment in
            switch segment {
            case .text(let text): text
            case .placeholder(let placeholder): "{\(placeholder.rawValue)}"
            }
        }.joined()
    }
}

extension Entry {
    /// A brace is always the beginning or the end of a placeholder; there is no way to write one for itself.
    func template(allowing allowed: [Template.Placeholder]) -> Template? {
        guard writtenText == nil || isText else { return refusing("write a text in quotes") }
        guard let text = text() else { return nil }
        var segments: [Template.Segment] = []
        var rest = text[...]
        while !rest.isEmpty {
            let constant = rest.prefix { $0 != "{" && $0 != "}" }
            if !constant.isEmpty { segments.append(.text(String(constant))) }
            rest = rest[constant.endIndex...]
            guard let brace = rest.first else { break }
            let name = rest.dropFirst().prefix { $0 != "{" && $0 != "}" }
            guard brace == "{", name.endIndex < rest.endIndex, rest[name.endIndex] == "}" else {
                return refusing("has a brace without its partner")
            }
            guard let placeholder = Template.Placeholder(rawValue: String(name)), allowed.contains(placeholder) else {
                return refusing("has an unknown placeholder: write \(allowed.map { "{\($0.rawValue)}" }.inWords)")
            }
            segments.append(.placeholder(placeholder))
            rest = rest[rest.index(after: name.endIndex)...]
        }
        return Template(segments: segments)
    }
}
