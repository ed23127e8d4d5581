extension Settings {
    /// The section `server.tls`: the certificate of the public listener.
    ///
    /// The certificate and the key are not parsed here.
    package struct TLS: SettingsSection {
        /// The certificate and those of its authorities.
        package var certificate = CredentialsFile()
        /// The private key.
        package var key = CredentialsFile()
        /// How long browsers remember to use only TLS (RFC 6797); `nil` if the server does not tell them to.
        package var strictTransportSecurity: Duration? = .seconds(365 * 86400)

        static let keys: [Key<Self>] = [
            .key(
                "certificate", \.certificate,
                Rule({ $0.pemFile(isSecret: false) }, write: { $0.path }),
                required: "write the path of the certificate, such as /etc/token-exchange/fullchain.pem"),
            .key(
                "key", \.key,
                Rule({ $0.pemFile(isSecret: true) }, write: { $0.content.source.elided }),
                required: "write the path of the certificate's private key, such as /etc/token-exchange/privkey.pem"),
            .key(
                "strict_transport_security", \.strictTransportSecurity,
                .off(or: .duration(in: .seconds(60) ... .seconds(2 * 365 * 86400), inWholeSeconds: true))),
        ]
    }
}

extension Settings.Server {
    /// Whether only the contents of the certificate and its key differ, which a reload replaces.
    package func isSame(as other: Self) -> Bool {
        var copy = self
        if let tls, var replaced = other.tls {
            replaced.strictTransportSecurity = tls.strictTransportSecurity
            copy.tls = replaced
        }
        return copy == other
    }
}

extension Entry {
    /// Reads the absolute path of a PEM file, and the file.
    fileprivate func pemFile(isSecret: Bool) -> Settings.CredentialsFile? {
        let form = "write an absolute path, such as /etc/token-exchange/\(name).pem"
        guard writtenText?.contains("-----BEGIN ") != true else {
            return refusing("is a PEM text, which belongs in a file: \(form)")
        }
        guard let path = path().flatMap({ absolute($0, form) }), let text = secretFile(at: path, isSecret: isSecret)
        else { return nil }
        // One file may have both, as HAProxy has it.
        if !isSecret, text.contains("PRIVATE KEY-----") { _ = secretFile(at: path) }
        // Only the parser knows whether a file with blocks of several kinds has the right one.
        if !text.contains("-----BEGIN "),
            let damage = PEMText.damage(of: text, as: isSecret ? .privateKey : .certificate)
        {
            return refusing("the file \(path) \(damage)")
        }
        return Settings.CredentialsFile(path: path, text)
    }
}
