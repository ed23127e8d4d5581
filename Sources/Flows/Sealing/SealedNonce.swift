internal import JOSE
internal import Jansson
internal import OAuth
internal import OpenSSL
internal import Stores

/// The content of a nonce verifier: the provider it is for, an id that can be spent, and its end.
struct SealedNonce {
    static let lifetime = Duration.seconds(600)

    let id: String
    let provider: String
    let expiresAt: NumericDate

    var json: JSON {
        .object(["id": .string(id), "provider": .string(provider), "exp": .integer(expiresAt.seconds)])
    }

    init(id: String, provider: String, expiresAt: NumericDate) {
        self.id = id
        self.provider = provider
        self.expiresAt = expiresAt
    }

    init?(_ content: JSON) {
        guard
            let id = content["id"]?.string, let provider = content["provider"]?.string,
            let expiry = content["exp"]?.integer
        else { return nil }
        self.init(id: id, provider: provider, expiresAt: NumericDate(expiry))
    }

    var record: SpentRecord {
        SpentRecord(
            .nonce, of: [Array(id.utf8)], issuedAt: expiresAt - Self.lifetime, expiresAt: expiresAt + .seconds(60))
    }
}
