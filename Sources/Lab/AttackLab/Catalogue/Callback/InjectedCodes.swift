internal import Jansson

extension Catalogue {
    static let injectedCodes = Section(.callback, .critical, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "CB-20",
            "A stolen code of the victim is sent in the attacker's own flow; the provider does not support PKCE.",
            oracle: "The server rejects the ID token, whose nonce belongs to another flow; it issues no handoff code.",
            source: "RFC 9700 4.5.3.2, 4.8; CVE-2024-23647", reveals: [.nonceIgnored]
        ) { strike in
            let (victims, attackers) = (try await strike.begin(), try await strike.begin())
            let stolen = strike.parameter("code", of: try await strike.approve(victims))
            let own = try await strike.approve(attackers, as: "mallory")
            let mark = try await strike.mark()
            await strike.fire(
                await strike.callback(strike.replaced("code", by: stolen, own), in: attackers.browser),
                tellingApplication: [], state: attackers.state)
            // This proves that the check of the nonce stopped the attack: the provider did issue the tokens.
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "CB-20a", "A stolen code of the victim is sent in the attacker's own flow with X.",
            oracle:
                """
                The server sends the code verifier of the attacker's flow: X refuses, and the application \
                gets an error.
                """,
            source: "RFC 9700 4.5.3.1; RFC 7636 1"
        ) { strike in
            let victims = try await strike.begin(provider: "twitter.com")
            let attackers = try await strike.begin(provider: "twitter.com")
            let stolen = strike.parameter("code", of: try await strike.approve(victims))
            let own = try await strike.approve(attackers, as: "mallory")
            await strike.fire(
                await strike.callback(strike.replaced("code", by: stolen, own), in: attackers.browser),
                tellingApplication: [], state: attackers.state)
        },
        .sweep(
            "CB-20b", "A code that was issued to another application is sent to the server's callback.",
            oracle: "The provider refuses the code for this client id; the application gets an error.",
            source: "RFC 9700 4.5; CVE-2026-55672", over: ["yahoo.com", "twitter.com"]
        ) { strike, provider in
            let flow = try await strike.begin(provider: provider)
            let own = try await strike.approve(flow, as: "mallory")
            var order: [String: JSON] = [
                "provider": .string(provider), "application": "hostile",
                "code_challenge": .string(Strike.challenge(Strike.plainVerifier)),
            ]
            if provider == "twitter.com" { order["protocol"] = "oauth2" }
            let issued = try await strike.standIns.issue(.object(order))
            guard let stolen = issued["code"]?.string else { throw Inconclusive("The stand-in gave no code.") }
            await strike.fire(
                await strike.callback(strike.replaced("code", by: stolen, own), in: flow.browser),
                tellingApplication: [], state: flow.state)
        },
        .attack(
            "CB-33", "A code that one flow has redeemed is sent in another flow of the same browser.",
            oracle: "The application gets an error; the provider is called once in total.",
            source: "RFC 6749 4.1.2; EX-18",
            reveals: [.codeReused]
        ) { strike in
            let first = try await strike.begin()
            let target = try await strike.approve(first)
            let mark = try await strike.mark()
            try await strike.honest(await strike.callback(target, in: first.browser), status: 303)
            let second = try await strike.begin()
            let own = try await strike.approve(second, as: "mallory")
            await strike.fire(
                await strike.callback(
                    strike.replaced("code", by: strike.parameter("code", of: target), own), in: second.browser),
                tellingApplication: [], state: second.state)
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
        },
    )
}

/// A flaw of the ID token that the provider issues for a valid code.
private struct WrongToken: Sendable {
    let letter: String
    let sentence: String
    let source: String
    /// The bodies of `PUT /claims` to the stand-in; each is tried in a flow of its own.
    let orders: [JSON]
    var reveals: Set<Mistake> = []
    var severity = Severity.critical

    func attack(_ number: String) -> Attack {
        Attack(
            number + letter, .callback, severity, sentence,
            oracle: "The application gets an error and no handoff code.", source: source,
            needs: [.standIns, .browserFlow], reveals: reveals
        ) { strike in
            for order in orders {
                let flow = try await strike.begin()
                let target = try await strike.approve(flow)
                let once = order.setting(["times"], to: 1)
                try await strike.standIns.claims(once)
                await strike.fire(
                    await strike.callback(target, in: flow.browser), tellingApplication: [], state: flow.state)
            }
        }
    }
}

extension Catalogue {
    static let tokensBehindCodes: [Attack] = [
        WrongToken(
            letter: "", sentence: "The ID token for a valid code has no nonce.",
            source: "FAPI2 invalid-missing-nonce; RFC 9700 4.5.3.2",
            orders: [["remove": ["nonce"]], ["remove": ["nonce"], "header": ["nonce": "x"], "set": ["Nonce": "x"]]],
            reveals: [.nonceIgnored, .nonceOnlyIfPresent]),
        WrongToken(
            letter: "a", sentence: "The ID token for a valid code has another nonce, or more than one.",
            source: "OIDF nonce-invalid",
            orders: [
                ["set": ["nonce": "other"]], ["set": ["nonce": ""]], ["set": ["nonce": ["a", "b"]]],
                ["set": ["nonce": .object([:])]], ["set": ["nonce": .null]], ["set": ["nonce": true]],
            ], reveals: [.nonceIgnored]),
    ].map { $0.attack("CB-21") }

    static let claimsBehindCodes: [Attack] = [claimsOfOthers, signaturesOfOthers].flatMap(\.self).map {
        $0.attack("CB-29")
    }

