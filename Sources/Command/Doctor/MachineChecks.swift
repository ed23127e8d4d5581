internal import Curl
internal import Foundation
internal import JOSE
internal import OpenSSL
internal import Server
internal import Settings
internal import Synchronization
internal import Transport

/// Checks of this machine: files, and limits of the process.
struct MachineChecks {
    private let settings: Settings

    private let certificate: ListenerCertificate?
    private let time: TimeSource
    private let environment: [String: String]

    /// Reads the certificate of the public listener.
    ///
    /// - Throws: Exit 78 for a certificate that `serve` would refuse.
    init(
        _ settings: Settings, time: TimeSource, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        self.settings = settings
        self.time = time
        self.environment = environment
        certificate = try ListenerCertificate.load(settings)
    }

    func findings() -> [Finding] {
        let files = settings.warnings.map { problem in
            Finding(
                "configuration", .warning, "\(problem)",
                remedy: "Change this setting, or the file or folder that it names.")
        }
        return
            (files.isEmpty
            ? [Finding("configuration", .ok, "The configuration, and every file that it names, can be read.")] : files)
            + [descriptors] + clientAddressFindings + proxyFindings + certificateFindings
    }

    private var clientAddressFindings: [Finding] {
        let server = settings.server
        guard server.publicURL.hasPrefix("https:"), server.tls == nil, server.trustedProxies.isEmpty else { return [] }
        return [
            Finding(
                "server.trusted_proxies", .warning,
                "server.public_url has https and server.tls is not written, so that a proxy in front of this server ends TLS. "
                    + "The server trusts no proxy: all people share the limits of the proxy's address.",
                remedy:
                    "Write the network of the proxy in server.trusted_proxies, such as 127.0.0.1/32, and let the proxy send "
                    + "X-Forwarded-For.")
        ]
    }

    private var proxyFindings: [Finding] {
        guard let proxy = settings.server.outboundProxy else {
            return ["HTTPS_PROXY", "https_proxy"].filter { environment[$0]?.isEmpty == false }.prefix(1).map { name in
                Finding(
                    "server.outbound_proxy", .info,
                    "The variable \(name) is set, and this server does not read it: its calls go through no proxy. If they need "
                        + "one, write it as server.outbound_proxy.")
            }
        }
        let exemptions = settings.server.proxyExemptions.map { ", \($0)" }.joined()
        return [
            Finding(
                "server.outbound_proxy", .info,
                "Calls by https go through the proxy \(proxy.address), except those to this machine\(exemptions).")
        ]
    }

    private var certificateFindings: [Finding] {
        guard let certificate else { return [] }
        let now = time.now()
        guard let problem = certificate.warning(at: now) else {
            let days = certificate.daysLeft(at: now)
            return [
                Finding(
                    "server.certificate", .ok,
                    "The certificate of the public listener is valid for \(Counted.of(days, "day")).")
            ] + chainFindings(certificate)
        }
        return [
            Finding(
                "server.certificate", certificate.isValid(at: now) ? .warning : .error, "\(problem).",
                remedy:
                    "Replace the files of server.tls, unless the clock of this machine is wrong. The server uses them after a reload."
            )
        ] + chainFindings(certificate)
    }

    /// Judges the order of the file, and whether it leads to an authority.
    ///
    /// What clients see is judged by ``PublicAddressCheck``, because a proxy may send other certificates.
    private func chainFindings(_ certificate: ListenerCertificate) -> [Finding] {
        guard let chain = CertificateChain(pem: certificate.pem) else { return [] }
        return CertificateFindings.file(chain, at: certificate.path, trusting: CurlConfiguration.distributionCABundle)
    }

    private var descriptors: Finding {
        let limit = ServingProcess.maximumDescriptorLimit
        var limits = ServerLimits()
        limits.fit(
            descriptors: limit, eventLoops: ProcessInfo.processInfo.activeProcessorCount, memory: nil)
        return Self.descriptors(
            limit: limit, connections: limits.connections,
            inFlight: settings.server.maximumInFlight)
    }

    /// - Parameters:
    ///   - limit: The number of files that the server may have open.
    ///   - connections: The number of connections that follows from it.
    ///   - inFlight: `server.max_in_flight`.
    /// - Returns: A warning if the connections are fewer.
    static func descriptors(limit: Int, connections: Int, inFlight: Int) -> Finding {
        guard connections < inFlight else {
            return Finding(
                "server.descriptors", .ok,
                "This process may have \(limit) open files, which allow \(Counted.of(connections, "connection")), and "
                    + "max_in_flight is \(inFlight).")
        }
        return Finding(
            "server.descriptors", .warning,
            "This process may have \(limit) open files, with which the server accepts \(Counted.of(connections, "connection")), fewer "
                + "than max_in_flight (\(inFlight)).",
            remedy:
                "Lower server.max_in_flight to \(connections); or, if the server has the same limit and max_in_flight is at most "
                + "16384, set the limit to 40000 (LimitNOFILE of the unit, nofile of a container).")
    }
}

/// The clocks of the peers, from the field `Date` of their responses (RFC 9110 §6.6.1).
final class PeerClocks: Sendable {
    private let time: TimeSource
    private let offsets = Mutex<[String: Int64]>([:])

    init(time: TimeSource) {
        self.time = time
    }

    /// Returns a transport that compares the clock of each peer with ours.
    func observing(_ transport: HTTPTransport) -> HTTPTransport {
        HTTPTransport { [self] request throws(TransportError) in
            let response = try await transport.send(request)
            if let date = response.date, let host = Self.authority(of: request.url) {
                // A cache keeps the date of the origin, and tells how old its copy is (RFC 9111 §5.1).
                let age = response[field: "Age"].flatMap { Int64($0) } ?? 0
                let offset = time.now().seconds - date - min(max(0, age), 31_536_000)
                offsets.withLock { $0[host] = offset }
            }
            return response
        }
    }

    /// Returns one finding: this machine's clock, judged by the peer that agrees with it most.
    ///
    /// A wrong clock of one peer must not be reported as ours.
    func findings() -> [Finding] {
        let offsets = offsets.withLock { $0 }
        guard let (host, offset) = offsets.min(by: { abs($0.value) < abs($1.value) }) else {
            return [Finding("clock.offset", .skipped, "No peer sent its time.")]
        }
        return [Self.finding(offset, by: host)]
    }

    /// - Parameter offset: Our clock minus the peer's, in seconds; the transfer adds less than two.
    /// - Returns: A warning above 5 seconds, an error above 30.
    static func finding(_ offset: Int64, by host: String) -> Finding {
        let text =
            "This machine's clock is \(Counted.of(abs(offset), "second")) \(offset < 0 ? "behind" : "ahead of") that of \(host)."
        let remedy =
            "If a third clock agrees with the other one, synchronize this machine's with NTP: tokens are refused if it is off "
            + "by more than a minute."
        switch abs(offset) {
        case 0...5: return Finding("clock.offset", of: host, .ok, text)
        case 6...30: return Finding("clock.offset", of: host, .warning, text, remedy: remedy)
        default: return Finding("clock.offset", of: host, .error, text, remedy: remedy)
        }
    }

    private static func authority(of url: String) -> String? {
        guard let parts = URLComponents(string: url), let host = parts.host else { return nil }
        return host + (parts.port.map { ":\($0)" } ?? "")
    }
}
