package import JOSE
internal import Jansson
internal import Providers
package import Standards

/// The refusal of a token that a change of the configuration, or at the provider, would accept, and the values that the token has.
///
/// The provider signed the values of claims. Nevertheless an attacker can send a token that the provider issued to his own
/// application: the advice always names that possibility.
package struct ClaimsMismatch: RefusalCause, AdvisingCause, Equatable {
    package let error: JOSEError
    package let advice: String?

    /// Returns `nil` if no change would make the claims acceptable.
    init?(_ error: JOSEError, _ claims: Claims, _ expectation: ClaimsExpectation, from origin: Verifier.Origin) {
        self.error = error
        switch error {
        case .issuerMismatch: advice = Self.advice(onIssuerOf: claims, namesTenant: claims["tid"] != nil)
        case .audienceMismatch(let expected) where Self.isWithinText(of: claims["aud"], anyOf: expected):
            advice =
                "The client id is only a part of a text in aud, which is \(Self.shown(claims["aud"])). If that text stands for "
                + "several audiences, the provider has to send them as a list of texts (RFC 7519 section 4.1.3); those that it adds "
                + "beside the client id then belong in trusted_audiences. Otherwise the token is not for this client."
        // A code is redeemed by the client of client_id only, so that no further client id is accepted then.
        case .audienceMismatch where origin == .redeemed:
            advice =
                "The token names the audience \(Self.shown(claims["aud"])), and OpenID Connect Core section 2 demands client_id. If "
                + "the provider shows that text as the id of this very client, write it as client_id; client_ids is only for tokens "
                + "that applications send. If it is an API, leave audience and resource out of parameters and allowed_parameters, or "
                + "correct the audience of ID tokens in the provider's settings of this client. Otherwise the provider accepts codes "
                + "of other applications."
        case .audienceMismatch where Self.accessTokenClaims.contains { claims[$0] != nil } && claims["nonce"] == nil:
            advice =
                "The token names the audience \(Self.shown(claims["aud"])), and has scopes, as an access token has, and no nonce: the "
                + "application has to send the ID token of the same response. If the provider sends no other token, the client lacks "
                + "the scope openid."
        case .audienceMismatch, .severalAudiences, .authorizedPartyMismatch:
            let party = claims["azp"].map { " and the authorized party (azp) \(Self.shown($0))" } ?? ""
            advice =
                "The token names the audience \(Self.shown(claims["aud"]))\(party). Add to client_ids only a client id of your own "
                + "application, and to trusted_audiences only what the provider adds beside one, such as the id of a project. "
                + "Otherwise the token was issued to another application."
        case .nonceMismatch:
            switch expectation.nonceDifference(of: claims) {
            case .spelling?:
                advice =
                    "The two differ only in how they are written: in upper and lower case, in = at the end, or because + was "
                    + "not sent as %2B in a URL or a form, and arrived as a blank."
            case .tokenHasValue?:
                advice =
                    "The token has a value of which it must have the SHA-256: the application has to send the provider the nonce of "
                    + "POST /v1/nonce, or with nonce: client the hash of its own value."
            case .tokenHasHash?:
                advice =
                    "The token has the SHA-256 of the expected nonce, because the application or its SDK has hashed it. In place of "
                    + "nonce: client_plain write nonce: client; otherwise the provider has to get the nonce itself."
            case nil: return nil
            }
        // The year 5138 in seconds, and 1973 in milliseconds.
        case .issuedInFuture(let time, _) where time.seconds > 100_000_000_000,
            .notYetValid(let time, _) where time.seconds > 100_000_000_000:
            advice = Self.milliseconds
        case .tooOld(let issuedAt, let now):
            let (maximum, skew) = (expectation.times.maximumAge ?? .zero, expectation.times.clockSkew)
            advice =
                "The token was issued \(now.seconds - issuedAt.seconds) s ago, and \(maximum.components.seconds) s are accepted, with "
                + "\(skew.components.seconds) s for the clocks. If the clock of this machine is right, the token has to be sent sooner; "
                + "for one that an application posts, max_age of the provider may also be longer."
        case .lifetimeTooLong where claims.expiry.map { $0.seconds > 100_000_000_000 } ?? false:
            advice = Self.milliseconds
        case .lifetimeTooLong:
            guard let issuedAt = claims.issuedAt, let expiry = claims.expiry else { return nil }
            advice =
                "The token is valid for \(expiry.seconds - issuedAt.seconds) s. Raise max_lifetime of the provider to that, to 7d at "
                + "most, or shorten the lifetime of ID tokens in its settings."
        case .missingClaim("azp"):
            advice =
                "The token names the audiences \(Self.shown(claims["aud"])) and no azp, which OpenID Connect Core section 3.1.3.7 "
                + "demands beside several: the provider has to add it, or to name only the client id in aud."
        case .malformedClaim(let name):
            guard let form = Self.form(of: name), let value = claims[name] else { return nil }
            let found =
                switch value {
                case .null: "twice, as a number out of range, or as a text that cannot be read"
                case .string where name == "sub": "as \(ProfileMapping.SubjectForm.text.objection(to: value))"
                case .array(let elements) where elements.isEmpty: "as an empty list"
                default: "as \(value.typeName)"
                }
            advice =
                "The token has \(name) \(found), and must have it as \(form) that RFC 7519 and OpenID Connect Core section 2 allow: "
                + "the provider has to correct it."
        case .missingClaim("nonce"):
            advice =
                "The provider does not return the nonce of the authorization request (OpenID Connect Core section 3.1.2.1), or the "
                + "application that made the request sent none. "
                + (ProviderTemplate.withoutOpenIDConnect(atHostOf: claims["iss"]?.string).map {
                    "The built-in provider \($0) needs no ID tokens: write a section with this id, and no issuer."
                } ?? "A provider that never returns it needs protocol: oauth2, with its endpoints and members.")
                + " If only the SDK of an application sends none, write nonce: none with max_age: 2m, and clock_skew of at most 60s."
        case .missingClaim(let name) where Self.form(of: name) != nil:
            advice =
                "A token without \(name) is not accepted here. If an application sent it, it may be another token than the expected one, "
                + "such as an access token; otherwise the provider has to add \(name)."
        default: return nil
        }
    }

    /// The claims with the scopes of an access token (RFC 9068 §2.2.3, Microsoft, Okta), which an ID token mostly lacks.
    private static let accessTokenClaims = ["scope", "scp"]

    /// The refusal of a token whose tenant is not one of `tenants` in the configuration.
    init(otherTenant error: JOSEError, _ claims: Claims) {
        self.error = error
        advice = Self.advice(onIssuerOf: claims, namesTenant: true)
    }

    /// The refusal of a signed response of the userinfo endpoint, which has another `iss` or `aud`, or none.
    init(inUserInfo error: JOSEError, _ name: String, of claims: Claims, expected: [String]) {
        self.error = error
        let found = claims[name].map { "the \(name) \(Self.shown($0))" } ?? "no \(name)"
        advice =
            "The JWT has \(found), and OpenID Connect Core section 5.3.2 demands \(expected.joined(separator: " or ")): the provider "
            + "has to correct it, or to send userinfo without a signature, if it has a setting for that."
    }

    private static func advice(onIssuerOf claims: Claims, namesTenant: Bool) -> String {
        let issuer = shown(claims["iss"])
        let tenant =
            " and the tenant (tid) \(shown(claims["tid"])). If the section has tenants, and the issuer in the provider's metadata has no "
            + "{tenantid}, leave tenants out. If it has, the two have to name the same tenant: if they do, add it to tenants only if its "
            + "people may sign in; otherwise the provider has to correct the token. "
        return "The token names the issuer \(issuer)" + (namesTenant ? tenant : ". ")
            + (IssuerSpelling.objection(to: issuer)
                ?? "If the provider's documentation has it for your own registration, and its metadata, if there are any, name it as "
                + "well, write it in place of the configured one, as issuer or endpoints.issuer. If its metadata name the configured "
                + "one, its metadata and its tokens differ: if its documentation has both for your own registration, write both below "
                + "endpoints.issuer, the configured one first, and keep issuer; otherwise the provider has to correct one of them. In "
                + "all other cases the token is of another tenant, provider or application.")
    }

    /// Whether a text in `aud` contains an expected audience beside something else, such as other audiences with commas
    /// between.
    private static func isWithinText(of audience: JSON?, anyOf expected: [String]) -> Bool {
        let texts = audience?.array?.compactMap(\.string) ?? [audience?.string].compactMap(\.self)
        return texts.contains { text in
            text.split { $0.isWhitespace || ",;|[]\"'".contains($0) }.contains { part in
                expected.contains { part.exactlyEquals($0) }
            }
        }
    }

    /// The refusal of a token whose signature is not verified, and which does not name an issuer of the section.
    ///
    /// Anyone can post such a token, so that its issuer is compared and not shown. Returns `nil` if another rule refuses the
    /// token, and if it names an issuer of the section.
    init?(
        _ failure: any Error, of jws: CompactJWS, notFrom issuers: [String], at openIDConnect: OpenIDConnect
    ) {
        let mismatch = failure as? ClaimsMismatch
        guard let error = failure as? JOSEError ?? mismatch?.error, let token = try? UnverifiedClaims(of: jws) else {
            return nil
        }
        switch error {
        case .unknownKey, .keyForOtherAlgorithm, .signatureInvalid, .algorithmNotAllowed: break
        default: return nil
        }
        if let issuer = token.json["iss"]?.string, openIDConnect.accepts(issuer: issuer, of: issuers) { return nil }
        let names = issuers.map { $0.contains(Tenants.placeholder) ? "\($0) of an accepted tenant" : $0 }
        let further = (mismatch?.advice ?? error.advice).map { " If this provider sent it: \($0)" }
        self.error = error
        advice =
            "iss of the token, whose signature is not verified, is not \(names.joined(separator: " or ")). If an application sent "
            + "the token, it has to name the section of the provider that issued it, or to send a token of this provider; a Firebase "
            + "ID token is no token of a provider.\(further ?? "")"
    }

    /// The refusal of an algorithm that this deployment does not accept from the provider.
    ///
    /// - Parameters:
    ///   - algorithm: The header's `alg`.
    ///   - named: The supported ones of the algorithms in the provider's metadata; `nil` if it names none.
    package init(otherAlgorithm algorithm: String, named: Set<Algorithm>?) {
        error = .algorithmNotAllowed
        guard !["HS256", "HS384", "HS512"].contains(algorithm) else {
            advice =
                "The token is signed with \(algorithm), that is with the client secret, by which everyone who can verify a token can "
                + "also make one. Choose RS256, ES256 or another asymmetric algorithm for the ID tokens of this client in the provider's "
                + "settings. If it has none, and token-exchange providers lists the provider, write its section without issuer; if that "
                + "does not list it, write protocol: oauth2, with endpoints and members, if it has a user endpoint."
            return
        }
        guard let algorithm = Algorithm(exactly: algorithm), let named, !named.contains(algorithm) else {
            let supported = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            advice = "Choose one of \(supported) for the ID tokens of this client in the provider's settings."
            return
        }
        let names =
            named.isEmpty ? "none that is supported" : "only " + named.map(\.rawValue).sorted().joined(separator: ", ")
        advice =
            "The token is signed with \(algorithm.rawValue), and id_token_signing_alg_values_supported in the provider's metadata "
            + "names \(names). Choose an algorithm that it names for the ID tokens of this client in the provider's settings, or "
            + "let the provider correct its metadata."
    }

    /// Verifies a token, and names its key if the provider does not publish it.
    static func naming(
        _ header: JWSHeader, in keys: JWKSet, at endpoints: OpenIDConnectEndpoints, of clientID: String,
        _ verify: () throws(JOSEError) -> Claims
    ) throws -> Claims {
        do throws(JOSEError) {
            return try verify()
        } catch {
            switch error {
            case .unknownKey:
                let address = applicationKeys(at: endpoints, of: clientID)
                throw ClaimsMismatch(unknownKey: header.keyID, to: keys, applicationKeys: address)
            case .keyForOtherAlgorithm: throw ClaimsMismatch(keyOfOtherAlgorithm: header, in: keys)
            default: throw error
            }
        }
    }

    /// The refusal of a token whose `kid` is that of a key for another algorithm.
    init(keyOfOtherAlgorithm header: JWSHeader, in keys: JWKSet) {
        error = .keyForOtherAlgorithm
        // Verification has compared it with the algorithms of this program, so that it is no other text.
        let algorithm = Algorithm(exactly: header.algorithm)?.rawValue ?? "another algorithm"
        let named = Set(keys.keys.filter { $0.id == header.keyID }.flatMap(\.algorithms)).map(\.rawValue).sorted()
        advice =
            "The token is signed with \(algorithm), and the key with its kid is only for \(named.joined(separator: ", ")) (kty and alg in "
            + "the provider's key set). Choose \(named.count == 1 ? named[0] : "one of these") as the algorithm of ID tokens for this "
            + "client in the provider's settings, or let the provider publish the key for \(algorithm) under this kid."
    }

    /// The refusal of a token whose key the provider does not publish.
    ///
    /// - Parameter applicationKeys: The address of the keys of one application; `nil` if the provider has none.
    private init(unknownKey keyID: KeyID?, to keys: JWKSet, applicationKeys: String?) {
        error = .unknownKey
        if let keyID, let key = keys.refused.first(where: { $0.id == keyID }) {
            advice =
                "The provider's key set has the key with the kid of the token, and it cannot be used, because "
                + "\(key.reason.sentence): the provider has to publish a usable key under this kid, or to sign its tokens for this "
                + "client with another key."
            return
        }
        if let keyID, keys.keys.contains(where: { $0.id == keyID }) {
            advice =
                "The provider's key set has the key with the kid of the token, for another issuer than that of the token (issuer of the "
                + "key): the provider has to sign tokens of this tenant with another key, or to correct issuer there."
            return
        }
        let first = keys.keys.prefix(8)
        let published = first.map { $0.id.map { Self.shown(.string($0.text)) } ?? "one without kid" }
        let none = keys.refused.isEmpty ? "an empty key set" : "no usable key"
        var found = "no kid"
        if let keyID {
            let beginning = Self.beginning(of: keyID, like: first.compactMap(\.id))
            found = "a kid that begins with \(beginning) (length \(keyID.text.count))"
        }
        let own =
            applicationKeys.map {
                " If the application has signing keys of its own there (claims mapping), write \($0) as endpoints.jwks."
            } ?? ""
        advice =
            "The token has \(found), and the provider publishes "
            + "\(published.isEmpty ? none : published.joined(separator: ", ")). Compare endpoints.jwks, or jwks_uri in the provider's "
            + "metadata, with its documentation; token-exchange doctor tells which keys are not usable. If they are right, the "
            + "provider has to publish the key that it signs with under the kid of its tokens, or it has changed its keys again "
            + "within half a minute, in which they are not fetched twice."
            + own
    }

    /// The address of the keys of one application; `nil` if the provider has none, and if its address of keys has a query already.
    private static func applicationKeys(at endpoints: OpenIDConnectEndpoints, of clientID: String) -> String? {
        guard !endpoints.jwks.contains("?") else { return nil }
        let name = endpoints.issuers.compactMap(ProviderTemplate.applicationKeysParameter(atHostOf:)).first
        return name.map { "\(endpoints.jwks)?\($0)=\(clientID)" }
    }

    /// The part of a kid that is shown: what it has in common with a published one, and after that at most eight letters, digits,
    /// hyphens, dots and underscores, because anyone can post a token.
    private static func beginning(of keyID: KeyID, like published: [KeyID]) -> String {
        let scalars = Array(keyID.text.unicodeScalars)
        let lengths = published.map { id in
            zip(scalars, id.text.unicodeScalars).prefix(while: { pair in pair.0 == pair.1 }).count
        }
        let common = lengths.max() ?? 0
        let next = scalars[common...].prefix(8).map { Character($0) }
            .filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        let shared = String(String.UnicodeScalarView(scalars[..<common]))
        return shown(.string(shared)) + String(next)
    }

    /// The form that a claim must have; `nil` for a claim of which no rule needs more than its absence.
    private static func form(of claim: String) -> String? {
        switch claim {
        case "iss", "azp", "nonce", "at_hash": "a text"
        case "sub": "a text of 1 to 255 octets"
        case "aud": "a text, or a list of texts"
        case "exp", "iat", "nbf": "a number of seconds"
        default: nil
        }
    }

    private static let milliseconds =
        "The token counts iat, exp, nbf or auth_time in milliseconds, and RFC 7519 in seconds: the provider has to correct it."

    package var refusal: Refusal {
        let refusal = error.refusal
        return Refusal(refusal.reason, refusal.description, finding: refusal.finding, cause: self)
    }

    /// The claim as a message may contain it: visible ASCII, at most 300 characters.
    static func shown(_ claim: JSON?) -> String {
        let texts = claim?.array.map { $0.map { $0.string ?? "?" } } ?? [claim?.string ?? "none"]
        let text = texts.joined(separator: ", ").unicodeScalars.prefix(300)
        return String(String.UnicodeScalarView(text.map { (0x20..<0x7F).contains($0.value) ? $0 : "?" }))
    }
}
