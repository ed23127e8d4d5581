internal import Jansson

extension Catalogue {
    /// Redirects of endpoints (UP-01), and URLs in the configuration (UP-03).
    static let providerRedirects = Section(.provider, .critical).attacks(
        .attack(
            "UP-01a", "Yahoo's token endpoint redirects to many targets, with every status.",
            oracle: "The server responds with 502 provider_error and does not follow the redirect.",
            source: "CVE-2026-54603; CVE-2022-27774; CVE-2022-27776; CVE-2025-14524", reveals: [.redirectsFollowed]
        ) { context in
            try await context.redirects(of: "yahoo.token", to: "/oauth2/get_token") {
                context.exchange(try await context.yahooCode())
            }
        },
        .attack(
            "UP-01b", "X's token endpoint redirects to many targets, with every status.",
            oracle: "The server responds with 502 provider_error and does not follow the redirect.",
            source: "CVE-2026-54603; CVE-2022-27774", reveals: [.redirectsFollowed]
        ) { context in
            try await context.redirects(of: "x.oauth2_token", to: "/2/oauth2/token") {
                context.exchange(try await context.xCode())
            }
        },
        .attack(
            "UP-01c", "X's user endpoint redirects to many targets, with every status.",
            oracle:
                "The server responds with 502 provider_error and does not send the access token to the target.",
            source: "CVE-2026-54605; CVE-2022-27776", reveals: [.redirectsFollowed]
        ) { context in
            try await context.standIns.hostileAnswer("/2/users/me", body: "{\"data\":{\"id\":\"2244994945\"}}")
            try await context.redirects(of: "x.users_me", to: "/2/users/me") {
                context.exchange(try await context.xCode(user: "mallory"))
            }
        },
        .attack(
            "UP-01d", "Yahoo's userinfo endpoint redirects to the attacker's host.", severity: .high,
            oracle: "The server does not follow the redirect; the sign-in uses only the ID token.",
            source: "CVE-2026-54605", reveals: [.redirectsFollowed]
        ) { context in
            let hostile = try context.standIns.addresses.hostile
            try await context.standIns.hostileAnswer(
                "/openid/v1/userinfo", body: "{\"sub\":\"ALICEWJNWVNQD4GXZ5NGMZUST4\",\"name\":\"Evil\"}")
            for status: JSON in [301, 302, 303, 307, 308] {
                try await context.standIns.fault([
                    "target": "yahoo.userinfo", "status": status, "body": "{}",
                    "header": ["Location": .string(hostile + "/openid/v1/userinfo")],
                ])
                let answer = try await context.honest(context.exchange(try await context.yahooCode()))
                await context.expect(
                    answer.json?["profile"]?["name"]?.string != "Evil", .minted, "The profile is the attacker's.")
            }
        },
    )

