internal import Jansson

extension Catalogue {
    static let kills = Section(.crash, .critical, needs: [.processes, .sessions, .browserFlow]).attacks(
        .attack(
            "CR-01a", "An ID token is used, the server is killed and restarted, and the token is posted again.",
            oracle: "The server responds with replayed or issued_unwatched.", source: "CVE-2026-9802; CVE-2026-5774",
            needs: [.standIns, .restart], reveals: [.forgottenAtRestart, .notRemembered]
        ) { context in
            let (request, _) = try await context.genuine()
            try await context.honest(request)
            try await context.crashUsualServer()
            await context.fire(request, expecting: .used)
        },
        .attack(
            "CR-01b", "A handoff code is redeemed, the server is killed and restarted, and the code is redeemed again.",
            oracle: "The server responds with replayed.", source: "CVE-2026-9802", needs: [.processes, .browserFlow]
        ) { context in
            try await context.onOwnServer("killed") { target, server, bed in
                let (code, flow) = try await target.handoff()
                try await target.honest(target.redeem(code, flow))
                await bed.kill(server)
                try await bed.restart(server)
                await target.fire(target.redeem(code, flow), expecting: .refused("replayed"))
            }
        },
        .attack(
            "CR-01c", "The nonce of one sign-in is used for another ID token after a crash.",
            oracle: "The nonce is used up together with the credential, and the server refuses it after the crash.",
            source: "CVE-2026-9802",
            needs: [.processes, .standIns]
        ) { context in
            try await context.onOwnServer("killed") { target, server, bed in
                let (nonce, verifier) = try await target.nonce()
                var requests: [Request] = []
                for user in ["alice", "bjorn"] {
                    let issued = try await target.standIns.issue([
                        "provider": "yahoo.com", "user": .string(user), "nonce": .string(nonce),
                    ])
                    requests.append(target.exchange(idToken: issued["id_token"]?.string ?? "", nonce: verifier))
                }
                try await target.honest(requests[0])
                await bed.kill(server)
                try await bed.restart(server)
                await target.fire(requests[1], expecting: .used)
            }
        },
        .attack(
            "CR-01d",
            "An authorization code is used, the server is killed and restarted, and the code is posted again.",
            oracle: "The server responds with replayed and does not call the provider again.",
            source: "CVE-2026-9802; RFC 9700 4.2.4",
            needs: [.processes, .standIns]
        ) { context in
            try await context.onOwnServer("killed") { target, server, bed in
                let mark = try await target.mark()
                let request = target.exchange(try await target.yahooCode())
                try await target.honest(request)
                await bed.kill(server)
                try await bed.restart(server)
                await target.fire(request, expecting: .refused("replayed"))
                try await target.expectCalls(["yahoo.token": 1], since: mark)
            }
        },
        .attack(
            "CR-01e",
            "A session and its callback are used, the server is killed and restarted, and both are sent again.",
            oracle: "The server responds with replayed and does not call the provider again.", source: "CVE-2026-9802"
        ) { context in
            try await context.onOwnServer("killed") { target, server, bed in
                let session = try await target.sessionExchange()
                try await target.honest(session)
                let callback = try await target.unusedCallback()
                try await target.honest(callback, status: 303)
                let mark = try await target.mark()
                await bed.kill(server)
                try await bed.restart(server)
                await target.fire(session, expecting: .used)
                await target.fire(callback, expecting: .page(400))
                try await target.expectCalls(["yahoo.token": 0], since: mark)
            }
        },
        .attack(
            "CR-01f",
            "A flow, a session, a handoff code and a nonce are begun and are finished after the server was restarted.",
            oracle: "Each can be finished exactly once after the restart.",
            source: "CVE-2026-9802"
        ) { context in
            try await context.onOwnServer("stopped") { target, server, bed in
                let callback = try await target.unusedCallback()
                let requests = try await target.unusedCredentials()
                try await bed.stopWatched(server)
                try await bed.restart(server)
                for request in requests {
                    try await target.mustStillWork(request)
                    await target.fire(request, expecting: .refused("replayed"))
                }
                try await target.mustStillWork(callback, status: 303)
                await target.fire(callback, expecting: .page(400))
            }
        },
        .attack(
            "CR-01g",
            "A flow, a session, a handoff code and a nonce are begun and are finished after the server was killed.",
            oracle:
                """
                Each can be finished once, or is refused with issued_unwatched if the store may lack records \
                of its time.
                """,
            source: "CVE-2026-9802"
        ) { context in
            try await context.onOwnServer("killed") { target, server, bed in
                let callback = try await target.unusedCallback()
                let requests = try await target.unusedCredentials()
                await bed.kill(server)
                try await bed.restart(server)
                for request in requests { await target.expectOnceAtMost(request) }
                _ = await target.lab.server.send(callback, from: target.source)
                // The application learns by a redirect that the store may lack records of the flow's time.
                await target.fire(callback, expecting: .status(303, 400))
            }
        },
    )
}

extension AttackContext {
    /// Sends SIGKILL to the attacked server and restarts it.
    func crashUsualServer() async throws {
        let bed = try testBed
        let server = try await bed.usualServer()
        await bed.kill(server)
        try await bed.restart(server)
    }

    /// Returns requests that post an ID token, a session and a handoff code, none of which was used.
    func unusedCredentials() async throws -> [Request] {
        let (code, flow) = try await handoff(user: "carol")
        return [try await genuine().request, try await sessionExchange(), redeem(code, flow)]
    }

    /// Returns the callback of a flow to which the user consented.
    func unusedCallback() async throws -> Request {
        let flow = try await begin()
        return await callback(try await approve(flow), in: flow.browser)
    }

    /// Runs a flow of `POST /v1/signin` up to the callback, and returns the request that finishes it.
    func sessionExchange() async throws -> Request {
        let begun = try await session()
        return ending(begun, try await callbackURL(of: begun))
    }
}
