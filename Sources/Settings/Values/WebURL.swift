internal import Providers

/// An absolute `https` URL, or an `http` URL to a loopback host, in a spelling that all parsers read alike.
///
/// User information, fragments, percent signs in the host, characters outside RFC 3986, and hosts that some parsers
/// read as a number (`http://2130706433/`) are refused.
struct WebURL {
    let scheme: Substring
    /// The host, including the brackets of an IPv6 address.
    let host: Substring
    let port: Int?
    /// The path from the first slash to the query.
    let path: Substring
    let query: Substring?

    private static let onlySecure = "write https:// at its beginning; http:// is only for loopback"
    static let withoutHost =
        "has no valid host: write a name of letters, digits, hyphens and dots, without underscores, or an IP address (IPv6 in "
        + "brackets)"

    /// The reason why a text is not such a URL.
    ///
    /// It does not repeat the text, which may contain a password.
    struct Fault: Error {
        let message: String
    }

    /// Returns whether none of the URLs has a host of the known ones; `false` if either list has no host.
    static func areElsewhere(_ texts: [String], than known: [String?]) -> Bool {
        func hosts(_ texts: [String]) -> [Substring] {
            texts.compactMap { text in (try? parse(text, allowsPlainHTTP: true)).map(\.host) }
        }
        let (expected, found) = (hosts(known.compactMap(\.self)), hosts(texts))
        return !expected.isEmpty && !found.isEmpty && !found.contains(where: expected.contains)
    }

    /// Parses a URL.
    ///
    /// - Parameter allowsPlainHTTP: Whether `http` is accepted also for other hosts than loopback, which the caller
    ///   then checks.
    /// - Throws: A fault that says what to write instead.
    static func parse(_ text: String, allowsPlainHTTP: Bool = false) throws(Fault) -> WebURL {
        if let quote = text.first, "\"'`“”‘’".contains(quote) {
            throw Fault(message: "is in quotation marks, which are not part of the value: remove them")
        }
        guard let separator = text.firstRange(of: "://") else {
            throw Fault(message: objection(withoutScheme: text))
        }
        let scheme = text[..<separator.lowerBound]
        guard scheme == "https" || scheme == "http" else {
            if ["https", "http"].contains(scheme.lowercased()) {
                throw Fault(message: "write its scheme in lower case")
            }
            throw Fault(message: onlySecure)
        }
        let rest = text[separator.upperBound...]
        // Browsers show such a name, and DNS has another one (RFC 5890 §2.3.2.1).
        let name = rest.prefix { !"/?#".contains($0) }
        guard (name.split(separator: "@").last ?? "").utf8.allSatisfy({ $0 < 0x80 }) else {
            throw Fault(message: "has a host with letters outside ASCII: write its form in ASCII, which contains xn--")
        }
        try checkCharacters(rest)
        guard !rest.contains("#") else {
            throw Fault(message: "must not have a fragment: leave out # and what follows")
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else {
            throw Fault(message: "must not have a user name or password: leave out the part before @")
        }
        let (host, port) = try split(authority)
        guard scheme == "https" || allowsPlainHTTP || isLoopback(host) else {
            throw Fault(message: onlySecure)
        }
        let tail = rest[authority.endIndex...]
        let path = tail.prefix { $0 != "?" }
        let query = path.endIndex < tail.endIndex ? tail[path.endIndex...].dropFirst() : nil
        return WebURL(scheme: scheme, host: host, port: port, path: path, query: query)
    }

    /// Says what is wrong with a text without `://`.
    private static func objection(withoutScheme text: String) -> String {
        if Placeholder.isTemplate(text) || text.isForeignReference { return "is a placeholder: write the URL itself" }
        if ["env:", "file:"].contains(where: text.hasPrefix) {
            return "is a reference, which is not followed here: write the URL itself"
        }
        return onlySecure
    }

    /// The issuer with the policy of the query in its path, before the version, as Azure AD B2C has both forms:
    /// `https://host/tenant/v2.0/.well-known/openid-configuration?p=NAME` and `https://host/tenant/NAME/v2.0`.
    ///
    /// - Parameter end: The end of the issuer in the path; `nil` if all of the path belongs to it.
    /// - Returns: The issuer; `nil` if the query names no policy.
    func issuerOfPolicy(before end: Substring.Index?) -> String? {
        let names = (query ?? "").split(separator: "&").filter { $0.hasPrefix("p=") }.map { $0.dropFirst(2) }
        guard let name = names.first, names.count == 1, !name.isEmpty,
            name.consists(of: .lettersAndDigits, or: "-._~")
        else { return nil }
        var parts = path[..<(end ?? path.endIndex)].split(separator: "/")
        let version = parts.lastIndex { $0.wholeMatch(of: /v[0-9.]+/) != nil } ?? parts.endIndex
        parts.insert(name, at: version)
        return "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")/\(parts.joined(separator: "/"))"
    }

