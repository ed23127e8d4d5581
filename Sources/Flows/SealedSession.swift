internal import JOSE
internal import Jansson
internal import Standards
internal import Stores

/// The content of a session: everything that the server needs when the person comes back from the provider.
struct SealedSession {
    static let lifetime = Duration.seconds(600)

    let id: String
    let provider: ProviderID
    let redirectURI: String
    let expiresAt: NumericDate
    let binding: FlowBinding
    /// `true` if the authorization request had `prompt=none`.
    let isSilent: Bool
    /// Nil to sign in.
    let intent: AccountIntent?

    var beganAt: NumericDate { expiresAt - Self.lifetime }

    var json: JSON {
        var members: [String: JSON] = [
            "id": .string(id), "provider": .string(provider.text), "redirect_uri": .string(redirectURI),
            "exp": .integer(expiresAt.seconds),
        ]
        if isSilent { members["silent"] = .bool(true) }
        members["intent"] = intent?.json
        return .object(members.merging(binding.members) { $1 })
    }

    var record: SpentRecord {
        SpentRecord(
            .session, of: [Array(id.utf8)], issuedAt: beganAt, expiresAt: expiresAt + .seconds(60))
    }
}

extension SealedSession {
    init?(_ content: JSON) {
        guard
            let id = content["id"]?.string, let provider = content["provider"]?.string,
            let redirectURI = content["redirect_uri"]?.string, let expiry = content["exp"]?.integer,
            let binding = FlowBinding(content)
        else { return nil }
        self.init(
            id: id, provider: ProviderID(provider), redirectURI: redirectURI, expiresAt: NumericDate(expiry),
            binding: binding, isSilent: content["silent"]?.bool ?? false,
            intent: content["intent"].flatMap(AccountIntent.init))
    }
}
