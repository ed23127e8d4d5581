internal import COpenSSL

extension AsymmetricKey {
    /// A certificate of version 3 without extensions, by the key for itself, as `CERTIFICATE` in PEM.
    ///
    /// - `commonName`: of subject and issuer, 1 to 64 characters (RFC 5280 §A.1, ub-common-name).
    /// - `notBefore`, `notAfter`: seconds since 1970-01-01T00:00:00Z.
    func selfSignedCertificate(
        commonName: String, serialNumber: Int, notBefore: Int64, notAfter: Int64
    ) throws(OpenSSLError) -> String {
        let certificate = try unsafe check("X509_new", X509_new())
        defer { unsafe X509_free(certificate) }
        // X509_set_version(3): "The version number is zero-based", so that 2 is version 3.
        try unsafe check("X509_set_version", X509_set_version(certificate, 2))
        // X509_get_serialNumber(3): "an internal pointer which MUST NOT be freed up after the call."
        try unsafe check("ASN1_INTEGER_set", ASN1_INTEGER_set(X509_get_serialNumber(certificate), serialNumber))
        // X509_getm_notBefore(3): "an internal pointer which MUST NOT be freed up after the call."
        guard unsafe ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(notBefore)) != nil,
            unsafe ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(notAfter)) != nil
        else { throw .drainingQueue("ASN1_TIME_set") }
        // X509_set_pubkey(3): the certificate takes a reference of its own.
        try unsafe check("X509_set_pubkey", X509_set_pubkey(certificate, pointer))
        // X509_get_subject_name(3): "an internal pointer which MUST NOT be freed."
        let name = try unsafe check("X509_get_subject_name", X509_get_subject_name(certificate))
        let bytes = Array(commonName.utf8)
        try unsafe check(
            "X509_NAME_add_entry_by_txt",
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_FLAG, bytes, CInt(bytes.count), -1, 0))
        // X509_set_issuer_name(3): the name is copied.
        try unsafe check("X509_set_issuer_name", X509_set_issuer_name(certificate, name))
        // X509_sign(3): "return the size of the signature in bytes for success and zero for failure."
        guard unsafe X509_sign(certificate, pointer, EVP_sha256()) > 0 else { throw .drainingQueue("X509_sign") }
        let bio = try unsafe check("BIO_new", BIO_new(BIO_s_mem()))
        defer { unsafe BIO_free(bio) }
        try unsafe check("PEM_write_bio_X509", PEM_write_bio_X509(bio, certificate))
        return unsafe Self.text(in: bio)
    }
}