    /// The part of the path by which the address of the metadata differs from the issuer; `nil` if this is no such address.
    ///
    /// It stands at the end (OpenID Connect Discovery §4), or before the path of the issuer (RFC 8414 §3). An issuer may itself
    /// contain `/.well-known/`: Casdoor has `/.well-known/NAME`, with `/openid-configuration` behind it.
    fileprivate var suffixOfMetadata: Range<Substring.Index>? {
        guard path.contains("/.well-known/") else { return nil }
        let names = ["/openid-configuration", "/oauth-authorization-server"]
        for name in names.map({ "/.well-known\($0)" }) + names {
            guard let range = path.firstRange(of: name) else { continue }
            let rest = path[range.upperBound...]
            if rest.isEmpty || rest.hasPrefix("/") { return range }
        }
        return nil
    }

    /// What to do with the parameter of a query by which a provider has the keys of one application, as a sentence; an empty text
    /// for any other query.
    var adviceOnApplicationKeys: String {
        guard let name = ProviderTemplate.applicationKeysParameter(atHostOf: "\(scheme)://\(host)"),
            let parameter = query?.split(separator: "&").first(where: { $0.hasPrefix("\(name)=") })
        else { return "" }
        return ". If the application has signing keys of its own (claims mapping), write jwks_uri of the metadata, and "
            + "?\(parameter) behind it, as endpoints.jwks"
    }

    static func isLoopback(_ host: some StringProtocol) -> Bool {
        if host == "localhost" { return true }
        if host.hasPrefix("[") {
            return IPAddress.version6(host.dropFirst().dropLast()).map(IPAddress.isLoopback) == true
        }
        return IPAddress.version4(host).map(IPAddress.isLoopback) == true
    }

    /// Splits an authority without user information.
    static func split(_ authority: Substring) throws(Fault) -> (host: Substring, port: Int?) {
        let bracket = authority.lastIndex(of: "]") ?? authority.startIndex
        let colon = authority[bracket...].firstIndex(of: ":")
        let host = authority[..<(colon ?? authority.endIndex)]
        guard isHost(host) else {
            throw Fault(message: withoutHost)
        }
        guard let colon else { return (host, nil) }
        guard let port = Port.parse(authority[authority.index(after: colon)...]) else {
            throw Fault(message: "has an invalid port: write a number from 1 to 65535")
        }
        return (host, port)
    }

    /// Whether a text is a host name, an IPv4 address, or an IPv6 address in brackets.
    static func isHost(_ host: Substring) -> Bool {
        if host.hasPrefix("[") { return IPAddress.version6(host.dropFirst().dropLast()) != nil }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        // RFC 1123 §2.1.
        let areLabels = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
        guard areLabels, host.utf8.count <= 253, let last = labels.last else { return false }
        // WHATWG URL, "ends in a number checker": such a host must be an IPv4 address.
        let endsInNumber = last.allSatisfy(\.isNumber) || last.lowercased().hasPrefix("0x")
        return !endsInNumber || IPAddress.version4(host) != nil
    }

    /// Checks the part of a URL after its scheme.
    ///
    /// A character is named only if no password can contain it.
    static func checkCharacters(_ text: Substring) throws(Fault) {
        // RFC 3986 §2: unreserved, reserved and the percent sign.
        let refused = text.unicodeScalars.first {
            !String($0).consists(of: .lettersAndDigits, or: "-._~:/?#[]@!$&'()*+,;=%")
        }
        if let refused {
            let character = refused.isASCII ? String(refused) : refused.notation
            let name = refused == " " ? "a space, which" : "the character \(character), which"
            throw Fault(
                message: "contains \(text.contains("@") ? "a character that" : name) is not allowed in a URL: if it "
                    + "belongs to a placeholder such as {name}, write the value; if it is not in the host, percent-encode it"
            )
        }
        guard !hasBrokenEscape(text) else {
            throw Fault(message: "has a percent sign that is not followed by two hexadecimal digits: write it as %25")
        }
    }

