internal import CCurl
internal import Transport

/// Where a call goes, as libcurl itself reads the URL, and only if we go there.
struct Target: Sendable, Equatable {
    /// What a line of waiting calls is kept for.
    struct Origin: Sendable, Hashable {
        let scheme: String
        let host: String
        let port: String
    }

    let url: String
    let origin: Origin

    init(_ url: String) throws(TransportError) {
        // RFC 3986 §2: a URI is made of visible ASCII. A backslash is read as a slash by some, as user information by
        // others.
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            throw .refusedURL
        }
        let parts = try ParsedURL(url)
        guard parts[CURLUPART_USER] == nil, parts[CURLUPART_PASSWORD] == nil,
            let scheme = parts[CURLUPART_SCHEME], let host = parts[CURLUPART_HOST]?.lowercased(),
            let port = parts[CURLUPART_PORT]
        else { throw .refusedURL }
        // libcurl takes one, two or three slashes. RFC 3986 §3.2: two, and with three the authority is empty.
        let start = "\(scheme)://"
        guard url.prefix(start.count).lowercased() == start, url.dropFirst(start.count).first != "/" else {
            throw .refusedURL
        }
        switch scheme {
        case "https": break
        case "http" where Self.isLoopback(host): break
        case "http"
        where Self.isMetadataServer(host) && port == "80"
            && parts[CURLUPART_PATH]?.hasPrefix("/computeMetadata/v1/") == true:
            break
        default: throw .refusedURL
        }
        self.url = url
        self.origin = Origin(scheme: scheme, host: host, port: port)
    }

    /// Google's metadata server, by the one name that Google gives it: it has no TLS, and only the machine's own link
    /// leads there.
    private static func isMetadataServer(_ host: String) -> Bool { host == "metadata.google.internal" }

    /// Whether the name can only mean this machine: RFC 6761 §6.3 (libcurl asks no resolver for `localhost`), RFC 1122
    /// §3.2.1.3 (127.0.0.0/8) and RFC 4291 §2.5.3 (`::1`).
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers.first == "127"
            && numbers.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8($0) != nil }
    }
}