    private static let claimsOfOthers: [WrongToken] = [
        WrongToken(
            letter: "", sentence: "The ID token for a valid code has the audience of another application, or none.",
            source: "GHSA-x6fw-778m-wr9v; OIDC Core 3.1.3.7",
            orders: [["set": ["aud": "other"]], ["remove": ["aud"]], ["set": ["aud": .array([])]]],
            reveals: [.audienceUnchecked]),
        WrongToken(
            letter: "a", sentence: "The ID token for a valid code has another issuer, or none.",
            source: "CVE-2026-31813",
            orders: [["set": ["iss": "https://evil.example"]], ["remove": ["iss"]]], reveals: [.issuerUnchecked]),
        WrongToken(
            letter: "b", sentence: "The ID token for a valid code has expired.", source: "OIDC Core 3.1.3.7",
            orders: [["set": ["exp": 1_700_000_000, "iat": 1_699_999_000]]], reveals: [.expiryUnchecked]),
        WrongToken(
            letter: "c", sentence: "The ID token for a valid code has no subject, or more than one.",
            source: "PROF ID Spoofing 10, 11",
            orders: [
                ["remove": ["sub"]], ["set": ["sub": ""]], ["set": ["sub": 7]],
                ["set": ["sub": ["VICTIM", "MALLORY"]]],
                ["set": ["sub": .null]],
            ]),
        WrongToken(
            letter: "d", sentence: "The ID token for a valid code contains a claim twice.",
            source: "PROF ID Spoofing 8, 9",
            orders: [
                ["duplicate": ["sub": "VICTIM"]], ["duplicate": ["aud": "other"]], ["duplicate": ["name": "Other"]],
            ],
            reveals: [.duplicateMembers]),
    ]

    private static let signaturesOfOthers: [WrongToken] = [
        WrongToken(
            letter: "e",
            sentence: "The ID token for a valid code is signed with another key under the provider's key id.",
            source: "OIDF invalid-sig-es256", orders: [["key": "foreign"]], reveals: [.signatureUnchecked]),
        WrongToken(
            letter: "f", sentence: "The ID token for a valid code is not signed at all.",
            source: "OIDC Core 3.1.3.7; RFC 8725 2.1", orders: [["key": "none"]], reveals: [.noneAccepted]),
        WrongToken(
            letter: "g",
            sentence: "The ID token for a valid code is signed with the provider's public key as a secret.",
            source: "CVE-2016-10555", orders: [["key": "hs256"]], reveals: [.publicKeyAsSecret]),
        WrongToken(
            letter: "h",
            sentence: "The token for a valid code is an access token or a logout token instead of an ID token.",
            source: "RFC 8725 3.11",
            orders: [["header": ["typ": "at+jwt"]], ["header": ["typ": "logout+jwt"]]], reveals: [.typeIgnored]),
        WrongToken(
            letter: "i",
            sentence: "The ID token for a valid code has a critical header parameter that the server does not know.",
            source: "RFC 7515 4.1.11; CVE-2025-59420",
            orders: [["header": ["crit": ["x"], "x": true]], ["header": ["crit": .array([])]]],
            reveals: [.criticalIgnored],
            severity: .high),
    ]
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
        ) { strike in
            let flow = try await strike.begin()
            let target = try await strike.approve(flow)
            let issuer = try strike.standIns.addresses.yahoo
            let mark = try await strike.mark()
            for wrong in ["https://evil.example", "\(issuer)/", "\(issuer).evil.example", issuer.uppercased()] {
                await strike.fire(
                    await strike.callback(strike.replaced("iss", by: wrong, target), in: flow.browser),
                    expecting: .page())
            }
            try await strike.expectCalls(["yahoo.token": 0], since: mark)
            try await strike.mustStillWork(
                await strike.callback(strike.replaced("iss", by: issuer, target), in: flow.browser), status: 303)
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
        ) { strike in
            try await strike.standIns.fault([
                "target": "yahoo.discovery", "set": ["authorization_response_iss_parameter_supported": true],
            ])
            try await strike.standIns.register("\(strike.lab.server.base)/callback/op.example")
            try await strike.withServer(strike.lonePlan()) { server in
                let flow = try await strike.begin(provider: "op.example", at: server.wire)
                let target = try await strike.approve(flow)
                let mark = try await strike.mark()
                for iss in [nil, "", "https://evil.example"] {
                    let spelling = iss.map { strike.replaced("iss", by: $0, target) } ?? target
                    await strike.fire(
                        await strike.callback(spelling, in: flow.browser), expecting: .page(), at: server.wire)
                }
                try await strike.expectCalls(["yahoo.token": 0], since: mark)
                let right = strike.replaced("iss", by: try strike.standIns.addresses.yahoo, target)
                try await strike.mustStillWork(
                    await strike.callback(right, in: flow.browser), status: 303, at: server.wire)
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
        ) { strike in try await strike.mixUp("yahoo.com", arrivingAt: ["twitter.com"]) },
        .attack(
            "CB-14a", "The callback of a flow with X is sent to the callback path of Yahoo.",
            oracle:
                """
                The server responds with a 400 page and sends the code to no provider; the flow can still be \
                finished.
                """,
            source: "RFC 9700 4.4; PROF IdP Confusion; COAT", reveals: [.providerMixedUp]
        ) { strike in try await strike.mixUp("twitter.com", arrivingAt: ["yahoo.com"]) },
        .attack(
            "CB-14b",
            "Two configured providers have the same issuer, and the callback is sent to the path of the other one.",
            severity: .high,
            oracle: "The server responds with a 400 page, as the flow is bound to the provider that it began with.",
            source: "RFC 9700 4.4; COAT", needs: [.standIns, .browserFlow, .processes, .discovery]
        ) { strike in try await strike.mixUp("yahoo.com", arrivingAt: ["op.example", "unknown.example"]) },
    )
}

extension Strike {
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
