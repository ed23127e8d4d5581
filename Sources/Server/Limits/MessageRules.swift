internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Standards

/// A fault of an HTTP message that the decoder of NIO does not refuse.
package enum MessageFault: String, Sendable, CaseIterable {
    /// `Host` is missing, repeated or invalid (RFC 9112 §3.2).
    case host
    /// HTTP/1.0 with `Transfer-Encoding` (RFC 9112 §6.1): a proxy in front of the server may have read the body as the
    /// next request.
    case framing
    /// A transfer coding beside `chunked`, or in its place, which this server cannot decode (RFC 9112 §6.1).
    case coding

    init?(_ head: HTTPRequestHead) {
        if !Self.hasRightHost(head) {
            self = .host
        } else if Self.isBeforeHTTP11(head), head.headers.contains(name: "Transfer-Encoding") {
            self = .framing
        } else if head.headers.contains(name: "Transfer-Encoding"),
            head.headers[canonicalForm: "Transfer-Encoding"].filter({ !$0.isEmpty }).map({ $0.lowercased() })
                != ["chunked"]
        {
            self = .coding
        } else {
            return nil
        }
    }

    /// Checks the authority of a request of HTTP/2.
    ///
    /// - Parameter head: The header of a stream, in which `authority` has the pseudo-header field, or `Host` without one.
    init?(authorityOf head: HTTPRequest) {
        // RFC 9113 §8.3.1: `:authority` has the form of `Host`, and a `Host` beside it must not differ.
        let fields = HTTPField.Name("Host").map { head.headerFields[values: $0] } ?? []
        let hosts = fields + [head.authority].compactMap(\.self)
        guard let host = hosts.first, Self.isHost(host), hosts.allSatisfy({ $0 == host }) else {
            self = .host
            return
        }
        return nil
    }

    /// RFC 9112 §3.2: HTTP/1.1 requires `Host`, and every version forbids a repeated or invalid one.
    ///
    /// HTTP/1.0 does not require `Host`, and probes of load balancers still use that version.
    private static func hasRightHost(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["Host"]
        guard let host = hosts.first else { return isBeforeHTTP11(head) }
        return hosts.count == 1 && isHost(host)
    }

    fileprivate static func isBeforeHTTP11(_ head: HTTPRequestHead) -> Bool {
        head.version.major < 1 || (head.version.major == 1 && head.version.minor < 1)
    }

    /// `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2.2), without an empty host (RFC 9110 §4.2.1).
    static func isHost(_ text: String) -> Bool {
        let octets = Array(text.utf8)
        let host: ArraySlice<UInt8>
        let rest: ArraySlice<UInt8>
        if octets.first == UInt8(ascii: "["), let end = octets.firstIndex(of: UInt8(ascii: "]")) {
            (host, rest) = (octets[1..<end], octets[(end + 1)...])
            guard host.allSatisfy({ isUnreserved($0) || $0 == UInt8(ascii: ":") }) else { return false }
        } else {
            let end = octets.firstIndex(of: UInt8(ascii: ":")) ?? octets.endIndex
            (host, rest) = (octets[..<end], octets[end...])
            // The grammar allows percent-encoding, but a host name in DNS does not need it.
            guard host.allSatisfy({ isUnreserved($0) || "!$&'()*+,;=".utf8.contains($0) }) else { return false }
        }
        guard !host.isEmpty else { return false }
        guard let colon = rest.first else { return true }
        return colon == UInt8(ascii: ":") && rest.count <= 6
            && rest.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isUnreserved(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(octet)
        }
    }
}

