/// What came of asking for a handoff.
package enum HandoffOutcome: Sendable {
    case redeemed(Handoff)
    /// Never kept, swept, or dead after too many failures.
    case unknown
    case replayed
    case expired
    /// Another client or another redirect URI.
    case otherHolder
    case otherCodeChallenge
}
