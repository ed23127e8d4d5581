internal import COpenSSL

/// The signing half of an RSA key of 2048 to 4096 bits.
///
/// Every signature is made in a context of its own, so several tasks may sign at once; they meet at the lock of the
/// key's blinding, though. Where the rate matters, use ``RSASigningPool``.
package final class RSAPrivateKey: Sendable {
    package let publicKey: RSAPublicKey

    private let key: AsymmetricKey
    private let template: DigestContext

    /// Reads `PRIVATE KEY` (PKCS#8) or `RSA PRIVATE KEY` (PKCS#1), not encrypted.
    package convenience init(pem: String) throws(KeyError) {
        try self.init(takingOwnershipOf: try AsymmetricKey.privateKey(pem: pem))
    }

    init(takingOwnershipOf key: consuming AsymmetricKey) throws(KeyError) {
        publicKey = try RSAPublicKey(of: key)
        do {
            template = try DigestContext.signing(with: key)
        } catch {
            throw .failed(error)
        }
        self.key = key
        // A file with the parts of two keys would be found out at the first sign-in otherwise.
        let probe = Array("probe".utf8)
        guard let signature = try? signature(for: probe), publicKey.isValid(signature: signature, for: probe) else {
            throw .halvesDoNotMatch
        }
    }

    /// Makes a new key of 2048 to 4096 bits with the exponent 65537, which may take seconds.
    package static func generate(bitCount: Int) throws(OpenSSLError) -> RSAPrivateKey {
        precondition((2048...4096).contains(bitCount))
        let key = try KeyContext(type: "RSA").generateRSA(bitCount: bitCount)
        do {
            return try RSAPrivateKey(takingOwnershipOf: key)
        } catch {
            throw OpenSSLError(function: "RSAPrivateKey.generate", reasons: ["\(error)"])
        }
    }

    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2.1).
    ///
    /// A fault in the arithmetic does not reach the caller: libcrypto raises its CRT result to the public exponent and,
    /// where that is not what it began with, computes the signature again without CRT.
    package func signature(for message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        try template.signature(for: message, maximumCount: publicKey.modulus.count)
    }

    /// Unencrypted PKCS#8, to be guarded by whoever asks for it.
    package func pem() throws(OpenSSLError) -> String {
        try key.privatePEM()
    }

    /// A template over a copy of the key, for one thread alone.
    func duplicateTemplate() throws(OpenSSLError) -> DigestContext {
        try DigestContext.signing(with: try key.duplicate())
    }
}
