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
