package import Documents
package import JOSE
internal import Jansson
package import Transport

/// The keys that Firebase signs with, in either of the forms in which Google publishes them.
package enum FirebaseKeys {
    /// The document at a place, fetched when it is first asked for and kept as its `Cache-Control` says.
    package static func document(
        at url: String, transport: HTTPTransport, time: TimeSource, policy: DocumentPolicy = DocumentPolicy(),
        onFailure: @escaping @Sendable (DocumentError) -> Void = { _ in }
    ) -> CachedDocument<JWKSet> {
        CachedDocument(
            at: url, transport: transport, time: time, policy: policy, onFailure: onFailure, parse: parse)
    }

    /// Reads a JWK set, which is told by its array of `keys`, or certificates by key id.
    ///
    /// - Throws: `JOSEError.malformedKeySet` also where no key is left that could be used, so that such a document
    ///   never takes the place of a good one.
    package static func parse(_ bytes: [UInt8]) throws(JOSEError) -> JWKSet {
        let document = try? JSON.parse(bytes, maximumBytes: JWKSet.maximumBytes, maximumDepth: 8)
        let keys =
            document?["keys"]?.array == nil ? try JWKSet.parse(certificates: bytes) : try JWKSet.parse(bytes)
        guard keys.keys.contains(where: { $0.algorithm == .rs256 && $0.id != nil }) else { throw .malformedKeySet }
        return keys
    }
}

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
