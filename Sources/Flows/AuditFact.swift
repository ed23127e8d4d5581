internal import Accounts
package import Providers
package import Standards
internal import Verification

/// An operation that a call has completed, for the audit trail.
package struct AuditFact: Sendable, Equatable {
    package enum Operation: String, Sendable {
        /// A custom token was minted.
        case mint
        /// An account was created. A sign-in that also minted its token is a ``mint``.
        case create
        case link
        case unlink
        case merge
        case delete
        /// The Firebase user of an account was deleted. If the account was removed as well, it is a ``delete`` or a
        /// ``merge``.
        case deleteUser = "delete_user"
        case signOut = "sign_out"
        /// Tokens of a provider were refreshed and returned.
        case refresh
        /// A token of a provider was revoked, and no session ended.
        case revokeToken = "revoke_token"
        /// A second factor was confirmed.
        case addFactor = "add_factor"
        case removeFactor = "remove_factor"
        /// A provider told of an event, which has ended the sessions of the account, if there is one.
        case event
    }

    package let operation: Operation
    /// The account; `nil` stands for the account of the caller's Firebase ID token.
    package var uid: UID?
    /// The client; `nil` stands for the one that the request names.
    package var client: ClientID?
    /// The provider of the identity that the call verified; `nil` if it verified none.
    package var provider: ProviderID?
    /// How the audience of that identity was verified.
    package var audienceProof: AudienceProof?
    /// The account that was merged into the account of the caller.
    package var mergedUID: UID?
    /// The uids of other accounts with the verified email address that this sign-in added to its account.
    package var emailHeldBy: [UID] = []
    /// What happened at the provider, for an ``Operation/event``.
    package var event: EventKind?

    init(_ operation: Operation, verifying identity: VerifiedIdentity? = nil) {
        self.operation = operation
        provider = identity?.provider
        audienceProof = identity?.audienceProof
    }
}

extension AuditFact {
    static func link(of identity: VerifiedIdentity, to uid: UID? = nil, for client: ClientID? = nil) -> AuditFact {
        var fact = AuditFact(.link, verifying: identity)
        fact.uid = uid
        fact.client = client
        return fact
    }

    static func creation(of account: Account) -> AuditFact {
        var fact = AuditFact(.create, verifying: account.identity)
        fact.uid = account.uid
        return fact
    }

    static func merge(of uid: UID) -> AuditFact {
        var fact = AuditFact(.merge)
        fact.mergedUID = uid
        return fact
    }
}

/// Receives what a call has committed as soon as it is committed, because the call may still fail.
///
/// The listener binds it to the task of each request, so that no flow has to pass it on.
package struct AuditJournal: Sendable {
    @TaskLocal package static var current: AuditJournal?

    private let commit: @Sendable (AuditFact) -> Void
    private let concern: @Sendable (_ uid: UID, _ provider: ProviderID) -> Void

    /// - Parameters:
    ///   - commit: Receives each committed operation. The last one of a call contains the earlier ones.
    ///   - concern: Receives the account and the provider that a call is about, when they are known.
    package init(
        commit: @escaping @Sendable (AuditFact) -> Void,
        concern: @escaping @Sendable (_ uid: UID, _ provider: ProviderID) -> Void
    ) {
        self.commit = commit
        self.concern = concern
    }

    static func record(_ fact: AuditFact) { current?.commit(fact) }

    static func note(_ uid: UID, _ provider: ProviderID) { current?.concern(uid, provider) }
}

/// The result of a call that the audit trail records.
package protocol AuditedOutcome: Sendable {
    var auditFact: AuditFact { get }
}
