internal import JOSE
internal import Stores
internal import Verification

/// An identity that was verified, and how what stands for it is made usable again.
struct ProvenIdentity: Sendable {
    let identity: VerifiedIdentity
    /// What a pending credential can be used for if linking this identity meets another account.
    ///
    /// Only a credential that the application posted itself may sign in afterwards. In a flow that was begun to link,
    /// the person who signed in at the provider need not be the one who began it.
    let usesOfConflict: Set<PendingCredential.Use>
    /// When a pending credential ends, which a second conflict does not prolong; nil for what was verified just now.
    let expiresAt: NumericDate?
    /// The account that holds the identity of a pending credential, which is the account of the conflict.
    let holder: StoredAccount?
    /// Makes it usable again if nothing was handed out, and returns whether that succeeded.
    let giveBack: @Sendable () async -> Bool

    init(
        _ identity: VerifiedIdentity, usesOfConflict: Set<PendingCredential.Use>,
        givingBack: @escaping @Sendable () async -> Bool
    ) {
        self.identity = identity
        self.usesOfConflict = usesOfConflict
        expiresAt = nil
        holder = nil
        giveBack = givingBack
    }

    init(
        _ identity: VerifiedIdentity, of pending: PendingCredential, heldBy holder: StoredAccount?,
        givingBack: @escaping @Sendable () async -> Bool
    ) {
        self.identity = identity
        usesOfConflict = pending.uses
        expiresAt = pending.expiresAt
        self.holder = holder
        giveBack = givingBack
    }
}
