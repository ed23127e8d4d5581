internal import Curl
internal import Foundation
internal import JOSE
internal import Jansson
internal import OpenSSL
internal import Server
internal import Standards
internal import Transport

/// Whether applications reach this server at `server.public_url`, and trust its certificate as a browser does.
struct PublicAddressCheck {
    /// Returns the certificates that a host sends at a port; `nil` if there is no handshake.
    typealias Certificates = @Sendable (_ host: String, _ port: Int) async -> CertificateChain?

    private let url: String
    /// A client and its redirect URI by plain http, such as that of a desktop application; `nil` if there is none.
    private let plainRedirect: (clientID: String, uri: String)?
    private let transport: HTTPTransport
    private let time: TimeSource
    private let certificates: Certificates

    init(
        _ url: String, plainRedirect: (clientID: String, uri: String)? = nil, transport: HTTPTransport,
        time: TimeSource,
        certificates: @escaping Certificates = {
            await PeerCertificates.sent(by: $0, port: $1, timeout: .seconds(5)).flatMap { CertificateChain(der: $0) }
        }
    ) {
        self.url = url
        self.plainRedirect = plainRedirect
        self.transport = transport
        self.time = time
        self.certificates = certificates
    }

    private static let path = "/.well-known/oauth-authorization-server"

    func findings() async -> [Finding] {
        let document = url + Self.path
        let judged = await chainFindings()
        do throws(TransportError) {
            let answered = Self.finding(try await transport.send(OutboundRequest(.get, document)), at: url)
            return [answered] + (answered.severity == .ok ? await redirectFindings() : []) + judged
        } catch .untrusted where judged.contains(where: { $0.severity == .error }) {
            return judged
        } catch {
            return [Self.finding(error, at: url)] + judged
        }
    }

    /// Judges whether a proxy at the address turns `http` in the field `Location` into `https`.
    ///
    /// The request has no code challenge, so that the server sends the browser back with an error, and begins nothing.
    private func redirectFindings() async -> [Finding] {
        guard let (client, uri) = plainRedirect else { return [] }
        let request = Parameters([("response_type", "code"), ("client_id", client), ("redirect_uri", uri)])
        let response = try? await transport.send(OutboundRequest(.get, "\(url)/authorize?\(request.encoded)"))
        let changed = "https" + uri.dropFirst("http".count)
        guard response?[field: "Location"]?.hasPrefix(changed) == true else { return [] }
        return [
            Finding(
                "server.public_url", of: url, .error,
                "A proxy there changes the field Location: the browser is sent to \(VisibleText.of(changed)), and the redirect URI of "
                    + "\(client) is \(VisibleText.of(uri)).",
                remedy:
                    "Let the proxy pass Location unchanged: proxy_redirect off in nginx, no ProxyPassReverse in Apache."
            )
        ]
    }

    /// Judges the certificates that the address sends; returns nothing if it sends none.
    private func chainFindings() async -> [Finding] {
        guard let parts = URLComponents(string: url), parts.scheme == "https", let named = parts.host else { return [] }
        // Foundation keeps the brackets of an IPv6 address.
        let host = named.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        guard let chain = await certificates(host, parts.port ?? 443) else { return [] }
        return CertificateFindings.sent(
            chain, by: host, trusting: CurlConfiguration.distributionCABundle, at: time.now())
    }

    private static func finding(_ response: OutboundResponse, at url: String) -> Finding {
        let document = try? JSON.parse(response.body)
        let issuer = document?["issuer"]?.string
        guard response.status != 200 || issuer != url else {
            return Finding("server.public_url", of: url, .ok, "The server answers there.")
        }
        var text =
            issuer.map { "Another issuer answers there: \(VisibleText.of($0))." }
            ?? "The server's metadata is not there: the status of \(url + Self.path) is \(response.status)."
        var remedy =
            (issuer == nil
                ? "Correct "
                : "If that was server.public_url before, restart the server, because a reload keeps it. Otherwise correct ")
            + "server.public_url, or route this address to the server, with the path unchanged. With the status 502, 503 "
            + "or 504, start the server; if a firewall or delivery network answers, let it pass this path."
        switch response.status {
        case 300...399:
            guard let target = response[field: "Location"].flatMap({ Self.target(of: $0, from: url) }) else { break }
            text = "The address redirects to \(VisibleText.of(target))."
            remedy =
                (target.hasPrefix("/")
                    ? "Let what is in front of this server pass the path unchanged."
                    : "If that is the address of this server, write it as server.public_url.")
                + " If it is a page for signing in, let requests without a sign-in pass it."
        case 401, 403:
            text =
                "Something in front of this server demands a sign-in or a permission (status \(response.status))."
            remedy =
                "Let everyone call the address without one; if a firewall or delivery network answers, let it pass this path. On "
                + "Cloud Run, write the annotation run.googleapis.com/invoker-iam-disabled: \"true\", as "
                + "config/cloud-run/service.yaml has it."
        case 200 where document?.object == nil: text = "Something else answers there, and not this server."
        default: break
        }
        return Finding("server.public_url", of: url, .error, text, remedy: remedy)
    }

