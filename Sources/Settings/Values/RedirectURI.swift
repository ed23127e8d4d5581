/// The redirect URIs of applications (RFC 8252 §7).
extension Entry {
    /// Reads a redirect URI: `https`, `http` to loopback, or a private-use scheme.
    ///
    /// Applications must send it exactly as written.
    ///
    /// - Parameter allowsUnowned: Whether the client accepts schemes without a dot, which any application of the device
    ///   can claim.
    /// - Returns: The URI; `nil` if it was refused.
    package func redirectURI(allowsUnowned: Bool) -> String? {
        guard let text = text().flatMap({ unquoted($0) }) else { return nil }
        guard !text.contains("*") else {
            return refusing("contains a wildcard, but is compared literally: write each redirect URI in full")
        }
        // RFC 3986 §2: no URI contains them.
        guard !text.contains(where: "{}<>".contains) else {
            return refusing("contains a placeholder in braces or angle brackets: write its value there")
        }
        let beforeQuery = text.prefix { $0 != "?" }
        guard !beforeQuery.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            return refusing("has a path segment . or ..: write the resulting path")
        }
        let scheme = text.prefix { $0 != ":" }
        if ["http", "https"].contains(scheme.lowercased()) {
            guard let (text, url) = url() else { return nil }
            // RFC 8252 §8.3: a name may lead to another interface than loopback, or to a firewall.
            if url.scheme == "http", url.host == "localhost" {
                let literal = "http://127.0.0.1" + text.dropFirst("http://localhost".count)
                warn("names localhost, which may lead to another address: write \(literal)")
            }
            return text
        }
        if let fault = PrivateUseScheme.fault(of: scheme, before: text.dropFirst(scheme.count), allowsUnowned) {
            return refusing(fault)
        }
        return text
    }
}

/// The private-use URI schemes of native applications (RFC 8252 §7.1).
enum PrivateUseScheme {
    /// Schemes without a dot that a browser or an operating system handles itself.
    ///
    /// A redirect to one would execute code, open a file or start another program with the authorization code.
    private static let owned: Set<Substring> = [
        "about", "android-app", "blob", "chrome", "chrome-extension", "content", "data", "edge", "facetime", "feed",
        "file", "filesystem", "ftp", "ftps", "geo", "git", "help", "intent", "intents", "itms", "itms-apps", "jar",
        "javascript", "ldap", "ldaps", "livescript", "mailto", "maps", "market", "microsoft-edge", "mocha",
        "moz-extension", "news", "nfs", "opera", "prefs", "res", "resource", "rtsp", "safari-extension",
        "safari-web-extension", "search", "search-ms", "settings", "sftp", "shell", "shortcuts", "sip", "sips", "sms",
        "smsto", "ssh", "tel", "telnet", "urn", "vbscript", "view-source", "vnc", "webcal", "ws", "wss", "xmpp",
    ]

    /// Returns what is wrong with a URI of a private-use scheme; `nil` if it is accepted.
    ///
    /// - Parameters:
    ///   - scheme: The text before the first colon.
    ///   - rest: The URI from the colon.
    ///   - allowsUnowned: Whether schemes without a dot are accepted that are not Firebase's.
    static func fault(of scheme: Substring, before rest: Substring, _ allowsUnowned: Bool) -> String? {
        let labels = scheme.split(separator: ".", omittingEmptySubsequences: false)
        let areLabels = labels.allSatisfy { label in
            !label.isEmpty && label.consists(of: .lowerCaseAndDigits, or: "-+")
        }
        let lowercased = Substring(scheme.lowercased())
        guard !owned.contains(lowercased), !lowercased.hasPrefix("ms-") else {
            return "has a scheme that browsers, operating systems or standards use for themselves: " + expected
        }
        let isClaimable = labels.count < 2 && !isEncodedAppID(scheme) && !allowsUnowned
        if rest.hasPrefix(":/"), let fault = misspelling(of: scheme) {
            return isClaimable ? "\(fault). It \(claimable)" : fault
        }
        guard areLabels, scheme.utf8.first.map({ (0x61...0x7A).contains($0) }) == true, rest.hasPrefix(":/") else {
            return expected
        }
        // RFC 8252 §7.1: MUST use a URI scheme based on a domain name under their control, expressed in reverse order.
        guard !isClaimable else { return claimable }
        // With a dummy host, the rest is checked by the rules for all other URLs.
        let authority = rest.hasPrefix("://") ? rest.dropFirst(3) : rest.dropFirst(1)
        let asWeb = rest.hasPrefix("://") ? "https://\(authority)" : "https://host\(authority)"
        do {
            _ = try WebURL.parse(asWeb)
            return nil
        } catch {
            guard rest.hasPrefix("://"), error.message == WebURL.withoutHost else { return error.message }
            return "\(error.message). With one slash, as in com.example.app:/path, there is none"
        }
    }

    /// What is wrong with a scheme of letters, digits, dots and hyphens that has underscores or upper-case letters; `nil` if
    /// that is not all.
    ///
    /// Android writes package names with underscores, and browsers write every scheme in lower case (RFC 3986 §3.1).
    private static func misspelling(of scheme: Substring) -> String? {
        guard scheme.first?.isLetter == true, scheme.consists(of: .lettersAndDigits, or: "-+._") else { return nil }
        if scheme.contains("_") {
            return
                "has a scheme with an underscore, which no URI can have (RFC 3986 section 3.1): choose one without it, as in "
                + "com.example.my-app:/path, for the application too"
        }
        return scheme.contains(where: \.isUppercase)
            ? "has a scheme with upper-case letters, which browsers change: write it in lower case, for the application too"
            : nil
    }

    private static let claimable =
        "has a scheme without a dot, which any application can claim: write your domain in reverse order, as in "
        + "com.example.app:/path, or set allow_unowned_schemes: true for this client"

    private static let expected =
        "write https://…, http://127.0.0.1/… or your domain in reverse order as a scheme: com.example.app:/path"

    /// Whether a scheme is the Encoded App ID of a Firebase application, such as `app-1-1234567890-ios-0a1b2c3d`.
    ///
    /// The Firebase SDK for Apple platforms registers it. It is the app id, with hyphens instead of colons.
    private static func isEncodedAppID(_ scheme: Substring) -> Bool {
        let parts = scheme.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 5 && parts[0] == "app" && parts[1] == "1"
            && !parts[2].isEmpty && parts[2].consists(of: .digits)
            && ["android", "ios", "web"].contains(parts[3])
            && !parts[4].isEmpty && parts[4].allSatisfy { $0.isASCII && $0.isHexDigit }
    }
}
