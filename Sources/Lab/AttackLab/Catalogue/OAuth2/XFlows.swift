internal import Jansson

extension Catalogue {
    /// Requests to X, and callbacks of another flow or protocol.
    static let xFlows = Section(.oauth2, .critical, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "X2-06", "The authorization request and the token request are intercepted.", severity: .high,
            oracle:
                "The server uses S256 and sends the verifier only in the token request.",
            source: "RFC 9700 2.1.1; RFC 7636 4.2"
        ) { context in
            let flow = try await context.begin(provider: "twitter.com")
            let names = PercentEncoding.query(of: flow.authorizationURL)
            func value(_ name: String) -> String { names.first { $0.name == name }?.value ?? "" }
            await context.expect(
                value("code_challenge_method") == "S256" && value("code_challenge").utf8.count == 43
                    && value("response_type") == "code" && value("state").utf8.count >= 22
                    && value("code_challenge") != AttackContext.challenge(flow.codeVerifier), .unprotected,
                "The authorization request is not protected by state and a challenge of our own.")
            await context.expect(
                !names.contains { ["code_verifier", "client_secret"].contains($0.name) }, .leaked,
                "The authorization request contains a secret.")
            let mark = try await context.mark()
            try await context.honest(
                await context.callback(try await context.approve(flow), in: flow.browser), status: 303)
            let seen = try await context.standIns.requests(since: mark)
                .filter { $0["endpoint"]?.string == "x.oauth2_token" }
            await context.expect(seen.count == 1, .sideEffect, "The token endpoint was called \(seen.count) times.")
            for request in seen {
                let body = request["body_parameters"]?.array?.compactMap(\.string).sorted() ?? []
                await context.expect(
                    body == ["code", "code_verifier", "grant_type", "redirect_uri"]
                        && request["authorization"]?.string == "Basic"
                        && request["query_parameters"]?.array?.isEmpty == true, .leaked,
                    "The token request contains \(body.joined(separator: ", ")).")
            }
        },
        .attack(
            "X2-10", "X returns a refresh token that was not requested.", severity: .high,
            oracle: "The server returns no provider tokens without return_provider_tokens, and logs none.",
            source: "RFC 9700 4.14; least privilege", needs: [.standIns, .oauth1, .logs]
        ) { context in
            let canary = try await context.canary()
            try await context.standIns.fault([
                "target": "x.oauth2_token", "times": 1, "set": ["refresh_token": .string(canary)],
            ])
            let code = try await context.xCode()
            let answer = try await context.honest(
                context.exchange(code, clientID: context.lab.application.otherClientID))
            await context.expect(
                answer.json?["oauth"] == nil && !answer.text.contains(canary), .leaked,
                "The response contains the provider's tokens.")
        },
        .attack(
            "X2-11b", "A flow of OAuth 2.0 is finished with the callback parameters of OAuth 1.0a.",
            oracle: "The server responds with a 400 page and calls neither token endpoint; the flow stays valid.",
            source: "RFC 9700 4.4", needs: [.standIns, .browserFlow, .oauth1]
        ) { context in
            let flow = try await context.begin(provider: "twitter.com")
            let target = try await context.approve(flow)
            let path = String(target.prefix { $0 != "?" })
            let state = flow.providerState ?? ""
            let mark = try await context.mark()
            for query in [
                "?oauth_token=\(state)&oauth_verifier=v", "?denied=\(state)",
                "?state=\(state)&oauth_token=\(state)&oauth_verifier=v",
            ] {
                await context.fire(await context.callback(path + query, in: flow.browser), expecting: .page())
            }
            try await context.expectCalls(["x.access_token": 0, "x.oauth2_token": 0], since: mark)
            try await context.mustStillWork(await context.callback(target, in: flow.browser), status: 303)
        },
        .attack(
            "X2-11c", "A flow with Yahoo returns to the callback of X, with a code of X.",
            oracle: "The server responds with a 400 page and calls neither provider; the flow stays valid.",
            source: "RFC 9700 4.4 (mix-up)",
            reveals: [.providerMixedUp]
        ) { context in
            try await context.withUnspentFlow { flow, target in
                let code = try await context.xCode().code
                let moved =
                    "/callback/twitter.com?"
                    + PercentEncoding.form([
                        ("state", flow.providerState ?? ""), ("code", code),
                    ])
                await context.fire(await context.callback(moved, in: flow.browser), expecting: .page())
            }
        },
        .attack(
            "X2-11a", "A flow of OAuth 1.0a is finished with its request token and an OAuth 2.0 code.",
            oracle: "The server responds with a 400 page and calls neither token endpoint; the flow stays valid.",
            source: "RFC 9700 4.4", needs: [.standIns, .oauth1, .browserFlow, .processes]
        ) { context in
            try await context.withOAuth1Server { server in
                let (flow, target) = try await context.approvedOAuth1(at: server.wire)
                let path = String(target.prefix { $0 != "?" })
                let token = PercentEncoding.parameter("oauth_token", of: target) ?? ""
                let code = try await context.xCode().code
                let mark = try await context.mark()
                for query in ["?state=\(token)&code=\(code)", "?oauth_token=\(token)&code=\(code)"] {
                    await context.fire(
                        await context.callback(path + query, in: flow.browser), expecting: .page(), at: server.wire)
                }
                try await context.expectCalls(["x.access_token": 0, "x.oauth2_token": 0], since: mark)
                try await context.mustStillWork(
                    await context.callback(target, in: flow.browser), status: 303, at: server.wire)
            }
        },
    )
}
