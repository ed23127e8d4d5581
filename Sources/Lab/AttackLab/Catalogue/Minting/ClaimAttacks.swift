internal import Jansson

/// Claims that the provider or the request would like to have in the token.
enum ClaimAttacks {
    private static let reserved = [
        "acr", "amr", "at_hash", "aud", "auth_time", "azp", "cnf", "c_hash", "exp", "firebase", "iat", "iss", "jti",
        "nbf", "nonce", "sub", "user_id", "uid",
    ]

    static let all = Section(.minting, .high).attacks(
        .attack(
            "MT-01a", "An ID token holds `admin`, `role`, `firebase`, `uid`, `claims` and their like.",
            severity: .critical, oracle: "Only what the configuration names is copied; reserved names never.",
            source: "firebase-admin BLACKLISTED_CLAIMS", reveals: [.claimsCopied]
        ) { strike in
            let (token, _) = try await strike.mint { draft in
                for name in ["admin", "is_admin", "superuser"] { draft.claims[name] = true }
                for name in ["role", "roles", "groups", "scope", "permissions", "uid", "user_id", "tenant_id"] {
                    draft.claims[name] = "admin"
                }
                draft.claims["claims"] = .object([("admin", true)])
                draft.claims["firebase"] = .object([("sign_in_provider", "password"), ("tenant", "tenant-1")])
            }
            await strike.expectAllowed(token)
            for name in reserved where token.claims["claims"]?[name] != nil {
                await strike.found(.minted, "The developer claims hold the reserved \(name).")
            }
        },
        .attack(
            "MT-01b", "The answer of userinfo holds `admin`, `sub` of another, `claims` and `uid`.",
            oracle: "Nothing of it comes into the token; the uid is that of the ID token.",
            source: "firebase-admin BLACKLISTED_CLAIMS"
        ) { strike in
            try await strike.standIns.fault([
                "target": "yahoo.userinfo",
                "set": ["admin": true, "uid": "admin", "claims": ["admin": true], "firebase": ["tenant": "t"]],
            ])
            let nonce = try await strike.nonce()
            let issued = try await strike.standIns.issue([
                "provider": "yahoo.com", "user": "alice", "nonce": .string(nonce.nonce),
            ])
            let request = strike.exchange(
                idToken: issued["id_token"]?.string ?? "", nonce: nonce.verifier,
                accessToken: issued["access_token"]?.string)
            let answer = try await strike.honest(request)
            let token = try MintedToken(answer["custom_token"] ?? "")
            await strike.expect(token.claims["claims"]?["admin"] == nil, .minted, "The token says admin.")
            let plain = try await strike.honest(try await strike.genuine().request)
            await strike.expect(token.uid == plain["uid"], .minted, "The uid is not the ID token's.")
        },
        .attack(
            "MT-06", "The provider sends claims of ten kilobytes.", severity: .medium,
            oracle: "They do not come into the token, whose claims are 1,000 bytes at most.",
            source: "Firebase's limit", reveals: [.claimsCopied]
        ) { strike in
            let long = String(repeating: "n", count: 2_500)
            let (token, _) = try await strike.mint { draft in
                for name in ["name", "given_name", "nickname", "website"] { draft.claims[name] = .text(long) }
            }
            let size = token.claims["claims"].map { $0.serialized().count } ?? 0
            await strike.expect(size <= 1000, .minted, "The claims are of \(size) bytes.")
        },
        .attack(
            "MT-15", "A subject is `{email}`, `{provider}`, or JSON: placeholders of the claims' templates.",
            oracle: "It is copied as it is, once: nothing of it is a template or JSON.",
            source: "template injection; CWE-94", needs: [.standIns, .processes]
        ) { strike in
            try await strike.withServer("templates") { plan in
                plan.set("claims", ["who": "{provider}|{subject}|{email}", "idp_uid": "{subject}"])
            } _: { server, _ in
                for subject in ["{email}", "{provider}{subject}", "\",\"admin\":true,\"x\":\"", "a|b"] {
                    let (token, _) = try await strike.mint(subject, wire: server.wire) { draft in
                        draft.claims["email"] = "{subject}@example.org"
                        draft.claims["email_verified"] = true
                    }
                    let claims = token.claims["claims"]
                    await strike.expect(
                        claims?["idp_uid"]?.string == subject
                            && claims?["who"]?.string == "yahoo.com|\(subject)|{subject}@example.org", .minted,
                        "A subject was read as a template.")
                    await strike.expect(claims?["admin"] == nil, .minted, "A subject was read as JSON.")
                }
            }
        },
        .attack(
            "MT-11", "The request asks for a uid, a tenant, claims and a longer life.", severity: .critical,
            oracle: "400 unknown_field at /v1/exchange; the token holds nothing of it.",
            source: "firebase-admin tenant_id; BH-EU-16"
        ) { strike in
            let members: [(String, JSON)] = [
                ("tenant_id", "tenant-1"), ("tenant", "tenant-1"), ("claims", ["admin": true]),
                ("developer_claims", ["admin": true]), ("expires_in", 86400), ("token_lifetime", "1d"),
                ("audience", "another"), ("reauth_time", 1),
            ]
            for (name, value) in members {
                let proof = try await strike.proof(of: try strike.freshSubject())
                await strike.fire(
                    strike.exchange(proof, further: [name: value]), expecting: .malformed("unknown_field"))
            }
        },
        .attack(
            "MT-11b",
            "The same stands beside a subject token at the token endpoint, which ignores what it does not know.",
            oracle: "The token holds nothing of it.", source: "RFC 6749 3.2", needs: [.standIns, .tokenExchange],
            reveals: [.uidFromBody]
        ) { strike in
            let subject = try strike.freshSubject()
            let proof = try await strike.proof(of: subject)
            let answer = try await strike.honest(
                .form(
                    "/token",
                    [
                        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
                        ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
                        ("subject_token", proof["id_token"]?.string ?? ""), ("subject_issuer", "yahoo.com"),
                        ("nonce", proof["nonce"]?.string ?? ""), ("client_id", strike.lab.application.clientID),
                        ("tenant_id", "tenant-1"), ("uid", "admin"), ("claims", "{\"admin\":true}"),
                        ("expires_in", "86400"), ("reauth_time", "1"),
                    ]))
            let token = try MintedToken(answer["access_token"] ?? "")
            await strike.secret(answer["access_token"])
            let plain = try await strike.uid(of: subject)
            await strike.expect(
                token.uid == plain && token.claims["tenant_id"] == nil
                    && token.claims["claims"]?["admin"] == nil && token.claims["claims"]?["reauth_time"] == nil,
                .minted, "What the request asked for stands in the token.")
        },
    )
}
