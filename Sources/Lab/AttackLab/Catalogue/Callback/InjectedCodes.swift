internal import Jansson

extension Catalogue {
    static let injectedCodes = Section(.callback, .critical, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "CB-20",
            "A stolen code of the victim is sent in the attacker's own flow; the provider does not support PKCE.",
            oracle: "The server rejects the ID token, whose nonce belongs to another flow; it issues no handoff code.",
            source: "RFC 9700 4.5.3.2, 4.8; CVE-2024-23647", reveals: [.nonceIgnored]
        ) { context in
            let (victims, attackers) = (try await context.begin(), try await context.begin())
            let stolen = PercentEncoding.parameter("code", of: try await context.approve(victims)) ?? ""
            let own = try await context.approve(attackers, as: "mallory")
            let mark = try await context.mark()
            await context.fire(
                await context.callback(own.setting(parameter: "code", to: stolen), in: attackers.browser),
                tellingApplication: [], state: attackers.state)
            // This proves that the check of the nonce stopped the attack: the provider did issue the tokens.
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "CB-20a", "A stolen code of the victim is sent in the attacker's own flow with X.",
            oracle:
                """
                The server sends the code verifier of the attacker's flow: X refuses, and the application \
                gets an error.
                """,
            source: "RFC 9700 4.5.3.1; RFC 7636 1"
        ) { context in
            let victims = try await context.begin(provider: "twitter.com")
            let attackers = try await context.begin(provider: "twitter.com")
            let stolen = PercentEncoding.parameter("code", of: try await context.approve(victims)) ?? ""
            let own = try await context.approve(attackers, as: "mallory")
            await context.fire(
                await context.callback(own.setting(parameter: "code", to: stolen), in: attackers.browser),
                tellingApplication: [], state: attackers.state)
        },
        .sweep(
            "CB-20b", "A code that was issued to another application is sent to the server's callback.",
            oracle: "The provider refuses the code for this client id; the application gets an error.",
            source: "RFC 9700 4.5; CVE-2026-55672", over: ["yahoo.com", "twitter.com"]
        ) { context, provider in
            let flow = try await context.begin(provider: provider)
            let own = try await context.approve(flow, as: "mallory")
            var order: [String: JSON] = [
                "provider": .string(provider), "application": "hostile",
                "code_challenge": .string(AttackContext.challenge(AttackContext.plainVerifier)),
            ]
            if provider == "twitter.com" { order["protocol"] = "oauth2" }
            let stolen = try await context.issued(.object(order), "code")
            await context.fire(
                await context.callback(own.setting(parameter: "code", to: stolen), in: flow.browser),
                tellingApplication: [], state: flow.state)
        },
        .attack(
            "CB-33", "A code that one flow has redeemed is sent in another flow of the same browser.",
            oracle: "The application gets an error; the provider is called once in total.",
            source: "RFC 6749 4.1.2; EX-18",
            reveals: [.codeReused]
        ) { context in
            let first = try await context.begin()
            let target = try await context.approve(first)
            let mark = try await context.mark()
            try await context.honest(await context.callback(target, in: first.browser), status: 303)
            let second = try await context.begin()
            let own = try await context.approve(second, as: "mallory")
            await context.fire(
                await context.callback(
                    own.setting(parameter: "code", to: PercentEncoding.parameter("code", of: target) ?? ""),
                    in: second.browser),
                tellingApplication: [], state: second.state)
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
    )
}

