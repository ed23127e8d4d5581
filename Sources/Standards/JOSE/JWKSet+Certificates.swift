internal import Jansson
internal import OpenSSL

extension JWKSet {
    /// Reads a set in the form of Google's X.509 documents, where each key is that of a certificate.
    ///
    ///     {"3466d51f": "-----BEGIN CERTIFICATE-----\n…", "87350ad9": "-----BEGIN CERTIFICATE-----\n…"}
    ///
    /// The keys are for RS256. A member that is no such certificate is refused alone, at its position in the order of
    /// the names. Neither dates nor signatures of the certificates are checked: the document is believed because of the
    /// connection that it came by.
    ///
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
                refused.append(RefusedKey(position: position, reason: error))
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
        self.init(id: id, material: try Material(key))
    }
}
