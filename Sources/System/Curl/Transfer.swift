internal import CCurl
internal import Glibc
internal import Transport

/// An easy handle with all objects that libcurl points to.
///
/// The engine's thread reuses it for many calls.
final class Transfer {
    let handle: EasyHandle
    private var lines: HeaderLines?
    private var proxyLines: HeaderLines?
    private(set) var reception = Reception(maximumBodyBytes: 0)
    private(set) var call: Call?
    /// The proxy of the call; `nil` for a direct connection.
    private var proxy: OutboundProxy?
    private(set) var isSecondAttempt = false
    /// The start of the call or of its second attempt.
    var startedAt = ContinuousClock.now

    init() throws(CurlError) {
        handle = try EasyHandle()
    }

    /// Sets all options.
    ///
    /// The handle must not be in a multi handle. A second attempt uses a new connection, so that it cannot meet another closed one.
    func prepare(
        for call: Call, within remaining: Duration, isSecondAttempt: Bool, configuration: CurlConfiguration
    ) throws(CurlError) {
        clear()
        self.call = call
        self.isSecondAttempt = isSecondAttempt
        let request = call.request
        reception = Reception(maximumBodyBytes: max(0, request.maximumBodyBytes))
        try handle.deliver(to: reception)
        try handle.setRules(scheme: call.target.origin.scheme, configuration: configuration)
        proxy = configuration.proxy.flatMap { $0.carries(call.target) ? $0 : nil }
        try setProxyLines(HeaderLines(for: proxy))
        try handle.setLimits(within: remaining, bodyBytes: request.maximumBodyBytes, configuration: configuration)
        try handle.set(CURLOPT_URL, call.target.url)
        try handle.set(CURLOPT_FRESH_CONNECT, isSecondAttempt ? 1 : 0)
        switch request.method {
        case .get:
            try handle.set(CURLOPT_HTTPGET, 1)
        case .post:
            try handle.set(CURLOPT_POST, 1)
            try handle.set(body: request.body)
        case .put:
            try handle.set(CURLOPT_POST, 1)
            try handle.set(body: [])
            try handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        case .patch:
            try handle.set(CURLOPT_POST, 1)
            try handle.set(body: request.body)
            try handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
        try setLines(HeaderLines(request.header))
    }

    /// Removes the call and its secrets.
    func clear() {
        // CURLOPT_HTTPHEADER(3): "libcurl will not copy the entire list". The handle must forget the lists before they are
        // freed.
        handle.reset()
        lines = nil
        proxyLines = nil
        reception = Reception(maximumBodyBytes: 0)
        call = nil
        proxy = nil
        isSecondAttempt = false
    }

    private func setLines(_ new: consuming HeaderLines) throws(CurlError) {
        try handle.set(CURLOPT_HTTPHEADER, new)
        lines = consume new
    }

    private func setProxyLines(_ new: consuming HeaderLines) throws(CurlError) {
        try handle.setProxy(proxy, new)
        proxyLines = consume new
    }
}

extension Transfer {
    /// The outcome for the caller.
    ///
    /// No layer above sees the numbers of libcurl-errors(3).
    func outcome(of code: CURLcode, host: String) -> Call.Outcome {
        guard code != CURLE_OK else {
            // A connection that ends within the header is no error to libcurl 7.88.
            guard reception.headerIsComplete else { return .failure(.interrupted(host: host)) }
            let status = handle.information(CURLINFO_RESPONSE_CODE)
            return .success(OutboundResponse(status: status, header: reception.header, body: reception.body))
        }
        return .failure(failure(code, host: host))
    }

