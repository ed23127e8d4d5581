internal import Jansson

/// Flows that one user starts for one purpose and that end elsewhere.
enum IntentAttacks {
    /// Expects a refusal because the session was started for another endpoint.
    private static let wrong = Expectation.refused("intent_mismatch")

    static let all = Section(.link, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-09a",
            "The attacker starts LINK; the victim consents, and the victim's application finishes it.",
            oracle: "The server responds with 403 user_mismatch: the session is sealed with the uid that started it.",
            source: "CVE-2015-9284; CVE-2026-33757"
        ) { context in
            let (attacker, victim) = (try await context.enter(), try await context.enter())
            let credential = try await context.session(
                of: "alice", provider: "twitter.com", intent: "link", bearer: attacker.bearer)
            await context.fire(
                context.link(victim.bearer, credential, provider: "twitter.com"), expecting: .denied("user_mismatch"))
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
            try await context.expectIdentities(attacker, [attacker.provider: attacker.subject])
        },
        .attack(
            "LK-09b", "The callback of the victim's LINK is used with the attacker's session.",
            oracle: "The server responds with 400 state_mismatch: the callback belongs to another sign-in.",
            source: "CVE-2015-9284; COSF"
        ) { context in
            let (attacker, victim) = (try await context.enter(), try await context.enter())
            let theirs = try await context.session(
                of: "alice", provider: "twitter.com", intent: "link", bearer: victim.bearer)
            let own = try await context.session(
                of: "mallory", provider: "twitter.com", intent: "link", bearer: attacker.bearer)
            let mixed = own.setting(["callback_url"], to: theirs["callback_url"])
            await context.fire(
                context.link(attacker.bearer, mixed, provider: "twitter.com"), expecting: .refused("state_mismatch"))
            try await context.expectIdentities(attacker, [attacker.provider: attacker.subject])
        },
        .attack(
            "LK-09c", "A session that was started for LINK is used at EXCHANGE and REAUTHENTICATE.",
            oracle: "The server responds with 400 intent_mismatch at both endpoints.",
            source: "token-exchange API: intent"
        ) { context in
            let caller = try await context.enter()
            for door in 0..<2 {
                let credential = try await context.session(of: "mallory", intent: "link", bearer: caller.bearer)
                await context.fire(
                    door == 0 ? context.exchange(credential) : context.reauthenticate(caller.bearer, credential),
                    expecting: wrong)
            }
        },
        .attack(
            "LK-09d", "A session for REAUTHENTICATE is used at EXCHANGE, at LINK, and for another uid.",
            oracle: "The server responds with 400 intent_mismatch, and with 403 user_mismatch for the other uid.",
            source: "token-exchange API: intent"
        ) { context in
            let (caller, other) = (try await context.enter(), try await context.enter())
            for door in 0..<3 {
                let credential = try await context.session(
                    of: "mallory", intent: "reauthenticate", bearer: caller.bearer)
                let requests = [
                    context.exchange(credential), context.link(caller.bearer, credential),
                    context.reauthenticate(other.bearer, credential),
                ]
                await context.fire(requests[door], expecting: door == 2 ? .denied("user_mismatch") : wrong)
            }
        },
        .attack(
            "LK-09e", "A session of a plain sign-in is used at LINK and REAUTHENTICATE.",
            oracle: "The server responds with 400 intent_mismatch: the user consented only to a sign-in.",
            source: "token-exchange API: intent; CVE-2015-9284"
        ) { context in
            let caller = try await context.enter()
            for door in 0..<2 {
                let credential = try await context.session(of: "mallory", provider: "twitter.com")
                await context.fire(
                    door == 0
                        ? context.link(caller.bearer, credential, provider: "twitter.com")
                        : context.reauthenticate(caller.bearer, credential, provider: "twitter.com"), expecting: wrong)
            }
            try await context.expectIdentities(caller, [caller.provider: caller.subject])
        },
        .attack(
            "LK-09f",
            "An intent is sent without a bearer token, with an invalid one, and with an unknown intent.",
            severity: .high,
            oracle: "The server responds with 401, and with 400 for the unknown intent; it starts no session.",
            source: "token-exchange API: intent"
        ) { context in
            let caller = try await context.enter()
            let custom = Optional(caller.customToken)
            let cases: [(String, String?, Expectation)] = [
                ("link", nil, .unauthorized("id_token_missing")), ("link", custom, .unauthorized("id_token_invalid")),
                ("reauthenticate", nil, .unauthorized("id_token_missing")),
                ("admin", caller.bearer, .malformed("malformed_body", "unknown_field")),
            ]
            for (intent, bearer, expectation) in cases {
                let body: JSON = [
                    "client_id": .string(context.lab.application.clientID), "provider": "yahoo.com",
                    "redirect_uri": .string(context.lab.application.yahooRedirectURI), "intent": .string(intent),
                ]
                await context.fire(.json("/v1/signin", body, bearer: bearer), expecting: expectation)
            }
        },
    )
}

