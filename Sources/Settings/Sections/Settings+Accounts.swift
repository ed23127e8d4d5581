extension Settings {
    /// The section `accounts`: rules for uids, e-mail addresses and anonymous accounts.
    package struct Accounts: Sendable, Equatable {
        package enum UIDRule: Sendable, Equatable {
            /// 28 random characters.
            case random
            /// Contains `{provider}` and `{subject}` once each.
            case template(Template)
        }

        package let uid: UIDRule
        /// The party that settles a conflict: a first sign-in whose verified e-mail address belongs to another account.
        package enum Conflicts: String, Sendable, CaseIterable {
            /// The person, on a page of the browser or device flow.
            case page
            /// The application, which receives an error with a pending credential.
            case client
        }

        /// Whether a verified e-mail address belongs to only one account.
        package let oneAccountPerEmail: Bool
        package let conflicts: Conflicts
        /// Maximal age of `auth_time` for actions that need a recent sign-in; whole seconds, at most an hour.
        package let recentLogin: Duration
        /// How long anonymous accounts are kept, at least an hour; `nil` means forever.
        package let anonymousRetention: Duration?
    }
}

extension Settings.Accounts {
    static let keys = ["uid", "one_account_per_email", "conflicts", "recent_login", "anonymous_retention"]
    /// Firebase accepts uids of 128 characters; the rest is for the subject.
    private static let maximumConstantCharacters = 64

    static func read(_ section: Section, providers: Settings.Providers) -> Self? {
        let oneAccountPerEmail = section["one_account_per_email"]?.bool() ?? true
        let conflicts = readConflicts(section["conflicts"], oneAccountPerEmail: oneAccountPerEmail)
        let recentLogin = section["recent_login"]?
            .duration(in: .seconds(1) ... .seconds(3600), inWholeSeconds: true)
        let anonymousRetention = section["anonymous_retention"]?.duration(in: retentions, inWholeSeconds: true)
        return readUID(section["uid"], providers: providers).map {
            Self(
                uid: $0, oneAccountPerEmail: oneAccountPerEmail, conflicts: conflicts,
                recentLogin: recentLogin ?? .seconds(300),
                anonymousRetention: anonymousRetention)
        }
    }

    private static func readConflicts(_ entry: Entry?, oneAccountPerEmail: Bool) -> Conflicts {
        guard let entry, let conflicts = entry.choice(Conflicts.self) else { return .page }
        if !oneAccountPerEmail {
            entry.refuse("has no effect with one_account_per_email: false, because addresses then never conflict")
        }
        return conflicts
    }

    /// From an hour to ten years.
    static let retentions: ClosedRange<Duration> = .seconds(3600) ... .seconds(3650 * 86_400)

    private static func readUID(_ entry: Entry?, providers: Settings.Providers) -> UIDRule? {
        guard let entry else { return .template(standard) }
        if entry.writtenText == "random" { return .random }
        guard let template = entry.template(allowing: [.provider, .subject]) else { return nil }
        guard template.placeholders.count == 2, Set(template.placeholders).count == 2 else {
            return entry.refusing("write {provider} and {subject} once each, or random")
        }
        guard template.constantParts.joined().count <= maximumConstantCharacters else {
            return entry.refusing(
                "is longer than \(maximumConstantCharacters) characters without its placeholders: shorten it"
            )
        }
        if let (one, other) = ambiguousPair(template, providers.ids) {
            return entry.refusing(
                "can give users of \(one) and of \(other) the same uid: write a colon between the placeholders")
        }
        return .template(template)
    }

    private static let standard = Template(segments: [.placeholder(.provider), .text(":"), .placeholder(.subject)])

    /// Returns two providers if a subject of one of them could result in the uid of a user of the other.
    ///
    /// A subject may be any text. Therefore, of the texts before the subject (or after it, if the provider comes last),
    /// none may be a prefix (or suffix) of another.
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
