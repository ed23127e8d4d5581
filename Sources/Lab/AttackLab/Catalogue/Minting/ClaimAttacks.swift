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
        ) { context in
            let (token, _) = try await context.mint { draft in
                for name in ["admin", "is_admin", "superuser"] { draft.claims[name] = true }
                for name in ["role", "roles", "groups", "scope", "permissions", "uid", "user_id", "tenant_id"] {
                    draft.claims[name] = "admin"
                }
                draft.claims["claims"] = .object([("admin", true)])
                draft.claims["firebase"] = .object([("sign_in_provider", "password"), ("tenant", "tenant-1")])
            }
            await context.expectAllowed(token)
            for name in reserved where token.claims["claims"]?[name] != nil {
                await context.found(.minted, "The developer claims contain the reserved \(name).")
            }
        },
        .attack(
            "MT-01b", "The userinfo response contains `admin`, another user's `sub`, `claims` and `uid`.",
            oracle: "The server copies none of it to the token; the uid is that of the ID token.",
            source: "firebase-admin BLACKLISTED_CLAIMS"
        ) { context in
            try await context.standIns.fault([
                "target": "yahoo.userinfo",
                "set": ["admin": true, "uid": "admin", "claims": ["admin": true], "firebase": ["tenant": "t"]],
            ])
            let nonce = try await context.nonce()
            let issued = try await context.standIns.issue([
                "provider": "yahoo.com", "user": "alice", "nonce": .string(nonce.nonce),
            ])
            let request = context.exchange(
                idToken: issued["id_token"]?.string ?? "", nonce: nonce.verifier,
                accessToken: issued["access_token"]?.string)
            let answer = try await context.honest(request)
            let token = try MintedToken(answer["custom_token"] ?? "")
            await context.expect(token.claims["claims"]?["admin"] == nil, .minted, "The token contains admin.")
            let plain = try await context.honest(try await context.genuine().request)
            await context.expect(token.uid == plain["uid"], .minted, "The uid is not the ID token's.")
        },
        .attack(
            "MT-06", "The provider sends claims of ten kilobytes.", severity: .medium,
            oracle: "The server does not copy them to the token, whose claims have at most 1,000 bytes.",
            source: "Firebase's limit", reveals: [.claimsCopied]
        ) { context in
            let long = String(repeating: "n", count: 2_500)
            let (token, _) = try await context.mint { draft in
                for name in ["name", "given_name", "nickname", "website"] { draft.claims[name] = .text(long) }
            }
            let size = token.claims["claims"].map { $0.serialized().count } ?? 0
            await context.expect(size <= 1000, .minted, "The claims have \(size) bytes.")
        },
        .attack(
            "MT-15", "A subject is `{email}`, `{provider}`, or JSON, like a placeholder in a claim template.",
            oracle: "The server copies the subject unchanged and does not interpret it as a template or JSON.",
            source: "template injection; CWE-94", needs: [.standIns, .processes]
        ) { context in
            try await context.withServer("templates") { plan in
                plan.set("claims", ["who": "{provider}|{subject}|{email}", "idp_uid": "{subject}"])
            } _: { server, _ in
                for subject in ["{email}", "{provider}{subject}", "\",\"admin\":true,\"x\":\"", "a|b"] {
                    let (token, _) = try await context.mint(subject, wire: server.wire) { draft in
                        draft.claims["email"] = "{subject}@example.org"
                        draft.claims["email_verified"] = true
                    }
                    let claims = token.claims["claims"]
                    await context.expect(
                        claims?["idp_uid"]?.string == subject
                            && claims?["who"]?.string == "yahoo.com|\(subject)|{subject}@example.org", .minted,
                        "A subject was interpreted as a template.")
                    await context.expect(claims?["admin"] == nil, .minted, "A subject was interpreted as JSON.")
                }
            }
        },
        .attack(
            "MT-11", "A request contains members for a uid, a tenant, claims and a longer lifetime.",
            severity: .critical,
            oracle: "The server responds with 400 unknown_field at /v1/exchange; the token contains none of it.",
            source: "firebase-admin tenant_id; BH-EU-16"
        ) { context in
            let members: [(String, JSON)] = [
                ("tenant_id", "tenant-1"), ("tenant", "tenant-1"), ("claims", ["admin": true]),
                ("developer_claims", ["admin": true]), ("expires_in", 86400), ("token_lifetime", "1d"),
                ("audience", "another"), ("reauth_time", 1),
            ]
            for (name, value) in members {
                let proof = try await context.proof(of: try context.freshSubject())
                await context.fire(
                    context.exchange(proof, further: [name: value]), expecting: .malformed("unknown_field"))
            }
        },
        .attack(
            "MT-11b",
            "A token exchange contains parameters for a uid, a tenant, claims and a longer lifetime.",
            oracle: "The server ignores unknown parameters; the token contains none of it.", source: "RFC 6749 3.2",
            needs: [.standIns, .tokenExchange],
            reveals: [.uidFromBody]
        ) { context in
            let subject = try context.freshSubject()
            let proof = try await context.proof(of: subject)
            let answer = try await context.honest(
                .form(
                    "/token",
                    [
                        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
                        ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
                        ("subject_token", proof["id_token"]?.string ?? ""), ("subject_issuer", "yahoo.com"),
                        ("nonce", proof["nonce"]?.string ?? ""), ("client_id", context.lab.application.clientID),
                        ("tenant_id", "tenant-1"), ("uid", "admin"), ("claims", "{\"admin\":true}"),
                        ("expires_in", "86400"), ("reauth_time", "1"),
                    ]))
            let token = try MintedToken(answer["access_token"] ?? "")
            await context.secret(answer["access_token"])
            let plain = try await context.uid(of: subject)
            await context.expect(
                token.uid == plain && token.claims["tenant_id"] == nil
                    && token.claims["claims"]?["admin"] == nil && token.claims["claims"]?["reauth_time"] == nil,
                .minted, "The token contains values of the request.")
        },
    )
}
