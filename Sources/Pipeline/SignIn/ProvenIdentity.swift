internal import JOSE
internal import Verification

/// An identity that was verified, and how what stands for it is made usable again.
struct ProvenIdentity: Sendable {
    let identity: VerifiedIdentity
    /// Of a pending credential, which a second conflict does not prolong; nil for what was verified just now.
    let expiresAt: NumericDate?
    /// For where nothing was handed out; whether that succeeded.
    let giveBack: @Sendable () async -> Bool

    init(
        _ identity: VerifiedIdentity, expiresAt: NumericDate? = nil,
        givingBack: @escaping @Sendable () async -> Bool
    ) {
        self.identity = identity
        self.expiresAt = expiresAt
        giveBack = givingBack
    }
}
