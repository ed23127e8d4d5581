package import JOSE
internal import Jansson
package import Standards

/// An OpenID Provider, and the registration of this deployment with it.
package struct OpenIDConnect: Sendable {
    /// The client id of this server at the provider, which `aud` must contain.
    package let clientID: String
    /// Further accepted audiences of posted ID tokens, such as the client id of a phone application.
    package let furtherClientIDs: [String]
    /// Foreign audiences that an ID token may name beside those of this deployment.
    package let trustedAudiences: [String]
    /// The accepted tenants of an issuer that stands for many; `nil` for every other issuer.
    package let tenants: Tenants?
    package let clientAuthentication: ClientAuthentication
    /// Whether the metadata may choose between the two methods with a client secret.
    let choosesAuthentication: Bool
    package let scopes: [String]
    /// Parameters of every authorization request, which no application can set.
    package let authorizationParameters: [String: String]
    package var pkce: ProofKeyMethod
    /// The algorithms that ID tokens may be signed with (RFC 8725 §3.1), if the metadata does not name fewer.
    package let algorithms: Set<Algorithm>
    package let endpoints: Endpoints
    package let keys: CachedDocument<JWKSet>
    package let nonceRule: NonceRule
    /// The maximum age of a posted ID token, by `iat`.
    package let maximumAge: Duration
    package let clockSkew: Duration
    /// The maximum time between `iat` and `exp` of an ID token.
    package let maximumLifetime: Duration
    /// How to request a new login; `nil` if the provider does not support it.
    package let freshLogin: FreshLogin?
    package let errorCodes: ErrorCodes
    /// The places of the profile in ID tokens and in the response of the userinfo endpoint.
    package let mapping: ProfileMapping
    /// An endpoint with another form than that of RFC 7662, if ``endpoints`` have none.
    package let introspection: TokenIntrospection?
    /// The claims that together identify a person: texts, which are joined by colons.
    package let subjectClaims: [String]
    /// The messages about events that the configuration accepts.
    package let events: [EventMessage: AcceptedEvents]

    /// Returns the endpoints, which are configured or discovered.
    package typealias Endpoints = @Sendable () async throws(DocumentError) -> OpenIDConnectEndpoints
}

extension OpenIDConnect {
    /// Lets the next use of the keys fetch them, so that a key that the provider has removed is not used any more.
    package func expireKeys() async {
        await keys.expire()
        for accepted in events.values { await accepted.keys?.expire() }
    }

    /// Returns the accepted values of `iss` for a token: those of the provider, or of the tenant that the token names.
    ///
    /// - Parameter claims: The claims of a token whose signature was verified.
    /// - Throws: `JOSEError.issuerMismatch` for a tenant that is not accepted; `DocumentError`.
    package func issuers(of claims: Claims) async throws -> [String] {
        let issuers = try await endpoints().issuers
        guard let tenants else { return issuers }
        guard let tenant = claims["tid"]?.string, tenants.accept(tenant) else {
            throw JOSEError.issuerMismatch(expected: issuers.map { "\($0) with the tid of an accepted tenant" })
        }
        // An issuer of one tenant has no placeholder.
        return issuers.map { $0.replacing(Tenants.placeholder, with: tenant) }
    }

    /// The endpoint that names the application of an access token; `nil` if there is none.
    ///
    /// A configured URL replaces that of the template, whose requests and answers keep their form.
    package func introspection(of endpoints: OpenIDConnectEndpoints) -> TokenIntrospection? {
        guard let url = endpoints.introspection else { return introspection }
        var introspection = introspection ?? .standard(url)
        introspection.url = url
        return introspection
    }

    /// Whether `iss` in an authorization response (RFC 9207) can be that of this provider.
    package func accepts(issuer: String, of issuers: [String]) -> Bool {
        guard let tenants else { return issuers.containsExactly(issuer) }
        return issuers.contains { pattern in
            guard pattern.contains(Tenants.placeholder) else { return issuer.exactlyEquals(pattern) }
            let parts = pattern.split(separator: Tenants.placeholder, omittingEmptySubsequences: false)
            guard parts.count == 2, issuer.hasPrefix(parts[0]), issuer.hasSuffix(parts[1]),
                issuer.count > parts[0].count + parts[1].count
            else { return false }
            let tenant = String(issuer.dropFirst(parts[0].count).dropLast(parts[1].count))
            return tenants.accept(tenant)
                && issuer.exactlyEquals(pattern.replacing(Tenants.placeholder, with: tenant))
        }
    }

    /// Returns the subject of a person: `sub`, or the values of ``subjectClaims`` with colons between.
    ///
    /// With tenants it is `tid:sub`, because tenants may issue the same `sub`.
    package func subject(of claims: Claims) -> Subject? {
        guard !subjectClaims.contains("sub") || claims.subject?.text != Self.absentSubject else { return nil }
        guard subjectClaims != ["sub"] else { return claims.subject }
        return subject(claims.subject?.text ?? "", of: claims)
    }

