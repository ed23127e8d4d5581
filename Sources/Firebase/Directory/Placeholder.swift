internal import Stores

/// Rows of the local directory that are no provider's identity, and that no code outside this folder sees.
///
/// Their providers hold a colon, which no configured provider's id does.
enum Placeholder {
    private static let pendingPrefix = "pending:"
    private static let userProvider = "firebase:user"

    /// Says that this identity is to be linked to the row's account at Identity Toolkit.
    ///
    /// Unique as all identities are, so that only one account can be about to get it. A caller that finds it completes
    /// the link.
    static func pending(_ identity: ExternalIdentity) -> ExternalIdentity {
        ExternalIdentity(provider: pendingProvider(identity.provider), subject: identity.subject)
    }

    static func pendingProvider(_ provider: String) -> String { pendingPrefix + provider }

    /// What ``pending(_:)`` was made of.
    static func intended(_ identity: ExternalIdentity) -> ExternalIdentity? {
        guard isPending(identity) else { return nil }
        return ExternalIdentity(
            provider: String(decoding: identity.provider.utf8.dropFirst(pendingPrefix.utf8.count), as: UTF8.self),
            subject: identity.subject)
    }

    /// Keeps an account that has no identity left, since Identity Toolkit still has its user.
    static func user(_ uid: String) -> ExternalIdentity { ExternalIdentity(provider: userProvider, subject: uid) }

    static func isPending(_ identity: ExternalIdentity) -> Bool {
        identity.provider.utf8.starts(with: pendingPrefix.utf8)
    }

    static func isOne(_ identity: ExternalIdentity) -> Bool {
        isPending(identity) || identity.provider.utf8.elementsEqual(userProvider.utf8)
    }
}

extension StoredAccount {
    /// Without placeholders.
    var realIdentities: [StoredIdentity] { identities.filter { !Placeholder.isOne($0.identity) } }

    func holds(_ identity: ExternalIdentity) -> Bool { identities.contains { $0.identity == identity } }

    /// Whether the account was made for this very link, so that nobody had it before.
    func wasMade(for pending: ExternalIdentity) -> Bool {
        !isAdopted && realIdentities.isEmpty
            && identities.contains { $0.identity == pending && $0.linkedAt == createdAt }
    }
}
