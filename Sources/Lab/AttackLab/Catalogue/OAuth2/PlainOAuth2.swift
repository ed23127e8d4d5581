internal import Jansson
internal import OpenSSL

extension Catalogue {
    /// Credentials of providers that have OAuth 2.0 without OpenID Connect.
    static let plainOAuth2Credentials = Section(.oauth2, .critical, needs: [.standIns, .plainOAuth2]).attacks(
        .sweep(
            "PO-01a",
            "An access token that the victim granted to another application is posted, at providers with introspection.",
            oracle: "The server asks the provider for the application of the token first, and never for the user.",
            source: "RFC 9700 4.10.2; Salt Labs 2023",
            over: [("github.com", "token_rejected"), ("discord", "audience_mismatch")]
        ) { context, row in
            let mark = try await context.mark()
            await context.fire(
                try await context.bearer(of: row.0, application: "hostile"), expecting: .refused(row.1))
            try await context.expectCalls(["providers.introspect": 1, "providers.user": 0], since: mark)
            try await context.honest(try await context.bearer(of: row.0, application: "ours"))
        },
        .sweep(
            "PO-01b", "An access token is posted, at a provider that names the application of no token.",
            oracle: "The server responds with audience_unverifiable and does not call the provider.",
            source: "RFC 9700 4.10.2", over: ["hostile", "ours"]
        ) { context, application in
            let mark = try await context.mark()
            await context.fire(
                try await context.bearer(of: "spotify", application: application),
                expecting: .refused("audience_unverifiable"))
            try await context.expectCalls(["providers.user": 0], since: mark)
        },
        .sweep(
            "PO-02", "A code that the provider issued to another application is posted, with its verifier.",
            oracle: "The server responds with code_rejected: it redeems the code with its own client id.",
            source: "RFC 9700 4.5; CVE-2026-55672", over: ["github.com", "discord", "spotify"]
        ) { context, provider in
            let code = try await context.plainCode(of: provider, application: "hostile")
            await context.fire(context.exchange(code), expecting: .refused("code_rejected"))
        },
        .attack(
            "PO-03", "A code of one provider is posted to another one.",
            oracle: "The server responds with redirect_uri_not_allowed: each provider has a redirect URI of its own.",
            source: "RFC 9700 4.4"
        ) { context in
            let code = try await context.plainCode(of: "github.com")
            await context.fire(
                context.exchange(code, provider: "spotify"), expecting: .malformed("redirect_uri_not_allowed"))
        },
    )

    /// Faulty responses of user endpoints.
    static let plainOAuth2Answers = Section(.oauth2, .critical, needs: [.standIns, .plainOAuth2]).attacks(
        .sweep(
            "PO-04", "The user endpoint answers with an id that is no text, and no integer from 1 to 2^53 - 1.",
            oracle: "The server responds with 502 provider_response_invalid and signs no user in.",
            source: "RFC 8259 6; CWE-843",
            over: [
                ["id": 42], true, false, .null, 0, -1, 9_007_199_254_740_992, 9_007_199_254_740_993, "", [42], [],
            ] as [JSON]
        ) { context, id in
            let request = context.exchange(try await context.plainCode(of: "github.com"))
            try await context.standIns.fault(["target": "providers.user", "times": 1, "set": ["id": id]])
            await context.fire(request, expecting: .unusable("provider_response_invalid"))
        },
        .attack(
            "PO-05", "The id of a user is a number at one sign-in, and the text of the same digits at the next.",
            severity: .high,
            oracle: "Both are the same user; a text with another spelling of the number is another user.",
            source: "RFC 8259 6"
        ) { context in
            var uids: [String] = []
            for id in [42, "42", "042", "42.0", "4.2e1"] as [JSON] {
                let request = context.exchange(try await context.plainCode(of: "github.com"))
                try await context.standIns.fault(["target": "providers.user", "times": 1, "set": ["id": id]])
                uids.append(try await context.honest(request)["uid"] ?? "")
            }
            await context.expect(
                uids[0] == uids[1] && Set(uids).count == 4, .minted, "The uids are \(uids.joined(separator: ", ")).")
        },
        .attack(
            "PO-06", "The user endpoint answers about another user than the introspection of a posted access token.",
            oracle: "The server responds with token_rejected: both must name one user.",
            source: "OpenID Connect Core 5.3.2"
        ) { context in
            let request = try await context.bearer(of: "github.com", application: "ours")
            try await context.standIns.fault(["target": "providers.user", "times": 1, "set": ["id": 583_231]])
            await context.fire(request, expecting: .refused("token_rejected"))
        },
    )

