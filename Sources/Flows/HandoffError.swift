/// Why a handoff code is not redeemed.
package enum HandoffError: Error, Equatable, Sendable {
    case unknown
    case expired
    case replayed
    /// Another client or another redirect URI than it was made for.
    case otherHolder
    case verifierMismatch
}
