internal import Jansson

extension Catalogue {
    static let sessionReplays = Section(.start, .critical, needs: [.standIns, .sessions]).attacks(
        .attack(
            "SI-02", "A recorded request with session and callback URL is sent a second time.",
            oracle: "The first request succeeds, each later one is replayed; the server calls the provider once.",
            source: "RFC 9700 4.2.4; project goal"
        ) { context in
            for (provider, endpoint) in [("yahoo.com", "yahoo.token"), ("twitter.com", "x.oauth2_token")] {
                let begun = try await context.session(provider: provider)
                let url = try await context.callbackURL(of: begun)
                let mark = try await context.mark()
                let request = context.ending(begun, url)
                try await context.honest(request)
                await context.fire(request, expecting: .refused("replayed"))
                await context.fire(request, expecting: .refused("replayed"))
                try await context.expectCalls([endpoint: 1], since: mark)
            }
        },
        .attack(
            "SI-03", "Session and callback URL are posted fifty times concurrently.",
            oracle: "Exactly one request succeeds; the server calls the provider once.",
            source: "CVE-2026-53518; CVE-2026-47386",
            needs: [.standIns, .sessions, .bulk]
        ) { context in
            let begun = try await context.session()
            let request = context.ending(begun, try await context.callbackURL(of: begun))
            let mark = try await context.mark()
            await context.volley([Request](repeating: request, count: 50), losers: .refused("replayed"))
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "SI-03a", "Session and callback URL are posted fifty times concurrently to two servers.",
            oracle: "Exactly one request succeeds; the server calls the provider once.",
            source: "CVE-2026-53518; CVE-2026-47386",
            needs: [.standIns, .sessions, .bulk, .processes]
        ) { context in
            try await context.withTwin { twin in
                let begun = try await context.session()
                let request = context.ending(begun, try await context.callbackURL(of: begun))
                let mark = try await context.mark()
                await context.volley(
                    [Request](repeating: request, count: 50), losers: .refused("replayed"),
                    at: [context.lab.server, twin.wire])
                try await context.expectCalls(["yahoo.token": 1], since: mark)
            }
        },
        .attack(
            "SI-08", "A session is finished more than ten minutes after its start.", severity: .high,
            oracle:
                "expired, without a call to the provider; shortly before, the session is valid.",
            source: "RFC 9700 4.7",
            needs: [.standIns, .sessions, .processes, .clock]
        ) { context in
            try await context.withServer(context.lonePlan()) { server in
                let early = try await context.session(at: server.wire)
                let late = try await context.session(at: server.wire)
                try await context.move(server, by: 540)
                try await context.mustStillWork(
                    context.ending(early, try await context.callbackURL(of: early)), at: server.wire)
                try await context.move(server, by: 605)
                let url = try await context.callbackURL(of: late)
                let mark = try await context.mark()
                await context.fire(
                    context.ending(late, url), expecting: .refused("expired"), at: server.wire)
                try await context.expectCalls(["yahoo.token": 0], since: mark)
            }
        },
        .attack(
            "SI-17", "The code of a finished session is posted as a separate credential.",
            oracle:
                "The server responds with replayed: sessions and codes share one record; it calls the provider once.",
            source: "EX-18; RFC 6749 4.1.2"
        ) { context in
            let begun = try await context.session()
            let url = try await context.callbackURL(of: begun)
            let parameters = PercentEncoding.query(of: url)
            guard let code = parameters.first(where: { $0.name == "code" })?.value
            else { throw Inconclusive("The provider returned no code.") }
            let mark = try await context.mark()
            try await context.honest(context.ending(begun, url))
            let credential: JSON = [
                "type": "authorization_code", "code": .string(code), "redirect_uri": .string(begun.redirectURI),
                "nonce": "attackers-own-nonce-0001",
            ]
            await context.fire(context.exchange(credential), expecting: .refused("replayed"))
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "SI-19", "A session is finished while the provider is unreachable, and then again.", severity: .high,
            oracle:
                "The server releases the session if the provider received no request, and spends it after a response.",
            source: "token-exchange API: errors"
        ) { context in
            let begun = try await context.session()
            let request = context.ending(begun, try await context.callbackURL(of: begun))
            let unavailable = Expectation(statuses: [502, 503, 504], errors: ["temporarily_unavailable"])
            try await context.standIns.fault(["target": "yahoo.token", "status": 503, "times": 1])
            await context.fire(request, expecting: unavailable)
            try await context.mustStillWork(request)
            let second = try await context.session()
            let other = context.ending(second, try await context.callbackURL(of: second))
            try await context.standIns.fault(["target": "yahoo.token", "status": 500, "times": 1])
            await context.fire(other, expecting: unavailable)
            await context.fire(other, expecting: .refused("replayed"))
        },
    )
}
