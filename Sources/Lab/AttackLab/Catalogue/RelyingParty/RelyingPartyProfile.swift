/// The modules of the OpenID Foundation's conformance suite that apply to this server as a relying party, as attacks.
///
/// The modules of the suite act as the provider; here the stand-ins do. If a token must be refused, the attack succeeds
/// if it is accepted or followed by another call; if a token must be accepted, the attack succeeds if it is refused.
package enum RelyingPartyProfile {
    /// The full names of the modules, in the order of the suite, and the attack for each.
    package static let modules: [(module: String, attack: String)] =
        [("oidcc-client-test", "OIDC-happy-path")]
        + openIDConnect.map { ("oidcc-client-test-" + $0, "OIDC-" + $0) }
        + security.map { ("fapi2-security-profile-final-client-test-" + $0, "FAPI2-" + $0) }

    private static let openIDConnect = [
        "invalid-iss", "missing-sub", "invalid-aud", "missing-aud", "missing-iat", "kid-absent-single-jwks",
        "kid-absent-multiple-jwks", "idtoken-sig-rs256", "idtoken-sig-none", "invalid-sig-rs256", "invalid-sig-es256",
        "invalid-sig-hs256", "userinfo-invalid-sub", "nonce-invalid", "nonce-unless-code-flow",
        "scope-userinfo-claims", "client-secret-basic", "userinfo-bearer-header", "invalid-athash", "missing-athash",
        "discovery-openid-config", "discovery-jwks-uri-keys", "discovery-issuer-mismatch", "signing-key-rotation",
        "signing-key-rotation-just-before-signing", "rp-backchannel-rpinitlogout",
        "rp-backchannel-rpinitlogout-alg-none", "rp-backchannel-rpinitlogout-wrong-alg",
        "rp-backchannel-rpinitlogout-wrong-aud", "rp-backchannel-rpinitlogout-wrong-iss",
        "rp-backchannel-rpinitlogout-wrong-event", "rp-backchannel-rpinitlogout-no-event",
        "rp-backchannel-rpinitlogout-with-nonce",
    ]

    private static let security = [
        "discovery-issuer-mismatch", "ensure-authorization-response-with-invalid-state-fails",
        "ensure-authorization-response-with-invalid-missing-state-fails", "invalid-authorization-response-iss",
        "remove-authorization-response-iss", "invalid-iss", "invalid-missing-iss", "invalid-aud",
        "invalid-missing-aud", "invalid-secondary-aud", "invalid-expired-exp", "invalid-missing-exp",
        "invalid-nonce", "invalid-missing-nonce", "invalid-null-alg", "invalid-alternate-alg", "valid-aud-as-array",
        "token-type-case-insensitivity", "token-endpoint-response-without-expires_in",
    ]
}

extension RelyingPartyProfile {
    /// The modules of the suite that need features that this server does not offer, with the reasons.
    package static let notApplicable: [(module: String, reason: String)] =
        reasons.flatMap { reason, modules in modules.map { ("oidcc-client-test-" + $0, reason) } }

    private static let reasons: [(String, [String])] = [
        (
            "The server uses only the code flow: no token passes through the browser.",
            ["invalid-chash", "missing-chash", "form-post-error"]
        ),
        ("The server sends the access token only in the header field (RFC 9700 4.3.2).", ["userinfo-bearer-body"]),
        (
            "An operator configures the providers; the server does not use WebFinger.",
            ["discovery-webfinger-acct", "discovery-webfinger-url"]
        ),
        ("An operator registers the server at providers.", ["dynamic-registration"]),
        ("The server does not use request objects.", ["request-uri-signed-rs256", "request-uri-signed-none"]),
        ("The server requests userinfo as JSON.", ["userinfo-signed"]),
        (
            "The server reads no aggregated or distributed claims and fetches no URL of a token: attack IDT-53.",
            ["aggregated-claims", "distributed-claims"]
        ),
        ("The server authenticates with a client secret.", ["mtls-endpoint-aliases"]),
        (
            "The server does not use refresh tokens and stores none.",
            ["refresh-token", "refresh-token-invalid-issuer", "refresh-token-invalid-sub"]
        ),
        ("The server has no endpoint at which a provider can start a sign-in.", ["3rd-party-init-login"]),
        (
            "Sessions belong to Firebase: the server has no page at which they could be ended.",
            [
                "session-management", "rp-init-logout", "rp-init-logout-no-state", "rp-init-logout-other-state",
                "rp-frontchannel-opinitlogout", "rp-frontchannel-rpinitlogout",
            ]
        ),
    ]
}
