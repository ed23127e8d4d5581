internal import COpenSSL

/// The padding of an RSA signature (RFC 8017 §8).
package enum RSAPadding: Sendable {
    /// RSASSA-PKCS1-v1_5.
    case pkcs1
    /// RSASSA-PSS, with MGF1 and the same hash function.
    case pss
}

/// The sole owner of one `EVP_MD_CTX`.
@safe
struct DigestContext: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer

    init() throws(OpenSSLError) {
        unsafe pointer = try check("EVP_MD_CTX_new", EVP_MD_CTX_new())
    }

    deinit { unsafe EVP_MD_CTX_free(pointer) }

    /// Makes a copy of the context in its current state.
    ///
    /// EVP_MD_CTX_copy_ex(3): "This is useful if large amounts of data are to be hashed which only differ in the last
    /// few bytes"; here it saves fetching the algorithm and setting the key for each signature. The original is only
    /// read, so several threads may copy it concurrently.
    borrowing func copy() throws(OpenSSLError) -> DigestContext {
        let copy = try DigestContext()
        try unsafe check("EVP_MD_CTX_copy_ex", EVP_MD_CTX_copy_ex(copy.pointer, pointer))
        return copy
    }

    /// A template for signing with SHA-256: RSASSA-PKCS1-v1_5 for an RSA key, ECDSA for a key on a curve.
    static func signing(with key: borrowing AsymmetricKey) throws(OpenSSLError) -> DigestContext {
        let context = try DigestContext()
        var keyContext: OpaquePointer?
        // EVP_DigestSignInit(3): "The EVP_PKEY_CTX value returned must not be freed directly by the application".
        try unsafe check(
            "EVP_DigestSignInit",
            EVP_DigestSignInit(context.pointer, &keyContext, FetchedDigest.sha256.pointer, nil, key.pointer))
        if key.type == .rsa { try unsafe set(.pkcs1, keyContext) }
        return context
    }

    /// A template for verifying signatures that the owner of an RSA key made.
    static func verification(
        with key: borrowing AsymmetricKey, _ padding: RSAPadding, _ digest: SHA2
    ) throws(OpenSSLError) -> DigestContext {
        let context = try DigestContext()
        let keyContext = try unsafe context.beginVerification(with: key, digest.fetched.pointer)
        try unsafe set(padding, keyContext)
        return context
    }

    /// A template for verifying ECDSA signatures.
    static func verification(with key: borrowing AsymmetricKey, _ digest: SHA2) throws(OpenSSLError) -> DigestContext {
        let context = try DigestContext()
        _ = try unsafe context.beginVerification(with: key, digest.fetched.pointer)
        return context
    }

    /// A template for verifying Ed25519 signatures, whose hash function is a part of the algorithm (RFC 8032 §5.1).
    static func ed25519Verification(with key: borrowing AsymmetricKey) throws(OpenSSLError) -> DigestContext {
        let context = try DigestContext()
        _ = try unsafe context.beginVerification(with: key, nil)
        return context
    }

    private borrowing func beginVerification(
        with key: borrowing AsymmetricKey, _ digest: OpaquePointer?
    ) throws(OpenSSLError) -> OpaquePointer? {
        var keyContext: OpaquePointer?
        try unsafe check(
            "EVP_DigestVerifyInit", EVP_DigestVerifyInit(pointer, &keyContext, digest, nil, key.pointer))
        return unsafe keyContext
    }

    private static func set(_ padding: RSAPadding, _ keyContext: OpaquePointer?) throws(OpenSSLError) {
        switch padding {
        case .pkcs1:
            try unsafe check(
                "EVP_PKEY_CTX_set_rsa_padding", EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PADDING))
        case .pss:
            try unsafe check(
                "EVP_PKEY_CTX_set_rsa_padding", EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING))
            // RFC 7518 §3.5: "The size of the salt value is the same size as the hash function output."
            try unsafe check(
                "EVP_PKEY_CTX_set_rsa_pss_saltlen",
                EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, CInt(RSA_PSS_SALTLEN_DIGEST)))
        }
    }

    /// Signs a message with a copy of this template, which does not change.
    ///
    /// - Parameter maximumCount: EVP_PKEY_get_size(3) of the key: "the maximum suitable size for the output buffers".
    /// - Throws: ``OpenSSLError`` if the library does not sign.
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

    /// Verifies a signature with a copy of this template, which does not change.
    ///
    /// - Throws: ``OpenSSLError`` if the library could not decide, which differs from an invalid signature.
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
