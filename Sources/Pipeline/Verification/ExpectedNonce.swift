package import Stores

/// What the `nonce` of an ID token must be.
package struct ExpectedNonce: Sendable {
    /// Spellings of one value; the token holds one of them.
    package let values: [String]
    /// Spent together with the token, where the nonce is ours and good for once.
    package let record: SpentRecord?

    package init(values: [String], record: SpentRecord? = nil) {
        self.values = values
        self.record = record
    }
}
