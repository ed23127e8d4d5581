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
