internal import COpenSSL

/// The signing half of a key on the curve P-256.
package final class P256PrivateKey: Sendable {
    package let publicKey: P256PublicKey

    private let key: AsymmetricKey
    private let template: DigestContext
    private let maximumCount: Int

    /// Reads `PRIVATE KEY` (PKCS#8) or `EC PRIVATE KEY` (SEC 1), not encrypted.
    package convenience init(pem: String) throws(KeyError) {
        try self.init(takingOwnershipOf: try AsymmetricKey.privateKey(pem: pem))
    }

    init(takingOwnershipOf key: consuming AsymmetricKey) throws(KeyError) {
        publicKey = try P256PublicKey(of: key)
        do {
            template = try DigestContext.signing(with: key)
        } catch {
            throw .failed(error)
        }
        maximumCount = unsafe Int(EVP_PKEY_get_size(key.pointer))
        self.key = key
        let probe = Array("probe".utf8)
        guard let signature = try? signature(for: probe), publicKey.isValid(signature: signature, for: probe) else {
            throw .halvesDoNotMatch
        }
    }

    package static func generate() throws(OpenSSLError) -> P256PrivateKey {
        let key = try KeyContext(type: "EC").generateP256()
        do {
            return try P256PrivateKey(takingOwnershipOf: key)
        } catch {
            throw OpenSSLError(function: "P256PrivateKey.generate", reasons: ["\(error)"])
        }
    }

    /// ECDSA with SHA-256: r then s, 32 bytes each.
    ///
    /// Two signatures for one message differ.
    package func signature(for message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        let der = try template.signature(for: message, maximumCount: maximumCount)
        guard let signature = P256Signature(der: der) else {
            preconditionFailure("EVP_DigestSign wrote no ECDSA-Sig-Value")
        }
        return signature.fixedWidth
    }

    /// Unencrypted PKCS#8, to be guarded by whoever asks for it.
    package func pem() throws(OpenSSLError) -> String {
        try key.privatePEM()
    }
}
