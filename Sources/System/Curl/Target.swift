internal import CCurl
internal import Transport

/// The target of a call, as libcurl parses the URL.
///
/// Only allowed targets can be made.
struct Target: Sendable, Equatable {
    /// The origin of a URL.
    ///
    /// Each origin has its own queues of waiting calls.
    struct Origin: Sendable, Hashable {
        let scheme: String
        let host: String
        let port: String
    }

    let url: String
    let origin: Origin

    /// Checks a URL.
    ///
    /// - Parameters:
    ///   - reachesMetadataServer: `OutboundRequest.reachesMetadataServer`.
    ///   - plainHTTPHosts: `OutboundRequest.plainHTTPHosts`.
    /// - Throws: `TransportError.refusedURL`.
    init(
        _ url: String, reachesMetadataServer: Bool, plainHTTPHosts: [String]
    ) throws(TransportError) {
        // RFC 3986 §2: a URI is made of visible ASCII. Parsers disagree about a backslash: some read a slash, others a
        // part of the user information.
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            throw .refusedURL
        }
        let parts = try ParsedURL(url)
        guard parts[CURLUPART_USER] == nil, parts[CURLUPART_PASSWORD] == nil,
            let scheme = parts[CURLUPART_SCHEME], let host = parts[CURLUPART_HOST]?.lowercased(),
            let port = parts[CURLUPART_PORT]
        else { throw .refusedURL }
        // libcurl accepts one, two or three slashes. RFC 3986 §3.2 has two; with three the authority is empty.
        let start = "\(scheme)://"
        guard url.prefix(start.count).lowercased() == start, url.dropFirst(start.count).first != "/" else {
            throw .refusedURL
        }
        switch scheme {
        case "https": break
        case "http" where Self.isLoopback(host): break
        case "http"
        where reachesMetadataServer && port == "80" && Self.isMetadata(host, path: parts[CURLUPART_PATH] ?? ""):
            break
        case "http" where plainHTTPHosts.contains(host) && !Self.isMetadata(host): break
        default: throw .refusedURL
        }
        self.url = url
        self.origin = Origin(scheme: scheme, host: host, port: port)
    }

    /// Whether the host is this machine, or a metadata server, which answers only on the machine's own link.
    var isOfThisMachine: Bool { Self.isLoopback(origin.host) || Self.isMetadata(origin.host) }

    private static func isMetadata(_ host: String) -> Bool {
        ["metadata.google.internal", "169.254.169.254", "[fd00:ec2::254]"].contains(host)
    }

    /// Whether the URL is one of a metadata server, by the name or the address that Google, AWS and Azure document.
    ///
    /// These servers offer no TLS.
    private static func isMetadata(_ host: String, path: String) -> Bool {
        switch host {
        case "metadata.google.internal": path.hasPrefix("/computeMetadata/v1/")
        case "169.254.169.254": path.hasPrefix("/latest/") || path.hasPrefix("/metadata/identity/")
        case "[fd00:ec2::254]": path.hasPrefix("/latest/")
        default: false
        }
    }

    /// Whether the name can only mean this machine: RFC 6761 §6.3 (libcurl asks no resolver for `localhost`), RFC 1122
    /// §3.2.1.3 (127.0.0.0/8) and RFC 4291 §2.5.3 (`::1`).
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers.first == "127"
            && numbers.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8($0) != nil }
    }
}

/// The sole owner of a `CURLU` handle: a URL, parsed by the same library that connects to it.
@safe
struct ParsedURL: ~Copyable {
    private let handle: OpaquePointer

    /// Parses a URL.
    ///
    /// - Throws: `TransportError.refusedURL` unless the URL is absolute, with a scheme that libcurl knows.
    init(_ url: String) throws(TransportError) {
        unsafe handle = try Self.parse(url)
    }

    deinit { unsafe curl_url_cleanup(handle) }

    private static func parse(_ url: String) throws(TransportError) -> OpaquePointer {
        guard let handle = unsafe curl_url() else { throw .refusedURL }
        guard unsafe curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK else {
            unsafe curl_url_cleanup(handle)
            throw .refusedURL
        }
        return unsafe handle
    }

    /// A part of the URL in normal form: IPv4 addresses in dotted decimal, and the port even if the scheme implies it.
    subscript(part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        // curl_url_get(3): "The returned part pointer must be freed with curl_free(3) after use."
        guard unsafe curl_url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text = unsafe text
        else {
            return nil
        }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}

/// The rule for header fields of a request: each must be one line, and only libcurl sets the fields for framing.
enum FieldRule {
    static func check(_ header: [HeaderField]) throws(TransportError) {
        for field in header {
            guard isToken(field.name), !reserved.contains(field.name.lowercased()), isOneLine(field.value) else {
                throw .refusedURL
            }
        }
    }

    /// The fields for framing, host, encoding and the proxy, which only libcurl may set.
    private static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Returns whether a text is a token (RFC 9110 §5.6.2).
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default:
                    "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Whether a text is a field value (RFC 9110 §5.5) without the octets above ASCII, which the RFC calls obsolete.
    private static func isOneLine(_ value: String) -> Bool {
        value.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
            && value.first != " " && value.last != " " && value.first != "\t" && value.last != "\t"
    }
}
