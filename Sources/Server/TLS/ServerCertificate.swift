internal import NIOSSL
internal import Synchronization

/// Why a certificate and its key cannot be used.
package enum ServerCertificateError: Error, Equatable, Sendable {
    /// The text has no certificate in PEM, or one of its certificates is malformed.
    case malformedCertificate
    /// The text has no private key in PEM, or one that is encrypted or malformed.
    case malformedKey
    /// The key is not the key of the first certificate.
    ///
    /// `position` is that of the certificate to which it belongs, counted from 1; `nil` if there is none in the text.
    case keyOfAnotherCertificate(position: Int?)
}

/// The certificate of a listener and its private key, which can be replaced while connections are open.
///
/// A connection keeps the certificate with which its handshake began. TLS 1.2 and 1.3 are spoken, with cipher suites that
/// have forward secrecy and authenticated encryption (RFC 9325 §4.2, RFC 9113 §9.2.2).
package final class ServerCertificate: Sendable {
    private let context: Mutex<NIOSSLContext>

    /// Reads a certificate and its key.
    ///
    /// The dates and the names of the certificate, and the chain to a root, are not checked.
    ///
    /// - Parameters:
    ///   - chain: The server's own certificate in PEM, and after it those of the authorities that lead to the root.
    ///   - key: The private key in PEM, without a passphrase.
    package init(chain: String, key: String) throws(ServerCertificateError) {
        context = Mutex(try Self.context(chain: chain, key: key))
    }

    /// Uses another certificate for the connections that begin from now on.
    ///
    /// - Parameter certificate: The certificate, which is not changed.
    package func replace(by certificate: ServerCertificate) {
        let new = certificate.current
        context.withLock { $0 = new }
    }

    var current: NIOSSLContext { context.withLock { $0 } }

    private static func context(chain: String, key: String) throws(ServerCertificateError) -> NIOSSLContext {
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(chain.utf8)), !certificates.isEmpty
        else { throw .malformedCertificate }
        // Without this callback, the library would ask for a passphrase on the terminal.
        guard
            let key = try? NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem, passphraseCallback: { $0([UInt8]()) })
        else { throw .malformedKey }
        if let context = context(certificates, key) { return context }
        // Authorities hand out the certificates in files of their own, and the root comes first in the order of trust.
        let place = certificates.firstIndex { context([$0], key) != nil }
        throw .keyOfAnotherCertificate(position: place.map { $0 + 1 })
    }

    /// Returns `nil` if the key is not that of the first certificate.
    private static func context(_ certificates: [NIOSSLCertificate], _ key: NIOSSLPrivateKey) -> NIOSSLContext? {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = cipherSuites
        configuration.applicationProtocols = ["h2", "http/1.1"]
        return try? NIOSSLContext(configuration: configuration)
    }

    /// The suites of TLS 1.2; those of TLS 1.3 are not configurable, and all of them are good.
    private static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]
}
