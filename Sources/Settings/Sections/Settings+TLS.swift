extension Settings {
    /// The section `server.tls`: the certificate of the public listener.
    ///
    /// The certificate and the key are not parsed here.
    package struct TLS: Sendable, Equatable {
        /// The absolute path of the certificate and those of its authorities, in PEM.
        package let certificatePath: String
        package let certificate: String
        /// The private key in PEM.
        package let key: SecretValue
        /// How long browsers remember to use only TLS (RFC 6797); `nil` if the server does not tell them to.
        package let strictTransportSecurity: Duration?
    }
}

extension Settings.TLS {
    static let keys = ["certificate", "key", "strict_transport_security"]
    private static let oneYear = Duration.seconds(365 * 86400)
    private static let strictTransportSecurities: ClosedRange<Duration> = .seconds(60) ... .seconds(2 * 365 * 86400)

    static func read(_ section: Section) -> Self? {
        let certificate = section.required(
            "certificate", "write the path of the certificate, such as /etc/token-exchange/fullchain.pem"
        )?.pemFile(isSecret: false)
        let key = section.required(
            "key", "write the path of the certificate's private key, such as /etc/token-exchange/privkey.pem"
        )?.pemFile(isSecret: true)
        let strictTransportSecurity = readStrictTransportSecurity(section)
        guard let certificate, let key, let strictTransportSecurity else { return nil }
        return Self(
            certificatePath: certificate.path, certificate: certificate.text,
            key: SecretValue(secretText: key.text, source: .file(path: key.path)),
            strictTransportSecurity: strictTransportSecurity)
    }

    /// The outer optional is `nil` if the value is refused, and the inner one if it is `off`.
    private static func readStrictTransportSecurity(_ section: Section) -> Duration?? {
        guard let entry = section["strict_transport_security"] else { return .some(oneYear) }
        if entry.isOff { return .some(nil) }
        guard let duration = entry.duration(in: strictTransportSecurities, inWholeSeconds: true) else { return nil }
        return .some(duration)
    }
}

extension Settings.Server {
    /// Whether only the contents of the certificate and its key differ, which a reload replaces.
    package func isSame(as other: Self) -> Bool {
        Self(
            listen: listen, adminListen: adminListen, publicURL: publicURL, trustedProxies: trustedProxies,
            proxyProtocol: proxyProtocol, maximumInFlight: maximumInFlight, drainDelay: drainDelay,
            drainTimeout: drainTimeout, reloadInterval: reloadInterval, tls: other.tls) == other
            && (tls == nil) == (other.tls == nil)
            && tls?.strictTransportSecurity == other.tls?.strictTransportSecurity
    }
}

extension Entry {
    /// Reads the absolute path of a PEM file, and the file.
    fileprivate func pemFile(isSecret: Bool) -> (path: String, text: String)? {
        guard let path = text() else { return nil }
        guard path.hasPrefix("/") else {
            return refusing("write an absolute path, such as /etc/token-exchange/\(name).pem")
        }
        guard let text = secretFile(at: path, isSecret: isSecret) else { return nil }
        // Only the parser knows whether a file with blocks of several kinds has the right one.
        if !text.contains("-----BEGIN "),
            let damage = PEMText.damage(of: text, as: isSecret ? .privateKey : .certificate)
        {
            return refusing("the file \(path) \(damage)")
        }
        return (path, text)
    }
}
