internal import Jansson

extension Catalogue {
    static let sessions = Section(.start, .critical, needs: [.standIns, .sessions]).attacks(
        .attack(
            "SI-01", "A session is finished with the callback URL of another session.",
            oracle: "The server responds with state_mismatch, spends neither session, and does not call the provider.",
            source: "RFC 9700 4.7; RFC 6749 10.12"
        ) { context in
            let (victims, attackers) = (try await context.session(), try await context.session())
            let caught = try await context.callbackURL(of: victims)
            let own = try await context.callbackURL(of: attackers, as: "mallory")
            let mark = try await context.mark()
            await context.fire(context.ending(attackers, caught), expecting: .refused("state_mismatch"))
            await context.fire(context.ending(victims, own), expecting: .refused("state_mismatch"))
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            try await context.mustStillWork(context.ending(victims, caught))
            try await context.mustStillWork(context.ending(attackers, own))
        },
        .attack(
            "SI-04", "A session of one application is posted by another one.",
            oracle: "The server responds with session_invalid; the session stays valid for its own application.",
            source: "CVE-2026-28513; RFC 9700 4.7"
        ) { context in
            let begun = try await context.session()
            let url = try await context.callbackURL(of: begun)
            let other = context.lab.application.otherClientID
            await context.fire(
                context.ending(begun, url, clientID: other), expecting: .refused("session_invalid"))
            try await context.mustStillWork(context.ending(begun, url))
        },
        .attack(
            "SI-05", "A session of one provider is finished with the name of another provider.",
            oracle: "The server responds with session_invalid and sends the code to neither provider.",
            source: "RFC 9700 4.4; COAT"
        ) { context in
            for (provider, other) in [
                ("yahoo.com", "twitter.com"), ("twitter.com", "yahoo.com"), ("yahoo.com", "op.example"),
            ] {
                let begun = try await context.session(provider: provider)
                let url = try await context.callbackURL(of: begun)
                let mark = try await context.mark()
                await context.fire(
                    context.ending(begun, url, provider: other), expecting: .refused("session_invalid"))
                try await context.expectCalls(["yahoo.token": 0, "x.oauth2_token": 0], since: mark)
                try await context.mustStillWork(context.ending(begun, url))
            }
        },
        .attack(
            "SI-06", "A session is finished with a callback URL that does not match its redirect URI.", severity: .high,
            oracle:
                "The server responds with callback_mismatch or state_mismatch and does not spend the session.",
            source: "RFC 9700 4.1.3, 4.4"
        ) { context in
            let begun = try await context.session()
            let url = try await context.callbackURL(of: begun)
            let answer = url.dropFirst(begun.redirectURI.count)
            let elsewhere: [String] = [
                "\(begun.redirectURI)#\(answer.dropFirst())", "\(begun.redirectURI)x\(answer)",
                "\(begun.redirectURI)/\(answer)", "COM.EXAMPLE.APP:/yahoo\(answer)", "com.example.app://yahoo\(answer)",
                "https://app.example/cb\(answer)", "com.example.app:/x\(answer)", "http://127.0.0.1/callback\(answer)",
                "\(url)#x", "\(url)&state=x", "\(url)&code=x", " \(url)", String(answer), "\(url)&%63ode=x",
                "\(url)&iss=%zz", begun.redirectURI,
            ]
            let withoutState = ["\(begun.redirectURI)?", url.replacing("state=", with: "State=")]
            let rows = elsewhere.map { ($0, "callback_mismatch") } + withoutState.map { ($0, "state_mismatch") }
            for (spelling, reason) in rows {
                await context.fire(context.ending(begun, spelling), expecting: .refused(reason))
            }
            try await context.mustStillWork(context.ending(begun, url))
        },
        .attack(
            "SI-11", "The error callback of another session is posted for a session, and then its own.",
            severity: .medium,
            oracle: "With another state: state_mismatch, and nothing is spent. With its own: access_denied, once.",
            source: "RFC 6749 4.1.2.1"
        ) { context in
            let begun = try await context.session()
            for query in ["error=access_denied", "error=access_denied&state=x", "error=server_error&state="] {
                await context.fire(
                    context.ending(begun, "\(begun.redirectURI)?\(query)"),
                    expecting: .refused("state_mismatch"))
            }
            let mark = try await context.mark()
            let refused = try await context.callbackURL(of: begun, allow: false)
            await context.fire(
                context.ending(begun, refused), expecting: .refused("access_denied", error: "access_denied"))
            await context.fire(context.ending(begun, refused), expecting: .refused("replayed"))
            try await context.expectCalls(["yahoo.token": 0], since: mark)
        },
        .attack(
            "SI-12", "The callback URL contains another issuer (RFC 9207).", severity: .high,
            oracle: "The server responds with issuer_mismatch and does not send the code; the session stays valid.",
            source: "RFC 9207 2.4; FAPI2 invalid-authorization-response-iss"
        ) { context in
            let begun = try await context.session()
            let url = try await context.callbackURL(of: begun)
            let issuer = try context.standIns.addresses.yahoo
            let mark = try await context.mark()
            for wrong in ["https://evil.example", "\(issuer)/", "\(issuer).evil.example", ""] {
                await context.fire(
                    context.ending(begun, "\(url)&iss=\(PercentEncoding.encode(wrong))"),
                    expecting: .refused("issuer_mismatch"))
            }
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            try await context.mustStillWork(
                context.ending(begun, "\(url)&iss=\(PercentEncoding.encode(issuer))"))
        },
        .attack(
            "SI-13", "The callback URL contains tokens in place of a code, or in addition to it.",
            oracle: "The server responds with callback_mismatch and uses no token.",
            source: "RFC 9700 2.1.2; CVE-2013-4593"
        ) { context in
            let begun = try await context.session()
            let url = try await context.callbackURL(of: begun)
            let (_, issued) = try await context.genuine(user: "mallory")
            guard let idToken = issued["id_token"]?.string, let accessToken = issued["access_token"]?.string else {
                throw Inconclusive("The stand-in issued no token.")
            }
            let mark = try await context.mark()
            let bare = "\(begun.redirectURI)?state=\(begun.state ?? "")"
            for query in ["id_token=\(idToken)", "access_token=\(accessToken)", "access_token=x&id_token=\(idToken)"] {
                for beginning in [bare, url] {
                    await context.fire(
                        context.ending(begun, "\(beginning)&\(query)"), expecting: .refused("callback_mismatch")
                    )
                }
            }
            try await context.expectCalls(["yahoo.token": 0, "yahoo.userinfo": 0], since: mark)
            try await context.mustStillWork(context.ending(begun, url))
        },
        .attack(
            "SI-14", "The attacker's own session is finished with a code that was stolen from the victim.",
            oracle:
                "The server responds with nonce_mismatch; at X the verifier does not match.",
            source: "RFC 9700 4.5.3.2; CVE-2024-23647"
        ) { context in
            for (provider, reason) in [("yahoo.com", "nonce_mismatch"), ("twitter.com", "code_rejected")] {
                let victims = try await context.session(provider: provider)
                let attackers = try await context.session(provider: provider)
                let stolen = try await context.callbackURL(of: victims)
                let spliced = stolen.replacing(victims.state ?? "none", with: attackers.state ?? "")
                await context.fire(
                    context.ending(attackers, spliced), expecting: .refused(reason))
            }
        },
    )
}
