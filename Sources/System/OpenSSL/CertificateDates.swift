internal import COpenSSL

/// When a certificate is valid (RFC 5280 §4.1.2.5), in seconds since 1970-01-01T00:00:00Z.
package struct CertificateDates: Sendable, Equatable {
    package let notBefore: Int64
    package let notAfter: Int64

    /// Reads the dates of the first certificate of a PEM text.
    ///
    /// The signature of the certificate is not checked. The result is `nil` if the text does not begin with a certificate,
    /// or if that one does not name the host.
    ///
    /// - Parameters:
    ///   - pem: One certificate, or several.
    ///   - host: The host name or the IP address that the certificate must name (RFC 9525); `nil` if it need not name any.
    package init?(pem: String, for host: String?) {
        guard let block = try? PEMBlock(pem), block.label == "CERTIFICATE" else { return nil }
        var cursor: UnsafePointer<UInt8>? = unsafe UnsafePointer(block.bytes)
        guard let certificate = unsafe d2i_X509(nil, &cursor, block.count) else {
            ERR_clear_error()
            return nil
        }
        defer { unsafe X509_free(certificate) }
        guard let host else {
            guard let dates = unsafe CertificateDates(certificate) else { return nil }
            self = dates
            return
        }
        // X509_check_host(3) and X509_check_ip_asc(3): 1 for a match, 0 otherwise, negative for an error such as a text
        // that is no address.
        // RFC 9525 §2: clients compare no part of the subject.
        let flags = CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        let isNamed =
            unsafe X509_check_host(certificate, host, host.utf8.count, flags, nil) == 1
            || X509_check_ip_asc(certificate, host, 0) == 1
        ERR_clear_error()
        guard isNamed, let dates = unsafe CertificateDates(certificate) else { return nil }
        self = dates
    }

    /// Reads the dates of a certificate; returns `nil` if one is malformed.
    init?(_ certificate: OpaquePointer) {
        guard let begin = unsafe Self.seconds(X509_get0_notBefore(certificate)),
            let end = unsafe Self.seconds(X509_get0_notAfter(certificate))
        else { return nil }
        (notBefore, notAfter) = (begin, end)
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var days: CInt = 0
        var seconds: CInt = 0
        guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { return nil }
        defer { unsafe ASN1_TIME_free(epoch) }
        // ASN1_TIME_diff(3): both numbers have the same sign. For a null time it would use the current one.
        guard unsafe time != nil, unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * 86400 + Int64(seconds)
    }
}
