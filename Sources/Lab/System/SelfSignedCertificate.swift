internal import COpenSSL
package import OpenSSL

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// OpenSSL could not create a certificate.
package struct CertificateError: Error, Equatable, Sendable {
    /// The name of the function that failed.
    package let function: String
}

extension RSAPrivateKey {
    /// A certificate of version 3 without extensions (RFC 5280), signed by this key and for this key.
    ///
    /// - Parameters:
    ///   - commonName: The name of subject and issuer, 1 to 64 characters (RFC 5280 §A.1, ub-common-name).
    ///   - serialNumber: A positive number.
    ///   - notBefore: Seconds since 1970-01-01T00:00:00Z.
    ///   - notAfter: Seconds since 1970-01-01T00:00:00Z, before the year 10000.
    /// - Returns: A block `CERTIFICATE` in PEM.
    /// - Throws: ``CertificateError``, for example if the name is too long.
    package func selfSignedCertificate(
        commonName: String, serialNumber: Int, notBefore: Int64, notAfter: Int64
    ) throws(CertificateError) -> String {
        let certificate = try unsafe check("X509_new", X509_new())
        defer { unsafe X509_free(certificate) }
        // X509_set_version(3): "The version number is zero-based", so that 2 is version 3.
        try unsafe check("X509_set_version", X509_set_version(certificate, 2))
        // X509_get_serialNumber(3): "an internal pointer which MUST NOT be freed up after the call."
        try unsafe check("ASN1_INTEGER_set", ASN1_INTEGER_set(X509_get_serialNumber(certificate), serialNumber))
        // X509_getm_notBefore(3): "an internal pointer which MUST NOT be freed up after the call."
        guard unsafe ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(notBefore)) != nil,
            unsafe ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(notAfter)) != nil
        else { throw .clearingQueue("ASN1_TIME_set") }
        let key = try unsafe openSSLKey()
        defer { unsafe EVP_PKEY_free(key) }
        // X509_set_pubkey(3): the certificate holds its own reference.
        try unsafe check("X509_set_pubkey", X509_set_pubkey(certificate, key))
        // X509_get_subject_name(3): "an internal pointer which MUST NOT be freed."
        let name = try unsafe check("X509_get_subject_name", X509_get_subject_name(certificate))
        let bytes = Array(commonName.utf8)
        try unsafe check(
            "X509_NAME_add_entry_by_txt",
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_FLAG, bytes, CInt(bytes.count), -1, 0))
        // X509_set_issuer_name(3): the name is copied.
        try unsafe check("X509_set_issuer_name", X509_set_issuer_name(certificate, name))
        // X509_sign(3): "return the size of the signature in bytes for success and zero for failure."
        guard unsafe X509_sign(certificate, key, EVP_sha256()) > 0 else { throw .clearingQueue("X509_sign") }
        let bio = try unsafe check("BIO_new", BIO_new(BIO_s_mem()))
        defer { unsafe BIO_free(bio) }
        try unsafe check("PEM_write_bio_X509", PEM_write_bio_X509(bio, certificate))
        var start: UnsafeMutablePointer<CChar>?
        // BIO_get_mem_data(3): the bytes belong to the BIO.
        let count = unsafe tx_bio_memory(bio, &start)
        return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// A copy of the key as libcrypto's own type, which the caller frees.
    ///
    /// The key is copied as PEM, so that the OpenSSL target need not expose its pointer.
    private func openSSLKey() throws(CertificateError) -> OpaquePointer {
        guard let pem = try? pem() else { throw .clearingQueue("PEM_write_bio_PKCS8PrivateKey") }
        // BIO_new_mem_buf(3) keeps the pointer, so the BIO must not outlive the closure.
        return try unsafe Array(pem.utf8).withUnsafeBufferPointer { bytes throws(CertificateError) in
            let bio = try unsafe check("BIO_new_mem_buf", BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count)))
            defer { unsafe BIO_free(bio) }
            return try unsafe check("PEM_read_bio_PrivateKey", PEM_read_bio_PrivateKey(bio, nil, nil, nil))
        }
    }
}

extension CertificateError {
    /// The error of the call that has just failed on this thread.
    ///
    /// It empties libcrypto's error queue. Otherwise the next caller on this thread would report a remaining error.
    fileprivate static func clearingQueue(_ function: String) -> Self {
        ERR_clear_error()
        return Self(function: function)
    }
}

/// Throws unless `result` is 1, which these functions return for success.
private func check(_ function: String, _ result: CInt) throws(CertificateError) {
    guard result == 1 else { throw .clearingQueue(function) }
}

/// Throws if `pointer` is null.
private func check(_ function: String, _ pointer: OpaquePointer?) throws(CertificateError) -> OpaquePointer {
    guard let pointer = unsafe pointer else { throw .clearingQueue(function) }
    return unsafe pointer
}
