package import Stores
package import Verification

/// An identity that has joined its account.
package struct LinkOutcome: Sendable {
    package let account: StoredAccount
    package let identity: VerifiedIdentity
    /// Nil unless the client's configuration lets it have them.
    package let providerTokens: ReturnedTokens?
}