/// Marks a request with a ``MessageFault``, so that the listener can send an error response, and reads nothing more
/// from its connection; and a request before HTTP/1.1 with its version.
///
/// The check happens here because Hummingbird does not expose the version and the `Host` fields. The marks are header
/// fields; a field of that name that a client sends is removed.
final class MessageRules: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private static let mark = "X-Message-Fault"
    private let decoder: HTTP1Channel.Configuration.DecoderConfiguration
    private let logger: Logger
    private var isOver = false

    /// - Parameter decoder: The limits of the decoder.
    init(_ decoder: HTTP1Channel.Configuration.DecoderConfiguration, _ logger: Logger) {
        self.decoder = decoder
        self.logger = logger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let fault = MessageFault(head)
        let isOld = MessageFault.isBeforeHTTP11(head)
        if head.headers.contains(name: Self.mark) {
            head.headers.remove(name: Self.mark)
        } else if fault == nil, !isOld {
            return context.fireChannelRead(data)
        }
        // RFC 9110 §10.1.1: HTTP/1.0 has no status 100. The body of a message with a fault is not read.
        head.headers.remove(name: "Expect")
        if isOld {
            // RFC 9112 §9.3: without `keep-alive` the connection ends after the response. Hummingbird reads `close`.
            if !head.isKeepAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            head.headers.add(name: Self.mark, value: head.version.description)
        }
        guard let fault else { return context.fireChannelRead(wrapInboundOut(.head(head))) }
        head.headers.add(name: Self.mark, value: fault.rawValue)
        // The end of the body is ambiguous, so that the bytes after the header are neither read as a body nor as a
        // request.
        isOver = true
        context.fireChannelRead(wrapInboundOut(.head(head)))
        context.fireChannelRead(wrapInboundOut(.end(nil)))
    }

    /// Writes the line of a request that the decoder refuses: Hummingbird responds to it, and no listener receives it.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error as? HTTPParserError {
        case .headerOverflow?:
            log(
                "a connection ended at a request whose header is too large", .headersTooLarge,
                "the request target or a header field has more than \(decoder.maxHeaderFieldSize) octets, all have "
                    + "more than \(decoder.maxHeaderListSize), or there are more than \(decoder.maxHeaderFieldCount) fields; "
                    + HeaderLimits.otherCookies)
        // The client has closed the connection, or sends more than it has announced.
        case nil, .invalidEOFState?, .closedConnection?: break
        case let fault?:
            log(
                "a connection ended at a request that is no valid HTTP", .malformedBody,
                "the parser says: \(fault.debugDescription). The client has to percent-encode spaces and all characters beyond "
                    + "ASCII in the URL, and to send one Content-Length, without Transfer-Encoding")
        }
        context.fireErrorCaught(error)
    }

    private func log(_ event: Logger.Message, _ reason: Reason, _ finding: String) {
        logger.info(event, metadata: ["status": "400", "reason": "\(reason.rawValue)", "finding": "\(finding)"])
    }

    /// Marks the header of a stream of HTTP/2, from which a field of the mark's name is removed.
    static func mark(_ head: inout HTTPRequest) {
        guard let name = HTTPField.Name(mark) else { return }
        head.headerFields[name] = MessageFault(authorityOf: head)?.rawValue
    }

    /// The version of a request before HTTP/1.1, such as `HTTP/1.0`; `nil` for any other request.
    static func oldVersion(of request: Request) -> String? {
        marks(of: request).first { $0.hasPrefix("HTTP/") }
    }

    private static func marks(of request: Request) -> [String] {
        HTTPField.Name(mark).map { request.headers[values: $0] } ?? []
    }

    /// Refuses a request that was marked with a fault.
    ///
    /// - Throws: The refusal, after which the connection closes.
    static func check(_ request: Request) throws(Refusal) {
        guard let fault = marks(of: request).lazy.compactMap({ MessageFault(rawValue: $0) }).first else { return }
        let description =
            switch fault {
            case .host:
                "The Host header field is missing, repeated or invalid. Send one Host field with a host and an optional "
                    + "port (RFC 9112 section 3.2)."
            case .framing:
                "HTTP/1.0 does not support Transfer-Encoding. Send Content-Length, or use HTTP/1.1 (RFC 9112 section 6.1)."
            case .coding:
                "Transfer-Encoding has another value than chunked. Send chunked, or Content-Length (RFC 9112 section 6.1)."
            }
        throw Refusal(.malformedBody, description, .endsConnection)
    }
}

/// Checks the size of the request target and the header.
///
/// The HTTP decoder has slightly wider limits, beyond which the connection closes without a JSON response.
enum HeaderLimits {
    /// What an operator should know of a header that is too large because of its cookies.
    static let otherCookies =
        "cookies of other programs at this host, at any port, and at other names of its domain may be part of it"

    static func check(_ request: Request, _ limits: ServerLimits) throws(Refusal) {
        guard (request.head.path ?? "").utf8.count <= limits.targetBytes else { throw .uriTooLong }
        let size = request.headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        guard size <= limits.headerBytes, request.headers.count <= limits.headerFields else {
            let cookies = request.headers[values: .cookie].reduce(0) { $0 + $1.utf8.count }
            throw .headersTooLarge.with(
                finding:
                    "the header has \(request.headers.count) fields with \(size) octets, \(cookies) of them in cookies"
                    + (cookies > size / 2 ? "; \(otherCookies)" : ""))
        }
    }
}
