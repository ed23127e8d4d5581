extension Settings {
    /// Names that a developer claim must not have: those that Firebase refuses in a custom token, those that it
    /// overwrites in its own, and those that only a reauthentication may give.
    static let reservedClaims: Set<String> = [
        "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "claims", "cnf", "email", "email_verified", "exp",
        "firebase", "iat", "iss", "jti", "nbf", "nonce", "phone_number", "provider_id", "reauth_method", "reauth_time",
        "sub", "uid", "user_id",
    ]
    /// The size of the claims as JSON; what placeholders bring is counted when a token is minted.
    static let maximumClaimBytes = 1000

    /// `claims`: the developer claims of every custom token.
    static func readClaims(_ entry: Entry?) -> [String: Template] {
        guard let entry else {
            return [
                "idp": Template(segments: [.placeholder(.provider)]),
                "idp_uid": Template(segments: [.placeholder(.subject)]),
            ]
        }
        var claims: [String: Template] = [:]
        for member in entry.members() ?? [] {
            guard !reservedClaims.contains(member.name) else {
                member.refuse("is a reserved name: choose another")
                continue
            }
            claims[member.name] = member.template(allowing: Template.Placeholder.allCases)
        }
        // {"name":"text","name":"text"}
        let bytes = claims.reduce(2) { $0 + jsonBytes($1.key) + jsonBytes($1.value.constantParts.joined()) + 2 }
        if bytes > maximumClaimBytes + 1 {
            entry.refuse("are longer than \(maximumClaimBytes) bytes before any placeholder is filled: shorten them")
        }
        return claims
    }

    /// As a JSON string with its quotes, without control characters, which were refused before.
    private static func jsonBytes(_ text: String) -> Int {
        text.utf8.reduce(2) { $0 + ($1 == UInt8(ascii: "\"") || $1 == UInt8(ascii: "\\") ? 2 : 1) }
    }
}

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
