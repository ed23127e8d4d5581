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
