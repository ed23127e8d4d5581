internal import COpenSSL

/// The first block of a PEM text (RFC 7468), decoded from base64 and wiped when it is freed.
@safe
struct PEMBlock: ~Copyable {
    /// What stands between `-----BEGIN ` and `-----`.
    let label: String
    /// The old form of encryption, announced by header lines inside the block (RFC 1421 §4.6.1.1).
    let isEncryptedByHeader: Bool
    let bytes: UnsafeMutablePointer<UInt8>
    let count: Int

    /// Passes over `EC PARAMETERS`, which the openssl command writes before a key; what follows the block is not read.
    ///
    /// - Throws: ``KeyError/malformed`` where there is no block.
    init(_ text: String) throws(KeyError) {
        let parts = try unsafe Self.read(text)
        label = unsafe parts.label
        isEncryptedByHeader = unsafe parts.isEncryptedByHeader
        unsafe bytes = unsafe parts.bytes
        count = unsafe parts.count
    }

    deinit { unsafe tx_clear_free(bytes, count) }

    @unsafe
    private struct Parts {
        let label: String
        let isEncryptedByHeader: Bool
        let bytes: UnsafeMutablePointer<UInt8>
        let count: Int
    }

    private static func read(_ text: String) throws(KeyError) -> Parts {
        // BIO_new_mem_buf(3) keeps the pointer, so the BIO must not outlive the closure.
        try unsafe Array(text.utf8).withUnsafeBufferPointer { text throws(KeyError) in
            guard let bio = unsafe BIO_new_mem_buf(text.baseAddress, CInt(clamping: text.count)) else {
                throw .failed(.drainingQueue("BIO_new_mem_buf"))
            }
            defer { unsafe BIO_free(bio) }
            while let parts = unsafe next(in: bio) {
                guard unsafe parts.label == "EC PARAMETERS" else { return unsafe parts }
                unsafe tx_clear_free(parts.bytes, parts.count)
            }
            throw .malformed
        }
    }

    private static func next(in bio: OpaquePointer) -> Parts? {
        var name: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        let result = unsafe PEM_read_bio(bio, &name, &header, &bytes, &count)
        defer {
            unsafe tx_free(name)
            unsafe tx_free(header)
        }
        guard result == 1, let name = unsafe name, let header = unsafe header, let bytes = unsafe bytes else {
            ERR_clear_error()
            return nil
        }
        return unsafe Parts(
            label: String(cString: name), isEncryptedByHeader: String(cString: header).contains("ENCRYPTED"),
            bytes: bytes, count: count)
    }
}
