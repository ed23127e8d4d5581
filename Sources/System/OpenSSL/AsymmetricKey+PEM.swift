internal import COpenSSL

extension AsymmetricKey {
    /// Reads an unencrypted `PRIVATE KEY` (PKCS#8), `RSA PRIVATE KEY` (PKCS#1) or `EC PRIVATE KEY` (SEC 1).
    static func privateKey(pem: String) throws(KeyError) -> AsymmetricKey {
        let block = try PEMBlock(pem)
        switch block.label {
        case "ENCRYPTED PRIVATE KEY": throw .encrypted
        case "PUBLIC KEY", "RSA PUBLIC KEY": throw .publicKeyInsteadOfPrivate
        case _ where block.label.hasSuffix("CERTIFICATE"): throw .certificateInsteadOfKey
        case _ where block.label.hasSuffix("PRIVATE KEY"): break
        default: throw .malformed
        }
        guard !block.isEncryptedByHeader else { throw .encrypted }
        var cursor: UnsafePointer<UInt8>? = unsafe UnsafePointer(block.bytes)
        // No passphrase is requested here: unlike PEM_read_bio_PrivateKey(3), d2i_AutoPrivateKey(3) has no prompt.
        guard let key = unsafe d2i_AutoPrivateKey(nil, &cursor, block.count) else {
            ERR_clear_error()
            throw .malformed
        }
        return unsafe AsymmetricKey(takingOwnershipOf: key)
    }

    /// Reads `PUBLIC KEY` (SubjectPublicKeyInfo) or the key of a `CERTIFICATE`.
    ///
    /// Neither the signature nor the dates of a certificate are checked.
    static func publicKey(pem: String) throws(KeyError) -> AsymmetricKey {
        let block = try PEMBlock(pem)
        var cursor: UnsafePointer<UInt8>? = unsafe UnsafePointer(block.bytes)
        let key: OpaquePointer?
        switch block.label {
        case "PUBLIC KEY":
            unsafe key = unsafe d2i_PUBKEY(nil, &cursor, block.count)
        case "CERTIFICATE":
            let certificate = unsafe d2i_X509(nil, &cursor, block.count)
            defer { unsafe X509_free(certificate) }
            // X509_get_pubkey(3): "with its reference count incremented: this means the returned key must be freed up
            // after use." For a null certificate it returns null.
            unsafe key = unsafe X509_get_pubkey(certificate)
        case _ where block.label.hasSuffix("PRIVATE KEY"):
            throw .privateKeyInsteadOfPublic
        default:
            throw .malformed
        }
        guard let key = unsafe key else {
            ERR_clear_error()
            throw .malformed
        }
        return unsafe AsymmetricKey(takingOwnershipOf: key)
    }

    /// Whether this is the key of a certificate.
    func isKey(of certificate: OpaquePointer) -> Bool {
        defer { ERR_clear_error() }
        return unsafe X509_check_private_key(certificate, pointer) == 1
    }

    /// The private key as unencrypted PKCS#8.
    func privatePEM() throws(OpenSSLError) -> String {
        let bio = try unsafe check("BIO_new", BIO_new(BIO_s_mem()))
        // A memory BIO wipes its buffer when it is freed (BUF_MEM_free(3)).
        defer { unsafe BIO_free(bio) }
        try unsafe check(
            "PEM_write_bio_PKCS8PrivateKey", PEM_write_bio_PKCS8PrivateKey(bio, pointer, nil, nil, 0, nil, nil))
        return unsafe Self.text(in: bio)
    }

    /// The public half as SubjectPublicKeyInfo.
    func publicPEM() throws(OpenSSLError) -> String {
        let bio = try unsafe check("BIO_new", BIO_new(BIO_s_mem()))
        defer { unsafe BIO_free(bio) }
        try unsafe check("PEM_write_bio_PUBKEY", PEM_write_bio_PUBKEY(bio, pointer))
        return unsafe Self.text(in: bio)
    }

    static func text(in bio: OpaquePointer) -> String {
        var start: UnsafeMutablePointer<CChar>?
        // BIO_get_mem_data(3): the BIO remains the owner of the bytes.
        let count = unsafe tx_bio_memory(bio, &start)
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    /// This text of a key in PEM, with a line break for each `\n` in two characters.
    ///
    /// A key has these after its JSON was escaped twice, and in files of variables. PEM contains no backslash (RFC 7468 §3), so
    /// that nothing else changes.
    package var withPEMLineBreaks: String {
        guard contains("-----BEGIN ") else { return self }
        return replacing("\\r", with: "").replacing("\\n", with: "\n")
    }
}

/// The first block of a PEM text (RFC 7468), decoded from base64 and wiped when it is freed.
@safe
struct PEMBlock: ~Copyable {
    /// The text between `-----BEGIN ` and `-----`.
    let label: String
    /// Whether header lines inside the block announce the old form of encryption (RFC 1421 §4.6.1.1).
    let isEncryptedByHeader: Bool
    let bytes: UnsafeMutablePointer<UInt8>
    let count: Int

    /// Reads the first block that is not `EC PARAMETERS`, which the openssl command writes before a key.
    ///
    /// Text after the block is ignored.
    ///
    /// - Throws: ``KeyError/malformed`` if there is no block.
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
