internal import Jansson

/// Tokens that are valid for another recipient, and requests that try to change the checks.
enum OtherTokens {
    static let attacks: [Attack] = [elsewhere, wishes].flatMap(\.self)

    private static let elsewhere: [Attack] = [
        Attack(
            "IDT-19a", .idToken, .critical,
            "An ID token that the same provider issued to another application, for the victim, is posted.",
            oracle: "The server compares `aud` with its client id: invalid_grant, audience_mismatch.",
            source: "OIDF invalid-aud; GHSA-x6fw-778m-wr9v; CVE-2023-22482; Salt Labs", reveals: [.audienceUnchecked]
        ) { strike in
            let (request, _) = try await strike.genuine(application: "hostile")
            await strike.fire(request, expecting: .refused("audience_mismatch"))
        },
        Attack(
            "IDT-19b", .idToken, .critical,
            "An ID token for another application is posted whose `azp` is our client id.",
            oracle: "The server does not accept `azp` in place of `aud`.",
            source: "OIDC Core 3.1.3.7 (3), (5); CVE-2025-30168",
            reveals: [.audienceUnchecked]
        ) { strike in
            let applications = try await strike.standIns.applications()
            guard let other = applications["hostile"]?["yahoo.com"]?["client_id"]?.string else {
                throw Inconclusive("There is no other application.")
            }
            let ours = try await strike.audience
            try await strike.fire(forged: ["audience_mismatch"]) { draft in
                draft.claims["aud"] = .text(other)
                draft.claims["azp"] = .text(ours)
            }
        },
        Attack(
            "IDT-47", .idToken, .critical,
            "A token of the attacker's issuer is posted, with our client id as `aud` and the victim's email address.",
            oracle: "The server rejects the token and fetches neither metadata nor keys of that issuer.",
            source: "CVE-2026-31813"
        ) { strike in
            let standIns = try strike.standIns
            let issuer = standIns.addresses.hostile
            let key = try OwnKey.p256("attacker-key")
            try await standIns.hostileAnswer("/jwks", body: JSON.keySet([key.jwk()]).text)
            let metadata: JSON = ["issuer": .string(issuer), "jwks_uri": .string(issuer + "/jwks")]
            try await standIns.hostileAnswer("/.well-known/openid-configuration", body: metadata.text)
            try await strike.fire(forged: ["unknown_key", "issuer_mismatch"]) { draft in
                key.sign(&draft)
                draft.claims["iss"] = .text(issuer)
                draft.claims["sub"] = "ALICEWJNWVNQD4GXZ5NGMZUST4"
                draft.claims["email"] = "alice@example.com"
                draft.claims["email_verified"] = true
            }
        },
        other("IDT-49a", "A Firebase ID token of our own project") { strike in
            let issued = try await strike.standIns.google("POST", "/id-token", ["uid": "victim"])
            return issued["id_token"]?.string ?? issued["token"]?.string
        },
        other("IDT-49b", "A custom token that this server minted") { strike in
            try await strike.honest(try await strike.genuine(user: "mallory").request)["custom_token"]
        },
        other("IDT-49c", "An App Check token of our own project") { strike in
            let order: JSON = ["app_id": "1:1234567890:ios:abcdef"]
            let issued = try await strike.standIns.google("POST", "/app-check-token", order)
            return issued["token"]?.string ?? issued["app_check_token"]?.string
        },
        other("IDT-49d", "An access token of the provider", reasons: ["malformed_token"], reveals: [.crashOnGarbage]) {
            try await $0.genuine().issued["access_token"]?.string
        },
        other(
            "IDT-36b", "An ID token nested in another one, with `cty` `JWT`,", reasons: ["malformed_token"],
            reveals: [.crashOnGarbage]
        ) { strike in
            let inner = try await strike.genuine().issued["id_token"]?.string ?? ""
            var draft = try await strike.draft(nonce: nil)
            draft.header["cty"] = "JWT"
            draft.claims.raw = Array(inner.utf8)
            return try await draft.token(by: strike.standIns)
        },
    ]

