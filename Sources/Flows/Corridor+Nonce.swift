internal import JOSE
package import OAuth
internal import OpenSSL
internal import Providers
internal import Sealing
internal import Stores
internal import Verification

extension Corridor {
    /// A nonce for an ID token that the application obtains by itself: whoever steals the token on its way lacks the
    /// verifier.
    ///
    /// Nothing is stored.
    package func issueNonce(client clientID: ClientID, provider providerID: ProviderID) throws(SignInError)
        -> IssuedNonce
    {
        let (client, provider) = try admit(clientID, providerID)
        let content: SealedNonce
        do {
            content = SealedNonce(
                id: try random.unguessableText(), provider: provider.id.text,
                expiresAt: time.now() + SealedNonce.lifetime)
        } catch {
            throw .random(error)
        }
        guard let verifier = try? seal.seal(content.json, as: .nonce, for: client.id.text)
        else { throw .random(RandomFailure()) }
        return IssuedNonce(
            nonce: Self.digest(verifier), verifier: Secret(verifier),
            expiresIn: SealedNonce.lifetime.components.seconds)
    }

    /// What the ID token must hold, given what was posted beside it.
    func expectedNonce(
        _ text: Secret, rule: NonceRule, client: RegisteredClient, provider: Provider
    ) throws(SignInError) -> ExpectedNonce {
        guard !text.isEmpty else { throw .nonceRequired }
        switch rule {
        case .server:
            let record = try nonceRecord(text, client: client, provider: provider)
            return ExpectedNonce(values: [Self.digest(text.secretText)], record: record)
        case .client:
            let hash = SHA256.hash(Array(text.secretText.utf8))
            return ExpectedNonce(values: [Base64URL.encode(hash), Self.hexadecimal(hash)])
        case .clientPlain:
            return ExpectedNonce(values: [text.secretText])
        }
    }

    /// The record of a nonce verifier that this server issued, which is spent with the credential.
    ///
    /// - Throws: ``SignInError/nonceExpired`` only for one that is right in all else, so that the application knows to
    ///   ask for a new one and to go on as before.
    func nonceRecord(
        _ verifier: Secret?, client: RegisteredClient, provider: Provider
    ) throws(SignInError) -> SpentRecord {
        guard let verifier, !verifier.isEmpty else { throw .nonceRequired }
        guard
            let content = seal.open(verifier.secretText, as: .nonce, for: client.id.text).flatMap(SealedNonce.init),
            ProviderID(content.provider) == provider.id
        else { throw .nonceMismatch }
        guard time.now() < content.expiresAt else { throw .nonceExpired }
        return content.record
    }

    private static func digest(_ verifier: String) -> String {
        Base64URL.encode(SHA256.hash(Array(verifier.utf8)))
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
