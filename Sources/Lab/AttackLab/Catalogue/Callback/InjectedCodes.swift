internal import Jansson

extension Catalogue {
    static let injectedCodes = Section(.callback, .critical, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "CB-20", "The attacker's own flow is given a stolen code of the victim; the provider knows no PKCE.",
            oracle: "The ID token's nonce belongs to another flow: an error, no handoff code.",
            source: "RFC 9700 4.5.3.2, 4.8; CVE-2024-23647", reveals: [.nonceIgnored]
        ) { strike in
            let (victims, attackers) = (try await strike.begin(), try await strike.begin())
            let stolen = strike.parameter("code", of: try await strike.approve(victims))
            let own = try await strike.approve(attackers, as: "mallory")
            let mark = try await strike.mark()
            await strike.fire(
                await strike.callback(strike.replaced("code", by: stolen, own), in: attackers.browser),
                tellingApplication: [], state: attackers.state)
            // It was the nonce that stopped it: the provider did hand out the tokens.
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "CB-20a", "The attacker's own flow with X is given a stolen code of the victim.",
            oracle: "The verifier is another flow's: X refuses, and the application is told of an error.",
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
            "CB-20b", "A code that another application got for the victim is put into our callback.",
            oracle: "The provider refuses it to our client id; the application is told of an error.",
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
            "CB-33", "A code that one flow has used up is put into another flow of the same browser.",
            oracle: "An error; the provider is asked once in all.", source: "RFC 6749 4.1.2; EX-18",
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
