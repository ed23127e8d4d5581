internal import Jansson

extension Catalogue {
    static let pushedRequestReplays = Section(.start, .high, needs: [.standIns, .pushedRequests, .accounts]).attacks(
        .attack(
            "PAR-01", "A request_uri is opened twice, and both flows return from the provider.",
            oracle: "The first callback yields a code, and the second one a 400 page, whichever flow began first.",
            source: "RFC 9126 4, 7.3", needs: [.standIns, .pushedRequests, .browserFlow]
        ) { context in
            for isCrossed in [false, true] {
                let callbacks = try await context.callbacks(ofOpenings: 2)
                guard let first = isCrossed ? callbacks.last : callbacks.first,
                    let second = isCrossed ? callbacks.first : callbacks.last
                else { return }
                try await context.honest(first, status: 303)
                await context.fire(second, expecting: .page())
                await context.fire(second, expecting: .page())
            }
        },
        .attack(
            "PAR-01a", "A link preview and a mail scanner open a request_uri before the user does.", severity: .medium,
            oracle: "The user still signs in: opening a request_uri spends nothing.",
            source: "practice", needs: [.standIns, .pushedRequests, .browserFlow]
        ) { context in
            let request = context.pulled(try await context.push())
            for agent in ["TelegramBot (like TwitterBot)", "Slackbot-LinkExpanding 1.0", "Mozilla/5.0"] {
                try await context.mustStillWork(request.with("User-Agent", agent), status: 303)
            }
            let flow = await context.flow(after: try await context.honest(request, status: 303))
            let target = try await context.approve(flow)
            try await context.mustStillWork(await context.callback(target, in: flow.browser), status: 303)
        },
        .attack(
            "PAR-01b",
            "The user refuses in one flow of a request_uri that was opened twice, and consents in the other.",
            severity: .medium, oracle: "The refusal does not spend the request_uri; the other flow yields a code.",
            source: "RFC 9126 4", needs: [.standIns, .pushedRequests, .browserFlow]
        ) { context in
            let request = context.pulled(try await context.push())
            let refused = await context.flow(after: try await context.honest(request, status: 303))
            let flow = await context.flow(after: try await context.honest(request, status: 303))
            await context.fire(
                await context.callback(
                    "/callback/yahoo.com?error=access_denied&state=\(refused.providerState ?? "")",
                    in: refused.browser),
                tellingApplication: ["access_denied"], state: "pushed")
            let target = try await context.approve(flow)
            try await context.mustStillWork(await context.callback(target, in: flow.browser), status: 303)
        },
        .attack(
            "PAR-02", "A request_uri is opened ten times, and all flows return from the provider concurrently.",
            oracle: "The server issues exactly one code.",
            source: "RFC 9126 7.3; CVE-2026-53518", needs: [.standIns, .pushedRequests, .browserFlow, .bulk]
        ) { context in
            await context.volley(try await context.callbacks(ofOpenings: 10), losers: .page())
        },
        .attack(
            "PAR-02a", "The flows of a request_uri that was opened ten times return concurrently to two servers.",
            oracle: "The servers issue exactly one code.",
            source: "RFC 9126 7.3; CVE-2026-53518",
            needs: [.standIns, .pushedRequests, .browserFlow, .bulk, .processes]
        ) { context in
            try await context.withTwin { twin in
                await context.volley(
                    try await context.callbacks(ofOpenings: 10), losers: .page(), at: [context.lab.server, twin.wire])
            }
        },
        .attack(
            "PAR-04", "A request_uri is used after its lifetime of ninety seconds.", severity: .medium,
            oracle: "The server responds with a 400 page; shortly before, the request_uri is valid.",
            source: "RFC 9126 2.2, 7.3",
            needs: [.standIns, .pushedRequests, .processes, .clock]
        ) { context in
            try await context.withServer(context.lonePlan()) { server in
                let early = try await context.push(at: server.wire)
                let late = try await context.push(at: server.wire)
                try await context.move(server, by: 75)
                try await context.mustStillWork(context.pulled(early), status: 303, at: server.wire)
                try await context.move(server, by: 95)
                await context.fire(context.pulled(late), expecting: .page(), at: server.wire)
            }
        },
        .attack(
            "PAR-10", "A linking flow is pushed without a bearer token, or with a forged one.",
            severity: .critical, oracle: "The server responds with 401: id_token_missing or id_token_invalid.",
            source: "CVE-2015-9284; COSF"
        ) { context in
            let (_, issued) = try await context.genuine()
            let add: (inout [(String, String)]) -> Void = { $0.append(("intent", "link")) }
            await context.fire(
                context.pushing(add), expecting: .unauthorized("id_token_missing"))
            for bearer in ["x", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.", issued["id_token"]?.string ?? ""] {
                await context.fire(
                    context.pushing(add, bearer: bearer),
                    expecting: .unauthorized("id_token_invalid", "id_token_missing"))
            }
        },
        .attack(
            "PAR-10a", "The code of a linking flow is redeemed to sign in.", severity: .critical,
            oracle: "The server responds with intent_mismatch at /token; a sign-in code links nothing either.",
            source: "COSF; RFC 9700 4.5"
        ) { context in
            let bearer = try await context.stranger("user-with-a-password").bearer
            let pushed = try await context.honest(
                context.pushing({ $0.append(("intent", "link")) }, bearer: bearer), status: 201)
            let flow = try await context.flow(behind: context.pulled(pushed["request_uri"] ?? ""))
            let finished = try await context.honest(
                await context.callback(try await context.approve(flow, as: "carol"), in: flow.browser), status: 303)
            await context.fire(
                context.redeem(finished.redirected("code") ?? "", flow), expecting: .refused("intent_mismatch"))
            let (code, own) = try await context.handoff()
            await context.fire(context.link(bearer, handoff: code, own), expecting: .refused("intent_mismatch"))
            try await context.mustStillWork(context.redeem(code, own))
        },
    )
}

extension AttackContext {
    /// Returns the callbacks of a pushed request that browsers opened, each after a consent at the provider.
    fileprivate func callbacks(ofOpenings count: Int) async throws -> [Request] {
        let request = pulled(try await push())
        var callbacks: [Request] = []
        for _ in 0..<count {
            let flow = await flow(after: try await honest(request, status: 303))
            callbacks.append(await callback(try await approve(flow), in: flow.browser))
        }
        return callbacks
    }
}
