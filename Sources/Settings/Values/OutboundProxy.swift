internal import Standards

extension Settings {
    /// The HTTP proxy through which the program reaches other servers.
    package struct OutboundProxy: Sendable, Equatable {
        /// Host and port as they stand in a URL: `proxy.example:3128`.
        package let address: String
        /// The user name and the password, decoded; `nil` for none.
        package let user: SecretValue?
        package let password: SecretValue?

        /// Parses `http://user:password@host:port`.
        ///
        /// - Parameter text: The URL. A slash at its end is accepted, as in the variable `HTTPS_PROXY` of other
        ///   programs.
        /// - Throws: A fault that does not repeat the text.
        init(_ text: String, source: SecretValue.Source) throws(WebURL.Fault) {
            let separator = text.firstRange(of: "://")
            guard let separator else { throw WebURL.Fault(message: Self.form) }
            let scheme = text[..<separator.lowerBound].lowercased()
            switch scheme {
            case "http": break
            case "https":
                throw WebURL.Fault(
                    message: "is a proxy with TLS, which is not supported: write http://host:port of a proxy without "
                        + "TLS. Calls through it are encrypted from end to end")
            case let other where other.hasPrefix("socks"):
                throw WebURL.Fault(
                    message: "is a SOCKS proxy, which is not supported: write http://host:port of an HTTP proxy")
            default: throw WebURL.Fault(message: Self.form)
            }
            let rest = text[separator.upperBound...]
            guard !rest.contains("#") else { throw WebURL.Fault(message: "contains #: write it as %23") }
            try WebURL.checkCharacters(rest)
            let whole = rest.hasSuffix("/") ? rest.dropLast() : rest
            let parts = whole.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count <= 2, let authority = parts.last, !authority.isEmpty,
                !whole.contains("/"), !whole.contains("?")
            else {
                throw WebURL.Fault(
                    message: "has more than a host and a port after the scheme: leave out the path, and percent-encode "
                        + "all characters of user name and password except letters and digits")
            }
            let (host, port) = try WebURL.split(authority)
            guard let port else {
                throw WebURL.Fault(message: "has no port: write it, as in http://proxy.example:3128")
            }
            address = "\(host.lowercased()):\(port)"
            guard parts.count == 2 else {
                (user, password) = (nil, nil)
                return
            }
            let credentials = parts[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = try credentials.map { part throws(WebURL.Fault) in
                guard let text = PercentEncoding.decode(part, plusIsSpace: false), !text.containsControlCharacters
                else {
                    throw WebURL.Fault(
                        message: "has a user name or password with a control character, or not in UTF-8")
                }
                return text
            }
            // RFC 7617 §2: "a user-id containing a colon character is invalid".
            guard decoded[0].allSatisfy({ $0 != ":" }) else {
                throw WebURL.Fault(message: "has a colon in the user name, which RFC 7617 does not allow")
            }
            user = SecretValue(secretText: decoded[0], source: source)
            password = SecretValue(secretText: decoded.count == 2 ? decoded[1] : "", source: source)
        }

        private static let form = "write http://host:port, or http://user:password@host:port"
    }
}

extension Settings.OutboundProxy: CustomStringConvertible {
    package var description: String {
        "http://\(address)" + (user.map { " with \($0.source.elided)" } ?? "")
    }
}

extension Settings {
    /// An entry of `server.no_proxy`: hosts to which the program connects directly.
    package enum ProxyExemption: Sendable, Equatable {
        /// A host in lower case, and every subdomain of it.
        case domain(String)
        case addresses(AddressRange)

        /// Whether it covers a host, which is in lower case and as it stands in a URL.
        package func covers(_ host: String) -> Bool {
            let isLiteral = host.hasPrefix("[")
            switch self {
            case .addresses(let range):
                return IPAddress.parse(isLiteral ? host.dropFirst().dropLast() : host[...]).map(range.contains) == true
            case .domain(let domain):
                let name = host.hasSuffix(".") ? host.dropLast() : host[...]
                return name == domain || name.hasSuffix("." + domain)
            }
        }
    }
}

extension Settings.ProxyExemption: CustomStringConvertible {
    package var description: String {
        switch self {
        case .domain(let domain): domain
        case .addresses(let range): range.description
        }
    }
}

extension Entry {
    func outboundProxy() -> Settings.OutboundProxy? {
        guard let written = text(), let value = follow(written) else { return nil }
        do {
            let proxy = try Settings.OutboundProxy(value.secretText, source: value.source)
            if value.source == .clear, proxy.user != nil { judgeClearSecret() }
            return proxy
        } catch {
            return refusing(error.message)
        }
    }

    /// Reads an exemption: a host, an address, or a block of addresses.
    ///
    /// As in libcurl, a dot before a host has no meaning.
    func proxyExemption() -> Settings.ProxyExemption? {
        guard let text = text() else { return nil }
        guard text != "*" else {
            return refusing("would exempt every host: leave out server.outbound_proxy and server.no_proxy")
        }
        guard !text.hasPrefix("*.") else {
            return refusing("has a wildcard: write the domain without *, which stands for its subdomains too")
        }
        if text.contains("/"), !text.contains("://") {
            let objection = "would exempt every address: leave out server.outbound_proxy and server.no_proxy"
            return addressRange(ofAll: objection).map { .addresses($0) }
        }
        let literal = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        if let address = IPAddress.parse(literal) {
            return .addresses(AddressRange(network: address, prefixLength: address.count * 8))
        }
        guard !text.contains(",") else { return refusing("has several entries in one text: write [one, another]") }
        let name = text.hasPrefix(".") ? text.dropFirst() : text[...]
        guard WebURL.isHost(name) else {
            return refusing(
                "write a host without scheme and port, such as example.com, an address, or a block such as 10.0.0.0/8")
        }
        return .domain(name.lowercased())
    }
}
