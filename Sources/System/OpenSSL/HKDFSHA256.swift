internal import COpenSSL

/// The key derivation function HKDF with SHA-256, extract and expand (RFC 5869).
package enum HKDFSHA256 {
    /// Derives 1 to 8160 bytes, which depend only on the arguments.
    ///
    /// The limit is 255 times the length of the hash (RFC 5869 §2.3).
    ///
    /// - Throws: ``OpenSSLError`` if `secret` is empty or `count` is out of range.
    package static func derive(
        from secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int
    ) throws(OpenSSLError) -> [UInt8] {
        // libcrypto would accept an empty secret and derive keys that anyone can compute.
        guard !secret.isEmpty else { throw OpenSSLError(function: "EVP_KDF_derive", reasons: ["missing key"]) }
        let context = try KeyDerivation()
        // The parameters point into these arrays. OpenSSL only reads them.
        var secret = secret
        var salt = salt
        var info = info
        return try unsafe secret.withUnsafeMutableBufferPointer { secret throws(OpenSSLError) in
            try unsafe salt.withUnsafeMutableBufferPointer { salt throws(OpenSSLError) in
                try unsafe info.withUnsafeMutableBufferPointer { info throws(OpenSSLError) in
                    let parameters = unsafe [
                        tx_param_kdf_sha256(),
                        tx_param_kdf_key(secret.baseAddress, secret.count),
                        tx_param_kdf_salt(salt.baseAddress, salt.count),
                        tx_param_kdf_info(info.baseAddress, info.count),
                        OSSL_PARAM_construct_end(),
                    ]
                    return try unsafe context.derive(count: count, parameters)
                }
            }
        }
    }
}

/// The sole owner of one `EVP_KDF_CTX`, which wipes the secret when it is freed.
@safe
private struct KeyDerivation: ~Copyable {
    private let context: OpaquePointer

    init() throws(OpenSSLError) {
        unsafe context = try Self.make()
    }

    private static func make() throws(OpenSSLError) -> OpaquePointer {
        let function = try unsafe check("EVP_KDF_fetch", EVP_KDF_fetch(nil, "HKDF", nil))
        // EVP_KDF_CTX_new(3) takes its own reference to the function.
        defer { unsafe EVP_KDF_free(function) }
        return try unsafe check("EVP_KDF_CTX_new", EVP_KDF_CTX_new(function))
    }

    borrowing func derive(count: Int, _ parameters: [OSSL_PARAM]) throws(OpenSSLError) -> [UInt8] {
        var result: CInt = 0
        let derived = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            result = unsafe EVP_KDF_derive(context, buffer.baseAddress, count, parameters)
            initialized = result == 1 ? count : 0
        }
        try check("EVP_KDF_derive", result)
        return derived
    }

    deinit { unsafe EVP_KDF_CTX_free(context) }
}
