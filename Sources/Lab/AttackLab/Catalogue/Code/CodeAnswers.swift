internal import Jansson
internal import OpenSSL

extension Catalogue {
    /// Responses of the provider's token endpoint to a valid code.
    static let codeAnswers: [Attack] =
        codeIDTokens + codeUserInfo + [
            Attack(
                "EX-14a", .code, .medium, "The token response has no token type, or one other than Bearer.",
                oracle: "The server responds with 502 provider_response_invalid.",
                source: "RFC 6749 7.1; FAPI2 token-type-case-insensitivity"
            ) { strike in
                let types: [JSON] = ["mac", "DPoP", "", "bearer ", "Bearer,Bearer", .null, 1, ["Bearer"]]
                for type in types {
                    try await strike.standIns.fault(["target": "yahoo.token", "times": 1, "set": ["token_type": type]])
                    await strike.fire(
                        strike.exchange(try await strike.yahooCode()), expecting: .unusable("provider_response_invalid")
                    )
                }
                try await strike.standIns.fault(["target": "yahoo.token", "times": 1, "remove": ["token_type"]])
                await strike.fire(
                    strike.exchange(try await strike.yahooCode()), expecting: .unusable("provider_response_invalid"))
            },
            Attack(
                "EX-14b", .code, .low, "The token response spells the token type in another letter case.",
                oracle: "The sign-in succeeds: the token type is not case-sensitive.", source: "RFC 6749 5.1"
            ) { strike in
                for type: JSON in ["BEARER", "Bearer"] {
                    try await strike.standIns.fault(["target": "yahoo.token", "times": 1, "set": ["token_type": type]])
                    try await strike.honest(strike.exchange(try await strike.yahooCode()))
                }
            },
            Attack(
                "EX-34", .code, .critical,
                "The token response contains an ID token that the server has already accepted.",
                oracle: "The server responds with replayed: an ID token is accepted once, whatever its source.",
                source: "RFC 9700 4.5.3",
                reveals: [.notRemembered]
            ) { strike in
                let nonce = Base64.urlEncode(try SecureRandom.bytes(16))
                let draft = try await strike.draft(nonce: nonce)
                let token = try await draft.token(by: strike.standIns)
                await strike.secret(token)
                for expected in [nil, Expectation.refused("replayed")] {
                    try await strike.standIns.fault([
                        "target": "yahoo.token", "times": 1, "set": ["id_token": .string(token)],
                    ])
                    // A permanent refusal, since a temporary failure would prevent the first sign-in.
                    try await strike.standIns.fault(["target": "yahoo.userinfo", "times": 1, "status": 403])
                    let request = strike.exchange(try await strike.yahooCode(nonce: nonce))
                    if let expected {
                        await strike.fire(request, expecting: expected)
                    } else {
                        try await strike.honest(request)
                    }
                }
            },
        ]

    /// EX-31: the attacker controls the token endpoint, or the connection to it.
    private static let codeIDTokens: [Attack] = [
        codeIDToken("a", "signed by a key that is not the provider's", ["signature_invalid"], [.signatureUnchecked]) {
            $0.key = .foreign
        },
        codeIDToken("b", "with `alg: none`", ["algorithm_not_allowed", "malformed_token"], [.noneAccepted]) {
            $0.header["alg"] = "none"
            $0.key = .none
        },
        codeIDToken("c", "of another issuer", ["issuer_mismatch"], [.issuerUnchecked]) {
            $0.claims["iss"] = "https://issuer.example"
        },
        codeIDToken("d", "that expired an hour ago", ["expired"], [.expiryUnchecked]) { draft in
            let now = draft.issuedAt
            draft.claims["iat"] = .number(now - 7200)
            draft.claims["exp"] = .number(now - 3600)
        },
        codeIDToken(
            "e", "for two audiences", ["audience_mismatch"], [.audienceUnchecked, .audienceAmongOthers]
        ) { draft in
            guard case .text(let audience)? = draft.claims["aud"] else { return }
            draft.claims["aud"] = [.text(audience), "another"]
        },
        codeIDToken(
            "f", "whose `at_hash` is of another access token", ["at_hash_mismatch"], [.accessTokenHashIgnored]
        ) {
            $0.claims["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA"
        },
    ]

    private static func codeIDToken(
        _ letter: String, _ what: String, _ reasons: Set<String>, _ reveals: Set<Mistake>,
        _ change: @escaping @Sendable (inout TokenDraft) -> Void
    ) -> Attack {
        Attack(
            "EX-31" + letter, .code, .critical, "The token response contains an ID token \(what).",
            oracle:
                """
                The server verifies and refuses it as if the application had sent it; TLS does not replace \
                the checks.
                """,
            source: "OIDC Core 3.1.3.7; RFC 8725 3", reveals: reveals
        ) { strike in
            let nonce = Base64.urlEncode(try SecureRandom.bytes(16))
            var draft = try await strike.draft(nonce: nonce)
            change(&draft)
            try await strike.standIns.fault([
                "target": "yahoo.token", "times": 1,
                "set": ["id_token": .string(try await draft.token(by: strike.standIns))],
            ])
            try await strike.standIns.fault(["target": "yahoo.userinfo", "status": 503])
            await strike.fire(
                strike.exchange(try await strike.yahooCode(nonce: nonce)),
                expecting: Expectation(statuses: [400], errors: ["invalid_grant"], reasons: reasons))
        }
    }

    /// EX-15: userinfo responses with a wrong `sub`.
    private static let codeUserInfo: [Attack] = [
        ("a", "another `sub`", ["set": ["sub": "MALLORYJNWVNQD4GXZ5NGMZUS4"]], [.profileOfAnother]),
        ("b", "the `sub` in lower case", ["set": ["sub": "alicewjnwvnqd4gxz5ngmzust4"]], [.profileOfAnother]),
        ("c", "a list of `sub`", ["set": ["sub": ["ALICEWJNWVNQD4GXZ5NGMZUST4"]]], [.profileOfAnother]),
        ("d", "no `sub`", ["remove": ["sub"]], [.profileOfAnother]),
        ("e", "the `sub` followed by a space", ["set": ["sub": "ALICEWJNWVNQD4GXZ5NGMZUST4 "]], [.profileOfAnother]),
        (
            "f", "two members `sub`",
            ["body": "{\"sub\":\"ALICEWJNWVNQD4GXZ5NGMZUST4\",\"sub\":\"MALLORYJNWVNQD4GXZ5NGMZUS4\"}"], []
        ),
        ("g", "HTML", ["body": "<html>", "header": ["Content-Type": "text/html"]], []),
    ].map { (letter: String, what: String, fault: JSON, reveals: Set<Mistake>) in
        Attack(
            "EX-15" + letter, .code, .high, "The userinfo response contains \(what).",
            oracle: "The server responds with 502 provider_response_invalid and uses nothing from that profile.",
            source: "OIDC Core 5.3.2; OIDF userinfo-invalid-sub; PROF ID Spoofing 6-11", reveals: reveals
        ) { strike in
            try await strike.standIns.fault(
                fault.setting(["target"], to: "yahoo.userinfo").setting(["times"], to: 1))
            await strike.fire(
                strike.exchange(try await strike.yahooCode()), expecting: .unusable("provider_response_invalid"))
        }
    }
}
