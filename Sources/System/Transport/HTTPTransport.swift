internal import Glibc

/// The function that sends HTTP requests: libcurl in production, a substitute in tests.
package struct HTTPTransport: Sendable {
    package typealias Send = @Sendable (OutboundRequest) async throws(TransportError) -> OutboundResponse

    /// Sends a request.
    ///
    /// It returns a response with any status, including 4xx and 5xx, and throws only if there is no complete response.
    package let send: Send

    package init(send: @escaping Send) {
        self.send = send
    }

    /// Sends a request, and returns the error as a value.
    package func result(of request: OutboundRequest) async -> Result<OutboundResponse, TransportError> {
        do throws(TransportError) {
            return .success(try await send(request))
        } catch {
            return .failure(error)
        }
    }

    /// Returns a transport whose calls join `queue`, unless they name another one.
    package func queueing(in queue: CallQueue) -> HTTPTransport {
        HTTPTransport { request throws(TransportError) in
            try await send(request.queue == nil ? request.queued(in: queue) : request)
        }
    }

    /// Returns a transport whose calls may reach these hosts by `http`.
    package func permittingPlainHTTP(to hosts: [String]) -> HTTPTransport {
        HTTPTransport { request throws(TransportError) in
            var request = request
            request.plainHTTPHosts = hosts
            return try await send(request)
        }
    }
}

/// The complete response of a peer.
///
/// Its description contains only the status, since header fields and body may contain tokens.
package struct OutboundResponse: Sendable, Equatable {
    package let status: Int
    package let header: [HeaderField]
    package let body: [UInt8]

    package init(status: Int, header: [HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.header = header
        self.body = body
    }

    /// The value of the first field of that name, regardless of letter case (RFC 9110 §5.1).
    package subscript(field name: String) -> String? {
        let wanted = name.lowercased()
        return header.first { $0.name.lowercased() == wanted }?.value
    }

    /// The field `Date` (RFC 9110 §6.6.1) in seconds since 1970; `nil` if it is missing, or no IMF-fixdate.
    package var date: Int64? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let form = /[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT/
        guard let (_, day, name, year, hour, minute, second) = self[field: "Date"]?.wholeMatch(of: form)?.output,
            let month = months.firstIndex(of: String(name))
        else { return nil }
        let numbers = [second, minute, hour, day, year].compactMap { Int32($0) }
        guard numbers.count == 5 else { return nil }
        var parts = unsafe tm(
            tm_sec: numbers[0], tm_min: numbers[1], tm_hour: numbers[2], tm_mday: numbers[3], tm_mon: Int32(month),
            tm_year: numbers[4] - 1900, tm_wday: 0, tm_yday: 0, tm_isdst: 0, tm_gmtoff: 0, tm_zone: nil)
        return unsafe Int64(timegm(&parts))
    }
}

extension OutboundResponse: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "status \(status)" }
    package var debugDescription: String { description }
}

/// Why no TLS connection was made.
package enum TLSFault: Equatable, Sendable {
    /// The chain ends with a certificate that is its own issuer and is not trusted.
    case unknownAuthority
    /// Neither the chain nor the trusted authorities have the issuer of a certificate.
    case missingIssuer
    case outdated
    case notYetValid
    case otherName
    /// The peer does not answer as TLS demands, or offers no version from 1.2.
    case noTLS
    case other
}

