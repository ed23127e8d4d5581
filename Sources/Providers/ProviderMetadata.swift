internal import JOSE
internal import Jansson
internal import Standards
internal import Transport

/// The metadata that an OpenID Provider publishes (OpenID Connect Discovery §3).
enum ProviderMetadata {
    /// Returns the cache of the document of the first issuer.
    ///
    /// Endpoints in `overrides` replace those of the document.
    static func document(
        issuers: [String], hasTenants: Bool, overrides: EndpointOverrides, plainHTTPHosts: [String],
        transport: HTTPTransport, time: TimeSource, onFailure: @escaping @Sendable (DocumentError) -> Void
    ) -> CachedDocument<OpenIDConnectEndpoints> {
        let issuer = issuers.first ?? ""
        // OpenID Connect Discovery §4: "any terminating / MUST be removed before appending".
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        return CachedDocument(
            at: base + "/.well-known/openid-configuration", transport: transport, time: time,
            onFailure: onFailure
        ) {
            try parse(
                $0, issuer: issuer, hasTenants: hasTenants, overrides: overrides, plainHTTPHosts: plainHTTPHosts)
        }
    }

    /// Reads a metadata document.
    ///
    /// - Parameters:
    ///   - issuer: The expected issuer.
    ///   - hasTenants: Whether the document's issuer has the placeholder of ``Tenants`` in place of a segment of `issuer`.
    ///   - overrides: The endpoints that the configuration names.
    ///   - plainHTTPHosts: The hosts that an endpoint may name with `http`, except that of the browser.
    /// - Throws: `DocumentError.noPublicKeys` if only the address of the keys is missing, `DocumentError.otherIssuer` if `issuer` is not exactly the expected one (§4.3), and
    ///   `DocumentError.unusableEndpoints` if an endpoint is missing, or if an endpoint that the configuration does not name
    ///   is on another host than the issuer: an attacker who can change the document must not be able to move the token
    ///   endpoint.
    static func parse(
        _ bytes: [UInt8], issuer: String, hasTenants: Bool = false, overrides: EndpointOverrides,
        plainHTTPHosts: [String] = []
    ) throws(DocumentError) -> OpenIDConnectEndpoints {
        guard let document = JSON.answer(in: bytes) else {
            let form = bytes.isPage ? "a page of HTML or XML" : bytes.withoutByteOrderMark.form
            throw .unlikeMetadata("it is \(form)")
        }
        guard document.object != nil else { throw .unlikeMetadata("it is \(document.typeName) in place of an object") }
        guard let found = document["issuer"]?.string, found.utf8.count <= 2048 else {
            let members = document["issuer"] == nil ? document.membersForOperator : nil
            throw .unlikeMetadata("it names no issuer" + (members.map { "; \($0)" } ?? ""))
        }
        guard found.exactlyEquals(issuer) || hasTenants && Tenants.isPattern(found, of: issuer) else {
            throw .otherIssuer(found: found.shown, expected: issuer)
        }
        func endpoint(_ member: String) -> String? {
            guard let url = document[member]?.string, stands(url, below: issuer) else { return nil }
            return url
        }
        func backChannel(_ member: String) -> String? {
            guard let url = document[member]?.string, let parts = origin(url), parts.scheme == "http:",
                plainHTTPHosts.contains(host(of: parts.authority))
            else { return endpoint(member) }
            return url
        }
        var merged = overrides
        merged.issuers = overrides.issuers ?? [found]
        // The configuration names where discovery starts, and the document the pattern.
        if hasTenants, merged.issuers?.contains(where: { $0.contains(Tenants.placeholder) }) != true {
            merged.issuers = [found]
        }
        merged.authorization = overrides.authorization ?? endpoint("authorization_endpoint")
        merged.token = overrides.token ?? backChannel("token_endpoint")
        merged.userInfo = overrides.userInfo ?? backChannel("userinfo_endpoint")
        merged.jwks = overrides.jwks ?? backChannel("jwks_uri")
        // Yahoo uses the second name.
        merged.revocation =
            overrides.revocation ?? backChannel("revocation_endpoint") ?? backChannel("token_revocation_endpoint")
        // What stands there twice is null, and does not count as absent.
        let announcement = document["authorization_response_iss_parameter_supported"]
        let sendsIssuer = announcement?.bool ?? (announcement == .null)
        guard let complete = merged.complete(issuers: merged.issuers ?? []) else {
            let needed = [
                ("authorization", merged.authorization, "authorization_endpoint"),
                ("token", merged.token, "token_endpoint"),
                ("jwks", merged.jwks, "jwks_uri"),
            ]
            let named = { (member: String) in document[member]?.string.flatMap { $0.isEmpty ? nil : $0.shown } }
            let missing = needed.filter { $0.1 == nil }.map { ($0.0, named($0.2)) }
            if missing.count == 1, let (name, url) = missing.first, name == "jwks", url == nil {
                throw .noPublicKeys(algorithms: list(document["id_token_signing_alg_values_supported"]) ?? [])
            }
            throw .unusableEndpoints(Dictionary(missing) { one, _ in one }, issuer: issuer)
        }
        return OpenIDConnectEndpoints(
            issuers: complete.issuers, authorization: complete.authorization, token: complete.token,
            userInfo: complete.userInfo, jwks: complete.jwks, introspection: complete.introspection,
            revocation: complete.revocation, sendsIssuer: sendsIssuer,
            algorithms: document["id_token_signing_alg_values_supported"].flatMap { member in
                let names = member == .null ? [] : list(member)
                return names.map { Set($0.compactMap(Algorithm.init(exactly:))) }
            },
            scopes: list(document["scopes_supported"]),
            authenticationMethods: list(document["token_endpoint_auth_methods_supported"]),
            unmetDemands: demands.filter { document[$0]?.bool == true })
    }