    private func failure(_ code: CURLcode, host: String) -> TransportError {
        let requestSent = reception.requestWasAnnounced
        if !requestSent, let failure = proxyFailure(code, host: host) { return failure }
        if code == CURLE_OPERATION_TIMEDOUT {
            let isConnecting = !requestSent && proxy == nil && handle.hasAddress()
            return .timedOut(
                host: host, requestSent: requestSent, connectingTo: isConnecting ? call?.target.origin.port : nil)
        }
        guard requestSent else {
            switch code {
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED:
                return .refusedURL
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER,
                CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED:
                return .untrusted(host: host, because: tlsFault(code))
            default:
                let isUnknown = code == CURLE_COULDNT_RESOLVE_HOST
                let port = isUnknown || proxy != nil ? nil : call?.target.origin.port
                return .unreachable(host: host, isUnknown: isUnknown, port: port, number: systemError(code))
            }
        }
        if reception.isTooLarge { return .tooLarge(host: host) }
        switch code {
        // libcurl 7.88 also reports CURLE_OUT_OF_MEMORY for a single header line over 100 KiB.
        case CURLE_FILESIZE_EXCEEDED, CURLE_OUT_OF_MEMORY:
            return .tooLarge(host: host)
        // libcurl reports CURLE_UNSUPPORTED_PROTOCOL for HTTP/0.9.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL:
            return .notHTTP(host: host)
        case CURLE_BAD_CONTENT_ENCODING:
            return .notHTTP(host: host, coding: reception.contentCoding)
        default:
            return .interrupted(host: host)
        }
    }

    /// Why there is no TLS connection, by the result of OpenSSL's verification (X509_STORE_CTX_get_error(3)).
    private func tlsFault(_ code: CURLcode) -> TLSFault {
        guard code == CURLE_PEER_FAILED_VERIFICATION else { return code == CURLE_SSL_CONNECT_ERROR ? .noTLS : .other }
        return switch handle.information(CURLINFO_SSL_VERIFYRESULT) {
        // libcurl compares the name itself. Until then its releases have 0 or 1 there.
        case 0, 1, 62: .otherName
        case 9: .notYetValid
        case 10: .outdated
        // 7: an authority of the same name with another key.
        case 7, 18, 19: .unknownAuthority
        case 2, 20, 21: .missingIssuer
        default: .other
        }
    }

    /// The failure of the proxy; `nil` if there is none, or if it connected to the peer.
    private func proxyFailure(_ code: CURLcode, host: String) -> TransportError? {
        guard let proxy else { return nil }
        let status = handle.information(CURLINFO_HTTP_CONNECTCODE)
        if status > 0 {
            return status / 100 == 2 ? nil : .proxyFailed(proxy: proxy.address, host: host, status: status)
        }
        // A connection that is reused goes through the proxy already.
        let isNew = handle.information(CURLINFO_NUM_CONNECTS) > 0
        guard isNew || [CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT].contains(code) else { return nil }
        let reason =
            code == CURLE_COULDNT_RESOLVE_PROXY
            ? "its name does not resolve" : systemError(code).map { unsafe String(cString: strerror($0)) }
        return .proxyFailed(proxy: proxy.address, host: host, status: nil, because: reason)
    }

    /// The reason of the system for a connection that was not made, as in errno(3).
    private func systemError(_ code: CURLcode) -> CInt? {
        let number = handle.information(CURLINFO_OS_ERRNO)
        return code == CURLE_COULDNT_CONNECT && number > 0 ? CInt(number) : nil
    }

    /// Whether the call may be repeated on a fresh connection.
    ///
    /// It must be a GET, which has no effects (RFC 9110 §9.2.2), and its reused connection must have closed before a
    /// byte of the response.
    func mayStartOver(after code: CURLcode) -> Bool {
        guard call?.request.method == .get, !isSecondAttempt, !reception.answerHasBegun else { return false }
        if reception.secondRequestWasRefused { return true }
        let connectionsMade = handle.information(CURLINFO_NUM_CONNECTS)
        return connectionsMade == 0 && reception.requestWasAnnounced
            && [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM].contains(code)
    }
}

/// The received part of the response to one attempt.
///
/// Its methods run in libcurl's callbacks, on the engine's thread.
@safe
final class Reception {
    private static let maximumHeaderBytes = 64 * 1024