    private static func hasBrokenEscape(_ text: Substring) -> Bool {
        text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().contains { part in
            part.prefix(2).utf8.count != 2 || !part.prefix(2).allSatisfy(\.isHexDigit)
        }
    }
}

extension Entry {
    /// Reads the URL of an endpoint, with any path and query.
    func endpointURL() -> String? { url()?.text }

    /// Reads the URL of an endpoint that only this server calls, also with `http`.
    ///
    /// ``Settings/OpenIDConnectProvider`` compares its host with `plain_http_hosts`.
    func backChannelURL() -> String? { url(allowsPlainHTTP: true)?.text }

    /// Reads the URL of a page to which people are sent, of at most 1000 characters.
    func pageURL() -> String? {
        guard let text = url()?.text else { return nil }
        guard text.utf8.count <= 1000 else { return refusing("must be at most 1000 characters long") }
        return text
    }

    /// Reads an issuer, which has no query (OpenID Connect Discovery §3, RFC 8414 §2).
    ///
    /// Issuers are compared exactly as written.
    func issuer() -> String? {
        guard let text = text() else { return nil }
        do {
            let url = try WebURL.parse(text.replacing(Tenants.placeholder, with: "tenant"), allowsPlainHTTP: true)
            guard url.scheme == "https" || WebURL.isLoopback(url.host) else {
                return refusing(
                    "must have https: write the provider's public URL. If iss of its ID tokens has http, correct that at the provider, "
                        + "in its public URL or in its setting that trusts X-Forwarded-Proto. An address inside of a network belongs "
                        + "below endpoints, with its host in plain_http_hosts")
            }
            let document = url.suffixOfMetadata
            let policy = url.issuerOfPolicy(before: document?.lowerBound)
            guard url.query == nil || document != nil && policy == nil else {
                return refusing(
                    "must not have a query: "
                        + (policy.map { issuer in
                            "it names a policy, which belongs into the path: write \(issuer), if its metadata is there. If that "
                                + "metadata names another issuer, as at Azure AD B2C, write that as endpoints.issuer, with endpoints.authorization, token "
                                + "and jwks from it"
                        } ?? "leave out ? and what follows\(url.adviceOnApplicationKeys)"))
            }
            if let document {
                let isWithin = url.path[document.upperBound...].count > 1
                return refusing(
                    "is the address of the metadata: write its member issuer, mostly the "
                        + (isWithin
                            ? "URL without \(url.path[document])" : "part before \(url.path[document.lowerBound...])"))
            }
            return text
        } catch {
            return refusing(error.message)
        }
    }

    /// Reads the origin of a page, as ``origin()`` does, or that of a page that an extension or an application contains.
    package func pageOrigin() -> String? {
        guard let text = text() else { return nil }
        if let name = PackagedOrigin.name(in: text) {
            guard PackagedOrigin.isName(name) else {
                return refusing("write only the scheme and the name, without a port and a slash at the end")
            }
            return text
        }
        guard text != "null", !text.contains("*") else {
            return refusing("is not one origin: write its scheme and host in full, such as https://app.example.com")
        }
        if let scheme = text.firstRange(of: "://").map({ text[..<$0.lowerBound].lowercased() }),
            !scheme.hasPrefix("http"), scheme.allSatisfy(\.isLetter)
        {
            return refusing(
                "has a scheme that is not read here: write an origin with https, http for loopback, or "
                    + PackagedOrigin.schemes.sorted().joined(separator: ", "))
        }
        return origin()
    }

    /// Reads scheme, host and port as a browser writes them in `Origin` (RFC 6454 §6.1).
    ///
    /// Origins are compared exactly as written.
    ///
    /// - Parameter adviceOnPath: What to add about a URL with a path.
    package func origin(adviceOnPath: String = "") -> String? {
        guard let (text, url) = url() else { return nil }
        let port = url.port == (url.scheme == "https" ? 443 : 80) ? nil : url.port
        let origin = "\(url.scheme)://\(url.host.lowercased())\(port.map { ":\($0)" } ?? "")"
        guard text == origin else {
            return refusing(
                "must be only scheme, host and port, in lower case and without the default port: write \(origin)"
                    + (["", "/"].contains(url.path) ? "" : adviceOnPath))
        }
        return text
    }