    /// Returns the subject of a person, or throws the name of a claim that it needs.
    package func requiredSubject(of claims: Claims) throws(JOSEError) -> Subject {
        guard let subject = subject(of: claims) else {
            throw .missingClaim(subjectClaims.first { claims[$0]?.string == nil } ?? "sub")
        }
        return subject
    }

    /// What Azure AD B2C writes for every person unless the policy makes a subject.
    private static let absentSubject = "Not supported currently. Use oid claim."

    /// Returns the subject of a person whose `sub` is not that of the token, but within one of its claims.
    package func subject(_ sub: String, of claims: Claims) -> Subject? {
        let values = subjectClaims.map { $0 == "sub" ? sub : claims[$0]?.string ?? "" }
        // Only the last value may contain a colon: otherwise two lists of values could have the same text.
        guard !values.contains(where: \.isEmpty), !values.dropLast().contains(where: { $0.contains(":") }) else {
            return nil
        }
        return ProfileMapping.SubjectForm.text.subject(of: .string(values.joined(separator: ":")))
    }

    /// Whether the userinfo endpoint can say of whom it speaks: it returns `sub`, and no other claim that identifies a person.
    package var namesPersonInUserInfo: Bool { subjectClaims.last == "sub" }

    /// Whether `sub` of the userinfo endpoint is that of a person who has the given subject here.
    package func isSubject(_ sub: Subject, of subject: Subject) -> Bool {
        guard subjectClaims != ["sub"] else { return sub == subject }
        // Only the last value contains colons.
        let values = subject.text.split(
            separator: ":", maxSplits: subjectClaims.count - 1, omittingEmptySubsequences: false)
        return namesPersonInUserInfo && values.last?.exactlyEquals(sub.text) == true
    }
}

/// The accepted tenants of an issuer that stands for many, such as `https://login.microsoftonline.com/common/v2.0`.
///
/// The issuer in its metadata contains ``placeholder``, and each token names its tenant as `tid`.
package enum Tenants: Sendable, Equatable {
    case any
    case listed([String])

    package static let placeholder = "{tenantid}"

    func accept(_ tenant: String) -> Bool {
        switch self {
        case .any: Self.isTenant(tenant)
        case .listed(let tenants): tenants.containsExactly(tenant)
        }
    }

    /// Whether a text has the form of a tenant's id, which can change no other part of an issuer.
    package static func isTenant(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0 == UInt8(ascii: "-") || PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: ".")
            }
    }

    /// Whether an issuer is another one with the placeholder in place of one segment of its path.
    static func isPattern(_ pattern: String, of issuer: String) -> Bool {
        let segments = pattern.split(separator: "/", omittingEmptySubsequences: false)
        let others = issuer.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count == others.count, segments.count > 3 else { return false }
        let differences = zip(segments, others).filter { !$0.exactlyEquals($1) }
        return differences.count <= 1 && segments.dropFirst(3).filter { $0.exactlyEquals(placeholder) }.count == 1
            && differences.allSatisfy { $0.0.exactlyEquals(placeholder) }
    }
}

/// The messages of one kind about events, and the keys that verify them.
package struct AcceptedEvents: Sendable {
    package let source: EventSource
    /// The keys, if they are not those of ID tokens.
    package let keys: CachedDocument<JWKSet>?
}

/// Whether authorization requests carry a `code_challenge` (RFC 7636).
package enum ProofKeyMethod: Sendable, Equatable {
    case s256
    /// No challenge is sent, for a provider that refuses it. Nonce and state then bind the flow (RFC 9700 §4.5.3.2).
    case off
}

/// How the `nonce` of a posted ID token is compared with the nonce that the application posts.
package enum NonceRule: String, Sendable, CaseIterable {
    /// The application posts the sealed verifier of `POST /v1/nonce`; the token contains its SHA-256.
    case server
    /// The application posts its own value; the token contains its SHA-256 in base64url or lower-case hexadecimal.
    case client
    /// The application posts its own value, which the token contains unchanged.
    case clientPlain = "client_plain"
    /// As ``server``, but the application may post no nonce: only `max_age` and `clock_skew` then limit how long
    /// a thief can use a token.
    case none
}

/// The issuers and endpoints of an OpenID Provider.
package struct OpenIDConnectEndpoints: Sendable, Equatable {
    /// The accepted values of `iss`: usually one, and two while a provider changes its issuer.
    package let issuers: [String]
    package let authorization: String
    package let token: String
    package let userInfo: String?
    package let jwks: String
    package let introspection: String?
    /// The revocation endpoint (RFC 7009).
    package let revocation: String?
    /// Whether authorization responses carry `iss` (RFC 9207 §3).
    package let sendsIssuer: Bool
    /// The supported ones of the algorithms that the metadata names; `nil` if it names none.
    package var algorithms: Set<Algorithm>?
    /// `scopes_supported` of the metadata; `nil` if it names none.
    package var scopes: [String]?
    /// `token_endpoint_auth_methods_supported` of the metadata; `nil` if it names none.
    package var authenticationMethods: [String]?
    /// The members of the metadata by which the provider demands requests that this server cannot make.
    package var unmetDemands: [String] = []
}
