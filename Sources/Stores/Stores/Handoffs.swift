package import JOSE

/// Finished browser sign-ins, each fetched once by the application that began it.
package protocol Handoffs: Sendable {
    /// Keeps one, durably.
    func keep(_ handoff: Handoff) async throws(StoreError)

    /// Takes a handoff out and spends its code, in one durable commit, if everything that binds it is named.
    ///
    /// What does not match leaves it where it is and counts as a failure; after ``HandoffClaim/tries`` of them it is gone.
    func redeem(_ claim: HandoffClaim, at now: NumericDate) async throws(StoreError) -> HandoffOutcome

    /// Undoes a redemption before anything was handed out.
    ///
    /// Only for who was told ``HandoffOutcome/redeemed(_:)`` for it, and once.
    func giveBack(_ handoff: Handoff) async throws(StoreError)

    /// Forgets some of those that nobody fetched in time.
    ///
    /// - Returns: how many it were; fewer than `limit` when there are no more.
    func sweepHandoffs(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int
}

/// A finished browser sign-in that waits for its application, under the hash of the code that fetches it.
package struct Handoff: Sendable {
    /// Of the code: what the handoff is found by, and what is spent with it.
    package let record: SpentRecord
    package let client: String
    package let redirectURI: String
    /// `code_challenge` of method `S256` (RFC 7636 §4.2).
    package let codeChallenge: String
    /// Sealed by who keeps it.
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

/// What must be named to fetch a handoff.
package struct HandoffClaim: Sendable {
    /// With so many failures a code is gone.
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
}

/// What came of asking for a handoff.
package enum HandoffOutcome: Sendable {
    case redeemed(Handoff)
    /// Never kept, swept, or dead after too many failures.
    case unknown
    case replayed
    case expired
    /// Another client or another redirect URI.
    ///
    /// - keptFor: the `client` that the handoff is kept for, if everything but that was named. Only a caller that knows
    ///   the code verifier learns it.
    case otherHolder(keptFor: String?)
    case otherCodeChallenge
}
