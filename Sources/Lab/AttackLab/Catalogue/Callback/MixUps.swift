internal import Jansson

extension Catalogue {
    static let mixUps = Section(.callback, .critical, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "CB-12", "The answer says that it comes from another issuer (RFC 9207).",
            oracle: "A page with status 400; the code goes nowhere; the flow stays good.",
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
            "CB-13", "The answer names no issuer, though the provider's metadata promise that it does.",
            severity: .high,
            oracle: "A page with status 400; the code goes nowhere; with the issuer the flow can be finished.",
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
            "CB-14", "A flow began with Yahoo, and its answer arrives at the callback of X.",
            oracle: "A page with status 400; neither is given the code; the flow stays good.",
            source: "RFC 9700 4.4; PROF IdP Confusion; COAT", reveals: [.providerMixedUp]
        ) { strike in try await strike.mixUp("yahoo.com", arrivingAt: ["twitter.com"]) },
        .attack(
            "CB-14a", "A flow began with X, and its answer arrives at the callback of Yahoo.",
            oracle: "A page with status 400; neither is given the code; the flow stays good.",
            source: "RFC 9700 4.4; PROF IdP Confusion; COAT", reveals: [.providerMixedUp]
        ) { strike in try await strike.mixUp("twitter.com", arrivingAt: ["yahoo.com"]) },
        .attack(
            "CB-14b", "Two configured providers are one issuer, and the answer arrives at the other's callback.",
            severity: .high, oracle: "A page with status 400: the flow knows the provider that it began with.",
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
