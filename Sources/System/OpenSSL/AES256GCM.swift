internal import COpenSSL

/// Authenticated encryption with AES-256-GCM (NIST SP 800-38D), with a random nonce of 96 bits for each message.
///
/// One key may encrypt at most 2^32 messages (§8.3).
package struct AES256GCM: Sendable {
    private static let nonceCount = 12
    private static let tagCount = 16

    private let key: [UInt8]

    /// Keeps the key for all messages.
    ///
    /// - Throws: ``KeyError/unsupportedSize(bits:)`` unless `key` has 32 bytes.
    package init(key: [UInt8]) throws(KeyError) {
        guard key.count == 32 else { throw .unsupportedSize(bits: key.count * 8) }
        self.key = key
    }

    /// Encrypts, and returns nonce, ciphertext and tag together: 28 bytes more than `plaintext`.
    package func seal(_ plaintext: [UInt8], authenticating associated: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        let nonce = try SecureRandom.bytes(Self.nonceCount)
        let cipher = try CipherContext(key: key, nonce: nonce, direction: .encrypt)
        try cipher.authenticate(associated)
        let ciphertext = try cipher.update(plaintext)
        try check("EVP_CipherFinal_ex", cipher.finish())
        return nonce + ciphertext + (try cipher.tag(count: Self.tagCount))
    }

    /// Decrypts a message.
    ///
    /// - Returns: The plaintext; `nil` if the key, the associated bytes or any bit of the message differs from those of
    ///   ``seal(_:authenticating:)``, or if the library fails.
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

/// The encryption or decryption of one message with AES-256-GCM.
///
/// It is the sole owner of an `EVP_CIPHER_CTX`, which is wiped when it is freed.
@safe
struct CipherContext: ~Copyable {
    enum Direction: CInt {
        case decrypt = 0
        case encrypt = 1
    }

    private let context: OpaquePointer

    init(key: [UInt8], nonce: [UInt8], direction: Direction) throws(OpenSSLError) {
        unsafe context = try Self.make(key: key, nonce: nonce, direction: direction)
    }

    private static func make(
        key: [UInt8], nonce: [UInt8], direction: Direction
    ) throws(OpenSSLError) -> OpaquePointer {
        // EVP_EncryptInit(3), EVP_CTRL_AEAD_SET_IVLEN: "For GCM AES and OCB AES the default is 12". The cipher fixes
        // the length of the key.
        precondition(key.count == 32 && nonce.count == 12)
        let context = try unsafe check("EVP_CIPHER_CTX_new", EVP_CIPHER_CTX_new())
        let result = unsafe EVP_CipherInit_ex2(
            context, FetchedCipher.aes256GCM.pointer, key, nonce, direction.rawValue, nil)
        guard result == 1 else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw .drainingQueue("EVP_CipherInit_ex2")
        }
        return unsafe context
    }

    /// Adds associated bytes.
    ///
    /// Call this method before the first byte of the message.
    borrowing func authenticate(_ associated: [UInt8]) throws(OpenSSLError) {
        guard !associated.isEmpty else { return }
        var count: CInt = 0
        // EVP_EncryptInit(3), AEAD: for associated data the call "should be made with the output parameter out set to NULL".
        try unsafe check(
            "EVP_CipherUpdate", EVP_CipherUpdate(context, nil, &count, associated, CInt(associated.count)))
    }

    /// Encrypts or decrypts a part of the message.
    ///
    /// - Returns: As many bytes as `input` has, because GCM is a stream mode.
    borrowing func update(_ input: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        guard !input.isEmpty else { return [] }
        var result: CInt = 0
        let output = unsafe [UInt8](unsafeUninitializedCapacity: input.count) { buffer, initialized in
            var count: CInt = 0
            result = unsafe EVP_CipherUpdate(context, buffer.baseAddress, &count, input, CInt(input.count))
            initialized = Int(count)
        }
        try check("EVP_CipherUpdate", result)
        return output
    }

    /// Ends the message.
    ///
    /// - Returns: 1 for success. When decrypting, any other value means that the tag does not match.
    borrowing func finish() -> CInt {
        var count: CInt = 0
        // GCM writes nothing here, but EVP_CipherFinal_ex requires space for one block.
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { block in
            unsafe EVP_CipherFinal_ex(context, block.baseAddress, &count)
        }
    }

    borrowing func tag(count: Int) throws(OpenSSLError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: count)
        try unsafe check(
            "EVP_CTRL_AEAD_GET_TAG",
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CInt(count), &tag))
        return tag
    }

    borrowing func setTag(_ tag: [UInt8]) throws(OpenSSLError) {
        var tag = tag
        try unsafe check(
            "EVP_CTRL_AEAD_SET_TAG",
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(tag.count), &tag))
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }
}

/// A cipher of the default provider, fetched once for the life of the process.
@safe
private struct FetchedCipher: @unchecked Sendable {
    let pointer: OpaquePointer

    static let aes256GCM = FetchedCipher("AES-256-GCM")

    private init(_ name: String) {
        guard let pointer = unsafe EVP_CIPHER_fetch(nil, name, nil) else {
            preconditionFailure("libcrypto offers no \(name)")
        }
        unsafe self.pointer = unsafe pointer
    }
}
