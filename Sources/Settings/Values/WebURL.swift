/// An absolute `https` URL, or an `http` one to a loopback host, in the one spelling that nobody reads differently.
///
/// Refused are user information, fragments, percent signs in the host, characters outside of RFC 3986, and hosts that
/// some parsers take for a number (`http://2130706433/`).
struct WebURL {
    let scheme: Substring
    /// With its brackets, if it has any.
    let host: Substring
    let port: Int?
    /// From the first slash to the query.
    let path: Substring
    let query: Substring?

    /// Why a text is no such URL, without repeating it: it may hold a password.
    struct Fault: Error {
        let message: String
    }

    static func parse(_ text: String) throws(Fault) -> WebURL {
        guard let separator = text.firstRange(of: "://") else {
            throw Fault(message: "write an absolute URL, such as https://host/path")
        }
        let scheme = text[..<separator.lowerBound]
        guard scheme == "https" || scheme == "http" else {
            throw Fault(message: "write https:// at its beginning; http:// is for loopback alone")
        }
        let rest = text[separator.upperBound...]
        guard rest.utf8.allSatisfy({ isAllowed($0) }), !hasBrokenEscape(rest) else {
            throw Fault(message: "holds a character that a URL cannot have: percent-encode it")
        }
        guard !rest.contains("#") else {
            throw Fault(message: "must not have a fragment: leave out # and what follows")
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else {
            throw Fault(message: "must not have a user name or password: leave out what stands before @")
        }
        let (host, port) = try split(authority)
        guard scheme == "https" || isLoopback(host) else {
            throw Fault(message: "write https:// at its beginning; http:// is for loopback alone")
        }
        let tail = rest[authority.endIndex...]
        let path = tail.prefix { $0 != "?" }
        let query = path.endIndex < tail.endIndex ? tail[path.endIndex...].dropFirst() : nil
        return WebURL(scheme: scheme, host: host, port: port, path: path, query: query)
    }

    static func isLoopback(_ host: some StringProtocol) -> Bool {
        if host == "localhost" { return true }
        if host.hasPrefix("[") {
            return IPAddress.version6(host.dropFirst().dropLast()).map(IPAddress.isLoopback) == true
        }
        return IPAddress.version4(host).map(IPAddress.isLoopback) == true
    }

    private static func split(_ authority: Substring) throws(Fault) -> (host: Substring, port: Int?) {
        let bracket = authority.lastIndex(of: "]") ?? authority.startIndex
        let colon = authority[bracket...].firstIndex(of: ":")
        let host = authority[..<(colon ?? authority.endIndex)]
        guard isHost(host) else { throw Fault(message: "has no host that is a name or an address") }
        guard let colon else { return (host, nil) }
        guard let port = Port.parse(authority[authority.index(after: colon)...]) else {
            throw Fault(message: "has a port that is not from 1 to 65535")
        }
        return (host, port)
    }

    private static func isHost(_ host: Substring) -> Bool {
        if host.hasPrefix("[") { return IPAddress.version6(host.dropFirst().dropLast()) != nil }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        // RFC 1123 §2.1.
        let areLabels = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
        guard areLabels, host.utf8.count <= 253, let last = labels.last else { return false }
        // WHATWG URL, "ends in a number checker": such a host is an IPv4 address or nothing.
        let endsInNumber = last.allSatisfy(\.isNumber) || last.lowercased().hasPrefix("0x")
        return !endsInNumber || IPAddress.version4(host) != nil
    }

    /// RFC 3986 §2: unreserved, reserved and the percent sign.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
        }
    }

    private static func hasBrokenEscape(_ text: Substring) -> Bool {
        text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().contains { part in
            part.prefix(2).utf8.count != 2 || !part.prefix(2).allSatisfy(\.isHexDigit)
        }
    }
}

extension Entry {
    /// The URL of an endpoint: any path, any query.
    func endpointURL() -> String? { url()?.text }

    /// An issuer: no query (OpenID Connect Discovery §3, RFC 8414 §2).
    ///
    /// It is compared as it is written.
    func issuer() -> String? {
        guard let (text, url) = url() else { return nil }
        guard url.query == nil else { return refusing("an issuer has no query") }
        return text
    }

    /// Scheme, host and port as a browser writes them in `Origin` (RFC 6454 §6.1), which is compared as it stands.
    package func origin() -> String? {
        guard let (text, url) = url() else { return nil }
        guard url.path.isEmpty, url.query == nil else {
            return refusing("write scheme, host and port alone, without a slash at the end")
        }
        guard !url.host.contains(where: \.isUppercase) else { return refusing("write the host in lower case") }
        guard url.port != (url.scheme == "https" ? 443 : 80) else { return refusing("leave out the scheme's own port") }
        return text
    }

    private func url() -> (text: String, url: WebURL)? {
        guard let text = text() else { return nil }
        do {
            return (text, try WebURL.parse(text))
        } catch {
            return refusing(error.message)
        }
    }

    /// A redirect URI of an application (RFC 8252 §7): https, http to loopback, or a private-use scheme in reverse-
    /// domain form.
    ///
    /// Applications send it as it is written here.
    package func redirectURI() -> String? {
        guard let text = text() else { return nil }
        guard !text.contains("*") else { return refusing("is compared as it stands: wildcards match nothing") }
        let beforeQuery = text.prefix { $0 != "?" }
        guard !beforeQuery.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            return refusing("has a path segment . or ..: write the path that is meant")
        }
        let scheme = text.prefix { $0 != ":" }
        if ["http", "https"].contains(scheme.lowercased()) { return url()?.text }
        return isPrivateUse(scheme, rest: text.dropFirst(scheme.count)) ? text : nil
    }

    private func isPrivateUse(_ scheme: Substring, rest: Substring) -> Bool {
        let labels = scheme.split(separator: ".", omittingEmptySubsequences: false)
        let areLabels = labels.allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        }
        // RFC 8252 §7.1: MUST use a URI scheme based on a domain name under their control, expressed in reverse order.
        guard labels.count >= 2, areLabels, scheme.first?.isLetter == true, rest.hasPrefix(":/") else {
            refuse(
                "write https://…, http://127.0.0.1/… or a scheme that is your domain backwards: com.example.app:/path")
            return false
        }
        // A stand-in host lets the rest be read by the rules of every other URL.
        let authority = rest.hasPrefix("://") ? rest.dropFirst(3) : rest.dropFirst(1)
        let asWeb = rest.hasPrefix("://") ? "https://\(authority)" : "https://host\(authority)"
        do {
            _ = try WebURL.parse(asWeb)
            return true
        } catch {
            refuse(error.message)
            return false
        }
    }
}
