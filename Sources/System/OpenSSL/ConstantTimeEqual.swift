internal import COpenSSL

/// Whether both hold the same bytes, in a time that depends on their length alone.
///
/// Different lengths are told apart at once; compare digests where the length itself is secret.
package func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return unsafe a.withUnsafeBytes { a in
        unsafe b.withUnsafeBytes { b in
            unsafe a.isEmpty || CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
        }
    }
}
