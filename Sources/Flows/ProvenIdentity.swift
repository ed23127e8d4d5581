internal import JOSE
internal import SecondFactors
internal import Standards
internal import Stores
internal import Verification

/// A verified identity, with the credential that the request has spent for it.
struct ProvenIdentity: Sendable {
    let identity: VerifiedIdentity
    /// The permitted uses of the pending credential if this identity cannot be linked.
    ///
    /// Only a credential that the application posted itself may be used to sign in afterwards. In a flow that was begun
    /// to link, the person who signs in at the provider may differ from the one who began the flow.
    let usesOfConflict: Set<PendingCredential.Use>
    /// The end of the pending credential, which a second conflict does not extend; `nil` for a new identity.
    var expiresAt: NumericDate?
    /// The account of the conflict, to which the identity is linked; `nil` for a new identity.
    var holder: StoredAccount?
    /// Whether the person has linked the identity to an existing account during this flow.
    var isLinked = false
    /// Whether the identity may only report its conflict, and not sign in.
    var isRefused = false
    /// The second factor that the person has proven during this flow.
    var factor: ProvenFactor?
    private(set) var credential: any SpentCredential

    init(
        _ identity: VerifiedIdentity, usesOfConflict: Set<PendingCredential.Use>,
        spending credential: any SpentCredential
    ) {
        self.identity = identity
        self.usesOfConflict = usesOfConflict
        self.credential = credential
    }

    /// - Parameters:
    ///   - kept: The identity that a browser or device flow has kept for its application.
    ///   - factor: The second factor of that flow, opened.
    ///   - credential: The code of the application.
    init(_ kept: KeptIdentity, proving factor: ProvenFactor?, spending credential: any SpentCredential) {
        self.init(kept.identity, usesOfConflict: [.link, .merge], spending: credential)
        isLinked = kept.isLinked
        isRefused = kept.isRefused
        self.factor = factor
    }

    init(
        _ kept: KeptIdentity, of pending: PendingCredential, heldBy holder: StoredAccount?,
        spending credential: any SpentCredential
    ) {
        self.init(kept.identity, usesOfConflict: pending.uses, spending: credential)
        expiresAt = pending.expiresAt
        self.holder = holder
        isLinked = kept.isLinked
    }

    /// Returns the same identity after its person has proven a second factor.
    ///
    /// - Parameter code: The code of the proof, which is given back with the credential.
    func proving(_ factor: ProvenFactor, spending code: any SpentCredential) -> Self {
        var proven = self
        proven.factor = factor
        proven.credential = SpentTogether(first: credential, second: code)
        return proven
    }
}

/// Two credentials of one request, of which the second is of no use without the first.
private struct SpentTogether: SpentCredential {
    let first: any SpentCredential
    let second: any SpentCredential

    func giveBack() async -> Bool {
        guard await first.giveBack() else { return false }
        return await second.giveBack()
    }
}
