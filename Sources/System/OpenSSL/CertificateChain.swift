internal import COpenSSL

/// A server's certificate and those behind it, in the order in which the server sends them (RFC 8446 §4.4.2).
@safe
package final class CertificateChain {
    /// Why a chain does not lead to a trusted authority.
    package enum Fault: Error, Equatable, Sendable {
        /// The server's own certificate has no other issuer than itself.
        case selfSigned
        /// The last certificate is a root that is not trusted.
        case untrustedRoot(String)
        /// Neither the chain nor the trusted authorities have the certificate with this name.
        case missing(String)
        /// OpenSSL refuses the chain for another reason, with this text.
        case invalid(String)
    }

    private let certificates: [OpaquePointer]

    private init?(_ certificates: [OpaquePointer?]) {
        unsafe self.certificates = certificates.compactMap { unsafe $0 }
        ERR_clear_error()
        guard unsafe !self.certificates.isEmpty, unsafe self.certificates.count == certificates.count else {
            return nil
        }
    }

    /// Reads certificates in DER; returns `nil` if there are none, or if one is malformed.
    package convenience init?(der: [[UInt8]]) {
        unsafe self.init(
            der.map { bytes in
                unsafe bytes.withUnsafeBufferPointer { bytes in
                    var cursor = bytes.baseAddress
                    return unsafe d2i_X509(nil, &cursor, bytes.count)
                }
            })
    }

    /// Reads all certificates of a PEM text; returns `nil` if there are none, or if one is malformed.
    package convenience init?(pem: String) {
        var found: [OpaquePointer?] = unsafe []
        let text = Array(pem.utf8)
        // BIO_new_mem_buf(3) keeps the pointer, so the BIO must not outlive the closure.
        unsafe text.withUnsafeBufferPointer { text in
            guard let bio = unsafe BIO_new_mem_buf(text.baseAddress, CInt(clamping: text.count)) else { return }
            defer { unsafe BIO_free(bio) }
            while let certificate = unsafe PEM_read_bio_X509(bio, nil, nil, nil) {
                unsafe found.append(certificate)
            }
        }
        unsafe self.init(found)
    }

    deinit { unsafe certificates.forEach { unsafe X509_free($0) } }

    /// Whether the first certificate names a host name or an IP address (RFC 9525).
    package func names(_ host: String) -> Bool {
        let flags = CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        defer { ERR_clear_error() }
        return unsafe X509_check_host(certificates[0], host, host.utf8.count, flags, nil) == 1
            || X509_check_ip_asc(certificates[0], host, 0) == 1
    }

    /// Whether a private key in PEM is that of the first certificate; `nil` if the text does not begin with a key without
    /// passphrase.
    package func isFirst(ofKey pem: String) -> Bool? {
        do throws(KeyError) {
            return try unsafe AsymmetricKey.privateKey(pem: pem).isKey(of: certificates[0])
        } catch {
            return nil
        }
    }

    /// The names that the first certificate has for clients, as OpenSSL prints them: `DNS:auth.example.com, IP
    /// Address:192.0.2.1`; `nil` if it has none.
    ///
    /// Only printable characters of ASCII are in the text, and at most 500 of them.
    package var subjectAlternativeNames: String? {
        defer { ERR_clear_error() }
        let place = unsafe X509_get_ext_by_NID(certificates[0], NID_subject_alt_name, -1)
        guard place >= 0, let memory = unsafe BIO_new(BIO_s_mem()) else { return nil }
        defer { unsafe BIO_free(memory) }
        guard unsafe X509V3_EXT_print(memory, X509_get_ext(certificates[0], place), 0, 0) == 1 else { return nil }
        var bytes: UnsafeMutablePointer<CChar>?
        let count = unsafe tx_bio_memory(memory, &bytes)
        guard let bytes = unsafe bytes, count > 0 else { return nil }
        let printed = unsafe UnsafeBufferPointer(start: bytes, count: min(count, 500)).map { UInt8(bitPattern: $0) }
        return String(decoding: printed.filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
    }

    /// When the first certificate is valid; `nil` if a date is malformed.
    package var dates: CertificateDates? { unsafe CertificateDates(certificates[0]) }

    /// The time in which all certificates are valid, in seconds since 1970-01-01T00:00:00Z; `nil` if a date is malformed.
    package var validity: (notBefore: Int64, notAfter: Int64)? {
        let dates = unsafe certificates.map { unsafe CertificateDates($0) }
        guard let begin = dates.map({ $0?.notBefore ?? .max }).max(),
            let end = dates.map({ $0?.notAfter ?? .min }).min(), begin < .max, end > .min
        else { return nil }
        return (begin, end)
    }

    /// The position of the first certificate that did not issue the one before it, counted from 1; `nil` if there is none.
    package var firstMisplaced: Int? {
        let place = unsafe certificates.indices.dropFirst().first { index in
            unsafe X509_check_issued(certificates[index], certificates[index - 1]) != X509_V_OK
        }
        return place.map { $0 + 1 }
    }

    /// Looks for a way from the first certificate to a trusted authority, in which the order does not matter.
    ///
    /// The dates are not checked; see ``validity``.
    ///
    /// - Parameter path: A PEM file with the trusted authorities.
    /// - Throws: ``Fault``, or ``OpenSSLError`` as ``Fault/invalid(_:)`` if the file cannot be read.
    package func verify(trusting path: String) throws(Fault) {
        defer { ERR_clear_error() }
        guard let store = unsafe X509_STORE_new() else { throw .invalid("no memory") }
        defer { unsafe X509_STORE_free(store) }
        guard unsafe X509_STORE_load_file(store, path) == 1 else { throw .invalid("\(path) cannot be read") }
        guard let context = unsafe X509_STORE_CTX_new(), let others = unsafe tx_certificates() else {
            throw .invalid("no memory")
        }
        // The certificates in the list stay ours.
        defer {
            unsafe X509_STORE_CTX_free(context)
            unsafe tx_free_list(others)
        }
        unsafe certificates.dropFirst().forEach { unsafe tx_append(others, $0) }
        guard unsafe X509_STORE_CTX_init(context, store, certificates[0], others) == 1,
            unsafe X509_STORE_CTX_set_default(context, "ssl_server") == 1
        else { throw .invalid("no memory") }
        unsafe X509_STORE_CTX_set_flags(context, CUnsignedLong(X509_V_FLAG_NO_CHECK_TIME))
        guard unsafe X509_verify_cert(context) != 1 else { return }
        let last = unsafe X509_STORE_CTX_get_current_cert(context)
        let code = unsafe X509_STORE_CTX_get_error(context)
        throw switch code {
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: .untrustedRoot(unsafe Self.text(X509_get_subject_name(last)))
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            .missing(unsafe Self.text(X509_get_issuer_name(last)))
        default: .invalid(unsafe String(cString: X509_verify_cert_error_string(Int(code))))
        }
    }

    private static func text(_ name: OpaquePointer?) -> String {
        // X509_NAME_oneline(3) escapes octets that are not printable.
        guard let name = unsafe name, let text = unsafe X509_NAME_oneline(name, nil, 0) else { return "unknown" }
        defer { unsafe tx_free(text) }
        return unsafe String(cString: text)
    }
}
