internal import Jansson

extension Catalogue {
    static let rates = Section(.exhaustion, .high, needs: [.processes, .bulk, .addresses]).attacks(
        .attack(
            "RX-01", "One address begins five hundred sign-ins and finishes none.",
            oracle:
                """
                After sixty the server responds with 429 and Retry-After; it stores nothing for them; others \
                can sign in.
                """,
            source: "RFC 6819 4.4.1.11", needs: [.processes, .bulk, .addresses, .sessions, .browserFlow]
        ) { context in
            try await context.onOwnServer("starts", usualLimits) { target, server, _ in
                let before = try target.database(of: server).count
                let signIn = Request.json(
                    "/v1/signin",
                    [
                        "client_id": .string(target.lab.application.clientID), "provider": "yahoo.com",
                        "redirect_uri": .string(target.lab.application.yahooRedirectURI),
                    ])
                let flow = target.authorize(verifier: String(repeating: "v", count: 43), state: "s")
                let requests = (0..<500).map { [signIn, flow, target.nonceRequest][$0 % 3] }
                await target.expectLimited(requests, to: 60, "sign-ins")
                // Each second allows one more request, so that a slow tester gets a few more.
                var limited: Answer?
                for _ in 0..<50 where limited == nil {
                    let reply = await target.fire(signIn, expecting: .rateLimited.or(.status(200)))
                    if reply.answer?.status == 429 { limited = reply.answer }
                }
                await context.expect(
                    (limited?.field("retry-after").flatMap { Int($0) } ?? 0) > 0, .wrongAnswer,
                    "No response was 429 with Retry-After.")
                let grown = try target.database(of: server).count - before
                await context.expect(grown < 1 << 18, .sideEffect, "The store grew by \(grown) bytes.")
                await target.expectVictimServed()
            }
        },
        .attack(
            "RX-02", "Two hundred callbacks with made-up states and codes are sent.",
            oracle: "The server responds with error pages and never calls the provider.", source: "RFC 6819 4.4.1.12",
            needs: [.standIns, .bulk, .browserFlow]
        ) { context in
            let mark = try await context.mark()
            let requests = (0..<200).map { number in
                Request.get(
                    "/callback/yahoo.com?code=code\(number)&state=state\(number)-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                )
                .with("Cookie", "flow-\(number)=\(number)")
            }
            let counts = await context.count(requests)
            await context.expect(
                counts.keys.allSatisfy { $0 == "400" || $0.hasPrefix("429") }, .wrongAnswer,
                "The responses were \(counts).")
            try await context.expectCalls(["yahoo.token": 0, "yahoo.userinfo": 0, "yahoo.certs": 0], since: mark)
        },
        .attack(
            "RX-03", "One address posts three hundred made-up authorization codes.",
            oracle: "After sixty the server responds with 429, which also limits its calls to the provider.",
            source: "amplification"
        ) { context in
            try await context.onOwnServer("codes", usualLimits) { target, server, _ in
                let mark = try await target.mark()
                let requests = (0..<300).map { number in
                    target.exchange([
                        "type": "authorization_code", "code": .string("made-up-\(number)"),
                        "nonce": "a-nonce-of-mine-1",
                        "redirect_uri": .string(target.lab.application.yahooRedirectURI),
                    ])
                }
                await target.expectLimited(requests, to: 60, "made-up codes")
                let calls = try await target.standIns.calls(since: mark)["yahoo.token", default: 0]
                await context.expect(calls <= 100, .sideEffect, "The provider was called \(calls) times.")
                await target.expectVictimServed()
            }
        },
        .attack(
            "RX-07a", "The attacker fails hundreds of times with the victim's application and provider.",
            oracle: "The victim can sign in immediately from another address.", source: "lockout as denial of service"
        ) { context in
            try await context.onOwnServer("lockout", usualLimits) { target, _, _ in
                let requests = (0..<300).map { number in
                    target.exchange(idToken: "a.b.\(number)", nonce: "made-up-nonce-\(number)")
                }
                await target.expectLimited(requests, to: 60, "failures")
                await target.expectVictimServed()
            }
        },
        .attack(
            "RX-07b", "The attacker exceeds the limit, and the victim is behind the same trusted proxy.",
            oracle: "The server distinguishes them by the address that the trusted proxy reports.",
            source: "lockout as denial of service",
            needs: [.processes, .bulk]
        ) { context in
            try await context.onOwnServer("proxy") {
                usualLimits(&$0)
                $0.set("server/trusted_proxies", ["127.0.0.0/8"])
            } _: { target, _, _ in
                let attacker = target.nonceRequest.with("X-Forwarded-For", "198.51.100.66")
                await target.expectLimited(Array(repeating: attacker, count: 100), to: 60, "requests")
                try await target.honest(target.nonceRequest.with("X-Forwarded-For", "198.51.100.67"))
                try await target.honest(target.nonceRequest.with("X-Forwarded-For", "2001:db8:1::1"))
            }
        },
        .attack(
            "RX-15", "One address requests hundreds of anonymous accounts and device codes.", severity: .medium,
            oracle: "The server responds with 429 after ten accounts and after sixty device codes per address.",
            source: "catalogue DG-09, AN-02",
            needs: [.processes, .bulk, .anonymous, .deviceGrant]
        ) { context in
            try await context.onOwnServer("many", usualLimits) { target, _, _ in
                let anonymous = Request.json("/v1/anonymous", text: #"{"client_id":"my-app"}"#)
                await target.expectLimited(
                    Array(repeating: anonymous, count: 150), to: 10, "anonymous accounts")
                let device = Request.form("/device_authorization", [("client_id", "my-app")])
                await target.expectLimited(Array(repeating: device, count: 150), to: 60, "device codes")
            }
        },
        .attack(
            "RX-17", "One address requests hundreds of pages, callbacks, documents, prefetches and unknown paths.",
            severity: .medium,
            oracle: "The server responds with 429 after 120 requests of each kind per address.",
            source: "RFC 6819 4.4.1.11",
            needs: [.processes, .bulk, .addresses, .browserFlow, .deviceGrant]
        ) { context in
            try await context.onOwnServer("pages", usualLimits) { target, _, _ in
                let kinds: [(String, Request)] = [
                    ("pages", .get("/device")), ("callbacks", .get("/callback/yahoo.com?code=c&state=s")),
                    ("documents", .get("/.well-known/oauth-authorization-server")),
                    ("prefetches", .get("/device").with("Sec-Purpose", "prefetch")),
                    ("unknown paths", .get("/nothing")), ("other methods", .get("/v1/exchange")),
                ]
                for (number, (what, request)) in kinds.enumerated() {
                    let requests = Array(repeating: request, count: 300)
                    await target.at("127.241.0.\(number + 1)").expectLimited(requests, to: 120, what)
                }
                await target.expectVictimServed()
            }
        },
    )

    /// Removes the configured limits, so that the server uses its defaults.
    static func usualLimits(_ plan: inout ServerPlan) { plan.set("limits", nil) }
}

extension AttackContext {
    /// Returns this attack with another source address.
    fileprivate func at(_ source: String) -> AttackContext {
        AttackContext(attack: attack, lab: lab, recorder: recorder, source: source)
    }

    /// Signs in from another address, and reports a finding if that fails.
    func expectVictimServed() async {
        let victim = at("127.240.7.7")
        do {
            try await victim.mustStillWork(try await victim.genuine().request)
        } catch {
            await found(.dead, "A client at another address could not begin to sign in.")
        }
    }
}
