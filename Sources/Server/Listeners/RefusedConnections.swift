internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Synchronization

/// Counts connections that do not begin as their listener requires, whose frames are not those of HTTP/2, or whose client does not
/// accept the certificate, and reports them in the log.
///
/// A reason is reported once a minute at most, because a client that should not reach the port can cause it at any rate. Another
/// protocol, a malformed frame and an alert are reported once an hour, because scanners cause them every day at a port that everyone
/// can reach.
final class RefusedConnections: Sendable {
    private let listener: String
    private let metrics: Metrics
    private let reported = Mutex<[String: ContinuousClock.Instant]>([:])

    /// - Parameter listener: `public` or `admin`.
    init(_ metrics: Metrics, listener: String) {
        self.metrics = metrics
        self.listener = listener
    }

    /// - Parameter first: The first octet of the connection, if it was read.
    func record(_ error: ProxyHeaderError, first: UInt8? = nil, peer: String, _ logger: Logger) {
        record(
            error.rawValue,
            "a connection without a valid header of the PROXY protocol was closed (reported once a minute)",
            error.advice(first), every: .seconds(60), peer: peer, logger)
    }

    func record(_ other: OtherProtocol, peer: String, _ logger: Logger) {
        record(
            other.rawValue,
            "a connection began with another protocol than that of the listener (reported once an hour)", other.advice,
            every: .seconds(3600), peer: peer, logger)
    }

    /// Records a connection with HTTP/2 that ends at a frame which the decoder refuses.
    func recordFrame(peer: String, _ logger: Logger) {
        record(
            "http2_frame",
            "a connection with HTTP/2 ended at a frame that is malformed, or whose header is too large (reported once an hour)",
            "if it is a header, \(HeaderLimits.otherCookies)", every: .seconds(3600), peer: peer, logger)
    }

    /// Records a client that ends its handshake because it does not accept the certificate.
    ///
    /// Other failures have no report, because scanners cause them all the time. The line has no address, which may be that of a
    /// person.
    ///
    /// - Parameter failure: The error of the TLS library, which contains the name of an alert (RFC 8446 §6.2).
    func recordHandshake(_ failure: String, _ logger: Logger) {
        guard let alert = Self.alertsOfCertificates.first(where: { failure.contains("ALERT_\($0)") }) else { return }
        record(
            "certificate_refused",
            "a client ended its TLS handshake with the alert \(alert.lowercased()) about the certificate (reported once an hour)",
            "if the client is yours: server.tls.certificate needs the whole chain (fullchain.pem of certbot), with the host that the "
                + "client calls, and from an authority that the client trusts", every: .seconds(3600), peer: nil,
            logger)
    }

    private static let alertsOfCertificates = [
        "UNKNOWN_CA", "BAD_CERTIFICATE", "CERTIFICATE_EXPIRED", "CERTIFICATE_UNKNOWN", "UNSUPPORTED_CERTIFICATE",
        "CERTIFICATE_REVOKED",
    ]

    private func record(
        _ reason: String, _ event: Logger.Message, _ advice: String?, every period: Duration, peer: String?,
        _ logger: Logger
    ) {
        metrics.recordRefusedConnection(reason: reason)
        let now = ContinuousClock.now
        let isDue = reported.withLock { reported in
            if let last = reported[reason], now < last + period { return false }
            reported[reason] = now
            return true
        }
        guard isDue else { return }
        var metadata: Logger.Metadata = ["listener": "\(listener)", "reason": "\(reason)"]
        metadata["address"] = peer.map { "\($0)" }
        metadata["advice"] = advice.map { "\($0)" }
        logger.warning(event, metadata: metadata)
    }
}

extension ProxyHeaderError {
    /// What an operator can do; `nil` if a proxy sends what the protocol forbids.
    fileprivate func advice(_ first: UInt8?) -> String? {
        switch self {
        case .untrustedPeer:
            "if this address is your proxy, add it to server.trusted_proxies as a block (with /32, or /128 for IPv6); otherwise let a "
                + "firewall keep it from this port"
        case .noHeader:
            (first == OtherProtocol.handshake ? "the first octet is that of a TLS handshake: " : "")
                + "if this address is your proxy, let it send a header of the PROXY protocol, version 2, as the first octets of the "
                + "connection, before TLS, or set server.proxy_protocol to false; a health check needs the header too"
        case .version1:
            "let the proxy send version 2, as send-proxy-v2 of HAProxy does. If it has only version 1, let it send "
                + "X-Forwarded-For, and set server.proxy_protocol to false"
        case .unknownVersion, .unknownCommand, .unsupportedAddresses, .shortAddresses, .tooLong, .incomplete: nil
        }
    }
}

/// A protocol with which a connection begins, and which its listener does not have.
enum OtherProtocol: String {
    case tls
    case http
    case http2WithoutTLS = "http2_without_tls"
    case proxyProtocol = "proxy_protocol"

    /// What the octets of a connection are.
    enum Layer {
        /// Those of a listener without TLS.
        case clear
        /// Those of TLS.
        case encrypted
        /// Those that TLS carries.
        case decrypted
    }

    /// The type of a record of TLS with a handshake (RFC 8446 §5.1).
    fileprivate static let handshake: UInt8 = 0x16

    /// Returns `nil` for the protocol of the listener, and for octets that do not tell.
    ///
    /// - Parameter octets: What arrived first, which may be any part of the first message.
    init?(_ octets: some Collection<UInt8>, at layer: Layer) {
        if octets.starts(with: ProxyHeader.signature) || octets.starts(with: ProxyHeader.version1) {
            self = .proxyProtocol
        } else if layer == .clear, octets.starts(with: "PRI * HTTP/2.0".utf8) {
            self = .http2WithoutTLS
        } else if layer == .clear, octets.first == Self.handshake {
            self = .tls
        } else if layer == .encrypted, octets.first.map({ (0x41...0x5A).contains($0) }) == true {
            // RFC 9110 §9.1: each registered method begins with a capital letter.
            self = .http
        } else {
            return nil
        }
    }

    fileprivate var advice: String {
        switch self {
        case .tls:
            "if this address is your proxy, let it call http and not https at this port; the public listener has TLS with server.tls"
        case .http: "if this address is your proxy or its health check, let it call https at this port"
        case .http2WithoutTLS:
            "if this address is your proxy, let it use HTTP/1.1 at this port; the public listener has HTTP/2 with server.tls"
        case .proxyProtocol:
            "if this address is your proxy, let it send no header of the PROXY protocol, or one only, before TLS, with "
                + "server.proxy_protocol: true"
        }
    }
}

/// A connection whose first octets are compared with the protocol that its listener expects, before they are decoded.
///
/// The decoder closes a connection with another protocol, and cannot name it.
struct ComparedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let layer: OtherProtocol.Layer
    let refusals: RefusedConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        let first = FirstOctets { [layer, refusals] octets in
            guard let other = OtherProtocol(octets, at: layer) else { return }
            refusals.record(other, peer: channel.remoteAddress?.ipAddress ?? "unknown", logger)
        }
        return channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(first) }
            .flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// Shows the first octets of a connection, and leaves the pipeline.
private final class FirstOctets: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let show: (ByteBufferView) -> Void

    init(_ show: @escaping (ByteBufferView) -> Void) {
        self.show = show
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        show(unwrapInboundIn(data).readableBytesView)
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