/// The reason why there is no complete response.
///
/// Errors name hosts, never URLs, since a query may contain a secret.
package enum TransportError: Error, Equatable, Sendable {
    /// No connection was made; with `isUnknown`, the name did not resolve.
    ///
    /// `port` is `nil` if the transport did not try to connect to the host itself. `number` is the reason of the system, as in
    /// errno(3), for the address that was tried last; `nil` if it gave none.
    case unreachable(host: String, isUnknown: Bool = false, port: String? = nil, number: CInt? = nil)
    /// TLS negotiation failed, or the certificate is not trusted.
    case untrusted(host: String, because: TLSFault = .other)
    /// The time limit has passed. `requestSent` is true if a byte of the request may have been sent.
    ///
    /// `connectingTo` is the port if the address of the host was known, and no connection, with `https` one with TLS, was ready.
    case timedOut(host: String, requestSent: Bool, connectingTo: String? = nil)
    /// The connection ended between the first byte of the request and the last byte of the response.
    case interrupted(host: String)
    /// The header fields or the body of the response exceed the limit.
    case tooLarge(host: String)
    /// The response is not HTTP, or with `coding`, its `Content-Encoding`, its compression cannot be decoded.
    case notHTTP(host: String, coding: String? = nil)
    /// The URL or a header field is not allowed.
    ///
    /// A URL must be absolute, with `https`, or with `http` to a loopback address or to a host that the request permits.
    /// A header field must be one line of ASCII, and must not be one that the transport sets.
    case refusedURL
    /// The outbound proxy did not connect to the host, so that nothing of the request was sent.
    ///
    /// `proxy` is its host and port, and `status` that of its response to CONNECT (RFC 9110 §9.3.6); `nil` if there was
    /// none. With 407 it asks for other credentials. `because` says why there is no connection to the proxy, if that is known.
    case proxyFailed(proxy: String, host: String, status: Int?, because: String? = nil)
    /// Too many calls wait for this origin, or too little time was left when the call could start.
    case overloaded(host: String)
    /// A ``CircuitBreaker`` stopped the call, because earlier ones failed. `retryAfter` is in seconds, at least 1.
    case circuitOpen(peer: String, retryAfter: Int)
    /// The calling task was cancelled, or the transport was shut down.
    case cancelled(requestSent: Bool)

    /// The failure in words, for an operator.
    package var sentence: String {
        switch self {
        case .unreachable(let host, isUnknown: true, _, _): "the name \(host) does not resolve"
        case .unreachable(let host, isUnknown: false, let port, let number):
            "no connection to \(port.map { "port \($0) of " } ?? "")\(host) could be made"
                + (number.map { " (\(unsafe String(cString: strerror($0))))" } ?? "")
        case .untrusted(let host, .unknownAuthority):
            "the certificate of \(host) is from an authority that this machine does not trust"
        case .untrusted(let host, .missingIssuer):
            "the issuer of the certificate of \(host) is not known: this machine does not trust its authority, or \(host) does "
                + "not send its intermediate certificates"
        case .untrusted(let host, .outdated): "a certificate that \(host) sends has expired"
        case .untrusted(let host, .notYetValid): "a certificate that \(host) sends is not valid yet"
        case .untrusted(let host, .otherName): "the certificate that \(host) sends is for another name"
        case .untrusted(let host, .noTLS): "the TLS handshake with \(host) failed"
        case .untrusted(let host, .other): "the certificate of \(host) is not trusted, or TLS failed"
        case .timedOut(let host, requestSent: false, let port?):
            "the address of \(host) is known, and no connection to its port \(port) was ready in time"
        case .timedOut(let host, requestSent: false, nil):
            "no request to \(host) could be sent in time: its name did not resolve, no connection to it was ready, too many "
                + "calls to it waited, or no time was left for it"
        case .timedOut(let host, requestSent: true, _): "\(host) did not answer in time"
        case .interrupted(let host): "the connection to \(host) ended early"
        case .tooLarge(let host): "the answer of \(host) is too large"
        case .notHTTP(let host, let coding?):
            "the answer of \(host) cannot be decoded: its Content-Encoding is \(coding)"
        case .notHTTP(let host, nil): "the answer of \(host) is not HTTP"
        case .refusedURL:
            "the URL or a header field of the request is not allowed: a URL must be absolute, with https, and a field one line of "
                + "ASCII"
        case .proxyFailed(let proxy, _, nil, let reason?):
            "the proxy \(proxy) of server.outbound_proxy cannot be reached (\(reason))"
        case .proxyFailed(let proxy, _, nil, nil):
            "the proxy \(proxy) of server.outbound_proxy accepts no connection, gives no answer of an HTTP proxy, or its name "
                + "does not resolve"
        // RFC 9110 §15.5.8 has 407; tinyproxy responds to wrong credentials with 401.
        case .proxyFailed(let proxy, _, let status?, _) where [401, 407].contains(status):
            "the proxy \(proxy) requires other credentials than those of server.outbound_proxy (status \(status))"
        case .proxyFailed(let proxy, let host, let status?, _):
            "the proxy \(proxy) of server.outbound_proxy does not connect to \(host) (status \(status))"
        case .overloaded(let host): "too many calls wait for \(host)"
        case .circuitOpen(let peer, _): "earlier calls to \(peer) failed"
        case .cancelled: "the call was cancelled"
        }
    }

    /// The instruction for the operator; `nil` if the failure may pass.
    package var advice: String? { advice(mayBeProvider: true) }

    /// The instruction for the operator; `nil` if the failure may pass.
    ///
    /// - Parameter mayBeProvider: Whether the host can be that of a provider, so that `endpoints` can have other URLs.
    package func advice(mayBeProvider: Bool) -> String? {
        let ownAuthority =
            "If the authority is your own, or that of a proxy which decrypts TLS, copy its certificate in PEM to "
            + "/usr/local/share/ca-certificates/NAME.crt on this machine, run update-ca-certificates, and restart this server. "
            + "In a container, /etc/ssl/certs/ca-certificates.crt with that authority has to be part of the image, or a mounted "
            + "file."
        let atOtherAddress =
            "write URLs with that below endpoints, and its host in plain_http_hosts if they have http."
        let anyFailure =
            "If the host and the port are right, let this machine resolve the name and connect: a firewall on the way must let that "
            + "pass. If only a proxy can, write the proxy as server.outbound_proxy: the variable HTTPS_PROXY is not read."
            + (mayBeProvider
                ? " If the host is that of a provider, and this machine reaches it only at another name or address, such as "
                    + "an inner one, \(atOtherAddress)" : "")
        return switch self {
        case .unreachable(let host, isUnknown: false, _, _) where Self.isLoopback(host):
            "\(host) is this machine, or in a container the container itself: start the program that should listen there, or "
                + "write the name at which this process reaches it."
                + (mayBeProvider ? " If the host is that of a provider, \(atOtherAddress)" : "")
        case .unreachable(_, _, _, let number?) where number == ECONNREFUSED:
            "At that address nothing listens at the port, or a firewall refuses the connection. \(anyFailure)"
        case .unreachable(let host, _, _, let number?)
        where [ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT].contains(number):
            "This machine has no route to an address of the host, or a firewall or router says so. getent ahosts \(host) shows the "
                + "addresses: if they are all of IPv6, this machine or container needs IPv6, or the host an IPv4 address. "
                + anyFailure
        case .unreachable, .timedOut(_, requestSent: false, _): anyFailure
        case .untrusted(_, .unknownAuthority): ownAuthority
        case .untrusted(let host, .missingIssuer):
            "Let \(host) send its certificate with all intermediate certificates (openssl s_client -showcerts shows what it "
                + "sends). \(ownAuthority)"
        case .untrusted(let host, .outdated):
            "If the clock of this machine is right, let \(host) renew its certificate, or those of the authorities that it sends with it: "
                + "openssl s_client -showcerts shows the dates of each."
        case .untrusted(let host, .notYetValid):
            "Correct the clock of this machine. If it is right, let \(host) send a certificate that is valid now."
        case .untrusted(let host, .otherName):
            "Write a name for which the certificate is, or let \(host) send a certificate for its own name. These commands "
                + "show the names of one: openssl s_client -connect \(host):PORT </dev/null | openssl x509 -noout -ext subjectAltName."
        case .untrusted(_, .noTLS):
            "If plain HTTP or another service answers at the port of the URL, correct the port. Otherwise the host, or what is in "
                + "front of it, has to accept TLS 1.2 or 1.3, and no firewall on the way may end the handshake: openssl s_client "
                + "-connect shows where it ends."
        case .untrusted(let host, .other):
            "openssl s_client -connect \(host):PORT </dev/null shows what is wrong (Verify return code)."
        case .notHTTP(let host, .some):
            "Let \(host), or a proxy in between, compress no answer to a request with Accept-Encoding: identity."
        case .proxyFailed(let proxy, _, nil, _)
        where Self.isLoopback(String(proxy[..<(proxy.lastIndex(of: ":") ?? proxy.endIndex)])):
            "\(proxy) is this machine, or in a container the container itself: start the proxy there, or write into "
                + "server.outbound_proxy the name at which this process reaches it. It has to accept HTTP without TLS."
        case .proxyFailed(_, _, nil, _):
            "If server.outbound_proxy does not name the host and the port at which the proxy accepts HTTP without TLS, correct it; "
                + "otherwise let this machine reach the proxy."
        case .proxyFailed(_, _, 401, _), .proxyFailed(_, _, 407, _):
            "Write the user name and the password that the proxy requires into server.outbound_proxy; they are sent as Basic. If it "
                + "requires NTLM or Kerberos, let it admit this machine without a password."
        case .notHTTP, .tooLarge:
            "Compare host, port and path of the URL with the documentation: another service, or a page, may answer there. If they are "
                + "right, look at what is between the host and this machine."
        case .proxyFailed(_, let host, _, _):
            "If no proxy is at that address, correct server.outbound_proxy. Otherwise let the proxy connect to \(host), or name the "
                + "host in server.no_proxy if this machine reaches it directly."
        default: nil
        }
    }

    /// Whether a host, of which an IPv6 address may be in brackets, is the machine or the container itself.
    private static func isLoopback(_ host: String) -> Bool {
        ["localhost", "::1", "[::1]"].contains(host.lowercased())
            || host.hasPrefix("127.") && host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
    }

    /// Whether the peer may have seen any of the request.
    ///
    /// If not, a credential in it is still unused.
    package var requestMayHaveArrived: Bool {
        switch self {
        case .unreachable, .untrusted, .refusedURL, .proxyFailed, .overloaded, .circuitOpen: false
        case .timedOut(_, let requestSent, _), .cancelled(let requestSent): requestSent
        case .interrupted, .tooLarge, .notHTTP: true
        }
    }
}
