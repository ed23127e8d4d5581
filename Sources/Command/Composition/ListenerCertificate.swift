internal import Foundation
internal import JOSE
internal import OpenSSL
internal import Server
internal import Settings

/// The certificate of the public listener, as the configuration names it.
struct ListenerCertificate {
    let certificate: ServerCertificate
    private let dates: CertificateDates
    /// The path of the certificate's file.
    let path: String
    /// The certificate and those of its authorities.
    let pem: String

    /// Reads the certificate of a configuration.
    ///
    /// - Returns: `nil` if the configuration has no `server.tls`.
    /// - Throws: Exit 78 if the certificate or its key cannot be used, or if the certificate is not for the public URL.
    static func load(_ settings: Settings) throws -> ListenerCertificate? {
        guard let tls = settings.server.tls else { return nil }
        // Foundation keeps the brackets of an IPv6 address.
        let host = (URLComponents(string: settings.server.publicURL)?.host ?? "")
            .trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let dates: CertificateDates
        let certificate: ServerCertificate
        do {
            certificate = try ServerCertificate(
                chain: tls.certificate.content.secretText, key: tls.key.content.secretText)
            // NIOSSL has parsed the same text.
            guard let chain = CertificateChain(pem: tls.certificate.content.secretText), let read = chain.dates else {
                throw ServerCertificateError.malformedCertificate
            }
            guard chain.names(host) else {
                let found = chain.subjectAlternativeNames.map { ", but for \($0)" } ?? ": it has no subjectAltName"
                throw Exit.because(
                    "server.tls.certificate: \(tls.certificate.path) is not a certificate for \(host), the host of "
                        + "server.public_url\(found): get one that names this host", Exit.configuration)
            }
            dates = read
        } catch let error as ServerCertificateError {
            throw Exit.because("server.tls: \(error.advice(tls))", Exit.configuration)
        }
        return ListenerCertificate(
            certificate: certificate, dates: dates, path: tls.certificate.path, pem: tls.certificate.content.secretText)
    }

    /// The end of the certificate's validity, in seconds since 1970-01-01T00:00:00Z.
    var notAfter: Int64 { dates.notAfter }

    /// The whole days from `time` to the end of the validity; negative after it.
    func daysLeft(at time: NumericDate) -> Int64 { (dates.notAfter - Int64(time.seconds)) / 86400 }

    /// Whether clients accept the certificate's dates at `time`.
    func isValid(at time: NumericDate) -> Bool {
        let seconds = Int64(time.seconds)
        return dates.notBefore <= seconds && seconds <= dates.notAfter
    }

    /// Returns why clients refuse the certificate at `time`, or will within two weeks; otherwise `nil`.
    func warning(at time: NumericDate) -> String? {
        if Int64(time.seconds) < dates.notBefore { return "\(path) is not valid yet: check the clock of this machine" }
        guard isValid(at: time) else {
            let end = Date(timeIntervalSince1970: TimeInterval(dates.notAfter)).ISO8601Format()
            return "\(path) has expired at \(end): renew it, or clients refuse to connect"
        }
        let days = daysLeft(at: time)
        return days < 14 ? "\(path) expires in \(Counted.of(days, "day")): renew it" : nil
    }
}

extension ServerCertificateError {
    fileprivate func advice(_ tls: Settings.TLS) -> String {
        let key = tls.key.path
        return switch self {
        case .malformedCertificate:
            "\(tls.certificate.path) "
                + (PEMText.damage(of: tls.certificate.content.secretText, as: .certificate)
                    ?? "has a malformed certificate: write the server's own certificate in PEM, and after it those of its "
                    + "authorities")
        case .malformedKey:
            "\(key) "
                + (PEMText.damage(of: tls.key.content.secretText, as: .privateKey)
                    ?? "has a private key whose content is damaged: copy the whole file again")
        case .keyOfAnotherCertificate(let position?):
            "\(key) is the key of certificate \(position) in \(tls.certificate.path), and must be that of the first one: write "
                + "the server's own certificate first, and then each authority behind the one that it issued"
        case .keyOfAnotherCertificate(nil):
            "\(key) is not the key of the first certificate in \(tls.certificate.path): write the two files of one certificate"
        }
    }
}