    private static func other(
        _ id: String, _ what: String, reasons: Set<String> = ["unknown_key"], reveals: Set<Mistake> = [],
        _ make: @escaping @Sendable (Strike) async throws -> String?
    ) -> Attack {
        Attack(
            id, .idToken, .critical, "\(what) is posted as an ID token of the provider.",
            oracle: "The server distinguishes kinds of tokens by issuer and key, and rejects the token.",
            source: "RFC 8725 2.8, 3.12", reveals: reveals
        ) { strike in
            guard let token = try await make(strike) else { throw Inconclusive("The token could not be obtained.") }
            let (_, verifier) = try await strike.nonce()
            await strike.fire(
                strike.exchange(idToken: token, nonce: verifier),
                expecting: Expectation(statuses: [400], errors: ["invalid_grant"], reasons: reasons))
        }
    }

    private static let wishes = Section(.idToken, .critical).attacks(
        .attack(
            "IDT-48", "A token for another application is posted with members that would change the checks.",
            oracle: "The server rejects unknown members.",
            source: "Parse GHSA-x6fw-778m-wr9v; Supabase token_oidc.go"
        ) { strike in
            let (_, verifier) = try await strike.nonce()
            let token = try await strike.genuine(application: "hostile").issued["id_token"]?.string ?? ""
            let hostile = try strike.standIns.addresses.hostile
            let credential: [String: JSON] = [
                "type": "id_token", "id_token": .string(token), "nonce": .string(verifier),
            ]
            let wishes: [String: JSON] = [
                "issuer": .string(hostile), "audience": "*", "jwks_uri": .string(hostile + "/jwks"), "public_key": "-",
                "skip_nonce": true, "verify": false, "alg": "none", "leeway": 999_999_999, "claims": [:],
            ]
            for (name, value) in wishes.sorted(by: { $0.key < $1.key }) {
                await strike.fire(
                    strike.exchange(.object(credential), further: [name: value]), expecting: .malformed("unknown_field")
                )
                await strike.fire(
                    strike.exchange(.object(credential.merging([name: value]) { $1 })),
                    expecting: .malformed("unknown_field"))
            }
        },
        .attack(
            "IDT-54", "An access token is posted in place of the ID token, or without one.",
            oracle:
                "The server responds with invalid_request: an access token does not prove its audience.",
            source: "Salt Labs pass-the-token; RFC 9700 4.10.2"
        ) { strike in
            let (_, verifier) = try await strike.nonce()
            let access = try await strike.genuine(application: "hostile").issued["access_token"] ?? .null
            for idToken in [.null, "", 0, [], .bool(true), .object(["id_token": access])] as [JSON] {
                await strike.fire(
                    strike.exchange([
                        "type": "id_token", "id_token": idToken, "access_token": access, "nonce": .string(verifier),
                    ]), expecting: .malformed("malformed_body"))
            }
            await strike.fire(
                strike.exchange(["type": "id_token", "access_token": access, "nonce": .string(verifier)]),
                expecting: .malformed("missing_field"))
        },
        .attack(
            "IDT-55",
            "A token with an invalid signature contains claims that the server might use before verification.",
            severity: .medium,
            oracle: "The server does not repeat, look up or log any of its claims.",
            source: "jwt_tool claim processing check",
            reveals: [.signatureUnchecked]
        ) { strike in
            let canary = try await strike.canary()
            try await strike.fire(forged: ["signature_invalid"]) { draft in
                draft.key = .foreign
                draft.claims["sub"] = .text(canary)
                draft.claims["email"] = .text(canary + "@example.com")
            }
            try await strike.fire(forged: ["unknown_key"]) { draft in draft.header["kid"] = .text(canary) }
            try await strike.fire(forged: ["algorithm_not_allowed"]) { draft in draft.header["alg"] = .text(canary) }
        },
    )
}
