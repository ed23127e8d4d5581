internal import Jansson

/// The keys that an issuer publishes (RFC 7517 §5), those that can be used and the reasons for the others.
package struct JWKSet: Sendable {
    package struct RefusedKey: Sendable, Equatable {
        /// Counted from 0.
        package let position: Int
        package let reason: JWKRefusal
    }

    package static let maximumBytes = 256 * 1024
    package static let maximumCount = 50

    package let keys: [JWK]
    package let refused: [RefusedKey]

    /// Reads a document and keeps what can be used of it, which may be nothing.
    ///
    ///     {"keys": [{"kty": "EC", …}, {"kty": "RSA", …}]}
    ///
    /// RFC 7517 §5: "Implementations SHOULD ignore JWKs within a JWK Set that use "kty" (key type) values that are not understood by
    /// them, that are missing required members, or for which values are out of the supported ranges." A `kid` that
    /// stands twice, be it at a key that is refused, names none: all its keys are refused.
    ///
    /// - Throws: ``JOSEError/tooLarge(maximumBytes:)``, ``JOSEError/malformedKeySet``.
    package static func parse(_ bytes: [UInt8]) throws(JOSEError) -> JWKSet {
        guard bytes.count <= maximumBytes else { throw .tooLarge(maximumBytes: maximumBytes) }
        guard let document = try? JSON.parse(bytes, maximumBytes: maximumBytes, maximumDepth: 8),
            let entries = document["keys"]?.array, entries.count <= maximumCount
        else { throw .malformedKeySet }
        return JWKSet(entries)
    }

    init(keys: [JWK], refused: [RefusedKey]) {
        self.keys = keys
        self.refused = refused
    }

    private init(_ entries: [JSON]) {
        let keyIDs = entries.compactMap { try? JWK.keyID(in: $0) }
        let counts = Dictionary(keyIDs.map { ($0, 1) }, uniquingKeysWith: +)
        var keys: [JWK] = []
        var refused: [RefusedKey] = []
        for (position, entry) in entries.enumerated() {
            do throws(JWKRefusal) {
                let key = try JWK(entry)
                if let id = key.id, counts[id] != 1 { throw .duplicateKeyID }
                keys.append(key)
            } catch {
                refused.append(RefusedKey(position: position, reason: error))
            }
        }
        self.keys = keys
        self.refused = refused
    }

    /// The key that a token means, if there can be no doubt.
    func key(for keyID: KeyID?, _ algorithm: Algorithm) throws(JOSEError) -> JWK {
        guard let keyID else {
            let candidates = keys.filter { $0.algorithm == algorithm }
            guard candidates.count == 1, let only = candidates.first else { throw .unknownKey }
            return only
        }
        guard let key = keys.first(where: { $0.id == keyID }) else { throw .unknownKey }
        guard key.algorithm == algorithm else { throw .keyForOtherAlgorithm }
        return key
    }
}
