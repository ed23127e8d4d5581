import JOSE
import Stores

extension Handoff {
    /// Good for a minute.
    static func baseline(_ code: String = "code") -> Handoff {
        Handoff(
            record: .baseline(code, .handoff), client: "app", redirectURI: "https://app.example/cb",
            codeChallenge: "challenge", payload: "payload", expiresAt: now + .seconds(60))
    }
}

extension HandoffClaim {
    /// The claim of the baseline, but for what a test names.
    static func baseline(
        _ code: String = "code", client: String = "app", redirectURI: String = "https://app.example/cb",
        codeChallenge: String = "challenge"
    ) -> HandoffClaim {
        HandoffClaim(
            record: .baseline(code, .handoff), client: client, redirectURI: redirectURI, codeChallenge: codeChallenge)
    }
}

extension HandoffOutcome {
    /// Without what was redeemed.
    var name: String {
        switch self {
        case .redeemed: "redeemed"
        case .unknown: "unknown"
        case .replayed: "replayed"
        case .expired: "expired"
        case .otherHolder(nil): "otherHolder"
        case .otherHolder(let client?): "otherHolder: it is kept for \(client)"
        case .otherCodeChallenge: "otherCodeChallenge"
        }
    }
}
