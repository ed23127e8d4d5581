package import Providers
internal import Standards

extension Settings {
    /// The section `accounts`: rules for uids, e-mail addresses and anonymous accounts.
    package struct Accounts: SettingsSection {
        /// Contains `{provider}` and `{subject}` once each; `nil` for uids of 28 random characters.
        package var uid: IdentityTemplate? = [.placeholder(.provider), .text(":"), .placeholder(.subject)]
        /// Whether a verified e-mail address belongs to only one account.
        package var oneAccountPerEmail = true
        package var conflicts = Conflicts.page
        /// Maximal age of `auth_time` for actions that need a recent sign-in; whole seconds, at most an hour.
        package var recentLogin = Duration.seconds(300)
        /// How long anonymous accounts are kept, at least an hour; `nil` means forever.
        package var anonymousRetention: Duration?

        static let keys: [Key<Self>] = [
            .key("uid", \.uid, Rule({ $0.uidTemplate() }, write: { $0?.description ?? "random" })),
            .key("one_account_per_email", \.oneAccountPerEmail, .flag),
            .key("conflicts", \.conflicts, .choice),
            .key("recent_login", \.recentLogin, .duration(in: .seconds(1) ... .seconds(3600), inWholeSeconds: true)),
            .optional(
                "anonymous_retention", \.anonymousRetention, .duration(in: retentions, inWholeSeconds: true),
                unset: "forever"),
        ]
        /// From an hour to ten years.
        static let retentions: ClosedRange<Duration> = .seconds(3600) ... .seconds(3650 * 86_400)

        /// The party that settles a conflict: a first sign-in whose verified e-mail address belongs to another account.
        package enum Conflicts: String, Sendable, CaseIterable {
            /// The person, on a page of the browser or device flow.
            case page
            /// The application, which receives an error with a pending credential.
            case client
        }
    }
}

extension Settings.Accounts {
    func check(_ section: Section) {
        guard !oneAccountPerEmail, !section.isRefused("conflicts") else { return }
        section["conflicts"]?.refuse(
            "has no effect with one_account_per_email: false, because addresses then never conflict")
    }

    func check(_ section: Section, providers: Settings.Providers) {
        guard let uid, !section.isRefused("uid"),
            let (one, other) = Self.ambiguousPair(uid, providers.ids)
        else { return }
        section["uid"]?.refuse(
            "can give users of \(one) and of \(other) the same uid: write a colon between the placeholders")
    }

    /// Returns two providers if a subject of one of them could result in the uid of a user of the other.
    ///
    /// A subject may be any text. Therefore, of the texts before the subject (or after it, if the provider comes last),
    /// none may be a prefix (or suffix) of another.
    private static func ambiguousPair(_ template: IdentityTemplate, _ ids: [ProviderID]) -> (ProviderID, ProviderID)? {
        let providerComesFirst = template.placeholders.first == .provider
        let fixed = ids.map { id in
            let sides = template.segments.split(separator: .placeholder(.subject), omittingEmptySubsequences: false)
            let side = (providerComesFirst ? sides.first : sides.last) ?? []
            return side.map { if case .text(let text) = $0 { text } else { id.text } }.joined()
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

extension Entry {
    /// The maximum length of a uid template without its placeholders.
    ///
    /// A uid of Firebase has at most 128 characters, of which the subject needs the others.
    private static let maximumConstantCharacters = 64

    /// Reads a rule for uids; the inner optional is `nil` for `random`.
    fileprivate func uidTemplate() -> IdentityTemplate?? {
        if writtenText == "random" { return .some(nil) }
        guard let template = template(allowing: [.provider, .subject]) else { return nil }
        guard template.placeholders.count == 2, Set(template.placeholders).count == 2 else {
            return refusing("write {provider} and {subject} once each, or random")
        }
        guard template.constantParts.joined().count <= Self.maximumConstantCharacters else {
            return refusing(
                "is longer than \(Self.maximumConstantCharacters) characters without its placeholders: shorten it")
        }
        return template
    }
}
