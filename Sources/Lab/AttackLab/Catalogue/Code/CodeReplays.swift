internal import Jansson

extension Catalogue {
    static let codeReplays = Section(.code, .critical).attacks(
        .attack(
            "EX-01", "The same authorization code is posted twice in sequence.",
            oracle: "The server responds with replayed to the second request; it calls the provider once.",
            source: "RFC 6749 4.1.2; RFC 9700 4.2.4", reveals: [.codeReused]
        ) { context in
            let request = context.exchange(try await context.yahooCode())
            let mark = try await context.mark()
            try await context.honest(request)
            await context.fire(request, expecting: .refused("replayed"))
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "EX-02a", "The same code is posted 50 times concurrently.",
            oracle: "One request succeeds, the others get replayed; the server calls the provider once.",
            source: "SUPA #2612, #2613; goiabada #77; league/oauth2-server #1306; CVE-2026-47386",
            needs: [.standIns, .bulk], reveals: [.codeReused, .checkThenAct]
        ) { context in
            let request = context.exchange(try await context.yahooCode())
            let mark = try await context.mark()
            await context.volley(Array(repeating: request, count: 50), losers: .refused("replayed"))
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "EX-02b", "The same code is posted 50 times concurrently to two processes that share a store.",
            oracle: "One request succeeds, the others get replayed; the server calls the provider once.",
            source: "twenty #26025; CVE-2026-47386", needs: [.standIns, .bulk, .processes]
        ) { context in
            try await context.withTwin { twin in
                for _ in 0..<2 {
                    let request = context.exchange(try await context.yahooCode())
                    let mark = try await context.mark()
                    await context.volley(
                        Array(repeating: request, count: 50), losers: .refused("replayed"),
                        at: [context.lab.server, twin.wire])
                    try await context.expectCalls(["yahoo.token": 1], since: mark)
                }
            }
        },
        .attack(
            "EX-03", "A recorded request is sent again from another address and with other header fields.",
            oracle: "The server responds with replayed: a used code is used for every caller.",
            source: "RFC 9700 4.2.4",
            reveals: [.codeReused]
        ) { context in
            let request = context.exchange(try await context.yahooCode())
            try await context.honest(request)
            let again = request.with("User-Agent", "recorder/1.0").with("X-Forwarded-For", "203.0.113.9")
            await context.fire(again, expecting: .refused("replayed"), from: context.elsewhere)
            await context.fire(
                again.with("Idempotency-Key", "1"), expecting: .refused("replayed"), from: context.elsewhere)
        },
        .attack(
            "EX-18a", "The code of a finished browser flow is taken from the callback URL and posted.",
            oracle: "The server responds with replayed and does not call the provider again.", source: "RFC 9700 4.2.4",
            needs: [.standIns, .browserFlow], reveals: [.codeReused]
        ) { context in
            let flow = try await context.begin()
            let target = try await context.approve(flow)
            let mark = try await context.mark()
            try await context.honest(await context.callback(target, in: flow.browser), status: 303)
            let stolen = try context.stolen(from: target)
            await context.fire(context.exchange(stolen), expecting: .refused("replayed"))
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "EX-18b",
            "The code of another user's browser flow is posted before the callback, with another redirect URI.",
            severity: .high,
            oracle: "The server redeems the code only once: it mints no token, and the flow ends with an error.",
            source: "RFC 9700 4.2.4", needs: [.standIns, .browserFlow], reveals: [.codeReused]
        ) { context in
            let flow = try await context.begin()
            let target = try await context.approve(flow)
            let mark = try await context.mark()
            let stolen = try context.stolen(from: target)
            await context.fire(context.exchange(stolen), expecting: .refused("code_rejected"))
            let reply = await context.fire(
                await context.callback(target, in: flow.browser), expecting: .status(303, 400))
            await context.expect(
                reply.answer?.redirected("code") == nil, .minted, "The flow succeeded with a code that had been used.")
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "EX-19", "The client closes the connection right after the request and sends the request again.",
            severity: .medium,
            oracle: "The first request is completed; the second gets replayed; the server calls the provider once.",
            source: "practice", reveals: [.codeReused]
        ) { context in
            let request = context.exchange(try await context.yahooCode())
            let mark = try await context.mark()
            try await context.standIns.fault(["target": "yahoo.token", "times": 1, "delay_ms": 150])
            try await context.sendAndLeave(request)
            try await Task.sleep(for: .milliseconds(100))
            await context.fire(request, expecting: .refused("replayed"))
            try await Task.sleep(for: .milliseconds(250))
            await context.fire(request, expecting: .refused("replayed"))
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "EX-27",
            "The provider responds with 503 once, so that the code stays unused; it is then posted three times.",
            severity: .high,
            oracle: "The server responds with 503 and `retry: same`; afterwards the code can be redeemed exactly once.",
            source: "RFC 9700 4.2.4; token-exchange API", reveals: [.codeReused]
        ) { context in
            let request = context.exchange(try await context.yahooCode())
            try await context.standIns.fault(["target": "yahoo.token", "times": 1, "status": 503, "body": "{}"])
            let reply = await context.fire(request, expecting: .unusable("provider_error"))
            await context.expect(
                reply.answer?["retry"] == "same", .wrongAnswer,
                "The response does not say that the code can be sent again.")
            try await context.mustStillWork(request)
            await context.fire(request, expecting: .refused("replayed"))
            await context.fire(request, expecting: .refused("replayed"))
        },
        .attack(
            "EX-28", "The provider closes the connection during the token request, and the code is posted again.",
            severity: .high,
            oracle:
                """
                The server cannot know the outcome: it responds with 502 and `retry: restart`, and the code \
                stays used.
                """,
            source: "RFC 9110 9.2.2; token-exchange API", reveals: [.codeReused]
        ) { context in
            let request = context.exchange(try await context.yahooCode())
            let mark = try await context.mark()
            try await context.standIns.fault(["target": "yahoo.token", "times": 1, "drop": true])
            let reply = await context.fire(request, expecting: .unusable("provider_unreachable"))
            await context.expect(
                reply.answer?["retry"] == "restart", .wrongAnswer,
                "The response does not tell the client to restart, although the code may be used.")
            await context.fire(request, expecting: .refused("replayed"))
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
    )
}

extension AttackContext {
    /// Returns the code in a callback URL as if the application had obtained it directly.
    func stolen(from target: String) throws -> IssuedCode {
        let query = PercentEncoding.query(of: target)
        guard let code = query.first(where: { $0.name == "code" })?.value else {
            throw Inconclusive("The callback has no code.")
        }
        return IssuedCode(
            provider: "yahoo.com", code: code,
            members: ["redirect_uri": .string(lab.application.yahooRedirectURI), "nonce": "a-nonce-of-mine-0001"])
    }

    /// Sends a request and does not wait for the response.
    func sendAndLeave(_ request: Request) async throws {
        let connection = try await WireConnection(to: lab.server, within: .seconds(5))
        try await connection.send(request.bytes(host: lab.server.host))
        // Long enough for the server to read the request.
        try await Task.sleep(for: .milliseconds(60))
    }
}
