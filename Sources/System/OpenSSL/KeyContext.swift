internal import COpenSSL

/// The sole owner of one `EVP_PKEY_CTX`: making keys, and checking them.
@safe
struct KeyContext: ~Copyable {
    private let context: OpaquePointer

    init(type: String) throws(OpenSSLError) {
        unsafe context = try check("EVP_PKEY_CTX_new_from_name", EVP_PKEY_CTX_new_from_name(nil, type, nil))
    }

    init(of key: borrowing AsymmetricKey) throws(OpenSSLError) {
        unsafe context = try check(
            "EVP_PKEY_CTX_new_from_pkey", EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil))
    }

    deinit { unsafe EVP_PKEY_CTX_free(context) }

    /// The caller owns what it gets.
    borrowing func publicKey(from parameters: [OSSL_PARAM]) throws(OpenSSLError) -> OpaquePointer {
        try unsafe check("EVP_PKEY_fromdata_init", EVP_PKEY_fromdata_init(context))
        var parameters = unsafe parameters
        var key: OpaquePointer?
        let result = unsafe EVP_PKEY_fromdata(context, &key, tx_select_public_key(), &parameters)
        guard result == 1, let key = unsafe key else {
            unsafe EVP_PKEY_free(key)
            throw .drainingQueue("EVP_PKEY_fromdata")
        }
        return unsafe key
    }

    /// For a curve: the coordinates are in range, the point is on the curve and is not infinity.
    borrowing func checkPublicKey() throws(OpenSSLError) {
        try unsafe check("EVP_PKEY_public_check", EVP_PKEY_public_check(context))
    }

    borrowing func generateRSA(bitCount: Int) throws(OpenSSLError) -> AsymmetricKey {
        try unsafe check("EVP_PKEY_keygen_init", EVP_PKEY_keygen_init(context))
        try unsafe check(
            "EVP_PKEY_CTX_set_rsa_keygen_bits", EVP_PKEY_CTX_set_rsa_keygen_bits(context, CInt(bitCount)))
        return try generate()
    }

    borrowing func generateP256() throws(OpenSSLError) -> AsymmetricKey {
        try unsafe check("EVP_PKEY_keygen_init", EVP_PKEY_keygen_init(context))
        try unsafe check("EVP_PKEY_CTX_set_group_name", EVP_PKEY_CTX_set_group_name(context, "P-256"))
        return try generate()
    }

    private borrowing func generate() throws(OpenSSLError) -> AsymmetricKey {
        var key: OpaquePointer?
        let result = unsafe EVP_PKEY_generate(context, &key)
        guard result == 1, let key = unsafe key else { throw .drainingQueue("EVP_PKEY_generate") }
        return unsafe AsymmetricKey(takingOwnershipOf: key)
    }
}