    private let maximumBodyBytes: Int
    private var headerBytes = 0
    /// Whether the empty line after the last header field was read.
    private(set) var headerIsComplete = false
    private var isInterim = false
    private(set) var header: [HeaderField] = []
    private(set) var body: [UInt8] = []
    /// Whether the response exceeds a limit.
    private(set) var isTooLarge = false
    /// Whether libcurl was about to send the request.
    ///
    /// It is unknown whether a byte was sent, because with HTTP/2 a failed write may have sent a part.
    private(set) var requestWasAnnounced = false
    /// Whether libcurl was prevented from sending the request again.
    private(set) var secondRequestWasRefused = false
    /// Whether the field `Content-Encoding` names no content coding, as that of servers which write `UTF-8` there.
    private(set) var namesNoCoding = false
    /// The handle that receives the response, which outlives this object's use by libcurl.
    var handle: UnsafeMutableRawPointer?

    /// The names of IANA's registry of content codings, without those that mean none.
    private static let codings: Set<String> = [
        "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip", "x-compress", "x-gzip",
        "zstd",
    ]

    init(maximumBodyBytes: Int) {
        self.maximumBodyBytes = maximumBodyBytes
    }

    var answerHasBegun: Bool { headerBytes > 0 }

    /// The value of `Content-Encoding` for a message.
    var contentCoding: String {
        let text = header.filter { $0.name.lowercased() == "content-encoding" }.map(\.value).joined(separator: ",")
        return text.utf8.count <= 40 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : "an unknown one"
    }

    /// Records that the request is about to be sent.
    ///
    /// If a reused connection closes without a byte of a response, libcurl sends the request again, whatever its method.
    /// The peer may have acted on the first request, so the second one is refused here (RFC 9110 §9.2.2).
    ///
    /// - Returns: `false` to stop the transfer before the request is sent again.
    func announceRequest() -> Bool {
        guard !requestWasAnnounced else {
            secondRequestWasRefused = true
            return false
        }
        requestWasAnnounced = true
        return true
    }

    /// Takes one header line, of the response or of an interim one before it.
    ///
    /// - Returns: `false` to stop the transfer.
    func take(headerLine line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        guard headerBytes <= Self.maximumHeaderBytes else {
            isTooLarge = true
            return false
        }
        guard !headerIsComplete else {
            // RFC 9110 §6.5.1: trailer fields are not merged into the header.
            return true
        }
        let bytes = unsafe [UInt8](line)
        let text = bytes.trimmed
        if text.isEmpty {
            headerIsComplete = !isInterim
        } else if text.starts(with: "HTTP/".utf8) {
            // A status line begins a message, and ends the interim ones before it (RFC 9110 §15.2).
            isInterim = text.drop { $0 != 0x20 }.dropFirst().first == UInt8(ascii: "1")
            header = []
            namesNoCoding = false
        } else if bytes.first == 0x20 || bytes.first == 0x09 {
            continueField(with: String(decoding: text, as: UTF8.self))
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
            let value = String(decoding: text[colon...].dropFirst().trimmed, as: UTF8.self)
            let field = HeaderField(String(decoding: text[..<colon], as: UTF8.self), value)
            header.append(field)
            if field.name.lowercased() == "content-encoding" {
                let names = header.filter { $0.name.lowercased() == "content-encoding" }.flatMap {
                    $0.value.lowercased().filter { !$0.isWhitespace }.split(separator: ",").map(String.init)
                }
                namesNoCoding = Self.codings.isDisjoint(with: names)
            }
        }
        return true
    }

    /// Takes a part of the body.
    ///
    /// - Returns: `false` to stop the transfer.
    func take(body part: UnsafeRawBufferPointer) -> Bool {
        guard part.count <= maximumBodyBytes - body.count else {
            isTooLarge = true
            return false
        }
        unsafe body.append(contentsOf: part)
        return true
    }

    /// Appends a continuation line to the last field (RFC 9112 §5.2).
    ///
    /// "replace each received obs-fold with one or more SP octets"
    private func continueField(with text: String) {
        guard let last = header.popLast() else { return }
        header.append(HeaderField(last.name, "\(last.value) \(text)"))
    }
}

extension Collection<UInt8> where Self: BidirectionalCollection, SubSequence == ArraySlice<UInt8> {
    /// The octets without white space (RFC 9110 §5.6.3) and line ends at both ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
        guard let last = lastIndex(where: { !isBlank($0) }) else { return [] }
        return self[...last].drop(while: isBlank)
    }
}
