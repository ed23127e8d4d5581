internal import Jansson

extension Catalogue {
    /// The three-legged flow of an application that receives the redirect itself.
    static let oauth1Sessions = Section(.oauth1, .critical, needs: [.standIns, .oauth1, .sessions]).attacks(
        .attack(
            "O1-08a",
            "A session is finished with the callback of another request token, to which another user consented.",
            oracle:
                "The server responds with state_mismatch and requests no access token; the session stays valid.",
            source: "OAuth advisory 2009.1; RFC 5849 4.14"
        ) { context in
            let session = try await context.oauth1Session()
            let other = try await context.oauth1Session()
            let callback = try await context.callbackURL(of: session)
            let foreign = try await context.callbackURL(of: other, as: "mallory")
            let mark = try await context.mark()
            await context.fire(context.ending(session, foreign), expecting: .refused("state_mismatch"))
            await context.fire(context.ending(other, callback), expecting: .refused("state_mismatch"))
            let token = session.requestToken
            let spellings: [(String, reason: String)] = [
                (token + "a", "state_mismatch"), (String(token.dropLast()), "state_mismatch"), ("", "state_mismatch"),
                (token.uppercased() + "A", "state_mismatch"), (token + "\u{0}", "callback_mismatch"),
            ]
            for (spelling, reason) in spellings {
                let changed = callback.setting(parameter: "oauth_token", to: spelling)
                await context.fire(context.ending(session, changed), expecting: .refused(reason))
            }
            let without = callback.setting(parameter: "oauth_token", to: nil)
            await context.fire(context.ending(session, without), expecting: .refused("state_mismatch"))
            try await context.expectCalls(["x.access_token": 0], since: mark)
            try await context.mustStillWork(context.ending(session, callback))
        },
        .attack(
            "O1-09a", "The callback has no `oauth_verifier`, an empty one, or two.", severity: .high,
            oracle: "The server responds with invalid_grant and requests no access token; the session stays valid.",
            source: "RFC 5849 2.2"
        ) { context in
            let session = try await context.oauth1Session()
            let callback = try await context.callbackURL(of: session)
            let mark = try await context.mark()
            for changed in [
                callback.setting(parameter: "oauth_verifier", to: nil),
                callback.setting(parameter: "oauth_verifier", to: ""), callback + "&oauth_verifier=2",
                callback + "&oauth_token=2",
            ] {
                await context.fire(context.ending(session, changed), expecting: .refused("callback_mismatch"))
            }
            try await context.expectCalls(["x.access_token": 0], since: mark)
            try await context.mustStillWork(context.ending(session, callback))
        },
        .attack(
            "O1-09b", "The attacker guesses the `oauth_verifier`.",
            oracle:
                "The server responds with code_rejected; one guess spends the session and the request token.",
            source: "RFC 5849 2.2, 4.11"
        ) { context in
            let session = try await context.oauth1Session()
            let callback = try await context.callbackURL(of: session)
            let mark = try await context.mark()
            let guess = callback.setting(parameter: "oauth_verifier", to: "guessed")
            await context.fire(context.ending(session, guess), expecting: .refused("code_rejected"))
            await context.fire(context.ending(session, callback), expecting: .refused("replayed"))
            await context.fire(context.ending(session, guess), expecting: .refused("replayed"))
            try await context.expectCalls(["x.access_token": 1], since: mark)
        },
        .attack(
            "O1-11a", "Session and callback are posted twice, and 50 times concurrently.",
            oracle: "Exactly one request succeeds, with one call for an access token; the others are replayed.",
            source: "RFC 9700 4.2.4; CVE-2026-47386", needs: [.standIns, .oauth1, .sessions, .bulk]
        ) { context in
            let session = try await context.oauth1Session()
            let request = context.ending(session, try await context.callbackURL(of: session))
            let mark = try await context.mark()
            try await context.honest(request)
            await context.fire(request, expecting: .refused("replayed"))
            try await context.expectCalls(["x.access_token": 1], since: mark)
            let second = try await context.oauth1Session()
            let raced = context.ending(second, try await context.callbackURL(of: second))
            let later = try await context.mark()
            await context.volley(Array(repeating: raced, count: 50), losers: .refused("replayed"))
            try await context.expectCalls(["x.access_token": 1], since: later)
        },
        .attack(
            "O1-12a", "`denied` is posted with this request token, and with others.", severity: .medium,
            oracle:
                "The server responds with access_denied to its own token, and with state_mismatch to others.",
            source: "X documentation of denied"
        ) { context in
            let session = try await context.oauth1Session()
            let redirectURI = context.lab.application.xRedirectURI
            let callback = try await context.callbackURL(of: session)
            for unknown in ["unknown", "", "\(session.requestToken)a"] {
                await context.fire(
                    context.ending(session, redirectURI + "?denied=" + unknown), expecting: .refused("state_mismatch"))
            }
            try await context.mustStillWork(context.ending(session, callback))
            let refused = try await context.oauth1Session()
            let denial = context.ending(refused, try await context.callbackURL(of: refused, allow: false))
            await context.fire(denial, expecting: .refused("access_denied", error: "access_denied"))
            await context.fire(denial, expecting: .refused("replayed"))
        },
        .attack(
            "O1-23", "A session of OAuth 1.0a is posted for another client or another provider.",
            oracle:
                "The server responds with session_invalid and requests no access token; the session stays valid.",
            source: "RFC 9700 4.4; CVE-2026-28513"
        ) { context in
            let session = try await context.oauth1Session()
            let callback = try await context.callbackURL(of: session)
            let mark = try await context.mark()
            let good = context.ending(session, callback)
            let body = try JSON.parse(good.body, maximumBytes: 1 << 16)
            let other = body.setting(["client_id"], to: .string(context.lab.application.otherClientID))
            await context.fire(.json("/v1/exchange", other), expecting: .refused("session_invalid"))
            let moved = body.setting(["provider"], to: "yahoo.com")
            await context.fire(.json("/v1/exchange", moved), expecting: .refused("session_invalid"))
            try await context.expectCalls(["x.access_token": 0], since: mark)
            try await context.mustStillWork(good)
        },
    )
}
