internal import Jansson

/// Tokens that are valid for another recipient, and requests that try to change the checks.
enum OtherTokens {
    static let rows: [ForgeryRow] = [
        ForgeryRow(
            id: "IDT-19", severity: .critical, oracle: "The server compares `aud`, and not `azp`, with its client id.",
            source: "OIDC Core 3.1.3.7 (3), (5); CVE-2025-30168; GHSA-x6fw-778m-wr9v", reasons: ["audience_mismatch"],
            reveals: [.audienceUnchecked],
            forgeries: [
                Forgery("b", "for another application whose `azp` is our client id") { draft, context in
                    draft.claims["azp"] = .text(try await context.audience)
                    draft.claims["aud"] = .text(try await context.otherAudience)
                },
                Forgery("c", "for another application") { draft, context in
                    draft.claims["aud"] = .text(try await context.otherAudience)
                },
            ]),
        ForgeryRow(
            id: "IDT-47", severity: .critical,
            oracle: "The server rejects the token and fetches neither metadata nor keys of that issuer.",
            source: "CVE-2026-31813", reasons: ["unknown_key", "issuer_mismatch"],
            forgeries: [
                Forgery(
                    "", "of the attacker's issuer, with our client id as `aud` and the victim's email address",
                    change: foreignIssuer)
            ]),
        ForgeryRow(
            id: "IDT-49", severity: .critical, oracle: kinds, source: "RFC 8725 2.8, 3.12", reasons: ["unknown_key"],
            forgeries: [
                other("a", "which is a Firebase ID token of our own project") { context in
                    try await context.bearer(of: "victim")
                },
                other("b", "which is a custom token that this server minted") { context in
                    try await context.honest(try await context.genuine(user: "mallory").request)["custom_token"]
                },
                other("c", "which is an App Check token of our own project") { context in
                    try await context.appCheckToken(["app_id": "1:1234567890:ios:abcdef"])
                },
                other(
                    "d", "which is an access token of the provider", reasons: ["malformed_token"],
                    reveals: [.crashOnGarbage]
                ) { try await $0.genuine().issued["access_token"]?.string },
            ]),
        ForgeryRow(
            id: "IDT-36", severity: .critical, oracle: kinds, source: "RFC 8725 2.8, 3.12",
            reasons: ["malformed_token"], reveals: [.crashOnGarbage],
            forgeries: [
                Forgery("b", "nested in another one, with `cty` `JWT`") { draft, context in
                    draft.header["cty"] = "JWT"
                    draft.claims.raw = Array((try await context.genuine().issued["id_token"]?.string ?? "").utf8)
                }
            ]),
        ForgeryRow(
            id: "IDT-67", severity: .critical, oracle: "The server refuses a token about an event: it is no ID token.",
            source: "OIDC Back-Channel Logout 4.1; RFC 8417 4.5", reasons: ["malformed_token"],
            forgeries: [
                Forgery("a", "that is a logout token with the right nonce") { draft, _ in
                    draft.claims["events"] = AttackContext.event("http://schemas.openid.net/event/backchannel-logout")
                },
                Forgery("b", "that is a security event token with the right nonce") { draft, _ in
                    draft.claims["events"] = AttackContext.event(AttackContext.sessionRevoked)
                },
            ]),
        ForgeryRow(
            id: "EX-31", severity: .critical,
            oracle: "The server uses no access token without a matching `at_hash`.",
            source: "OIDC Core 3.1.3.6; OIDF invalid-athash", reasons: ["at_hash_mismatch"],
            reveals: [.accessTokenHashIgnored],
            forgeries: [
                Forgery(
                    "f", "whose `at_hash` is of another access token", doors: [.redeemedCode, .callback]
                ) { draft, _ in draft.claims["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" }
            ]),
    ]

    private static let kinds = "The server distinguishes kinds of tokens by issuer and key, and rejects the token."

    private static func other(
        _ letter: String, _ what: String, reasons: Set<String>? = nil, reveals: Set<Mistake> = [],
        _ make: @escaping @Sendable (AttackContext) async throws -> String?
    ) -> Forgery {
        Forgery(letter, what, reasons: reasons, reveals: reveals) { draft, context in
            guard let token = try await make(context) else { throw Inconclusive("The token could not be obtained.") }
            draft.finish = { _ in token }
        }
    }

    private static let foreignIssuer: Forgery.Change = { draft, context in
        let standIns = try context.standIns
        let issuer = standIns.addresses.hostile
        let key = try OwnKey.p256("attacker-key")
        try await standIns.hostileAnswer("/jwks", body: JSON.keySet([key.jwk()]).text)
        let metadata: JSON = ["issuer": .string(issuer), "jwks_uri": .string(issuer + "/jwks")]
        try await standIns.hostileAnswer("/.well-known/openid-configuration", body: metadata.text)
        key.sign(&draft)
        draft.claims["iss"] = .text(issuer)
        draft.claims["sub"] = "ALICEWJNWVNQD4GXZ5NGMZUST4"
        draft.claims["email"] = "alice@example.com"
        draft.claims["email_verified"] = true
    }

    static let attacks: [Attack] = [elsewhere] + wishes

    private static let elsewhere = Attack(
        "IDT-19a", .idToken, .critical,
        "An ID token that the same provider issued to another application, for the victim, is posted.",
        oracle: "The server compares `aud` with its client id: invalid_grant, audience_mismatch.",
        source: "OIDF invalid-aud; GHSA-x6fw-778m-wr9v; CVE-2023-22482; Salt Labs", reveals: [.audienceUnchecked]
    ) { context in
        let (request, _) = try await context.genuine(application: "hostile")
        await context.fire(request, expecting: .refused("audience_mismatch"))
    }

    private static let wishes = Section(.idToken, .critical).attacks(
        .attack(
            "IDT-48", "A token for another application is posted with members that would change the checks.",
            oracle: "The server rejects unknown members.",
            source: "Parse GHSA-x6fw-778m-wr9v; Supabase token_oidc.go"
        ) { context in
            let (_, verifier) = try await context.nonce()
            let token = try await context.genuine(application: "hostile").issued["id_token"]?.string ?? ""
            let hostile = try context.standIns.addresses.hostile
            let credential = JSON.idToken(token, nonce: verifier)
            let wishes: [String: JSON] = [
                "issuer": .string(hostile), "audience": "*", "jwks_uri": .string(hostile + "/jwks"), "public_key": "-",
                "skip_nonce": true, "verify": false, "alg": "none", "leeway": 999_999_999, "claims": [:],
            ]
            for (name, value) in wishes.sorted(by: { $0.key < $1.key }) {
                await context.fire(
                    context.exchange(credential, further: [name: value]),
                    expecting: .malformed("unknown_field")
                )
                await context.fire(
                    context.exchange(credential.setting([name], to: value)),
                    expecting: .malformed("unknown_field"))
            }
        },
        .attack(
            "IDT-54", "An access token is posted in place of the ID token, or without one.",
            oracle:
                "The server responds with invalid_request: an access token does not prove its audience.",
            source: "Salt Labs pass-the-token; RFC 9700 4.10.2"
        ) { context in
            let (_, verifier) = try await context.nonce()
            let access = try await context.genuine(application: "hostile").issued["access_token"] ?? .null
            for idToken in [.null, "", 0, [], .bool(true), .object(["id_token": access])] as [JSON] {
                await context.fire(
                    context.exchange([
                        "type": "id_token", "id_token": idToken, "access_token": access, "nonce": .string(verifier),
                    ]),
                    expecting: idToken == .null
                        ? .malformed("missing_field", "malformed_body") : .malformed("malformed_body"))
            }
            await context.fire(
                context.exchange(["type": "id_token", "access_token": access, "nonce": .string(verifier)]),
                expecting: .malformed("missing_field"))
        },
        .attack(
            "IDT-55",
            "A token with an invalid signature contains claims that the server might use before verification.",
            severity: .medium,
            oracle: "The server does not repeat, look up or log any of its claims.",
            source: "jwt_tool claim processing check",
            reveals: [.signatureUnchecked]
        ) { context in
            let canary = try await context.canary()
            try await context.fire(forged: ["signature_invalid"]) { draft in
                draft.key = .foreign
                draft.claims["sub"] = .text(canary)
                draft.claims["email"] = .text(canary + "@example.com")
            }
            try await context.fire(forged: ["unknown_key"]) { draft in draft.header["kid"] = .text(canary) }
            try await context.fire(forged: ["algorithm_not_allowed"]) { draft in draft.header["alg"] = .text(canary) }
        },
    )
}

extension AttackContext {
    /// The client id of the application `hostile` at Yahoo's stand-in.
    var otherAudience: String {
        get async throws {
            guard let id = try await standIns.applications()["hostile"]?["yahoo.com"]?["client_id"]?.string else {
                throw Inconclusive("There is no other application.")
            }
            return id
        }
    }
}
