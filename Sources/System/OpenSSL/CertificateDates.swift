internal import COpenSSL

/// When a certificate is valid (RFC 5280 §4.1.2.5), in seconds since 1970-01-01T00:00:00Z.
package struct CertificateDates: Sendable, Equatable {
    package let notBefore: Int64
    package let notAfter: Int64

    /// Reads the dates of the first certificate of a PEM text; returns `nil` if it has none, or if one of its certificates is
    /// malformed.
    ///
    /// The signature of the certificate is not checked.
    package init?(pem: String) {
        guard let dates = CertificateChain(pem: pem)?.dates else { return nil }
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
