internal import JOSE
internal import Jansson
internal import Providers
internal import Standards

/// The parts of an ID token that show how its provider issues them, without its person and its secrets.
struct IDTokenEvidence {
    private let header: JWSHeader?
    private let claims: [String: JSON]

    /// Reads a token, whose signature need not be valid.
    init(_ idToken: UnverifiedIDToken?) {
        let jws = idToken.flatMap { try? CompactJWS.parse($0.secret.secretText) }
        header = jws?.header
        claims = jws.flatMap { try? UnverifiedClaims(of: $0) }?.json.object ?? [:]
    }

    /// The values of `alg`, `kid` and `iss`, and the names of all claims.
    var text: String {
        guard let header else { return "it is no signed token" }
        let issuer = claims["iss"]?.string ?? "absent"
        return "alg \(header.algorithm), kid \(header.keyID?.text ?? "absent"), iss \(issuer), "
            + "claims \(claims.keys.sorted().joined(separator: " "))"
    }

    func valid(of subject: String) -> Finding {
        Finding("sign_in.id_token", of: subject, .ok, "The ID token is valid: \(text).")
    }

    /// Tells how `at_hash` is written, which OpenID Connect Core §3.1.3.6 wants without padding.
    func accessTokenHash(of subject: String) -> Finding {
        let text =
            switch claims["at_hash"]?.string {
            case nil: "The ID token has no at_hash."
            case let hash?: "The ID token has an at_hash \(hash.hasSuffix("=") ? "with" : "without") padding."
            }
        return Finding("sign_in.at_hash", of: subject, .info, text)
    }

    /// Judges whether a fresh login can be proven, after a request with `max_age`.
    ///
    /// - Parameters:
    ///   - evidence: The evidence that the configuration expects.
    ///   - subject: The provider.
    /// - Returns: A warning if the configuration expects `auth_time`, which is missing.
    func loginTime(_ evidence: FreshLogin.Evidence, of subject: String) -> Finding {
        let id = "sign_in.auth_time"
        guard claims["auth_time"]?.integer == nil else {
            return Finding(id, of: subject, .ok, "The provider sends auth_time if the request has max_age.")
        }
        let text = "The provider sends no auth_time, although the request had max_age."
        guard evidence == .authenticationTime else { return Finding(id, of: subject, .ok, text) }
        return Finding(
            id, of: subject, .warning, text,
            remedy: "Set reauthentication: prompt for this provider, or reauthentication fails with "
                + "fresh_login_unproven. Let backends treat reauth_method \"prompt\" as a login that was requested and "
                + "not proven.")
    }
}
