internal import JOSE
package import Transport

/// How long a document is cached, and how often it is fetched.
package struct DocumentPolicy: Sendable, Equatable {
    /// The minimum lifetime of a document, even if its `Cache-Control` says less.
    package var minimumLifetime: Duration = .seconds(5 * 60)
    /// The maximum lifetime of a document, even if its `Cache-Control` says more.
    package var maximumLifetime: Duration = .seconds(24 * 60 * 60)
    /// The lifetime of a document without `max-age`.
    package var defaultLifetime: Duration = .seconds(60 * 60)
    /// The time after its lifetime in which a document is still used if no newer one can be fetched.
    package var staleLimit: Duration = .seconds(24 * 60 * 60)
    /// The minimum time between two extra fetches, and between a response that is not a document and the next attempt.
    package var cooldown: Duration = .seconds(30)
    /// The maximum time of one fetch.
    package var timeout: Duration = .seconds(5)
    /// The maximum size of the body.
    package var maximumBodyBytes = 256 * 1024

    package init() {}

    /// Returns the time between a failed attempt and the next one.
    ///
    /// After a response with a wrong status or body it is the cool-down. If the peer cannot be reached, or answers with
    /// a server error (RFC 9110 §15.6), it is 1 s, 2 s, 4 s and so on up to the cool-down, because such failures often
    /// end soon.
    ///
    /// - Parameters:
    ///   - error: The error of the last attempt.
    ///   - failures: The number of failures in a row.
    /// - Returns: The time since the last attempt.
    func pause(after error: DocumentError, failures: Int) -> Duration {
        switch error {
        case .unreachable, .status(500...), .keysRefused(500...):
            min(cooldown, .seconds(1 << min(max(0, failures - 1), 16)))
        case .status, .keysRefused, .page, .malformed, .noKeySet, .unlikeMetadata, .redirected, .otherIssuer,
            .unusableEndpoints, .noPublicKeys:
            cooldown
        }
    }
}

