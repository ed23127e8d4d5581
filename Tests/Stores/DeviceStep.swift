import JOSE
import Stores

/// The steps of a grant, taken by the browser of a given owner.
enum DeviceStep: String, CaseIterable, Sendable {
    case claim, verify, approve, deny

    static let owner = DeviceGrant.digest("owner")
    static let another = DeviceGrant.digest("another")
    static let payload = DeviceGrant.digest("payload")

    func take(
        _ store: any Store, _ userCode: String = "WDJBMJHT", owner: [UInt8] = owner, at moment: NumericDate = now
    ) async throws -> Bool {
        let code = DeviceGrant.digest(userCode)
        return switch self {
        case .claim: try await store.claim(userCodeDigest: code, owner: owner, at: moment)
        case .verify:
            try await store.verify(
                userCodeDigest: code, owner: owner, payload: "payload", payloadDigest: Self.payload, at: moment)
        case .approve:
            try await store.approve(userCodeDigest: code, owner: owner, payloadDigest: Self.payload, at: moment)
        case .deny: try await store.deny(userCodeDigest: code, owner: owner, because: .refused, at: moment)
        }
    }

    /// The steps that lead from a new grant to a state.
    static func path(to state: DeviceGrantState) -> [DeviceStep] {
        switch state {
        case .pending: []
        case .claimed: [.claim]
        case .verified: [.claim, .verify]
        case .approved: [.claim, .verify, .approve]
        case .denied: [.claim, .deny]
        }
    }

    /// The next state, or `nil` if the step is refused.
    func end(from state: DeviceGrantState, isOwner: Bool) -> DeviceGrantState? {
        switch (self, state) {
        case (.claim, .pending): .claimed
        case (.claim, .claimed), (.claim, .verified): isOwner ? .claimed : nil
        case (.verify, .claimed): isOwner ? .verified : nil
        case (.approve, .verified): isOwner ? .approved : nil
        case (.deny, .pending): .denied
        case (.deny, .claimed), (.deny, .verified): isOwner ? .denied : nil
        default: nil
        }
    }
}
