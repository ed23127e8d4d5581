internal import Jansson

/// The modules of the Basic and Config relying-party plans that test ID tokens and their keys.
enum OpenIDConnectModules {
    private static let module = ConformanceModule(prefix: "OIDC-")

    static let attacks: [Attack] = [rejected, keys].flatMap(\.self)

    private static let rejected: [Attack] = [
        module.rejects(
            "invalid-iss", "The ID token names another issuer.", ["iss": "https://evil.example"], ["issuer_mismatch"],
            reveals: [.issuerUnchecked]),
        module.rejects("missing-sub", "The ID token has no `sub`.", ["remove": ["sub"]], ["malformed_token"]),
        module.rejects(
            "invalid-aud", "The ID token names another client.", ["set": ["aud": "another-client"]],
            ["audience_mismatch"], reveals: [.audienceUnchecked]),
        module.rejects(
            "missing-aud", "The ID token has no `aud`.", ["remove": ["aud"]], ["audience_mismatch"],
            reveals: [.audienceUnchecked]),
        module.rejects(
            "missing-iat", "The ID token has no `iat`.", ["remove": ["iat"]], ["malformed_token"],
            reveals: [.issueTimeUnchecked]),
        module.rejects(
            "nonce-invalid", "The ID token contains another nonce.", ["set": ["nonce": "another"]], ["nonce_mismatch"],
            reveals: [.nonceIgnored]),
        module.rejects(
            "idtoken-sig-none", "The ID token is not signed.", ["key": "none"],
            ["algorithm_not_allowed", "malformed_token"], reveals: [.noneAccepted]),
        module.rejects(
            "invalid-sig-es256", "The ID token is signed with another key and ES256.", ["key": "foreign"],
            ["signature_invalid"], reveals: [.signatureUnchecked]),
        module.rejects(
            "invalid-sig-hs256", "The ID token is signed with HS256 and the public key.", ["key": "hs256"],
            ["algorithm_not_allowed", "signature_invalid"], reveals: [.publicKeyAsSecret]),
        module.attack(
            "invalid-sig-rs256", .critical, "The ID token's RS256 signature is invalid.",
            oracle: "The server rejects the token and makes no further call.", reveals: [.signatureUnchecked]
        ) { context in
            let keyID = try await context.providerKey("rsa_kid")
            try await context.rejects(
                claims: ["key": "foreign", "header": ["alg": "RS256", "kid": .string(keyID)]],
                reasons: ["signature_invalid"])
        },
        module.rejects(
            "invalid-athash", "`at_hash` is the one of another access token.",
            ["set": ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"]], ["at_hash_mismatch"],
            reveals: [.accessTokenHashIgnored]),
        module.attack(
            "missing-athash", .high, "An ID token without `at_hash` is posted with an access token.",
            oracle: "The server rejects it: it uses no access token without a matching `at_hash`.",
            reveals: [.accessTokenHashIgnored, .accessTokenHashOptional]
        ) { context in
            let issued = try await context.genuine(user: "mallory").issued["access_token"]?.string ?? ""
            let request = try await context.forged(subject: "MALLORYJNWVNQD4GXZ5NGMZUS4", accessToken: issued) { _ in }
            await context.fire(request, expecting: .refused("at_hash_mismatch"))
        },
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
            "The key set has several matching keys, and the ID token has no `kid`.",
            oracle: "The server rejects the token: the key is ambiguous.", needs: [.standIns, .processes]
        ) { context in
            let keys = [try OwnKey.p256("a"), try OwnKey.p256("b")]
            try await context.withKeyRoom(keys: keys.map { $0.jwk() }) { room in
                for key in keys {
                    try await room.fire(key: key, expecting: .refused("unknown_key")) { $0.header["kid"] = nil }
                    try await room.expectAccepted(key: key)
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