    /// Demands of RFC 9126 §5 and RFC 9101 §10.5, which requests of this server do not meet.
    private static let demands = ["require_pushed_authorization_requests", "require_signed_request_object"]

    /// The texts of a list, in whose place some providers write one text with spaces between the elements.
    private static func list(_ member: JSON?) -> [String]? {
        if let elements = member?.array { return elements.compactMap(\.string) }
        let words = member?.string?.split(separator: " ").map(String.init) ?? []
        return words.isEmpty ? nil : words
    }

    /// Whether a URL has the issuer's scheme, and its host and port or a subdomain of it.
    private static func stands(_ url: String, below issuer: String) -> Bool {
        guard let url = origin(url), let issuer = origin(issuer), url.scheme == issuer.scheme else { return false }
        return url.authority == issuer.authority || url.authority.hasSuffix("." + issuer.authority)
    }

    /// The host of an authority without user information, in which an IPv6 address has brackets.
    private static func host(of authority: String) -> String {
        let end = authority.lastIndex(of: "]") ?? authority.startIndex
        return String(authority[..<(authority[end...].firstIndex(of: ":") ?? authority.endIndex)])
    }

    private static func origin(_ url: String) -> (scheme: String, authority: String)? {
        // The comparison is by octets. For Swift, a slash with a combining mark is another character; for an HTTP
        // client, the host ends there.
        let parts = url.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[1].isEmpty, !parts[2].isEmpty,
            parts[2].allSatisfy({ PercentEncoding.isUnreserved($0) || ":[]".utf8.contains($0) })
        else { return nil }
        let scheme = Substring(parts[0]).lowercased()
        return (scheme, Substring(parts[2]).lowercased().withoutDefaultPort(of: scheme))
    }
}

extension String {
    /// An authority without the port that its scheme implies (RFC 3986 §6.2.3); `scheme` ends with its colon.
    fileprivate func withoutDefaultPort(of scheme: String) -> String {
        let port = [("https:", ":443"), ("http:", ":80")].first { $0.0 == scheme }?.1
        return port.flatMap { hasSuffix($0) ? String(dropLast($0.count)) : nil } ?? self
    }
}
