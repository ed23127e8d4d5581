package import JOSE

/// Stores finished browser sign-ins.
///
/// The application that started a sign-in redeems it once.
package protocol Handoffs: Sendable {
    /// Keeps a handoff durably.
    func keep(_ handoff: Handoff) async throws(StoreError)

    /// Removes a handoff and spends its code in one durable commit, if client, redirect URI and code challenge match.
    ///
    /// A mismatch leaves the handoff in the store and counts as a failure. After ``HandoffClaim/tries`` failures the
    /// handoff is deleted.
    func redeem(_ claim: HandoffClaim, at now: NumericDate) async throws(StoreError) -> HandoffOutcome

    /// Undoes a redemption before anything was sent to the client.
    ///
    /// Call it only after ``HandoffOutcome/redeemed(_:)`` for this handoff, and only once.
    func giveBack(_ handoff: Handoff) async throws(StoreError)

    /// Deletes handoffs that expired before they were redeemed.
    ///
    /// - Returns: The number of deleted rows; fewer than `limit` if no more are left.
    func sweepHandoffs(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int
}

/// A finished browser sign-in that waits for its application.
///
/// The application redeems it with a code, of which only the hash is stored.
package struct Handoff: Sendable {
    /// The record of the code.
    ///
    /// The store finds the handoff by its digest, and spends the code when the handoff is redeemed.
    package let record: SpentRecord
    package let client: String
    package let redirectURI: String
    /// `code_challenge` of method `S256` (RFC 7636 §4.2).
    package let codeChallenge: String
    /// The payload, sealed by the caller.
    package let payload: String
    package let expiresAt: NumericDate

    package init(
        record: SpentRecord, client: String, redirectURI: String, codeChallenge: String, payload: String,
        expiresAt: NumericDate
    ) {
        self.record = record
        self.client = client
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        self.payload = payload
        self.expiresAt = expiresAt
    }
}

/// The values that a request must present to redeem a handoff.
package struct HandoffClaim: Sendable {
    /// The number of failed attempts after which the handoff is deleted.
    package static let tries = 5

    package let record: SpentRecord
    package let client: String
    package let redirectURI: String
    package let codeChallenge: String

    package init(record: SpentRecord, client: String, redirectURI: String, codeChallenge: String) {
        self.record = record
        self.client = client
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
    }

    /// Compares the claim with the values to which the handoff is bound.
    ///
    /// - Parameters:
    ///   - holder: The `client` of the handoff.
    ///   - redirectURI: The redirect URI of the handoff.
    ///   - codeChallenge: The code challenge of the handoff.
    /// - Returns: The reason why the handoff cannot be redeemed; `nil` if all values match.
    package func mismatch(client holder: String, redirectURI: String, codeChallenge: String) -> HandoffOutcome? {
        let isProven = codeChallenge.exactlyEquals(self.codeChallenge)
        let isHolder = holder.exactlyEquals(client)
        guard redirectURI.exactlyEquals(self.redirectURI) else {
            return isProven && isHolder ? .otherRedirectURI(redirectURI) : .otherAddressee(keptFor: nil)
        }
        guard isHolder else { return .otherAddressee(keptFor: isProven ? holder : nil) }
        return isProven ? nil : .otherCodeChallenge
    }
}

package enum HandoffOutcome: Sendable {
    case redeemed(Handoff)
    /// The handoff was never kept, was swept, or was deleted after too many failures.
    case unknown
    case replayed
    case expired
    /// The handoff is bound to another client or another redirect URI.
    ///
    /// `keptFor` is the `client` of the handoff if all other values match. Only a caller that knows the code verifier
    /// learns it.
    case otherAddressee(keptFor: String?)
    /// The handoff is bound to this redirect URI, and all other values match.
    case otherRedirectURI(String)
    case otherCodeChallenge
}
