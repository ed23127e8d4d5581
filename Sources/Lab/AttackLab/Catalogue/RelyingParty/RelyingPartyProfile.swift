/// The modules of the OpenID Foundation's conformance suite that apply to this server as a relying party, as attacks.
///
/// The modules of the suite play the provider; here the stand-ins do. Where a token must be refused, the attack succeeds
/// when it is accepted or followed by a further call; where it must be accepted, when it is refused.
package enum RelyingPartyProfile {
    /// In the order of the suite: the module's whole name, and the attack that stands for it.
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
        "signing-key-rotation-just-before-signing",
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
    /// The modules of the suite that ask for what this server does not offer, and why.
    package static let notApplicable: [(module: String, reason: String)] =
        reasons.flatMap { reason, modules in modules.map { ("oidcc-client-test-" + $0, reason) } }

    private static let reasons: [(String, [String])] = [
        (
            "The code flow alone is used: no token comes through the browser.",
            ["invalid-chash", "missing-chash", "form-post-error"]
        ),
        ("The access token is sent in the header field alone (RFC 9700 4.3.2).", ["userinfo-bearer-body"]),
        (
            "Providers are configured by an operator, and are not found by WebFinger.",
            ["discovery-webfinger-acct", "discovery-webfinger-url"]
        ),
        ("Registrations are made by an operator.", ["dynamic-registration"]),
        ("Request objects are not used.", ["request-uri-signed-rs256", "request-uri-signed-none"]),
        ("Userinfo is asked for as JSON.", ["userinfo-signed"]),
        (
            "Claims of others are not read, and no URL of a token is ever fetched: attack IDT-53.",
            ["aggregated-claims", "distributed-claims"]
        ),
        ("Clients authenticate by secret.", ["mtls-endpoint-aliases"]),
        (
            "Refresh tokens are not used by the server: it keeps none.",
            ["refresh-token", "refresh-token-invalid-issuer", "refresh-token-invalid-sub"]
        ),
        ("There is no address at which a provider may begin a sign-in.", ["3rd-party-init-login"]),
        (
            "Sessions are Firebase's: the server has none that a provider could end.",
            [
                "session-management", "rp-init-logout", "rp-init-logout-no-state", "rp-init-logout-other-state",
                "rp-frontchannel-opinitlogout", "rp-frontchannel-rpinitlogout", "rp-backchannel-rpinitlogout",
                "rp-backchannel-rpinitlogout-alg-none", "rp-backchannel-rpinitlogout-wrong-alg",
                "rp-backchannel-rpinitlogout-wrong-aud", "rp-backchannel-rpinitlogout-wrong-iss",
                "rp-backchannel-rpinitlogout-wrong-event", "rp-backchannel-rpinitlogout-no-event",
                "rp-backchannel-rpinitlogout-with-nonce",
            ]
        ),
    ]
}