/// Flows that an attacker starts for an account of their own and lures a victim into finishing.
enum IntentPages {
    private static let needs: Set<Need> = [.standIns, .accounts, .sessions, .pushedRequests, .browserFlow]

    static let all: [Attack] = [
        page(
            "LK-46a", "pushes a LINK flow with an https redirect URI", "link", beginning: pushed),
        page(
            "LK-46b", "pushes a REAUTHENTICATE flow with an https redirect URI", "reauthenticate",
            beginning: pushed),
        page("LK-46c", "starts LINK at POST /v1/signin", "link", beginning: signin),
        page("LK-46d", "starts REAUTHENTICATE at POST /v1/signin", "reauthenticate", beginning: signin),
        Attack(
            "LK-46e", .link, .critical,
            "An attacker with a guest account sends the URL of a LINK flow to a victim.",
            oracle: "The page names a guest account of the application, with the end of its uid.",
            source: "CVE-2015-9284; COSF", needs: needs.union([.anonymous])
        ) { context in
            let guest = try await context.enterAnonymously()
            for begin in [pushed, signin] {
                let request = try await begin(context, "link", guest.bearer)
                await context.expectPage(behind: request, naming: [String(guest.uid.suffix(6))])
            }
        },
        Attack(
            "LK-46f", .link, .high, "Another browser submits the form of the page before the provider.",
            oracle:
                "The server responds with a 400 page: the form is bound to the cookie of the browser that loaded it.",
            source: "CVE-2025-68158; COSF", needs: needs
        ) { context in
            let attacker = try await context.enter()
            for begin in [pushed, signin] {
                let browser = Browser()
                let page = try await context.honest(try await begin(context, "link", attacker.bearer))
                await browser.take(page)
                let provider = context.lab.application.provider
                await context.fire(
                    try await context.submitting(page, [("provider", provider)], in: Browser()), expecting: .page())
                try await context.mustStillWork(
                    try await context.submitting(page, [("provider", provider)], in: browser), status: 303)
            }
        },
        Attack(
            "LK-46g", .link, .high,
            "The buttons of a page before the provider are pressed after one of them was pressed.",
            oracle:
                """
                Opening the page spends nothing. The first button works; every further one gets a 400 page, in the \
                same browser and in another one.
                """,
            source: "RFC 9126 7.3; COSF", needs: needs
        ) { context in
            let attacker = try await context.enter()
            let provider = context.lab.application.provider
            for begin in [pushed, signin] {
                for first in [provider, ""] {
                    let request = try await begin(context, "link", attacker.bearer)
                    var buttons: [Request] = []
                    for _ in 0..<2 {
                        let browser = Browser()
                        let page = try await context.honest(request)
                        await browser.take(page)
                        buttons.append(try await context.submitting(page, [("provider", first)], in: browser))
                        buttons.append(try await context.submitting(page, [("provider", provider)], in: browser))
                    }
                    try await context.mustStillWork(buttons.removeFirst(), status: 303)
                    for button in buttons { await context.fire(button, expecting: .page()) }
                }
            }
        },
    ]

    private typealias Beginning = @Sendable (AttackContext, _ intent: String, _ bearer: String) async throws -> Request

    private static let pushed: Beginning = { context, intent, bearer in
        let answer = try await context.honest(
            context.pushing({ $0.append(("intent", intent)) }, bearer: bearer), status: 201)
        return context.pulled(answer["request_uri"] ?? "")
    }

    private static let signin: Beginning = { context, intent, bearer in
        let url = try await context.session(further: ["intent": .string(intent)], bearer: bearer).authorizationURL
        let addresses = try context.standIns.addresses
        await context.expect(
            !url.hasPrefix(addresses.yahoo) && !url.hasPrefix(addresses.x), .wrongAnswer,
            "The application receives the provider's URL and can bypass the page that names the account.")
        return .get(AttackContext.target(of: url))
    }

    private static func page(
        _ id: String, _ what: String, _ intent: String, beginning begin: @escaping Beginning
    ) -> Attack {
        Attack(
            id, .link, .critical,
            "An attacker \(what) and sends the URL to a victim who is signed in at the provider.",
            oracle:
                "The server first shows a page that names application and account and waits for a click.",
            source: "CVE-2015-9284; COSF", needs: needs
        ) { context in
            let address = try context.freshAddress()
            let attacker = try await context.enter { $0.holdsVerified(address) }
            let request = try await begin(context, intent, attacker.bearer)
            await context.expectPage(behind: request, naming: ["My App", address])
        }
    }
}

extension AttackContext {
    /// Expects a page without an automatic redirect that contains these names.
    fileprivate func expectPage(behind request: Request, naming names: [String]) async {
        let mark = try? await mark()
        let reply = await fire(request, expecting: .page(200))
        for name in names {
            await expect(
                reply.answer?.text.contains(name) == true, .wrongAnswer, "The page does not name \(name).")
        }
        if let mark { try? await expectCalls(["yahoo.authorize": 0, "x.oauth2_authorize": 0], since: mark) }
    }
}
