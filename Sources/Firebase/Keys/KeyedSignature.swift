internal import Documents
internal import JOSE

/// The rule of every token that Google signs: RS256, by a key of its document that the token names.
struct KeyedSignature: Sendable {
    enum Refusal: Error {
        case token(JOSEError)
        case noKeyID
        case keys(DocumentError)
    }

    let keys: CachedDocument<JWKSet>

    /// Claims whose signature holds.
    ///
    /// A key that is not known has the document fetched anew, once in a while. A token that no key could make good
    /// causes no fetch.
    func claims(of jws: CompactJWS) async throws(Refusal) -> Claims {
        guard jws.header.algorithm == Algorithm.rs256.rawValue else { throw .token(.algorithmNotAllowed) }
        guard let keyID = jws.header.keyID else { throw .noKeyID }
        let keys: JWKSet
        do {
            keys = try await self.keys.refreshed { $0.keys.contains { $0.id == keyID } }
        } catch {
            throw .keys(error)
        }
        do {
            return try JWSVerifier.verify(jws, keys: keys, algorithms: [.rs256])
        } catch {
            throw .token(error)
        }
    }
}
