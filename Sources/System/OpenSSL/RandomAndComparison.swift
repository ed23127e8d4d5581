internal import COpenSSL

/// The random generator of OpenSSL, seeded by the operating system and reseeded after a fork.
package enum SecureRandom {
    package static func bytes(_ count: Int) throws(OpenSSLError) -> [UInt8] {
        var result: CInt = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // RAND_bytes(3): "return 1 on success, -1 if not supported by the current RAND method, or 0 on other failure."
            result = unsafe RAND_bytes(buffer.baseAddress, CInt(count))
            initialized = result == 1 ? count : 0
        }
        try check("RAND_bytes", result)
        return bytes
    }
}

/// Whether both arrays are equal, in a time that depends only on their length.
///
/// Arrays of different lengths return immediately. If the length is secret, compare digests.
package func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return unsafe a.withUnsafeBytes { a in
        unsafe b.withUnsafeBytes { b in
            unsafe a.isEmpty || CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
        }
    }
}
