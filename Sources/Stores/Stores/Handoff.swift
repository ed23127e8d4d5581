package import JOSE

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
