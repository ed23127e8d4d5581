internal import Jansson
internal import OpenSSL

/// The keys that an issuer publishes (RFC 7517 §5): the usable keys, and the reasons why the others are refused.
package struct JWKSet: Sendable {
    package struct RefusedKey: Sendable, Equatable {
        /// The index of the entry in the document, from 0.
        package let position: Int
        /// `nil` also for a malformed `kid`.
        package let id: KeyID?
        package let reason: JWKRefusal
    }

    package static let maximumBytes = 256 * 1024
    package static let maximumCount = 250
    /// The maximum number of keys that are tried for one token.
    static let maximumCandidates = 8

    package let keys: [JWK]
    package let refused: [RefusedKey]

    /// Parses a document and keeps the usable keys.
    ///
    /// There may be none.
    ///
    ///     {"keys": [{"kty": "EC", …}, {"kty": "RSA", …}]}
    ///
    /// RFC 7517 §5: "Implementations SHOULD ignore JWKs within a JWK Set that use "kty" (key type) values that are not understood by
    /// them, that are missing required members, or for which values are out of the supported ranges." A key that several
    /// entries contain, for example one for each algorithm, is one key.
    ///
    /// - Parameter bytes: The document, at most ``maximumBytes``.
    /// - Throws: ``JOSEError/tooLarge(maximumBytes:)``, ``JOSEError/malformedKeySet``.
    package static func parse(_ bytes: [UInt8]) throws(JOSEError) -> JWKSet {
        guard bytes.count <= maximumBytes else { throw .tooLarge(maximumBytes: maximumBytes) }
        guard
            let document = try? JSON.parse(
                // A document that says two things about a key replaces no document with keys.
                tolerantly: bytes.withoutByteOrderMark, maximumBytes: maximumBytes, maximumDepth: 8,
                allowsDuplicates: false),
            let entries = document["keys"]?.array, entries.count <= maximumCount
        else { throw .malformedKeySet }
        return JWKSet(entries)
    }

    init(keys: [JWK], refused: [RefusedKey]) {
        self.keys = keys
        self.refused = refused
    }

    private init(_ entries: [JSON]) {
        var keys: [JWK] = []
        var refused: [RefusedKey] = []
        entries: for (position, entry) in entries.enumerated() {
            do throws(JWKRefusal) {
                let key = try JWK(entry)
                for (index, earlier) in keys.enumerated() {
                    guard let merged = earlier.merged(with: key) else { continue }
                    keys[index] = merged
                    continue entries
                }
                keys.append(key)
            } catch {
                refused.append(RefusedKey(position: position, id: try? JWK.keyID(in: entry), reason: error))
            }
        }
        self.keys = keys
        self.refused = refused
    }

    /// Whether another set has the same keys under an id, in the same order.
    package func hasSameKeys(as other: JWKSet, under keyID: KeyID) -> Bool {
        let (keys, others) = (keys.filter { $0.id == keyID }, other.keys.filter { $0.id == keyID })
        return keys.count == others.count && zip(keys, others).allSatisfy { $0.merged(with: $1) != nil }
    }

    /// Returns the keys that may verify a token.
    ///
    /// - Parameter keyID: The `kid` of the token. If it is `nil`, every key for the algorithm is possible; if no key
    ///   has it, every one without an id: `kid` is optional on both sides (RFC 7515 §4.1.4, RFC 7517 §4.5).
    /// - Returns: 1 to ``maximumCandidates`` keys.
    /// - Throws: ``JOSEError/unknownKey``, ``JOSEError/keyForOtherAlgorithm``.
    func keys(for keyID: KeyID?, _ algorithm: Algorithm) throws(JOSEError) -> [JWK] {
        var named = keyID.map { keyID in keys.filter { $0.id == keyID } } ?? keys
        if named.isEmpty { named = keys.filter { $0.id == nil && $0.algorithms.contains(algorithm) } }
        let possible = named.filter { $0.algorithms.contains(algorithm) }
        guard !possible.isEmpty else {
            throw keyID == nil || named.isEmpty ? .unknownKey : .keyForOtherAlgorithm
        }
        return Array(possible.prefix(Self.maximumCandidates))
    }
}

extension JWKSet {
    /// Parses a set in the form of Google's X.509 documents, which map key ids to certificates.
    ///
    ///     {"3466d51f": "-----BEGIN CERTIFICATE-----\n…", "87350ad9": "-----BEGIN CERTIFICATE-----\n…"}
    ///
    /// The keys are for RS256. A member that is not a certificate with an RSA key is refused, and the others stay
    /// usable; its position is that in the sorted names. The dates and signatures of the certificates are not checked:
    /// TLS authenticates the server that sends the document.
    ///
    /// - Parameter bytes: The document, at most ``maximumBytes``.
    /// - Throws: ``JOSEError/tooLarge(maximumBytes:)``, ``JOSEError/malformedKeySet``.
    package static func parse(certificates bytes: [UInt8]) throws(JOSEError) -> JWKSet {
        guard bytes.count <= maximumBytes else { throw .tooLarge(maximumBytes: maximumBytes) }
        guard
            let entries = try? JSON.parse(bytes, maximumBytes: maximumBytes, maximumDepth: 8).object,
            entries.count <= maximumCount
        else { throw .malformedKeySet }
        var keys: [JWK] = []
        var refused: [RefusedKey] = []
        for (position, entry) in entries.sorted(by: { $0.key < $1.key }).enumerated() {
            do throws(JWKRefusal) {
                keys.append(try JWK(keyID: entry.key, certificate: entry.value))
            } catch {
                refused.append(RefusedKey(position: position, id: KeyID(entry.key), reason: error))
            }
        }
        return JWKSet(keys: keys, refused: refused)
    }
}

extension JWK {
    fileprivate init(keyID: String, certificate: JSON) throws(JWKRefusal) {
        guard let id = KeyID(keyID) else { throw .malformedMember("kid") }
        guard let pem = certificate.string else { throw .key(.malformed) }
        let key: RSAPublicKey
        do {
            key = try RSAPublicKey(pem: pem)
        } catch {
            throw .key(error)
        }
        self.init(id: id, material: try Material(key), algorithms: [.rs256], issuer: nil)
    }
}
