internal import COpenSSL

extension AsymmetricKey {
    /// Takes both numbers big-endian; their sizes are not checked here.
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

    /// Takes the point uncompressed, SEC 1 §2.3.3: 0x04, then x and y with 32 bytes each.
    /// - Throws: for a point that is not on the curve, too.
    static func p256Public(point: [UInt8]) throws(OpenSSLError) -> AsymmetricKey {
        var point = point
        let pointer = try unsafe point.withUnsafeMutableBufferPointer { point throws(OpenSSLError) in
            try unsafe fromData(
                "EC",
                [
                    tx_param_group_p256(),
                    tx_param_public_point(point.baseAddress, point.count),
                    OSSL_PARAM_construct_end(),
                ])
        }
        let key = unsafe AsymmetricKey(takingOwnershipOf: pointer)
        let context = try KeyContext(of: key)
        try context.checkPublicKey()
        return key
    }

    private static func nativeOrder(_ number: [UInt8]) -> [UInt8] {
        1.littleEndian == 1 ? number.reversed() : number
    }

    /// The caller owns what it gets.
    private static func fromData(_ type: String, _ parameters: [OSSL_PARAM]) throws(OpenSSLError) -> OpaquePointer {
        let context = try KeyContext(type: type)
        return try unsafe context.publicKey(from: parameters)
    }
}