extension Catalogue {
    static let mixUps = Section(.callback, .critical, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "CB-12", "The callback has the `iss` parameter of another issuer (RFC 9207).",
            oracle:
                """
                The server responds with a 400 page and sends the code to no provider; the flow can still be \
                finished.
                """,
            source: "FAPI2 invalid-authorization-response-iss; RFC 9700 4.4.2.1", reveals: [.issuerParameterIgnored]
        ) { context in
            let flow = try await context.begin()
            let target = try await context.approve(flow)
            let issuer = try context.standIns.addresses.yahoo
            let mark = try await context.mark()
            for wrong in ["https://evil.example", "\(issuer)/", "\(issuer).evil.example", issuer.uppercased()] {
                await context.fire(
                    await context.callback(target.setting(parameter: "iss", to: wrong), in: flow.browser),
                    expecting: .page())
            }
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            try await context.mustStillWork(
                await context.callback(target.setting(parameter: "iss", to: issuer), in: flow.browser), status: 303)
        },
        .attack(
            "CB-13", "The callback has no `iss` although the provider's metadata announce it.",
            severity: .high,
            oracle:
                """
                The server responds with a 400 page and sends the code to no provider; with `iss` the flow \
                can be finished.
                """,
            source: "FAPI2 remove-authorization-response-iss; RFC 9207 2.4",
            needs: [.standIns, .browserFlow, .processes, .discovery]
        ) { context in
            try await context.standIns.fault([
                "target": "yahoo.discovery", "set": ["authorization_response_iss_parameter_supported": true],
            ])
            try await context.standIns.register("\(context.lab.server.base)/callback/op.example")
            try await context.withServer(context.lonePlan()) { server in
                let flow = try await context.begin(provider: "op.example", at: server.wire)
                let target = try await context.approve(flow)
                let mark = try await context.mark()
                for iss in [nil, "", "https://evil.example"] {
                    let spelling = iss.map { target.setting(parameter: "iss", to: $0) } ?? target
                    await context.fire(
                        await context.callback(spelling, in: flow.browser), expecting: .page(), at: server.wire)
                }
                try await context.expectCalls(["yahoo.token": 0], since: mark)
                let right = target.setting(parameter: "iss", to: try context.standIns.addresses.yahoo)
                try await context.mustStillWork(
                    await context.callback(right, in: flow.browser), status: 303, at: server.wire)
            }
        },
        .attack(
            "CB-14", "The callback of a flow with Yahoo is sent to the callback path of X.",
            oracle:
                """
                The server responds with a 400 page and sends the code to no provider; the flow can still be \
                finished.
                """,
            source: "RFC 9700 4.4; PROF IdP Confusion; COAT", reveals: [.providerMixedUp]
        ) { context in try await context.mixUp("yahoo.com", arrivingAt: ["twitter.com"]) },
        .attack(
            "CB-14a", "The callback of a flow with X is sent to the callback path of Yahoo.",
            oracle:
                """
                The server responds with a 400 page and sends the code to no provider; the flow can still be \
                finished.
                """,
            source: "RFC 9700 4.4; PROF IdP Confusion; COAT", reveals: [.providerMixedUp]
        ) { context in try await context.mixUp("twitter.com", arrivingAt: ["yahoo.com"]) },
        .attack(
            "CB-14b",
            "Two configured providers have the same issuer, and the callback is sent to the path of the other one.",
            severity: .high,
            oracle: "The server responds with a 400 page, as the flow is bound to the provider that it began with.",
            source: "RFC 9700 4.4; COAT", needs: [.standIns, .browserFlow, .processes, .discovery]
        ) { context in try await context.mixUp("yahoo.com", arrivingAt: ["op.example", "unknown.example"]) },
        .sweep(
            "CB-14c",
            "A session or a code of one provider has the redirect URI that the application uses at another one.",
            oracle:
                """
                The server responds with redirect_uri_not_allowed: an application that uses one URI for two providers \
                cannot tell whose code it has received.
                """,
            source: "RFC 9700 4.4", needs: [.standIns, .sessions, .discovery],
            over: ["yahoo.com", "twitter.com", "op.example"]
        ) { context, provider in
            for other in ["yahoo.com", "twitter.com", "op.example"] where other != provider {
                let uri = context.lab.application.providerRedirectURI(at: other)
                await context.fire(
                    context.beginning(provider: provider, redirectURI: uri),
                    expecting: .malformed("redirect_uri_not_allowed"))
                await context.fire(
                    context.exchange(
                        ["type": "authorization_code", "code": "a-code-of-another", "redirect_uri": .string(uri)],
                        provider: provider),
                    expecting: .malformed("redirect_uri_not_allowed"))
            }
            try await context.mustStillWork(context.beginning(provider: provider))
        },
    )
}

extension AttackContext {
    fileprivate func mixUp(_ provider: String, arrivingAt others: [String]) async throws {
        let flow = try await begin(provider: provider)
        let target = try await approve(flow)
        let mark = try await mark()
        for other in others {
            let elsewhere = "/callback/\(other)" + target.drop { $0 != "?" }
            await fire(await callback(elsewhere, in: flow.browser), expecting: .page())
        }
        try await expectCalls(["yahoo.token": 0, "x.oauth2_token": 0], since: mark)
        try await mustStillWork(await callback(target, in: flow.browser), status: 303)
    }
}
