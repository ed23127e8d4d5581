internal import Jansson

/// Pages on which the person of a browser flow settles a conflict.
///
/// The victim has an account by Yahoo. The attacker has an identity at X whose verified address is the victim's.
enum ConflictPages {
    static let all = Section(.link, .critical, needs: [.standIns, .processes, .accounts, .browserFlow]).attacks(
        .attack(
            "LK-56a", "The attacker's conflict page is finished in the victim's browser.",
            oracle:
                "The server responds with a 400 page: the flow belongs to the attacker's browser; nothing is linked.",
            source: "RFC 9700 4.7; pre-hijacking"
        ) { context in
            try await context.atConflict { target, attacker, page in
                let victim = Browser()
                await target.fire(
                    try await target.submitting(page, [("provider", "yahoo.com")], in: victim), expecting: .page())
                // The attacker sends the victim to Yahoo, and the victim's browser returns.
                let left = try await target.honest(
                    try await target.submitting(page, [("provider", "yahoo.com")], in: attacker), status: 303)
                await attacker.take(left)
                let url = try await target.standIns.decide(at: left.field("location") ?? "", as: "alice")
                await target.fire(await target.callback(AttackContext.target(of: url), in: victim), expecting: .page())
            }
        },
        .attack(
            "LK-56b", "The attacker settles the conflict with an own identity at the provider of the page.",
            oracle: "The server shows the page again; after three identities the application gets an error.",
            source: "nOAuth; token-exchange API: conflicts on the page"
        ) { context in
            try await context.atConflict { target, attacker, first in
                var page = first
                for isLast in [false, false, true] {
                    let left = try await target.honest(
                        try await target.submitting(page, [("provider", "yahoo.com")], in: attacker), status: 303)
                    await attacker.take(left)
                    let url = try await target.standIns.decide(at: left.field("location") ?? "", as: "mallory")
                    let reply = await target.fire(
                        await target.callback(AttackContext.target(of: url), in: attacker),
                        expecting: .status(isLast ? 303 : 200))
                    guard let answer = reply.answer else { throw Inconclusive("The connection was closed.") }
                    await attacker.take(answer)
                    await target.expect(
                        answer.redirected("code") == nil, .minted, "A foreign identity settled the conflict.")
                    page = answer
                }
            }
        },
        .attack(
            "LK-56c", "The form of a conflict page that offers a provider asks to continue without proving anything.",
            oracle: "The server responds with a 400 page, and no code is issued; the page stays valid.",
            source: "token-exchange API: conflicts on the page"
        ) { context in
            try await context.atConflict { target, attacker, page in
                await target.fire(
                    try await target.submitting(page, [("decision", "continue")], in: attacker), expecting: .page())
                let left = try await target.honest(
                    try await target.submitting(page, [("provider", "yahoo.com")], in: attacker), status: 303)
                await target.expect(
                    left.field("location") != nil, .minted, "The page of the conflict ended without an identity.")
            }
        },
        .attack(
            "LK-56d",
            "The code of a conflict that no page can settle is used as a sign-in, by another client, without "
                + "or with a wrong verifier, and twice.",
            oracle: "Only the application that began the flow gets the pending credential, once; no token is issued.",
            source: "RFC 7636 4.6; token-exchange API: conflicts on the page"
        ) { context in
            try await context.atImpossibleConflict { target, flow, code in
                await target.fire(
                    target.redeem(code, flow) { $0.set("code_verifier", nil) },
                    expecting: .malformed("pkce_required"))
                await target.fire(
                    target.redeem(code, flow, verifier: AttackContext.plainVerifier),
                    expecting: .refused("pkce_mismatch"))
                await target.fire(
                    target.redeem(code, flow) { $0 = $0.map { $0.0 == "client_id" ? ("client_id", "my-app") : $0 } },
                    expecting: .refused("code_rejected"))
                await target.fire(
                    target.redeem(code, flow) {
                        $0 = $0.map { $0.0 == "redirect_uri" ? ("redirect_uri", "https://evil.example/cb") : $0 }
                    }, expecting: .refused("code_rejected"))
                _ = try await target.conflict(of: code, flow)
                await target.fire(target.redeem(code, flow), expecting: .refused("replayed"))
            }
        },
        .attack(
            "LK-56e",
            "The pending credential of such a conflict is sent to EXCHANGE, to MERGE, and to LINK by another "
                + "user.",
            oracle: "The server refuses it everywhere but for the account with the address.",
            source: "token-exchange API: pending"
        ) { context in
            try await context.atImpossibleConflict { target, flow, code in
                let (uid, pending) = try await target.conflict(of: code, flow)
                let credential = JSON.pending(pending)
                let client = flow.clientID
                await target.fire(
                    target.exchange(credential, provider: "twitter.com", clientID: client),
                    expecting: .refused("intent_mismatch"))
                let thief = try await target.enter(at: "yahoo.com")
                await target.fire(
                    target.link(thief.bearer, credential, provider: "twitter.com", clientID: client),
                    expecting: .refused("code_rejected"))
                await target.fire(
                    target.merge(thief.bearer, ["pending_credential": .string(pending)], clientID: client),
                    expecting: .refused("code_rejected", "intent_mismatch"))
                try await target.changeUser(uid, [:])
                let victim = try await target.bearer(of: uid)
                await target.fire(
                    target.link(victim, credential, provider: "twitter.com"), expecting: .refused("code_rejected"))
                try await target.honest(target.link(victim, credential, provider: "twitter.com", clientID: client))
            }
        },
    )
}

