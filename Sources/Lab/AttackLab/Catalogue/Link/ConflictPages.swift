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
        ) { strike in
            try await strike.atConflict { there, attacker, page in
                let victim = Browser()
                await there.fire(try await there.pressing(page, "yahoo.com", in: victim), expecting: .page())
                // The attacker sends the victim to Yahoo, and the victim's browser returns.
                let left = try await there.honest(
                    try await there.pressing(page, "yahoo.com", in: attacker), status: 303)
                await attacker.take(left)
                let url = try await there.standIns.decide(at: left.field("location") ?? "", as: "alice")
                await there.fire(await there.callback(Strike.target(of: url), in: victim), expecting: .page())
            }
        },
        .attack(
            "LK-56b", "The attacker settles the conflict with an own identity at the provider of the page.",
            oracle: "The server shows the page again; after three identities the application gets an error.",
            source: "nOAuth; token-exchange API: conflicts on the page"
        ) { strike in
            try await strike.atConflict { there, attacker, first in
                var page = first
                for isLast in [false, false, true] {
                    let left = try await there.honest(
                        try await there.pressing(page, "yahoo.com", in: attacker), status: 303)
                    await attacker.take(left)
                    let url = try await there.standIns.decide(at: left.field("location") ?? "", as: "mallory")
                    let reply = await there.fire(
                        await there.callback(Strike.target(of: url), in: attacker),
                        expecting: .status(isLast ? 303 : 200))
                    guard let answer = reply.answer else { throw Inconclusive("The connection was closed.") }
                    await attacker.take(answer)
                    await there.expect(
                        answer.redirected("code") == nil, .minted, "A foreign identity settled the conflict.")
                    page = answer
                }
            }
        },
    )
}

extension Strike {
    /// Brings an attacker to the page of a conflict, and checks after `attack` that the victim's account is unchanged.
    fileprivate func atConflict(
        _ attack: (_ there: Strike, _ browser: Browser, _ page: Answer) async throws -> Void
    ) async throws {
        try await onOwnServer(
            "conflict",
            { plan in
                plan.set("accounts/one_account_per_email", true)
            },
            { there, _, _ in
                let (code, flow) = try await there.handoff()
                let before = try await there.honest(there.redeem(code, flow))
                let attackers = try await there.begin(provider: "twitter.com")
                let page = try await there.honest(
                    await there.callback(try await there.approve(attackers), in: attackers.browser))
                await attackers.browser.take(page)
                try await attack(there, attackers.browser, page)
                // The identity at X is still linked to no account, so that it meets the conflict again.
                let again = try await there.begin(provider: "twitter.com")
                let answer = try await there.honest(
                    await there.callback(try await there.approve(again), in: again.browser))
                await there.expect(
                    answer.input("flow") != nil && before["uid"] != nil, .minted,
                    "The attacker's identity signs in to the victim's account.")
            })
    }
}
