internal import Jansson

extension Catalogue {
    static let madeUpHandoffs = Section(.handoff, .high, needs: [.browserFlow, .bulk]).attacks(
        .attack(
            "HO-07", "The attacker guesses two hundred handoff codes.",
            oracle: "The server responds with code_rejected to each.",
            source: "RFC 6819 4.4.1.3; RFC 6749 10.10"
        ) { context in
            let flow = context.noFlow
            for number in 0..<200 {
                let guess = AttackContext.challenge("guess \(number)")
                await context.fire(context.redeem(guess, flow), expecting: .refused("code_rejected"))
            }
        },
        .attack(
            "HO-07a", "The handoff code is empty, a number, a pattern or an SQL fragment.",
            oracle: "The server responds with missing_field or code_rejected, and never with a 500.",
            source: "CVE-2019-16109; CWE-89",
            needs: [.browserFlow]
        ) { context in
            for code in [
                "", " ", "0", "null", "undefined", "%", "%25", "*", "' OR 1=1--", "'; DROP TABLE handoffs;--", "[]",
                "{}",
                "true", "-1", "../", "\u{0}", "\u{FFFD}", "_", String(repeating: "A", count: 43),
                String(repeating: "A", count: 20_000),
            ] {
                await context.fire(
                    context.redeem(code, context.noFlow),
                    expecting: .refused("code_rejected").or(.malformed("missing_field", "malformed_body")))
            }
            for body in ["code[]=x", "code[x]=y", "code", "code=%ff", "code=x%00"] {
                let pairs =
                    "grant_type=authorization_code&client_id=my-app&redirect_uri=x&code_verifier="
                    + AttackContext.plainVerifier
                var request = context.redeem("x", context.noFlow)
                request.body = Array("\(pairs)&\(body)".utf8)
                await context.fire(
                    request, expecting: .refused("code_rejected").or(.malformed("missing_field", "malformed_body")))
            }
        },
        .attack(
            "HO-07b", "One address guesses handoff codes faster than the configured limit.",
            oracle: "The server responds with 429 and Retry-After above the limit; it serves another address.",
            source: "RFC 6819 4.4.1.3", needs: [.browserFlow, .processes, .addresses, .bulk]
        ) { context in
            var plan = ServerPlan("alone-\(context.attack.id)")
            plan.set("limits/exchange_per_address", "20/min")
            try await context.withServer(plan) { server in
                var statuses: [Int: Int] = [:]
                for number in 0..<60 {
                    let reply = await context.fire(
                        context.redeem(AttackContext.challenge("guess \(number)"), context.noFlow),
                        expecting: .status(400, 429), at: server.wire)
                    guard let answer = reply.answer else { continue }
                    statuses[answer.status, default: 0] += 1
                    await context.expect(
                        answer.status != 429 || answer.field("retry-after").flatMap { Int($0) } ?? 0 > 0, .unprotected,
                        "A 429 has no Retry-After.")
                }
                await context.expect(
                    (20...25).contains(statuses[400] ?? 0), .slow, "\(statuses[400] ?? 0) guesses were checked.")
                await context.fire(
                    context.redeem("guess", context.noFlow), expecting: .refused("code_rejected"), at: server.wire,
                    from: "127.201.0.7")
            }
        },
    )

    static let otherSecretsAsHandoffs = Section(.handoff, .critical, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "HO-09", "Other one-time values of the same sign-in are redeemed as handoff codes.",
            oracle:
                "The server responds with code_rejected to state, provider code, cookie, nonce verifier and tokens.",
            source: "type confusion"
        ) { context in
            let flow = try await context.begin()
            let target = try await context.approve(flow)
            let (nonce, verifier) = try await context.nonce()
            let cookie = try await context.flowCookie(flow).value
            let (_, issued) = try await context.genuine()
            let values: [String] = [
                flow.providerState ?? "", flow.state, PercentEncoding.parameter("code", of: target) ?? "", nonce,
                verifier,
                cookie, issued["id_token"]?.string ?? "", issued["access_token"]?.string ?? "",
                flow.codeVerifier,
            ]
            for value in values {
                await context.fire(context.redeem(value, flow), expecting: .refused("code_rejected"))
            }
            try await context.mustStillWork(await context.callback(target, in: flow.browser), status: 303)
        },
        .attack(
            "HO-09a", "A device code, a session or a request_uri is redeemed as a handoff code.",
            oracle: "The server responds with code_rejected.", source: "type confusion",
            needs: [.standIns, .browserFlow, .deviceGrant, .pushedRequests, .sessions]
        ) { context in
            let flow = try await context.begin()
            let device = try await context.honest(.form("/device_authorization", [("client_id", flow.clientID)]))
            let values = [
                device["device_code"] ?? "", device["user_code"] ?? "", try await context.session().session,
                try await context.push(),
            ]
            for value in values {
                await context.fire(context.redeem(value, flow), expecting: .refused("code_rejected"))
            }
        },
        .attack(
            "HO-09b", "A handoff code is sent to other endpoints as another kind of credential.",
            oracle: "The server refuses it everywhere; the code can still be redeemed as a handoff code.",
            source: "type confusion",
            needs: [.standIns, .browserFlow, .tokenExchange], reveals: [.stateUnchecked]
        ) { context in
            let (code, flow) = try await context.handoff()
            let (_, issued) = try await context.genuine()
            await context.fire(
                context.exchange(idToken: issued["id_token"]?.string ?? "", nonce: code),
                expecting: .refused("nonce_mismatch"))
            await context.fire(
                context.exchange(idToken: code, nonce: code), expecting: .refused("malformed_token", "nonce_mismatch"))
            let exchange = [
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("client_id", flow.clientID),
                ("subject_token", code), ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
                ("subject_issuer", "yahoo.com"), ("nonce", code),
            ]
            await context.fire(
                .form("/token", exchange), expecting: .malformed("malformed_token", "nonce_mismatch"))
            let next = try await context.begin()
            await context.fire(
                await context.callback("/callback/yahoo.com?code=\(code)&state=\(code)", in: next.browser),
                expecting: .page())
            try await context.mustStillWork(context.redeem(code, flow))
        },
        .attack(
            "HO-09c", "A handoff code is posted as a device code.",
            oracle: "The server refuses it; the code can still be redeemed as a handoff code.",
            source: "type confusion",
            needs: [.standIns, .browserFlow, .deviceGrant]
        ) { context in
            let (code, flow) = try await context.handoff()
            await context.fire(
                .form(
                    "/token",
                    [
                        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("client_id", flow.clientID),
                        ("device_code", code),
                    ]), expecting: .refused("code_rejected"))
            try await context.mustStillWork(context.redeem(code, flow))
        },
    )
}

extension AttackContext {
    /// A flow for redemptions of codes that the server never issued.
    var noFlow: Flow {
        Flow(
            browser: Browser(), codeVerifier: Self.plainVerifier, state: "s", redirectURI: lab.application.redirectURI,
            clientID: lab.application.clientID, authorizationURL: "")
    }
}
