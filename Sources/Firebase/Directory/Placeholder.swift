internal import JOSE
internal import Standards
internal import Stores

/// Rows of the local directory that are not identities of a provider, and that only the code of this folder sees.
///
/// Their providers contain a colon, which the id of a configured provider never does.
enum Placeholder {
    private static let pendingPrefix = "pending:"
    private static let userProvider = ProviderID("firebase:user")

    /// Returns the row that records that this identity is about to be linked to its account at Identity Toolkit.
    ///
    /// The row is unique, as the row of every identity is, so only one account can be about to get the identity. A
    /// sign-in that finds the row completes the link.
    static func pending(_ identity: ExternalIdentity) -> ExternalIdentity {
        ExternalIdentity(provider: pendingProvider(identity.provider), subject: identity.subject)
    }

    static func pendingProvider(_ provider: ProviderID) -> ProviderID { ProviderID(pendingPrefix + provider.text) }

    /// Returns the identity of a row that ``pending(_:)`` made; `nil` for any other row.
    static func intended(_ identity: ExternalIdentity) -> ExternalIdentity? {
        guard isPending(identity) else { return nil }
        return ExternalIdentity(
            provider: ProviderID(
                String(decoding: identity.provider.text.utf8.dropFirst(pendingPrefix.utf8.count), as: UTF8.self)),
            subject: identity.subject)
    }

    /// Returns the row that keeps an account without identities, because Identity Toolkit still has its user.
    static func user(_ uid: UID) -> ExternalIdentity {
        ExternalIdentity(provider: userProvider, subject: Subject(uid))
    }

    static func isPending(_ identity: ExternalIdentity) -> Bool {
        identity.provider.text.utf8.starts(with: pendingPrefix.utf8)
    }

    static func isOne(_ identity: ExternalIdentity) -> Bool {
        isPending(identity) || identity.provider == userProvider
    }
}

extension StoredAccount {
    /// The identities without placeholders.
    var realIdentities: [StoredIdentity] { identities.filter { !Placeholder.isOne($0.identity) } }

    func holds(_ identity: ExternalIdentity) -> Bool { identities.contains { $0.identity == identity } }

    /// Whether the account was created for this link, so that no person had it before.
    func wasMade(for pending: ExternalIdentity) -> Bool {
        !isAdopted && realIdentities.isEmpty
            && identities.contains { $0.identity == pending && $0.linkedAt == createdAt }
    }
}
