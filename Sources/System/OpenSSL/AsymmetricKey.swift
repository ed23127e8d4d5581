internal import COpenSSL

/// The sole owner of one `EVP_PKEY`.
///
/// It is never changed after it was made. EVP_PKEY objects count their references atomically, and libcrypto guards
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

    var bitCount: Int { unsafe Int(EVP_PKEY_get_bits(pointer)) }

    /// Nil where the curve is given by its parameters, not by a name.
    private var groupName: String? {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &count) == 1 else {
            ERR_clear_error()
            return nil
        }
        return String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// One of the key's numbers, big-endian, without leading zeros or in exactly `count` bytes.
    func number(_ name: String, count: Int? = nil) throws(OpenSSLError) -> [UInt8] {
        var number: OpaquePointer?
        // EVP_PKEY_get_bn_param(3): a null number is allocated, and is the caller's to free.
        try unsafe check("EVP_PKEY_get_bn_param", EVP_PKEY_get_bn_param(pointer, name, &number))
        defer { unsafe BN_clear_free(number) }
        let needed = unsafe (Int(BN_num_bits(number)) + 7) / 8
        let count = count ?? needed
        var bytes = [UInt8](repeating: 0, count: count)
        // BN_bn2binpad(3): "the number of bytes written or -1 if the supplied buffer is too small."
        guard unsafe BN_bn2binpad(number, &bytes, CInt(count)) == count else { throw .drainingQueue("BN_bn2binpad") }
        return bytes
    }

    /// A deep copy, which shares no lock with the original.
    func duplicate() throws(OpenSSLError) -> AsymmetricKey {
        unsafe AsymmetricKey(takingOwnershipOf: try check("EVP_PKEY_dup", EVP_PKEY_dup(pointer)))
    }
}
