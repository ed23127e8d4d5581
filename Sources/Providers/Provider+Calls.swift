internal import OAuth
package import Transport

extension Provider {
    /// What a call asks the provider for.
    ///
    /// Each kind has a queue of its own: a slow user endpoint does not keep a code from being redeemed.
    package enum CallKind: String, Sendable {
        /// Codes and tokens.
        case token
        /// Who a token speaks for.
        case user
    }

    package func queue(_ kind: CallKind) -> CallQueue {
        CallQueue("\(id.text) \(kind.rawValue)", limit: maximumCalls)
    }
}