    /// The origin to which a redirect leads, or within the origin of `url` the path; `nil` if there is none.
    private static func target(of location: String, from url: String) -> String? {
        guard let base = URLComponents(string: url), let parts = URLComponents(string: location) else { return nil }
        let scheme = parts.scheme ?? base.scheme ?? "https"
        guard let host = parts.host, (scheme, host, parts.port) != (base.scheme, base.host, base.port) else {
            return parts.path.isEmpty ? nil : parts.path
        }
        return "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
    }

    private static func finding(_ error: TransportError, at url: String) -> Finding {
        if case .untrusted = error {
            return Finding(
                "server.public_url", of: url, .error, "No TLS connection can be made there: \(error.sentence).",
                remedy: error.advice
                    ?? "Offer TLS 1.2 or 1.3 there, with the whole chain of a certificate for this name.")
        }
        return Finding(
            "server.public_url", of: url, .skipped,
            "This machine gets no answer there: \(error.sentence). The server may not run yet, or this machine may not reach its "
                + "own public address.")
    }
}

/// The judgement of certificates, as browsers and applications make it.
enum CertificateFindings {
    /// Judges the certificates that a server sends.
    ///
    /// - Parameters:
    ///   - host: The host of `server.public_url`.
    ///   - path: A PEM file with the trusted authorities.
    /// - Returns: A finding for each fault, or one that says that there is none.
    static func sent(
        _ chain: CertificateChain, by host: String, trusting path: String, at now: NumericDate
    ) -> [Finding] {
        let faults =
            [name(chain, of: host), validity(chain, of: host, at: now), trust(chain, of: host, trusting: path)]
            .compactMap(\.self)
        guard faults.isEmpty else { return faults }
        return [Finding("tls.chain", of: host, .ok, "Browsers trust the certificates there.")]
    }

    /// Judges the file of `server.tls`, for what only the file can show.
    static func file(_ chain: CertificateChain, at file: String, trusting path: String) -> [Finding] {
        var findings: [Finding] = []
        if let place = chain.firstMisplaced {
            findings.append(
                Finding(
                    "server.certificate_order", of: file, .warning,
                    "Certificate \(place) in the file did not issue the one before it.",
                    remedy: "Write the server's own certificate first, and then each authority behind the one that it "
                        + "issued. Some clients do not sort them."))
        }
        do throws(CertificateChain.Fault) {
            try chain.verify(trusting: path)
        } catch .missing(let issuer) {
            findings.append(
                Finding(
                    "server.certificate_chain", of: file, .warning, "The file lacks the certificate of \(issuer).",
                    remedy: missingRemedy))
        } catch {
            // What clients think of the root is judged at the public address.
        }
        return findings
    }

    private static func name(_ chain: CertificateChain, of host: String) -> Finding? {
        guard !chain.names(host) else { return nil }
        return Finding(
            "tls.name", of: host, .error,
            "The certificate there is not for this name"
                + (chain.subjectAlternativeNames.map { ", but for \($0)." } ?? "."),
            remedy:
                "Get a certificate that names the host of server.public_url, and send it to clients that ask for it.")
    }

    private static func validity(_ chain: CertificateChain, of host: String, at now: NumericDate) -> Finding? {
        let id = "tls.dates"
        let remedy = "Renew the certificate, and check that its renewal reaches the server that sends it."
        guard let validity = chain.validity else {
            return Finding(id, of: host, .error, "A certificate has malformed dates.", remedy: remedy)
        }
        let seconds = Int64(now.seconds)
        guard validity.notBefore <= seconds else {
            return Finding(
                id, of: host, .error, "A certificate is not valid yet.", remedy: "Check the clock of this machine.")
        }
        guard seconds <= validity.notAfter else {
            return Finding(id, of: host, .error, "A certificate has expired.", remedy: remedy)
        }
        let days = (validity.notAfter - seconds) / 86400
        guard days < 14 else { return nil }
        return Finding(id, of: host, .warning, "A certificate expires in \(Counted.of(days, "day")).", remedy: remedy)
    }

    private static func trust(_ chain: CertificateChain, of host: String, trusting path: String) -> Finding? {
        let publicOnly = "Get a certificate of a public authority. Browsers and applications refuse this one."
        do throws(CertificateChain.Fault) {
            try chain.verify(trusting: path)
            return nil
        } catch {
            return switch error {
            case .selfSigned:
                Finding(
                    "tls.self_signed", of: host, .error, "The certificate there is self-signed.", remedy: publicOnly)
            case .untrustedRoot(let root):
                Finding(
                    "tls.authority", of: host, .error, "The authority \(root) is not one of those in \(path).",
                    remedy:
                        "If it is a public authority, update ca-certificates on this machine. Otherwise: \(publicOnly)")
            case .missing(let issuer):
                Finding(
                    "tls.chain", of: host, .error, "The server does not send the certificate of \(issuer).",
                    remedy: missingRemedy)
            case .invalid(let reason):
                Finding(
                    "tls.chain", of: host, .error, "The certificates there are refused: \(reason).", remedy: publicOnly)
            }
        }
    }

    private static let missingRemedy =
        "Append it to the certificate, as the authority offers it (often called fullchain). If it belongs to a private "
        + "authority, browsers trust none of its certificates."
}