    static let providerAddresses: [Attack] =
        schemes.map { letter, url in
            Attack(
                "UP-03" + letter, .provider, .medium, "The configuration contains `\(url)` as a token endpoint.",
                oracle: "The server exits with code 78 and prints the reason in one line.",
                source: "CURLOPT_PROTOCOLS_STR; CVE-2024-2004", needs: [.standIns, .processes]
            ) { context in
                try await context.refusesToStart(["providers/yahoo.com/endpoints/token": .string(url)])
            }
        } + [
            Attack(
                "UP-03k", .provider, .medium,
                "The configuration contains `ftp:` and `file:` URLs as every other endpoint.",
                oracle: "The server exits with code 78 for each.",
                source: "CURLOPT_PROTOCOLS_STR", needs: [.standIns, .processes]
            ) { context in
                for (number, path) in [
                    "providers/yahoo.com/endpoints/jwks", "providers/yahoo.com/endpoints/userinfo",
                    "providers/yahoo.com/endpoints/authorization", "providers/twitter.com/endpoints/api",
                    "providers/twitter.com/endpoints/authorize", "providers/op.example/issuer",
                    "firebase/endpoints/identity_toolkit", "firebase/endpoints/id_token_keys", "server/public_url",
                ].enumerated() {
                    let url = number.isMultiple(of: 2) ? "ftp://provider.example/x" : "file:///etc/passwd"
                    try await context.refusesToStart([path: .string(url)], number: number)
                }
            },
            Attack(
                "UP-14a", .provider, .medium, "No server listens at the address of a provider's endpoint.",
                oracle:
                    "The server responds immediately with 502 provider_unreachable; the code stays usable.",
                source: "resilience of the provider calls", needs: [.standIns, .processes]
            ) { context in
                var plan = ServerPlan("unreachable-\(context.attack.id)")
                plan.sharesStore = true
                let port = try await context.testBed.freePort()
                plan.set("providers/yahoo.com/endpoints/token", .string("http://127.0.0.1:\(port)/token"))
                let code = context.exchange(try await context.yahooCode())
                let x = context.exchange(try await context.xCode())
                try await context.withServer(plan) { server in
                    let answer = await context.fire(
                        code, expecting: .unusable("provider_unreachable"), at: server.wire, within: .seconds(4)
                    ).answer
                    await context.expect(
                        answer?["retry"] == "same", .consumed, "The response does not say retry: same.")
                    try await context.honest(x, at: server.wire)
                }
                try await context.mustStillWork(code)
            },
            Attack(
                "UP-14b", .provider, .medium, "The name of a provider's host does not resolve.",
                oracle:
                    "The server responds with 502 provider_unreachable or 504 in time; other providers are unaffected.",
                source: "RFC 6761 6.4", needs: [.standIns, .processes]
            ) { context in
                var plan = ServerPlan("nowhere-\(context.attack.id)")
                plan.sharesStore = true
                plan.set("providers/yahoo.com/endpoints/token", "https://provider.invalid/token")
                let code = context.exchange(try await context.yahooCode())
                let x = context.exchange(try await context.xCode())
                try await context.withServer(plan) { server in
                    await context.fire(
                        code, expecting: .unusable("provider_unreachable").orTimeout, at: server.wire,
                        within: .seconds(5))
                    try await context.honest(x, at: server.wire)
                }
                try await context.mustStillWork(code)
            },
        ]

    private static let schemes: [(letter: String, url: String)] = [
        ("a", "file:///etc/passwd"), ("b", "ftp://provider.example/token"), ("c", "gopher://127.0.0.1:70/x"),
        ("d", "dict://127.0.0.1:11211/stat"), ("e", "http://provider.example/token"),
        ("f", "http://169.254.169.254/token"), ("g", "https://user:password@provider.example/token"),
        ("h", "//provider.example/token"), ("i", "http://127.0.0.1.provider.example/token"),
        ("j", "https://provider.example/token#fragment"),
    ]
}

extension AttackContext {
    /// Starts a server with these members of the configuration, and expects that it refuses to start.
    fileprivate func refusesToStart(_ members: [String: JSON], number: Int = 0) async throws {
        let bed = try testBed
        var plan = ServerPlan("refusing-\(attack.id)-\(number)")
        for (path, value) in members { plan.set(path, value) }
        let (exitCode, output) = try await bed.refusal(plan)
        let said = output.split(separator: "\n").count
        await expect(
            exitCode == 78, .wrongAnswer,
            "With \(members.keys.sorted().joined()) the exit status is \(exitCode.map(String.init) ?? "none").")
        await expect((1...6).contains(said), .wrongAnswer, "The refusal has \(said) lines.")
        await expect(Disclosure.sign(in: output) == nil, .leaked, "The refusal discloses internal details.")
    }
}

extension AttackContext {
    /// Makes an endpoint redirect in every way, and sends a request that calls it.
    ///
    /// - `path`: The endpoint's path, also used at the other host.
    func redirects(of target: String, to path: String, _ request: () async throws -> Request) async throws {
        let hostile = try standIns.addresses.hostile
        let own = try target.hasPrefix("x.") ? standIns.addresses.x : standIns.addresses.yahoo
        let hops: [(status: Int64, location: String)] = [
            (301, hostile + path), (302, hostile + path), (303, hostile + path), (307, hostile + path),
            (308, hostile + path), (302, hostile.replacing("http:", with: "")), (307, own + path), (302, path),
            (302, "file:///etc/passwd"), (307, hostile.replacing("127.0.0.1", with: "localhost") + path),
        ]
        for (status, location) in hops {
            let request = try await request()
            let mark = try await mark()
            try await standIns.fault([
                "target": .string(target), "status": .integer(status), "body": "{}",
                "header": ["Location": .string(location)],
            ])
            await fire(request, expecting: .unusable("provider_error"))
            try await expectCalls([target: 1], since: mark)
        }
        try await standIns.fault(["target": .string(target), "times": 1, "delay_ms": 0])
    }
}
