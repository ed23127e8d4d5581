import JOSE
import Stores

extension PendingCredential {
    /// What Yahoo's identity of "holder" met when "provoker" wanted to link it; good for ten minutes.
    static func baseline(
        _ handle: String = "handle", uses: Set<Use> = Set(Use.allCases), uids: [String] = ["provoker"],
        holder: String? = "holder"
    ) -> PendingCredential {
        PendingCredential(
            record: .baseline(handle, .pendingCredential), client: "app", provider: "yahoo.com", uses: uses, uids: uids,
            holder: holder, payload: "payload", expiresAt: later)
    }
}

extension PendingCredentialClaim {
    /// The claim of the baseline, but for what a test names.
    static func claiming(
        _ handle: String = "handle", client: String = "app", provider: String? = "yahoo.com",
        use: PendingCredential.Use = .link, uid: String? = "provoker"
    ) -> PendingCredentialClaim {
        PendingCredentialClaim(
            record: .baseline(handle, .pendingCredential), client: client, provider: provider, use: use, uid: uid)
    }
}

extension PendingCredentialOutcome {
    /// Without what was redeemed.
    var name: String {
        switch self {
        case .redeemed: "redeemed"
        case .unknown: "unknown"
        case .replayed: "replayed"
        case .expired: "expired"
        case .otherUse: "otherUse"
        }
    }
}