    func url(allowsPlainHTTP: Bool = false) -> (text: String, url: WebURL)? {
        guard let text = text() else { return nil }
        do {
            return (text, try WebURL.parse(text, allowsPlainHTTP: allowsPlainHTTP))
        } catch {
            return refusing(error.message)
        }
    }
}

/// The origins of pages that no web server sends: those of browser extensions, and of applications with a web view.
///
/// Only the extension or the application itself can send requests with such an origin.
enum PackagedOrigin {
    fileprivate static let schemes: Set<Substring> = [
        "capacitor", "chrome-extension", "ionic", "moz-extension", "safari-web-extension", "tauri",
    ]

    /// Returns the text after the scheme; `nil` if the scheme is another one.
    static func name(in text: String) -> Substring? {
        guard let separator = text.firstRange(of: "://"), schemes.contains(text[..<separator.lowerBound]) else {
            return nil
        }
        return text[separator.upperBound...]
    }

    /// Whether a text is the id of an extension, or the host of a web view, as browsers write it.
    static func isName(_ name: Substring) -> Bool {
        (1...63).contains(name.utf8.count)
            && name.consists(of: .lowerCaseAndDigits, or: "-")
    }
}

/// The addresses at Microsoft that stand for many tenants.
///
/// The issuer in their metadata and in their tokens is that of one tenant.
enum MicrosoftIssuer {
    private static let worldwide = "login.microsoftonline.com"
    /// The hosts of issuers, each with the host that the metadata of version 2.0 names there.
    private static let hosts = [
        worldwide: worldwide, "login.microsoft.com": worldwide, "login.windows.net": worldwide,
        hostOfVersion1: worldwide, "login.microsoftonline.us": "login.microsoftonline.us",
        "login.partner.microsoftonline.cn": "login.partner.microsoftonline.cn",
    ]
    /// The host in the issuers of version 1.0.
    private static let hostOfVersion1 = "sts.windows.net"

    /// The words in the place of the id of a tenant in an issuer, which are no tenants themselves.
    static let groups: Set = ["common", "organizations", "consumers"]

    /// Whether an issuer is at Microsoft.
    static func isAt(_ issuer: String) -> Bool {
        let url = try? WebURL.parse(issuer.replacing(Tenants.placeholder, with: "tenant"))
        return url.map { hosts[$0.host.lowercased()] != nil } ?? false
    }

    /// Whether an issuer is at Microsoft, and stands for one tenant.
    static func isOfOneTenant(_ issuer: String) -> Bool {
        guard isAt(issuer), let url = try? WebURL.parse(issuer), let segment = url.path.split(separator: "/").first
        else { return false }
        return !groups.contains(segment.lowercased())
    }

    /// Returns what to write instead of an issuer; `nil` if it can be used.
    ///
    /// - Parameter isDiscovered: Whether metadata is read at the issuer, and has to name it.
    static func advice(_ issuer: String, hasTenants: Bool, isDiscovered: Bool) -> String? {
        guard let url = try? WebURL.parse(issuer.replacing(Tenants.placeholder, with: "%7btenantid%7d")) else {
            return nil
        }
        let (host, segments) = (url.host.lowercased(), url.path.split(separator: "/"))
        guard let address = hosts[host].map({ "https://\($0)" }), let segment = segments.first else { return nil }
        let version =
            isDiscovered && segments.count == 1 && host != hostOfVersion1
            ? "is of version 1.0, whose metadata names another issuer: write \(address)/\(segment)/v2.0" : nil
        let tenant = segment.lowercased()
        switch tenant {
        case "%7btenantid%7d" where isDiscovered:
            return "is not the address of any metadata: write \(address)/common/v2.0 and tenants, or the id of one "
                + "tenant in the place of common"
        case "common", "organizations", "%7btenantid%7d":
            guard !hasTenants else { return version }
            let place = tenant.hasPrefix("%") ? Tenants.placeholder : tenant
            return "stands for every tenant of Microsoft: write the id of one tenant in the place of \(place), or "
                + "write tenants: with the ids of the accepted tenants, or any" + (version.map { ". It \($0)" } ?? "")
        case "consumers":
            return "is not the issuer of personal accounts: write the one of their tenant, "
                + "https://\(worldwide)/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
        default: return version
        }
    }
}