    /// Flows with two providers.
    static let plainOAuth2Flows = Section(.oauth2, .critical, needs: [.standIns, .plainOAuth2]).attacks(
        .sweep(
            "PO-07", "The callback of one provider is sent to the callback of another one, with state and cookie.",
            oracle: "The server responds with a 400 page; it redeems the code nowhere.",
            source: "RFC 9700 4.4", needs: [.standIns, .plainOAuth2, .browserFlow],
            over: [("github.com", "spotify"), ("spotify", "github.com"), ("github.com", "yahoo.com")]
        ) { context, row in
            let flow = try await context.begin(provider: row.0)
            let target = try await context.approve(flow)
            let mark = try await context.mark()
            await context.fire(
                await context.callback(
                    target.replacing("/callback/\(row.0)", with: "/callback/\(row.1)"), in: flow.browser),
                expecting: .page())
            try await context.expectCalls(["providers.token": 0, "yahoo.token": 0], since: mark)
        },
        .attack(
            "PO-08", "The session of a sign-in with one provider is ended as one with another provider.",
            oracle: "The server responds with session_invalid, and redeems the code nowhere.",
            source: "RFC 9700 4.4", needs: [.standIns, .plainOAuth2, .sessions]
        ) { context in
            let begun = try await context.plainSession(at: "github.com")
            let url = try await context.callbackURL(of: begun)
            let mark = try await context.mark()
            await context.fire(
                context.ending(begun, url, provider: "spotify"), expecting: .refused("session_invalid"))
            try await context.expectCalls(["providers.token": 0], since: mark)
            try await context.mustStillWork(context.ending(begun, url))
        },
        .sweep(
            "PO-09", "The callback of Discord has the `iss` of another provider, another spelling of its own, or two.",
            oracle: "The server refuses it before it redeems the code.",
            source: "RFC 9207 2.4; RFC 9700 4.4.2.1", needs: [.standIns, .plainOAuth2, .sessions],
            over: ["https://accounts.google.com", "/github.com", "/discord/", "/DISCORD", ""]
        ) { context, issuer in
            let begun = try await context.plainSession(at: "discord")
            let url = try await context.callbackURL(of: begun)
            let origin = try context.standIns.addresses.providers
            let other = issuer.hasPrefix("/") ? origin + issuer : issuer
            let mark = try await context.mark()
            await context.fire(
                context.ending(begun, url.setting(parameter: "iss", to: other)),
                expecting: .refused("issuer_mismatch"))
            try await context.expectCalls(["providers.token": 0], since: mark)
        },
    )
}

extension AttackContext {
    fileprivate static func plainRedirectURI(at provider: String) -> String { "com.example.app:/" + provider }

    /// Returns a code of Alice that is bound to a verifier.
    fileprivate func plainCode(of provider: String, application: String = "ours") async throws -> IssuedCode {
        let verifier = Base64.urlEncode(try SecureRandom.bytes(32))
        let order: JSON = [
            "provider": .string(provider), "application": .string(application),
            "redirect_uri": .string(Self.plainRedirectURI(at: provider)),
            "code_challenge": .string(Self.challenge(verifier)),
        ]
        return IssuedCode(
            provider: provider, code: try await issued(order, "code"),
            members: ["redirect_uri": .string(Self.plainRedirectURI(at: provider)), "code_verifier": .string(verifier)])
    }

    /// Returns the request that posts an access token of Alice with a fresh nonce.
    fileprivate func bearer(of provider: String, application: String) async throws -> Request {
        let (_, verifier) = try await nonce(provider: provider)
        let token = try await issued(
            ["provider": .string(provider), "application": .string(application)], "access_token")
        return exchange(
            .accessToken(token, nonce: verifier), provider: provider)
    }

    fileprivate func plainSession(at provider: String) async throws -> SignInSession {
        try await session(provider: provider, redirectURI: Self.plainRedirectURI(at: provider))
    }
}
