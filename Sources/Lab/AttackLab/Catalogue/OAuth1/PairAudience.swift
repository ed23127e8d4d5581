internal import Jansson

extension Catalogue {
    /// Token credentials of another client or another user.
    static let pairAudience: [Attack] =
        pairClaims + [
            Attack(
                "O1-01a", .oauth1, .critical,
                "Token credentials that the victim granted to another application are posted with a valid nonce.",
                oracle:
                    "The server responds with token_rejected: they do not verify with its client credentials.",
                source: "Parse twitter.js; CVE-2025-30168", needs: [.standIns, .oauth1]
            ) { context in
                let pair = try await context.pair(application: "hostile")
                let mark = try await context.mark()
                await context.fire(try await context.exchange(fresh: pair), expecting: .refused("token_rejected"))
                try await context.expectCalls(["x.verify_credentials": 1, "x.users_me": 0], since: mark)
            },
            Attack(
                "O1-01b", .oauth1, .critical,
                "Token credentials of another application are posted while the credentials check responds with 403.",
                oracle:
                    "The server responds with token_rejected: it also signs the fallback request.",
                source: "Parse twitter.js; CVE-2025-30168", needs: [.standIns, .oauth1, .sessions]
            ) { context in
                let pair = try await context.pair(application: "hostile")
                for status: JSON in [403, 404, 410, 429] {
                    try await context.standIns.fault([
                        "target": "x.verify_credentials", "times": 1, "status": status, "body": "{}",
                    ])
                    await context.fire(try await context.exchange(fresh: pair), expecting: .refused("token_rejected"))
                }
            },
            Attack(
                "O1-01c", .oauth1, .critical,
                "The victim's token is posted with the secret of the attacker's token.",
                oracle: "The server responds with invalid_grant, token_rejected.", source: "RFC 5849 3.2",
                needs: [.standIns, .oauth1]
            ) { context in
                var pair = try await context.pair()
                pair.secret = try await context.pair(user: "mallory").secret
                await context.fire(try await context.exchange(fresh: pair), expecting: .refused("token_rejected"))
            },
            Attack(
                "O1-16", .oauth1, .critical,
                "OAuth Echo header fields name the attacker's server, which vouches for the token credentials.",
                oracle: "The server ignores them and uses only its own client credentials and endpoint.",
                source: "Fabric and TwitLonger documentation (OAuth Echo)", needs: [.standIns, .oauth1]
            ) { context in
                let hostile = try context.standIns.addresses.hostile
                try await context.standIns.hostileAnswer(
                    "/1.1/account/verify_credentials.json", body: "{\"id_str\":\"2244994945\"}")
                let pair = try await context.pair(application: "hostile")
                let request = try await context.exchange(fresh: pair)
                    .with("X-Auth-Service-Provider", hostile + "/1.1/account/verify_credentials.json")
                    .with("X-Verify-Credentials-Authorization", "OAuth oauth_consumer_key=\"x\"")
                await context.fire(request, expecting: .refused("token_rejected"))
                let echo: JSON = [
                    "type": "oauth_echo", "x_auth_service_provider": .string(hostile),
                    "x_verify_credentials_authorization": "OAuth x=\"y\"",
                ]
                await context.fire(
                    context.exchange(echo, provider: "twitter.com"), expecting: .malformed("unknown_credential_type"))
            },
            Attack(
                "O1-18", .oauth1, .high, "The secret of the victim's token is guessed, eight times.",
                oracle:
                    "The server responds with token_rejected each time; the right secret still works afterwards.",
                source: "RFC 5849 4.11", needs: [.standIns, .oauth1]
            ) { context in
                let pair = try await context.pair()
                var guessed = pair
                let guesses: [String] = [
                    "", String(pair.secret.dropLast()), pair.secret + "a", pair.secret.uppercased(),
                    pair.secret.lowercased(), "0", pair.token, "null",
                ]
                for guess in guesses where !guess.isEmpty && guess != pair.secret {
                    guessed.secret = guess
                    await context.fire(
                        try await context.exchange(fresh: guessed), expecting: .refused("token_rejected"))
                }
                try await context.mustStillWork(try await context.exchange(fresh: pair))
            },
            Attack(
                "O1-20", .oauth1, .high,
                "Token credentials are posted for Yahoo, and for a provider found by discovery.",
                oracle:
                    "The server responds with invalid_request, unsupported_credential, and does not call the provider.",
                source: "RFC 9700 4.4",
                needs: [.standIns, .oauth1]
            ) { context in
                let pair = try await context.pair()
                let mark = try await context.mark()
                let credential = JSON.object(pair.credential(nonce: try await context.nonce().verifier))
                await context.fire(
                    context.exchange(credential, provider: "yahoo.com"), expecting: .malformed("unsupported_credential")
                )
                try await context.expectCalls(["x.verify_credentials": 0, "yahoo.userinfo": 0], since: mark)
            },
        ]

    /// Claims of the client that the server must ignore: O1-02 and O1-03.
    private static let pairClaims: [Attack] = [
        ("O1-02a", "consumer_key", "SandboxHostileConsumerKey", []),
        ("O1-02b", "consumer_secret", "sandbox-x-consumer-secret-of-hostile", []),
        ("O1-02c", "host", "hostile.example", []),
        ("O1-02d", "verify_url", "https://hostile.example/verify", []),
        ("O1-02e", "auth_token", "1-token", []),
        ("O1-03a", "user_id", "2244994945", [.pairUnverified]),
        ("O1-03b", "screen_name", "alice_example", []),
        ("O1-03c", "id", "2244994945", []),
        ("O1-03d", "id_str", "2244994945", []),
    ].map { (id: String, member: String, value: String, reveals: Set<Mistake>) in
        Attack(
            id, .oauth1, .critical, "The attacker's own token credentials are posted with a chosen `\(member)`.",
            oracle:
                "The server responds with unknown_field; without the member only the attacker is signed in.",
            source: id.hasPrefix("O1-02")
                ? "Parse twitter.js handleMultipleConfigurations; Fabric OAuth Echo" : "BH-EU-16; CVE-2025-30168",
            needs: [.standIns, .oauth1], reveals: reveals
        ) { context in
            let pair = try await context.pair(user: "mallory")
            let nonce = try await context.xNonce()
            let mark = try await context.mark()
            await context.fire(
                context.exchange(pair, nonce: nonce, further: [member: .string(value)]),
                expecting: .malformed("unknown_field"))
            try await context.expectCalls(["x.verify_credentials": 0], since: mark)
            let answer = try await context.mustStillWork(context.exchange(pair, nonce: nonce))
            await context.expect(
                answer?["provider_uid"] == "1666", .minted,
                "The token credentials signed in a user who does not own them.")
        }
    }
}