extension [UInt8] {
    /// Whether a body begins as HTML or XML does.
    package var isPage: Bool { first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<") }

    /// Whether a body is a page, or the line `error code: 1010` that Cloudflare sends in place of one.
    package var isPageOrItsCode: Bool { isPage || starts(with: "error code: ".utf8) }

    /// Whether a body is XML, and no page for people.
    package var isXML: Bool {
        let start = String(decoding: prefix(1024), as: UTF8.self).lowercased()
        return isPage && !start.contains("<!doctype html") && !start.contains("<html")
    }
}

/// What stands in place of a key set.
package enum KeySetForm: Sendable, Equatable {
    case objectWithoutKeys
    /// PEM, as text or by key id, as Google publishes certificates at `oauth2/v1/certs`.
    case certificates
    /// A JWK, or a list of JWKs.
    case singleKeys
    /// The member `keys` is an object.
    case objectOfKeys
    /// Another form, in words.
    case other(String)
}

/// What an operator can do about an issuer that a provider names and the configuration does not.
package enum IssuerSpelling {
    /// The instruction for an issuer that no configuration can name: one with `http`, and one that is no URL (OpenID Connect
    /// Discovery §3).
    ///
    /// - Parameter found: The issuer that the provider names.
    /// - Returns: The instruction; `nil` for an issuer that the configuration can name.
    package static func objection(to found: String) -> String? {
        // A stand-in on this machine has http.
        let possible = ["https://", "http://127.0.0.1", "http://localhost", "http://[::1]"]
        guard !possible.contains(where: found.lowercased().hasPrefix) else { return nil }
        return "An issuer is a URL with https (OpenID Connect Discovery section 3): in the provider's settings, set "
            + "its issuer, or its public URL, to that below which its metadata is. \(proxyTrust)"
    }

    /// The instruction for an issuer in metadata that stands for many tenants, or that is of version 1.0 of Microsoft Entra ID.
    ///
    /// - Parameters:
    ///   - found: The issuer that the metadata names.
    ///   - expected: The configured one.
    /// - Returns: The instruction; `nil` for another issuer, and for another spelling of version 1.0.
    static func adviceOnTenants(of found: String, insteadOf expected: String) -> String? {
        let hasPlaceholder = found.contains("{tenantid}")
        let isOfVersion1 = ["https://sts.windows.net/", "https://sts.chinacloudapi.cn/"].contains {
            found.lowercased().hasPrefix($0) && !expected.lowercased().hasPrefix($0)
        }
        guard hasPlaceholder || isOfVersion1 else { return nil }
        return "If the provider is Microsoft Entra ID, let issuer end with /v2.0, without a slash behind it, after the "
            + "id of one tenant, or after common or organizations together with tenants."
            + (hasPlaceholder
                ? " Otherwise {tenantid} stands for the id of a tenant: if issuer differs only there, write tenants; if not, write "
                    + "the issuer of one tenant." : "")
    }

    static let proxyTrust =
        "If a proxy speaks TLS in front of the provider, let the provider trust X-Forwarded-Proto of that proxy."
}

/// Why a document could not be fetched.
package enum DocumentError: Error, Equatable, Sendable {
    /// The peer sent no response.
    case unreachable(TransportError)
    /// The status of the response is not 200, and no redirect.
    case status(Int)
    /// The same for a key set.
    case keysRefused(status: Int)
    /// A page answers in place of the document. The status is not 200.
    case page(status: Int)
    /// The peer redirects to another origin, without a location, or too often.
    ///
    /// The value is the origin, or `nil` if there is none. Only a redirect within the origin of the document is followed: the
    /// peer must not be able to name another source of keys.
    case redirected(to: String?)
    /// The body is not the expected document.
    case malformed
    /// The body is no key set (RFC 7517 §5).
    case noKeySet(KeySetForm)
    /// The body is no metadata of an issuer. The text is the cause, for an operator.
    case unlikeMetadata(String)
    /// The metadata is that of another issuer (OpenID Connect Discovery §4.3).
    case otherIssuer(found: String, expected: String)
    /// Endpoints that every sign-in needs are missing in the metadata of an issuer, or are on another host.
    ///
    /// The keys are those of the configuration, such as `token`; the value is the URL on the other host, or `nil` if the
    /// metadata has none.
    case unusableEndpoints([String: String?], issuer: String)
    /// The metadata names no address of keys. The value is its list of algorithms of ID tokens.
    case noPublicKeys(algorithms: [String])

    /// The failure in words, for an operator.
    package var sentence: String {
        switch self {
        case .unreachable(let error): error.sentence
        case .status(let status): "the status is \(status)"
        case .keysRefused(let status): "the status at the address of its keys is \(status)"
        case .page(let status): "a page answers in place of the document (status \(status))"
        case .redirected(nil): "the answer is a redirect that leads to no document"
        case .redirected(let origin?): "the answer is a redirect to \(origin), which is not followed"
        case .malformed: "the answer is not the expected document"
        case .noKeySet(.objectWithoutKeys): "the answer at the address of its keys has no member keys"
        case .noKeySet(.certificates):
            "the answer at the address of its keys has keys or certificates in PEM in place of a key set (RFC 7517)"
        case .noKeySet(.singleKeys):
            "the answer at the address of its keys is a key, or a list of keys, and no key set (RFC 7517): keys stand in its member keys"
        case .noKeySet(.objectOfKeys):
            "keys in the answer at the address of its keys is an object, and must be a list (RFC 7517)"
        case .noKeySet(.other(let form)):
            "the answer at the address of its keys is no key set (RFC 7517) that can be used: it is \(form)"
        case .unlikeMetadata(let cause): "the answer is not the metadata of an issuer, because \(cause)"
        case .otherIssuer(let found, let expected):
            "the document names the issuer \(found), and the configuration \(expected)"
        case .unusableEndpoints(let endpoints, let issuer):
            endpoints.sorted { $0.key < $1.key }.map { name, url in
                guard let url else { return "it names no \(name) endpoint" }
                return Self.origin(url) != nil
                    ? "its \(name) endpoint is \(url), and the issuer \(issuer) has another \(Self.difference(url, issuer))"
                    : "its \(name) endpoint is \(url), which is not a URL: the provider must publish the whole one"
            }.joined(separator: "; ")
        case .noPublicKeys(let algorithms):
            "it names no jwks endpoint (jwks_uri)"
                + (algorithms.isEmpty
                    ? ""
                    : ", and as algorithms of ID tokens \(algorithms.prefix(8).map(\.shown).joined(separator: ", "))")
        }
    }

    /// The instruction for the operator; `nil` if the failure may pass.
    package var advice: String? {
        switch self {
        case .otherIssuer(let found, let expected):
            IssuerSpelling.objection(to: found)
                ?? IssuerSpelling.adviceOnTenants(of: found, insteadOf: expected)
                ?? "Write issuer: \(found) if that is the issuer in the provider's documentation, or let the provider name the "
                + "configured one, if its settings have the issuer, a public URL or a custom domain. If its tokens name another issuer "
                + "than its metadata, or while it changes its issuer, write both below endpoints.issuer, \(found) first, and keep "
                + "issuer. If there is no metadata at the address of that issuer, as at Azure AD B2C, write it as endpoints.issuer, "
                + "with endpoints.authorization, token and jwks from this document."
        case .unusableEndpoints(let endpoints, let issuer): Self.advice(on: endpoints, of: issuer)
        case .noPublicKeys:
            "If its documentation names the address of its keys, write: endpoints: { jwks: https://... } Otherwise choose RS256 or "
                + "ES256 as the algorithm of ID tokens for this client in the provider's settings, so that it publishes keys: HS256, "
                + "HS384 and HS512 are made with the client secret. If it cannot, or has only OAuth 2.0, write protocol: oauth2 "
                + "in place of issuer, with its endpoints and members."
        case .redirected(let origin?):
            "Write the issuer, or endpoints, with the origin \(origin), if the provider's documentation names it. If a page for signing "
                + "in is there, let this server read the document without it."
        case .status(let status) where Self.isPassing(status), .keysRefused(let status) where Self.isPassing(status),
            .page(let status) where Self.isPassing(status):
            "The provider, or a proxy in front of it, reports an error of its own, or too many requests: look for the cause "
                + "there, or wait."
        case .page:
            "Compare the address of the document, which is issuer with /.well-known/openid-configuration after it, or that of the "
                + "keys (endpoints.jwks, or jwks_uri in the metadata), with the provider's documentation. If it is right, and a "
                + "firewall or a protection against robots is in front of the provider, let it pass the address of this server. "
                + Self.withoutMetadata
        case .noKeySet(.certificates), .noKeySet(.singleKeys), .noKeySet(.objectOfKeys):
            "Write the address at which the provider publishes its keys as a set of JWKs, by its documentation, as endpoints.jwks. "
                + "If there is none, the provider has to publish one."
        case .keysRefused, .noKeySet(.other):
            "Compare endpoints.jwks, or jwks_uri in the provider's metadata, with the provider's documentation. The keys have to be "
                + "public: if the provider, or a firewall in front of it, keeps them from this server, let it read them."
        case .noKeySet(.objectWithoutKeys):
            "Compare endpoints.jwks, or jwks_uri in the provider's metadata, with the provider's documentation. If it is right, the "
                + "provider has no key that signs for this client: choose one, for RS256 or another asymmetric algorithm, in its "
                + "settings."
        case .status:
            "\(Self.issuerAdvice) The document has to be public: if the provider, or a firewall in front of it, keeps it from this "
                + "server, let it read it."
        case .unlikeMetadata(let cause) where cause.hasPrefix("it is a page"): Self.page(status: 200).advice
        case .malformed, .unlikeMetadata, .redirected(nil): Self.issuerAdvice
        case .unreachable(let error): error.advice
        }
    }

    private static let issuerAdvice =
        "Compare issuer with the provider's documentation, character for character: with /.well-known/openid-configuration after "
        + "it, it is the address of the metadata. \(withoutMetadata)"

    private static let withoutMetadata =
        "For a provider without usable metadata write endpoints.issuer, authorization, token and jwks, and for one without "
        + "OpenID Connect protocol: oauth2 in place of issuer."

    /// Whether a status says that a later request may be answered (RFC 9110 §15.5.9, §15.6; RFC 6585 §4; RFC 8470 §5.2).
    private static func isPassing(_ status: Int) -> Bool { status >= 500 || [408, 425, 429].contains(status) }

    /// Whether the address of the document may be wrong.
    package var mayBeOfAddress: Bool {
        switch self {
        case .status(let status): !Self.isPassing(status)
        case .malformed, .unlikeMetadata, .redirected: true
        case .keysRefused, .noKeySet, .page, .unreachable, .otherIssuer, .unusableEndpoints, .noPublicKeys: false
        }
    }

    /// The scheme of an absolute URL, with its colon, and the authority; `nil` for another text.
    private static func origin(_ url: String) -> (scheme: Substring, authority: Substring)? {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count > 2, parts[1].isEmpty, ["https:", "http:"].contains(parts[0].lowercased()) else { return nil }
        return (parts[0], parts[2])
    }

    /// The URL that is probably meant by an endpoint without a scheme (RFC 3986 §5.2).
    private static func whole(_ url: String, of issuer: String) -> String {
        guard origin(url) == nil, let (scheme, authority) = origin(issuer) else { return url }
        if url.hasPrefix("//") { return "\(scheme)\(url)" }
        if url.hasPrefix("/") { return "\(scheme)//\(authority)\(url)" }
        // What begins with a host is a URL without its scheme.
        let first = url.prefix { $0 != "/" }
        return first.contains(".") ? "\(scheme)//\(url)" : "\(scheme)//\(authority)/\(url)"
    }

    /// In what an endpoint differs from the issuer.
    private static func difference(_ url: String, _ issuer: String) -> String {
        let (one, other) = (origin(url.lowercased()), origin(issuer.lowercased()))
        return switch (one?.scheme == other?.scheme, one?.authority == other?.authority) {
        case (false, true): "scheme"
        case (true, false): "host or port"
        case (true, true), (false, false): "scheme, host or port"
        }
    }

    private static func isPlain(_ url: String) -> Bool { url.lowercased().hasPrefix("http:") }

    /// Whether an endpoint has `http`, and a host for which the configuration accepts it only in `plain_http_hosts`.
    private static func isPlainElsewhere(_ url: String) -> Bool {
        let host = String(url.lowercased().dropFirst("http://".count))
        return isPlain(url) && !["127.", "localhost", "[::1]"].contains(where: host.hasPrefix)
    }

    private static func advice(on endpoints: [String: String?], of issuer: String) -> String {
        // Endpoints with `https` may be at the host and port from which the metadata came by `http`.
        var (plain, secure, others) = ([String](), [String: String](), [String: String]())
        for (name, url) in endpoints {
            if let url, isPlainElsewhere(url) {
                plain.append(name)
            } else if let url, isPlain(issuer), origin(url) != nil, difference(url, issuer) == "scheme" {
                secure[name] = "http\(url.dropFirst("https".count))"
            } else {
                others[name] = url.map { whole($0, of: issuer) } ?? "https://..."
            }
        }
        var advice: [String] = []
        if !plain.isEmpty {
            // The browser calls the authorization endpoint.
            let areCalled = plain != ["authorization"]
            advice.append(
                "If the provider is reached by https, set its public URL in its settings. \(IssuerSpelling.proxyTrust)"
                    + (areCalled
                        ? " If this server calls it by http within your own network, list its host in plain_http_hosts."
                        : ""))
        }
        if !secure.isEmpty {
            advice.append(
                "If the provider speaks no TLS at the host and port of the issuer, write: \(block(secure)), or correct, "
                    + "in its settings, its public URL, or the X-Forwarded-Proto that it trusts. If it speaks TLS there, write "
                    + "issuer with https, which its metadata has to name as well.")
        }
        if !others.isEmpty {
            advice.append("If the provider's documentation has these URLs, write: \(block(others))")
        }
        return advice.joined(separator: " ")
    }

    /// The lines of the configuration that name endpoints.
    private static func block(_ urls: [String: String]) -> String {
        "endpoints: { " + urls.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", ") + " }"
    }
}
