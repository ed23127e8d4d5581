internal import COpenSSL

/// FIPS 180-4 §6.2.
package enum SHA256 {
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        FetchedDigest.sha256.hash(bytes)
    }
}

/// FIPS 180-4 §6.1, for OAuth 1.0a alone: nothing of ours may rest on it.
package enum SHA1 {
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        FetchedDigest.sha1.hash(bytes)
    }
}

/// RFC 2104 with SHA-256.
///
/// Codes are compared with ``constantTimeEqual(_:_:)``.
package enum HMACSHA256 {
    package static func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        FetchedDigest.sha256.authenticationCode(for: message, key: key)
    }
}

/// RFC 2104 with SHA-1: the signature method of OAuth 1.0a (RFC 5849 §3.4.2).
package enum HMACSHA1 {
    package static func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        FetchedDigest.sha1.authenticationCode(for: message, key: key)
    }
}

/// A hash function of the default provider, looked up once for the life of the process.
///
/// - SeeAlso: EVP_MD_fetch(3); crypto(7), "Performance": an explicit fetch that is kept saves the look-up in each call.
@safe
struct FetchedDigest: @unchecked Sendable {
    let pointer: OpaquePointer

    static let sha1 = FetchedDigest("SHA1")
    static let sha256 = FetchedDigest("SHA256")

    private init(_ name: String) {
        guard let pointer = unsafe EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("libcrypto offers no \(name)")
        }
        unsafe self.pointer = unsafe pointer
    }

    func hash(_ bytes: [UInt8]) -> [UInt8] {
        let size = unsafe Int(EVP_MD_get_size(pointer))
        return unsafe bytes.withUnsafeBufferPointer { input in
            unsafe [UInt8](unsafeUninitializedCapacity: size) { output, count in
                let result = unsafe EVP_Digest(input.baseAddress, input.count, output.baseAddress, nil, pointer, nil)
                precondition(result == 1, "EVP_Digest fails only without memory")
                count = size
            }
        }
    }

    func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        let size = unsafe Int(EVP_MD_get_size(pointer))
        return unsafe message.withUnsafeBufferPointer { message in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe [UInt8](unsafeUninitializedCapacity: size) { output, count in
                    // HMAC(3): md "must have space for the output of the hash function".
                    let result = unsafe HMAC(
                        pointer, key.baseAddress, CInt(key.count), message.baseAddress, message.count,
                        output.baseAddress, nil)
                    precondition(unsafe result != nil, "HMAC fails only without memory")
                    count = size
                }
            }
        }
    }
}

/// The sole owner of one `EVP_MD_CTX`.
@safe
struct DigestContext: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer

    init() throws(OpenSSLError) {
        unsafe pointer = try check("EVP_MD_CTX_new", EVP_MD_CTX_new())
    }

    deinit { unsafe EVP_MD_CTX_free(pointer) }

    /// A context that stands where this one does.
    ///
    /// EVP_MD_CTX_copy_ex(3): "This is useful if large amounts of data are to be hashed which only differ in the last
    /// few bytes"; here it spares looking the algorithm up and setting the key for each signature. The original is
    /// only read, so that many threads may copy it at once.
    borrowing func copy() throws(OpenSSLError) -> DigestContext {
        let copy = try DigestContext()
        try unsafe check("EVP_MD_CTX_copy_ex", EVP_MD_CTX_copy_ex(copy.pointer, pointer))
        return copy
    }

    /// RSASSA-PKCS1-v1_5 for a key of RSA, ECDSA for one of a curve; SHA-256 in both.
    static func signing(with key: borrowing AsymmetricKey) throws(OpenSSLError) -> DigestContext {
        let context = try DigestContext()
        var keyContext: OpaquePointer?
        // EVP_DigestSignInit(3): "The EVP_PKEY_CTX value returned must not be freed directly by the application".
        try unsafe check(
            "EVP_DigestSignInit",
            EVP_DigestSignInit(context.pointer, &keyContext, FetchedDigest.sha256.pointer, nil, key.pointer))
        try unsafe setPadding(keyContext, for: key)
        return context
    }

    /// The counterpart of ``signing(with:)``.
    static func verification(with key: borrowing AsymmetricKey) throws(OpenSSLError) -> DigestContext {
        let context = try DigestContext()
        var keyContext: OpaquePointer?
        try unsafe check(
            "EVP_DigestVerifyInit",
            EVP_DigestVerifyInit(context.pointer, &keyContext, FetchedDigest.sha256.pointer, nil, key.pointer))
        try unsafe setPadding(keyContext, for: key)
        return context
    }

    private static func setPadding(
        _ keyContext: OpaquePointer?, for key: borrowing AsymmetricKey
    ) throws(OpenSSLError) {
        guard key.type == .rsa else { return }
        try unsafe check(
            "EVP_PKEY_CTX_set_rsa_padding", EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PADDING))
    }

    /// The template stays as it is; each call works on a copy.
    ///
    /// The maximum is EVP_PKEY_get_size(3) of the key: "the maximum suitable size for the output buffers".
    borrowing func signature(for message: [UInt8], maximumCount: Int) throws(OpenSSLError) -> [UInt8] {
        let context = try copy()
        var result: CInt = 0
        let signature = unsafe [UInt8](unsafeUninitializedCapacity: maximumCount) { buffer, initialized in
            var count = maximumCount
            result = unsafe EVP_DigestSign(context.pointer, buffer.baseAddress, &count, message, message.count)
            initialized = result == 1 ? count : 0
        }
        try check("EVP_DigestSign", result)
        return signature
    }

    /// The template stays as it is; each call works on a copy.
    ///
    /// - Throws: where the library gave no answer, which is not the answer "no".
    borrowing func verifies(_ signature: [UInt8], for message: [UInt8]) throws(OpenSSLError) -> Bool {
        let context = try copy()
        let result = unsafe EVP_DigestVerify(
            context.pointer, signature, signature.count, message, message.count)
        // EVP_DigestVerify(3): "return 1 for success; any other value indicates failure. A return value of zero
        // indicates that the signature did not verify successfully …, while other values indicate a more serious error".
        switch result {
        case 1:
            return true
        case 0:
            ERR_clear_error()
            return false
        default:
            throw .drainingQueue("EVP_DigestVerify")
        }
    }
}
