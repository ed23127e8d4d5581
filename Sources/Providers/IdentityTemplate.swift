/// A text with placeholders for the values of an identity, such as `{provider}:{subject}`.
///
/// The configuration has such texts for uids and for developer claims.
package struct IdentityTemplate: Sendable, Equatable {
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

    package init(_ segments: [Segment]) {
        self.segments = segments
    }

    package var placeholders: [Placeholder] {
        segments.compactMap { if case .placeholder(let placeholder) = $0 { placeholder } else { nil } }
    }

    package var constantParts: [String] {
        segments.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    /// Returns the text with the value of each placeholder.
    package func filled(_ value: (Placeholder) -> String) -> String {
        segments.map { segment in
            switch segment {
            case .text(let text): text
            case .placeholder(let placeholder): value(placeholder)
            }
        }.joined()
    }
}

extension IdentityTemplate: ExpressibleByArrayLiteral {
    package init(arrayLiteral segments: Segment...) { self.init(segments) }
}

extension IdentityTemplate: CustomStringConvertible {
    /// The template as written.
    package var description: String { filled { "{\($0.rawValue)}" } }
}
