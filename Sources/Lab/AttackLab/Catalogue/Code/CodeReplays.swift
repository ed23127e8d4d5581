internal import Jansson

extension Catalogue {
    static let codeReplays = Section(.code, .critical).attacks(
        .attack(
            "EX-01", "The same authorization code is posted twice, one after the other.",
            oracle: "The second time: invalid_grant, replayed; the provider is asked once.",
            source: "RFC 6749 4.1.2; RFC 9700 4.2.4", reveals: [.codeReused]
        ) { strike in
            let request = strike.exchange(try await strike.yahooCode())
            let mark = try await strike.mark()
            try await strike.honest(request)
            await strike.fire(request, expecting: .refused("replayed"))
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "EX-02a", "The same code is posted 50 times at once.",
            oracle: "One succeeds, the others are replayed; the provider is asked once.",
            source: "SUPA #2612, #2613; goiabada #77; league/oauth2-server #1306; CVE-2026-47386",
            needs: [.standIns, .bulk], reveals: [.codeReused, .checkThenAct]
        ) { strike in
            let request = strike.exchange(try await strike.yahooCode())
            let mark = try await strike.mark()
            await strike.volley(Array(repeating: request, count: 50), losers: .refused("replayed"))
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "EX-02b", "The same code is posted 50 times at once, to two processes on one store.",
            oracle: "One succeeds, the others are replayed; the provider is asked once.",
            source: "twenty #26025; CVE-2026-47386", needs: [.standIns, .bulk, .processes]
        ) { strike in
            try await strike.withTwin { twin in
                for _ in 0..<2 {
                    let request = strike.exchange(try await strike.yahooCode())
                    let mark = try await strike.mark()
                    await strike.volley(
                        Array(repeating: request, count: 50), losers: .refused("replayed"),
                        at: [strike.lab.server, twin.wire])
                    try await strike.expectCalls(["yahoo.token": 1], since: mark)
                }
            }
        },
        .attack(
            "EX-03", "A recorded request is sent again from another address, with another agent and forwarded fields.",
            oracle: "invalid_grant, replayed: what was spent is spent for everybody.", source: "RFC 9700 4.2.4",
            reveals: [.codeReused]
        ) { strike in
            let request = strike.exchange(try await strike.yahooCode())
            try await strike.honest(request)
            let again = request.with("User-Agent", "recorder/1.0").with("X-Forwarded-For", "203.0.113.9")
            await strike.fire(again, expecting: .refused("replayed"), from: strike.elsewhere)
            await strike.fire(
                again.with("Idempotency-Key", "1"), expecting: .refused("replayed"), from: strike.elsewhere)
        },
        .attack(
            "EX-18a", "The code that a browser flow has redeemed is taken from the callback's URL and posted.",
            oracle: "invalid_grant, replayed; the provider is not asked again.", source: "RFC 9700 4.2.4",
            needs: [.standIns, .browserFlow], reveals: [.codeReused]
        ) { strike in
            let flow = try await strike.begin()
            let target = try await strike.approve(flow)
            let mark = try await strike.mark()
            try await strike.honest(await strike.callback(target, in: flow.browser), status: 303)
            let stolen = try strike.stolen(from: target)
            await strike.fire(strike.exchange(stolen), expecting: .refused("replayed"))
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "EX-18b",
            "The code of another person's browser flow is posted before the browser returns, with another redirect URI.",
            severity: .high,
            oracle: "Nothing is minted for it, and the flow ends with an error: the code is tried once.",
            source: "RFC 9700 4.2.4", needs: [.standIns, .browserFlow], reveals: [.codeReused]
        ) { strike in
            let flow = try await strike.begin()
            let target = try await strike.approve(flow)
            let mark = try await strike.mark()
            let stolen = try strike.stolen(from: target)
            await strike.fire(strike.exchange(stolen), expecting: .refused("code_rejected"))
            let reply = await strike.fire(
                await strike.callback(target, in: flow.browser), expecting: .status(303, 400))
            await strike.expect(
                reply.answer?.redirected("code") == nil, .minted, "The flow went on with a code that was tried.")
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "EX-19", "The connection is closed right after the request, and the request sent again.", severity: .medium,
            oracle: "The first attempt ends as a whole; the second is replayed; the provider is asked once.",
            source: "practice", reveals: [.codeReused]
        ) { strike in
            let request = strike.exchange(try await strike.yahooCode())
            let mark = try await strike.mark()
            try await strike.standIns.fault(["target": "yahoo.token", "times": 1, "delay_ms": 150])
            try await strike.sendAndLeave(request)
            try await Task.sleep(for: .milliseconds(100))
            await strike.fire(request, expecting: .refused("replayed"))
            try await Task.sleep(for: .milliseconds(250))
            await strike.fire(request, expecting: .refused("replayed"))
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "EX-27", "The provider says 503 once, so that the code is given back; it is then posted three times.",
            severity: .high,
            oracle: "503 leaves the code as good as before (retry: same), and it is still good for one success alone.",
            source: "RFC 9700 4.2.4; token-exchange API", reveals: [.codeReused]
        ) { strike in
            let request = strike.exchange(try await strike.yahooCode())
            try await strike.standIns.fault(["target": "yahoo.token", "times": 1, "status": 503, "body": "{}"])
            let reply = await strike.fire(request, expecting: .unusable("provider_error"))
            await strike.expect(
                reply.answer?["retry"] == "same", .wrongAnswer, "A code that is as good as before is not said to be.")
            try await strike.mustStillWork(request)
            await strike.fire(request, expecting: .refused("replayed"))
            await strike.fire(request, expecting: .refused("replayed"))
        },
        .attack(
            "EX-28", "The provider hangs up on the request with the code, which is then posted again.", severity: .high,
            oracle: "The outcome at the provider is unknown: 502, retry: restart, and the code stays spent.",
            source: "RFC 9110 9.2.2; token-exchange API", reveals: [.codeReused]
        ) { strike in
            let request = strike.exchange(try await strike.yahooCode())
            let mark = try await strike.mark()
            try await strike.standIns.fault(["target": "yahoo.token", "times": 1, "drop": true])
            let reply = await strike.fire(request, expecting: .unusable("provider_unreachable"))
            await strike.expect(
                reply.answer?["retry"] == "restart", .wrongAnswer, "A code that may be spent is said to be good.")
            await strike.fire(request, expecting: .refused("replayed"))
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
        },
    )
}

extension Strike {
    /// The code in a callback's URL, as one that the application got by itself.
    func stolen(from target: String) throws -> IssuedCode {
        let query = PercentEncoding.parameters(target.drop { $0 != "?" }.dropFirst())
        guard let code = query.first(where: { $0.name == "code" })?.value else {
            throw Inconclusive("The callback has no code.")
        }
        return IssuedCode(
            provider: "yahoo.com", code: code,
            members: ["redirect_uri": .string(lab.application.yahooRedirectURI), "nonce": "a-nonce-of-mine-0001"])
    }

    /// Sends a request, and waits for no answer.
    func sendAndLeave(_ request: Request) async throws {
        let connection = try await WireConnection(to: lab.server, within: .seconds(5))
        try await connection.send(request.bytes(host: lab.server.host))
        // Long enough for the request to be read.
        try await Task.sleep(for: .milliseconds(60))
    }
}
