internal import Jansson

/// The modules of the Basic and Config relying-party plans that test ID tokens and their keys.
enum OpenIDConnectModules {
    private static let module = ConformanceModule(prefix: "OIDC-")

    static let attacks: [Attack] = [rejected, keys].flatMap(\.self)

    private static let rejected: [Attack] =
        module.rejects([
            ("invalid-iss", "IDT-18a"), ("missing-sub", "IDT-29a"), ("invalid-aud", "IDT-19c"),
            ("missing-aud", "IDT-20a"), ("missing-iat", "IDT-26a"), ("nonce-invalid", "IDT-28b"),
            ("idtoken-sig-none", "IDT-57a"), ("invalid-sig-es256", "IDT-09a"), ("invalid-sig-hs256", "IDT-05a"),
            ("invalid-sig-rs256", "IDT-09c"), ("invalid-athash", "EX-31f"),
        ]) + [
            module.attack(
                "missing-athash", .high, "An ID token without `at_hash` is posted with an access token.",
                oracle: "The server rejects it: it uses no access token without a matching `at_hash`.",
                reveals: [.accessTokenHashIgnored, .accessTokenHashOptional]
            ) { context in
                let issued = try await context.genuine(user: "mallory").issued["access_token"]?.string ?? ""
                let request = try await context.forged(subject: "MALLORYJNWVNQD4GXZ5NGMZUS4", accessToken: issued) {
                    _ in
                }
                await context.fire(request, expecting: .refused("at_hash_mismatch"))
            }
        ]

    private static let keys: [Attack] = [
        module.attack(
            "idtoken-sig-rs256", .low, "The ID token is signed with RS256.", oracle: "The server accepts the token."
        ) { try await $0.accepts(claims: ["key": "rsa"]) },
        module.attack(
            "kid-absent-single-jwks", .low, "The key set has one key, and the ID token has no `kid`.",
            oracle: "The server accepts the token.",
            needs: [.standIns, .processes]
        ) { context in
            let key = try OwnKey.p256(nil)
            try await context.withKeyRoom(keys: [key.jwk()]) { try await $0.expectAccepted(key: key) }
        },
        module.attack(
            "kid-absent-multiple-jwks", .medium,
            "The key set has several matching keys, and the ID token of another key has no `kid`.",
            oracle: "The server accepts the signatures of the published keys only.", needs: [.standIns, .processes]
        ) { context in
            let keys = [try OwnKey.p256("a"), try OwnKey.p256("b")]
            try await context.withKeyRoom(keys: keys.map { $0.jwk() }) { room in
                try await room.fire(key: try OwnKey.p256("c"), expecting: .refused("signature_invalid")) {
                    $0.header["kid"] = nil
                }
                for key in keys {
                    let request = try await room.request(key: key) { $0.header["kid"] = nil }
                    await context.expectAccepted(request, at: room.wire)
                }
            }
        },
        module.attack(
            "signing-key-rotation", .low, "The signing key changes before the second sign-in.",
            oracle: "The server fetches the key set again and accepts the token.", needs: [.standIns, .processes]
        ) { context in
            let (first, second) = (try OwnKey.rsa("1"), try OwnKey.rsa("2", other: true))
            try await context.withKeyRoom(keys: [first.jwk()]) { room in
                try await room.expectAccepted(key: first)
                try await room.serve([second.jwk()])
                try await room.expectAccepted(key: second)
            }
        },
        module.attack(
            "signing-key-rotation-just-before-signing", .low, "The key set changes before the first sign-in.",
            oracle: "The server fetches the key set again and accepts the token.", needs: [.standIns, .processes]
        ) { context in
            let (first, second) = (try OwnKey.rsa("1"), try OwnKey.rsa("2", other: true))
            try await context.withKeyRoom(keys: [first.jwk()]) { room in
                try await room.serve([second.jwk()])
                try await room.expectAccepted(key: second)
            }
        },
    ]
}