extension AttackContext {
    /// Brings a user to the application after a conflict with an account that the application cannot enter.
    ///
    /// The account is at Yahoo, and the application may only use X.
    fileprivate func atImpossibleConflict(
        _ attack: (_ target: AttackContext, _ flow: Flow, _ code: String) async throws -> Void
    ) async throws {
        try await onOwnServer(
            "impossible-conflict",
            { plan in
                plan.set("accounts/one_account_per_email", true)
            },
            { target, _, _ in
                let (first, yahoo) = try await target.handoff()
                try await target.honest(target.redeem(first, yahoo))
                let flow = try await target.begin(
                    clientID: "x-only", redirectURI: "https://x.example/cb", provider: "twitter.com")
                let page = try await target.honest(
                    await target.callback(try await target.approve(flow), in: flow.browser))
                await flow.browser.take(page)
                let left = try await target.honest(
                    try await target.submitting(page, [("decision", "continue")], in: flow.browser), status: 303)
                guard let code = left.redirected("code") else { throw Inconclusive("The redirect has no code.") }
                await target.secret(code)
                await target.expect(
                    left.redirected("error") == "account_exists_with_different_credential"
                        && left.redirected("pending_credential") == nil && left.redirected("email") == nil, .leaked,
                    "The redirect says more than the error.")
                try await attack(target, flow, code)
            })
    }

    /// Fetches a conflict with its code, and returns the uid of the account and the pending credential.
    fileprivate func conflict(of code: String, _ flow: Flow) async throws -> (uid: String, pending: String) {
        let reply = await fire(redeem(code, flow), expecting: .malformed("account_exists_with_different_credential"))
        guard let pending = reply.answer?["pending_credential"] else {
            throw Inconclusive("The conflict has no pending credential.")
        }
        await secret(pending)
        let (again, yahoo) = try await handoff()
        guard let uid = try await honest(redeem(again, yahoo))["uid"] else {
            throw Inconclusive("The account has no uid.")
        }
        return (uid, pending)
    }
}

extension AttackContext {
    /// Brings an attacker to the page of a conflict, and checks after `attack` that the victim's account is unchanged.
    fileprivate func atConflict(
        _ attack: (_ target: AttackContext, _ browser: Browser, _ page: Answer) async throws -> Void
    ) async throws {
        try await onOwnServer(
            "conflict",
            { plan in
                plan.set("accounts/one_account_per_email", true)
            },
            { target, _, _ in
                let (code, flow) = try await target.handoff()
                let before = try await target.honest(target.redeem(code, flow))
                let attackers = try await target.begin(provider: "twitter.com")
                let page = try await target.honest(
                    await target.callback(try await target.approve(attackers), in: attackers.browser))
                await attackers.browser.take(page)
                try await attack(target, attackers.browser, page)
                // The identity at X is still linked to no account, so that it meets the conflict again.
                let again = try await target.begin(provider: "twitter.com")
                let answer = try await target.honest(
                    await target.callback(try await target.approve(again), in: again.browser))
                await target.expect(
                    answer.input("flow") != nil && before["uid"] != nil, .minted,
                    "The attacker's identity signs in to the victim's account.")
            })
    }
}
