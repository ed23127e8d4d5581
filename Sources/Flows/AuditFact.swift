package import OAuth
internal import Verification

/// An operation that a call has completed, for the audit trail.
package struct AuditFact: Sendable, Equatable {
    package enum Operation: String, Sendable {
        /// A custom token was minted.
        case mint
        case link
        case unlink
        case merge
        case delete
        case signOut = "sign_out"
        /// Tokens of a provider were refreshed and returned.
        case refresh
        /// A second factor was confirmed.
        case addFactor = "add_factor"
        case removeFactor = "remove_factor"
    }

    package let operation: Operation
    /// The account; `nil` stands for the account of the caller's Firebase ID token.
    package var uid: String?
    /// The client; `nil` stands for the one that the request names.
    package var client: ClientID?
    /// The provider of the identity that the call verified; `nil` if it verified none.
    package var provider: ProviderID?
    /// How the audience of that identity was verified.
    package var audienceProof: AudienceProof?
    /// The account that was merged into the account of the caller.
    package var mergedUID: String?
    /// The uids of other accounts with the verified email address that this sign-in added to its account.
    package var emailHeldBy: [String] = []

    init(_ operation: Operation, verifying identity: VerifiedIdentity? = nil) {
        self.operation = operation
        provider = identity?.provider
        audienceProof = identity?.audienceProof
    }
}

/// The result of a call that the audit trail records.
package protocol AuditedOutcome: Sendable {
    var auditFact: AuditFact { get }
}
