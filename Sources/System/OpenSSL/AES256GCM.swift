internal import COpenSSL

/// Authenticated encryption: NIST SP 800-38D with a random nonce of 96 bits for each message.
///
/// One key is good for some 2^32 messages (§8.3).
package struct AES256GCM: Sendable {
    private static let nonceCount = 12
    private static let tagCount = 16

    private let key: [UInt8]

    /// - Throws: ``KeyError/unsupportedSize(bits:)`` unless `key` has 32 bytes.
    package init(key: [UInt8]) throws(KeyError) {
        guard key.count == 32 else { throw .unsupportedSize(bits: key.count * 8) }
        self.key = key
    }

    /// Answers nonce, ciphertext and tag in one: 28 bytes more than `plaintext`.
    package func seal(_ plaintext: [UInt8], authenticating associated: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        let nonce = try SecureRandom.bytes(Self.nonceCount)
        let cipher = try CipherContext(key: key, nonce: nonce, direction: .encrypt)
        try cipher.authenticate(associated)
        let ciphertext = try cipher.update(plaintext)
        try check("EVP_CipherFinal_ex", cipher.finish())
        return nonce + ciphertext + (try cipher.tag(count: Self.tagCount))
    }

    /// Nil where the key, the associated bytes or a single bit is another than at sealing.
    package func open(_ sealed: [UInt8], authenticating associated: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.nonceCount + Self.tagCount else { return nil }
        let nonce = Array(sealed.prefix(Self.nonceCount))
        let ciphertext = Array(sealed.dropFirst(Self.nonceCount).dropLast(Self.tagCount))
        do throws(OpenSSLError) {
            let cipher = try CipherContext(key: key, nonce: nonce, direction: .decrypt)
            try cipher.setTag(Array(sealed.suffix(Self.tagCount)))
            try cipher.authenticate(associated)
            var plaintext = try cipher.update(ciphertext)
            // EVP_EncryptInit(3), AEAD: "If it does not indicate success, the authentication operation has failed and any
            // output data MUST NOT be used as it is corrupted."
            guard cipher.finish() == 1 else {
                unsafe plaintext.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
                ERR_clear_error()
                return nil
            }
            return plaintext
        } catch {
            return nil
        }
    }
}

extension AES256GCM: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[key elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
