internal import JOSE
internal import Jansson
internal import OpenSSL
internal import Providers
package import Standards
internal import Stores
internal import Verification

/// The nonces of ID tokens that applications post.
struct Nonces: Sendable {
    let registrations: Registrations
    let seal: Seal
    let time: TimeSource
    let random: RandomSource

    /// Issues a nonce for an ID token that the application obtains by itself.
    ///
    /// An attacker who steals the token in transit does not have the verifier. Nothing is stored.
    func issue(client clientID: ClientID, provider providerID: ProviderID) throws -> IssuedNonce {
        let registered = try registrations.authorize(clientID, providerID)
        let content = SealedNonce(
            id: try random.unguessableText(), provider: registered.provider.id,
            expiresAt: time.now() + SealedNonce.lifetime)
        let verifier = try seal.seal(content.json, as: .nonce, for: registered.client.id.text)
        return IssuedNonce(
            nonce: Self.digest(verifier), verifier: Secret(verifier),
            expiresIn: SealedNonce.lifetime.components.seconds)
    }

    /// Returns the nonce that an ID token must contain, from the value that was posted with it.
    func expected(
        _ postedNonce: Secret?, rule: NonceRule, registered: Registrations.Registered
    ) throws -> ExpectedNonce {
        if rule == .none, postedNonce?.isEmpty ?? true { return .unchecked }
        guard let postedNonce, !postedNonce.isEmpty else { throw Refusal.nonceRequired }
        switch rule {
        case .server, .none:
            let record = try record(postedNonce, registered: registered)
            return ExpectedNonce(values: [Self.digest(postedNonce.secretText)], record: record)
        case .client:
            let hash = SHA256.hash(Array(postedNonce.secretText.utf8))
            return ExpectedNonce(values: [Base64URL.encode(hash), hash.hexadecimal])
        case .clientPlain:
            return ExpectedNonce(values: [postedNonce.secretText])
        }
    }

    /// The record of a posted nonce that is a nonce verifier of this server, which is spent with the credential.
    ///
    /// - Throws: A refusal for ``Reason/expired`` only for a verifier that is valid in every other respect, so that the
    ///   application can request a new one and continue.
    func record(
        _ postedNonce: Secret?, registered: Registrations.Registered
    ) throws -> SpentRecord {
        guard let postedNonce, !postedNonce.isEmpty else { throw Refusal.nonceRequired }
        guard
            let content = seal.open(postedNonce.secretText, as: .nonce, for: registered.client.id.text)
                .flatMap(SealedNonce.init)
        else { throw Refusal.nonceMismatch }
        guard content.provider == registered.provider.id else { throw Refusal.nonceOfOtherProvider }
        guard time.now() < content.expiresAt else {
            throw Refusal(
                .expired,
                "The nonce_verifier is older than ten minutes. Get a new one at POST /v1/nonce, then sign in at the "
                    + "provider again.")
        }
        return content.record
    }

    private static func digest(_ verifier: String) -> String {
        Base64URL.encode(SHA256.hash(Array(verifier.utf8)))
    }
}

/// A nonce for the provider, and the verifier that is posted with the credential.
package struct IssuedNonce: Sendable {
    package let nonce: String
    package let verifier: Secret
    /// Seconds.
    package let expiresIn: Int64
}

/// The content of a nonce verifier: its provider, an id that is spent once, and its end.
struct SealedNonce {
    static let lifetime = Duration.seconds(600)

    let id: String
    let provider: ProviderID
    let expiresAt: NumericDate

    var json: JSON {
        .object(["id": .string(id), "provider": .string(provider.text), "exp": .integer(expiresAt.seconds)])
    }

    var record: SpentRecord {
        SpentRecord(
            .nonce, of: [Array(id.utf8)], issuedAt: expiresAt - Self.lifetime, expiresAt: expiresAt + .seconds(60))
    }
}

extension SealedNonce {
    init?(_ content: JSON) {
        guard
            let id = content["id"]?.string, let provider = content["provider"]?.string,
            let expiry = content["exp"]?.integer
        else { return nil }
        self.init(id: id, provider: ProviderID(provider), expiresAt: NumericDate(expiry))
    }
}
