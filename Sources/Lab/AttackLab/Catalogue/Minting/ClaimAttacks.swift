internal import Jansson

/// Claims that the provider or the request tries to put in the custom token.
enum ClaimAttacks {
    private static let reserved = [
        "acr", "amr", "at_hash", "aud", "auth_time", "azp", "cnf", "c_hash", "exp", "firebase", "iat", "iss", "jti",
        "nbf", "nonce", "sub", "user_id", "uid",
    ]

    static let all = Section(.minting, .high).attacks(
        .attack(
            "MT-01a", "An ID token contains `admin`, `role`, `firebase`, `uid`, `claims` and similar claims.",
            severity: .critical,
            oracle: "The server copies only claims that the configuration names, and never reserved names.",
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
                await strike.found(.minted, "The developer claims contain the reserved \(name).")
            }
        },
        .attack(
            "MT-01b", "The userinfo response contains `admin`, another user's `sub`, `claims` and `uid`.",
            oracle: "The server copies none of it to the token; the uid is that of the ID token.",
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
            await strike.expect(token.claims["claims"]?["admin"] == nil, .minted, "The token contains admin.")
            let plain = try await strike.honest(try await strike.genuine().request)
            await strike.expect(token.uid == plain["uid"], .minted, "The uid is not the ID token's.")
        },
        .attack(
            "MT-06", "The provider sends claims of ten kilobytes.", severity: .medium,
            oracle: "The server does not copy them to the token, whose claims have at most 1,000 bytes.",
            source: "Firebase's limit", reveals: [.claimsCopied]
        ) { strike in
            let long = String(repeating: "n", count: 2_500)
            let (token, _) = try await strike.mint { draft in
                for name in ["name", "given_name", "nickname", "website"] { draft.claims[name] = .text(long) }
            }
            let size = token.claims["claims"].map { $0.serialized().count } ?? 0
            await strike.expect(size <= 1000, .minted, "The claims have \(size) bytes.")
        },
        .attack(
            "MT-15", "A subject is `{email}`, `{provider}`, or JSON, like a placeholder in a claim template.",
            oracle: "The server copies the subject unchanged and does not interpret it as a template or JSON.",
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
                        "A subject was interpreted as a template.")
                    await strike.expect(claims?["admin"] == nil, .minted, "A subject was interpreted as JSON.")
                }
            }
        },
        .attack(
            "MT-11", "A request contains members for a uid, a tenant, claims and a longer lifetime.",
            severity: .critical,
            oracle: "The server responds with 400 unknown_field at /v1/exchange; the token contains none of it.",
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
            "A token exchange contains parameters for a uid, a tenant, claims and a longer lifetime.",
            oracle: "The server ignores unknown parameters; the token contains none of it.", source: "RFC 6749 3.2",
            needs: [.standIns, .tokenExchange],
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
                .minted, "The token contains values of the request.")
        },
    )
}
