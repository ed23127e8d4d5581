internal import COpenSSL

/// The reason why a key is refused.
///
/// The error contains nothing of the key.
package enum KeyError: Error, Equatable, Sendable {
    /// The text is not PEM, its structure does not match its label, or its numbers are invalid.
    case malformed
    /// The key is protected by a passphrase, which a server cannot request.
    case encrypted
    case wrongType(expected: KeyType, found: KeyType)
    /// The size is not accepted. RSA keys must have 2048 to 4096 bits, AES keys 256.
    case unsupportedSize(bits: Int)
    /// The RSA exponent is even, 1, or longer than 64 bits.
    case weakExponent
    case pointNotOnCurve
    case certificateInsteadOfKey
    case publicKeyInsteadOfPrivate
    case privateKeyInsteadOfPublic
    /// The URI of a PKCS#11 token contains the PIN, which the engine would write to standard error.
    case pinInURI
    /// The public half does not verify signatures of the private half.
    case halvesDoNotMatch
    /// The library failed for a reason other than the key.
    case failed(OpenSSLError)
}

package enum KeyType: Equatable, Sendable {
    case rsa
    case p256
    case otherCurve
    case other
}

/// The sole owner of one `EVP_PKEY`.
///
/// The key never changes after it was made. EVP_PKEY objects count their references atomically, and libcrypto guards
/// what it caches inside them (openssl-threads(7)), so several threads may use one at once.
@safe
struct AsymmetricKey: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer

    init(takingOwnershipOf pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    var type: KeyType {
        // EVP_PKEY_is_a(3): "checks if the key type associated with pkey is name." RSA-PSS is a type of its own.
        if unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 { return .rsa }
        guard unsafe EVP_PKEY_is_a(pointer, "EC") == 1 else { return .other }
        return groupName == "prime256v1" ? .p256 : .otherCurve
    }

    /// The name of the curve; `nil` if the key contains parameters and no name.
    private var groupName: String? {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &count) == 1 else {
            ERR_clear_error()
            return nil
        }
        return String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns one of the key's numbers, big-endian, without leading zeros or padded to `count` bytes.
    func number(_ name: String, count: Int? = nil) throws(OpenSSLError) -> [UInt8] {
        var number: OpaquePointer?
        // EVP_PKEY_get_bn_param(3): if the number is null, it is allocated, and the caller must free it.
        try unsafe check("EVP_PKEY_get_bn_param", EVP_PKEY_get_bn_param(pointer, name, &number))
        defer { unsafe BN_clear_free(number) }
        let needed = unsafe (Int(BN_num_bits(number)) + 7) / 8
        let count = count ?? needed
        var bytes = [UInt8](repeating: 0, count: count)
        // BN_bn2binpad(3): "the number of bytes written or -1 if the supplied buffer is too small."
        guard unsafe BN_bn2binpad(number, &bytes, CInt(count)) == count else { throw .drainingQueue("BN_bn2binpad") }
        return bytes
    }

    /// Makes a deep copy, which shares no lock with the original.
    func duplicate() throws(OpenSSLError) -> AsymmetricKey {
        unsafe AsymmetricKey(takingOwnershipOf: try check("EVP_PKEY_dup", EVP_PKEY_dup(pointer)))
    }
}

extension AsymmetricKey {
    /// Makes a key from big-endian numbers, whose sizes are not checked here.
    static func rsaPublic(modulus: [UInt8], exponent: [UInt8]) throws(OpenSSLError) -> AsymmetricKey {
        // OSSL_PARAM_construct_BN(3) takes numbers in the byte order of the machine.
        var modulus = nativeOrder(modulus)
        var exponent = nativeOrder(exponent)
        let key = try unsafe modulus.withUnsafeMutableBufferPointer { modulus throws(OpenSSLError) in
            try unsafe exponent.withUnsafeMutableBufferPointer { exponent throws(OpenSSLError) in
                try unsafe fromData(
                    "RSA",
                    [
                        tx_param_rsa_modulus(modulus.baseAddress, modulus.count),
                        tx_param_rsa_exponent(exponent.baseAddress, exponent.count),
                        OSSL_PARAM_construct_end(),
                    ])
            }
        }
        return unsafe AsymmetricKey(takingOwnershipOf: key)
    }

    /// Makes a key from an uncompressed point (SEC 1 §2.3.3): 0x04, then x and y with the curve's number of bytes each.
    ///
    /// - Throws: ``OpenSSLError``, also for a point that is not on the curve.
    static func curvePublic(on curve: Curve, point: [UInt8]) throws(OpenSSLError) -> AsymmetricKey {
        var point = point
        let pointer = try unsafe point.withUnsafeMutableBufferPointer { point throws(OpenSSLError) in
            try unsafe fromData(
                "EC",
                [
                    tx_param_group(CInt(curve.bitCount)),
                    tx_param_public_point(point.baseAddress, point.count),
                    OSSL_PARAM_construct_end(),
                ])
        }
        let key = unsafe AsymmetricKey(takingOwnershipOf: pointer)
        let context = try KeyContext(of: key)
        try context.checkPublicKey()
        return key
    }

    /// Makes a key from the 32 bytes of RFC 8032 §5.1.5.
    ///
    /// - Throws: ``OpenSSLError``, also for another number of bytes.
    static func ed25519Public(_ bytes: [UInt8]) throws(OpenSSLError) -> AsymmetricKey {
        unsafe AsymmetricKey(
            takingOwnershipOf: try check(
                "EVP_PKEY_new_raw_public_key_ex",
                EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count)))
    }

    private static func nativeOrder(_ number: [UInt8]) -> [UInt8] {
        1.littleEndian == 1 ? number.reversed() : number
    }

    /// Makes a key, which the caller owns.
    private static func fromData(_ type: String, _ parameters: [OSSL_PARAM]) throws(OpenSSLError) -> OpaquePointer {
        let context = try KeyContext(type: type)
        return try unsafe context.publicKey(from: parameters)
    }
}

/// The sole owner of one `EVP_PKEY_CTX`, which makes and checks keys.
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

    /// Makes a key, which the caller owns.
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

    /// Checks that the coordinates are in range and that the point is on the curve and not infinity.
    borrowing func checkPublicKey() throws(OpenSSLError) {
        try unsafe check("EVP_PKEY_public_check", EVP_PKEY_public_check(context))
    }

    borrowing func generateRSA() throws(OpenSSLError) -> AsymmetricKey {
        try unsafe check("EVP_PKEY_keygen_init", EVP_PKEY_keygen_init(context))
        try unsafe check("EVP_PKEY_CTX_set_rsa_keygen_bits", EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048))
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
