extension Settings {
    /// `accounts`: how accounts are named.
    package struct Accounts: Sendable, Equatable {
        package enum UIDRule: Sendable, Equatable {
            /// 28 random characters.
            case random
            /// Holds `{provider}` and `{subject}` once each.
            case template(Template)
        }

        package let uid: UIDRule
    }
}

extension Settings.Accounts {
    static let keys = ["uid", "one_account_per_email", "recent_login", "anonymous_retention"]
    /// Firebase takes uids of 128 characters; the rest is the subject's.
    private static let maximumConstantCharacters = 64

    static func read(_ section: Section, providers: Settings.Providers) -> Self? {
        section.refuseUnsupported("one_account_per_email", unless: .on)
        section.refuseUnsupported("recent_login", unless: .word("5m"))
        section.refuseUnsupported("anonymous_retention", unless: .absent)
        guard let entry = section["uid"] else { return Self(uid: .template(standard)) }
        if entry.writtenText == "random" { return Self(uid: .random) }
        guard let template = entry.template(allowing: [.provider, .subject]) else { return nil }
        guard template.placeholders.count == 2, Set(template.placeholders).count == 2 else {
            return entry.refusing("write {provider} and {subject} once each, or random")
        }
        guard template.constantParts.joined().count <= maximumConstantCharacters else {
            return entry.refusing("is longer than \(maximumConstantCharacters) characters without its placeholders")
        }
        if let (one, other) = ambiguousPair(template, providers.ids) {
            return entry.refusing(
                "gives people of \(one) and of \(other) the same uid: write a colon between the placeholders")
        }
        return Self(uid: .template(template))
    }

    private static let standard = Template(segments: [.placeholder(.provider), .text(":"), .placeholder(.subject)])

    /// Two providers of which one could hand out a subject that makes a uid of the other's people.
    ///
    /// Subjects may be anything. So no two providers may begin (or end, where the provider comes last) what surrounds the
    /// subject alike.
    private static func ambiguousPair(_ template: Template, _ ids: [String]) -> (String, String)? {
        let providerComesFirst = template.placeholders.first == .provider
        let fixed = ids.map { id in
            let sides = template.segments.split(separator: .placeholder(.subject), omittingEmptySubsequences: false)
            let side = (providerComesFirst ? sides.first : sides.last) ?? []
            return side.map { if case .text(let text) = $0 { text } else { id } }.joined()
        }
        for (position, one) in fixed.enumerated() {
            for (later, other) in fixed.enumerated().dropFirst(position + 1) {
                let collide =
                    providerComesFirst
                    ? one.hasPrefix(other) || other.hasPrefix(one) : one.hasSuffix(other) || other.hasSuffix(one)
                if collide { return (ids[position], ids[later]) }
            }
        }
        return nil
    }
}
