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
