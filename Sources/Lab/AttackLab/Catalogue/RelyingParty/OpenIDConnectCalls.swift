internal import Jansson

/// The modules of the Basic and Config relying-party plans that test the requests of the relying party.
enum OpenIDConnectCalls {
    private static let module = ConformanceModule(prefix: "OIDC-")

    static let attacks: [Attack] = [calls, discovery].flatMap(\.self)

    private static let calls: [Attack] = [
        module.attack(
            "happy-path", .low, "A user signs in with the code flow.",
            oracle: "The server accepts the sign-in after one call to the token endpoint and one to userinfo."
        ) { context in
            let mark = try await context.mark()
            try await context.accepts()
            try await context.expectCalls(["yahoo.token": 1, "yahoo.userinfo": 1], since: mark)
        },
        module.attack(
            "userinfo-invalid-sub", .critical, "Userinfo is about another user than the ID token.",
            oracle: "The server does not use the response and mints no token.", reveals: [.profileOfAnother]
        ) { context in
            try await context.standIns.fault([
                "target": "yahoo.userinfo", "set": ["sub": "MALLORYJNWVNQD4GXZ5NGMZUS4"],
            ])
            await context.fire(try await context.codeFlow(), expecting: .unusable("provider_response_invalid"))
        },
        module.attack(
            "client-secret-basic", .low, "The token endpoint requires `client_secret_basic`.",
            oracle: "The server sends client id and secret only in the Authorization field."
        ) { context in
            let mark = try await context.mark()
            try await context.accepts()
            let names = try await context.calls(of: "yahoo.token", since: mark)
            await context.expect(
                names.count == 1
                    && names.allSatisfy { $0["authorization"]?.string == "Basic" && !$0.mentions("client_secret") },
                .wrongAnswer, "The client did not authenticate only by Basic.")
        },
        module.attack(
            "userinfo-bearer-header", .low, "Userinfo requires the access token in the header field.",
            oracle: "The server sends the access token only in the Authorization field."
        ) { context in
            let mark = try await context.mark()
            try await context.accepts()
            let names = try await context.calls(of: "yahoo.userinfo", since: mark)
            await context.expect(
                names.count == 1
                    && names.allSatisfy { $0["authorization"]?.string == "Bearer" && !$0.mentions("access_token") },
                .leaked, "The access token was not sent only in the header field.")
        },
        module.attack(
            "nonce-unless-code-flow", .high, "Two browser flows are started.",
            oracle: "Each authorization request contains a fresh nonce.",
            needs: [.standIns, .browserFlow]
        ) { context in
            let nonces = [try await context.begin(), try await context.begin()].map {
                PercentEncoding.parameter("nonce", of: $0.authorizationURL) ?? ""
            }
            await context.expect(
                nonces[0].count >= 22 && nonces[0] != nonces[1], .wrongAnswer, "The request contains no fresh nonce."
            )
        },
        module.attack(
            "scope-userinfo-claims", .low, "A browser flow is started with the scopes openid, profile and email.",
            oracle: "The server requests them, and the profile contains the claims of userinfo.",
            needs: [.standIns, .browserFlow]
        ) { context in
            let url = try await context.begin().authorizationURL
            let scope = PercentEncoding.parameter("scope", of: url)
            await context.expect(
                Set(scope?.components(" ") ?? []).isSuperset(of: ["openid", "profile", "email"]), .wrongAnswer,
                "The scopes are \(scope ?? "missing").")
            let answer = await context.expectAccepted(
                try await context.codeFlow(claims: ["remove": ["name", "email", "email_verified"]]))
            let profile = answer?.json?["profile"]
            await context.expect(
                profile?["name"]?.string == "Alice Example" && profile?["email"]?.string == "alice@example.com",
                .wrongAnswer, "The profile lacks claims of userinfo.")
        },
    ]

    private static let discovery: [Attack] = [
        module.attack(
            "discovery-openid-config", .low, "A provider is configured only by its issuer.",
            oracle: "The server fetches its metadata once, and the sign-in succeeds.",
            needs: [.standIns, .processes, .discovery]
        ) { try await discovered($0, "yahoo.discovery") },
        module.attack(
            "discovery-jwks-uri-keys", .low, "The keys of a provider are at the URL in its metadata.",
            oracle: "The server fetches them there once, and the sign-in succeeds.",
            needs: [.standIns, .processes, .discovery]
        ) { try await discovered($0, "yahoo.certs") },
        module.attack(
            "discovery-issuer-mismatch", .critical, "The metadata names another issuer than the configured one.",
            oracle: "The server does not use the metadata.", needs: [.standIns, .processes, .discovery]
        ) { context in
            try await context.withKeyRoom(discovers: true) { room in
                try await room.fault(["set": ["issuer": "https://evil.example"]], at: "yahoo.discovery")
                try await room.fire(expecting: .unusable("provider_response_invalid"))
            }
        },
    ]

    private static func discovered(_ context: AttackContext, _ endpoint: String) async throws {
        try await context.withKeyRoom(discovers: true) { room in
            let mark = try await context.mark()
            let code = try await context.yahooCode(provider: KeyRoom.provider(0))
            await context.expectAccepted(context.exchange(code), at: room.wire)
            try await room.expectAccepted()
            // The server has another provider with this issuer, which fetches its own metadata.
            let count = try await context.standIns.calls(since: mark)[endpoint, default: 0]
            await context.expect((1...3).contains(count), .sideEffect, "\(endpoint) was called \(count) times.")
        }
    }
}

extension JSON {
    /// Whether a line of the stand-ins' log has a parameter of that name.
    fileprivate func mentions(_ name: String) -> Bool {
        [self["query_parameters"], self["body_parameters"]].contains {
            $0?.array?.contains(.string(name)) ?? false
        }
    }
}
