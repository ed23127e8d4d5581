/// Why a pending credential is not redeemed.
package enum PendingCredentialError: Error, Equatable, Sendable {
    /// It is not one of ours, or it is another client's, provider's or account's.
    case unknown
    /// It is older than ten minutes, or its identity is not at the account of the conflict any more.
    case expired
    case replayed
    /// It may not be used at this endpoint.
    case otherUse
}
