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
