/// The page of a browser or device flow that asks for a code.
enum FactorPages {
    static let all = Section(
        .secondFactor, .critical, needs: [.standIns, .processes, .accounts, .browserFlow]
    ).attacks(
        .attack(
            "2F-30a", "The page is skipped: its form names a provider, a decision of another page, or an empty code.",
            oracle: "The server ends the flow or shows the page again; it returns no handoff code.",
            source: "CWE-425; CWE-288; OWASP WSTG-ATHN-11"
        ) { context in
            let forms: [[(String, String)]] = [
                [("provider", "yahoo.com")], [("provider", "")], [("decision", "approve")], [("decision", "allow")],
                [("decision", "continue")], [("decision", "prove")], [("decision", "prove"), ("code", "")],
                [("decision", "prove"), ("totp", "000000")], [("decision", "PROVE"), ("code", "000000")], [],
            ]
            try await context.atFactorPage { target, _ in
                for form in forms {
                    let (page, browser, _) = try await target.factorPage()
                    let request = try await target.submitting(page, form, in: browser)
                    let reply = await target.fire(request, expecting: .status(200, 303, 400))
                    await target.expectNothing(in: reply)
                    await target.expectNothing(in: await target.fire(request, expecting: .status(200, 303, 400)))
                }
            }
        },
        .attack(
            "2F-30b", "The cookie and the callback from before the page are used again after it was shown.",
            oracle: "The server responds with a 400 page: the callback has ended the first part of the flow.",
            source: "CWE-294; CWE-425"
        ) { context in
            try await context.atFactorPage { target, person in
                let flow = try await target.begin()
                let first = await flow.browser.cookie() ?? ""
                let callback = try await target.approve(flow)
                let page = try await target.honest(.get(callback).with("Cookie", first))
                await target.expect(page.input("flow") != nil, .minted, "The callback shows no page with a form.")
                await target.fire(.get(callback).with("Cookie", first), expecting: .page())
                let pressed = await target.fire(
                    .form("/authorize", [("flow", flow.providerState ?? ""), ("provider", "yahoo.com")])
                        .with("Cookie", first), expecting: .status(303, 400))
                await target.expectNothing(in: pressed)
                await target.fire(
                    .form(
                        "/authorize",
                        [
                            ("flow", flow.providerState ?? ""), ("decision", "prove"),
                            ("code", person.authenticator.code()),
                        ]
                    ).with("Cookie", first), expecting: .page())
            }
        },
        .attack(
            "2F-31", "The page is finished in another browser, without cookies and with those of another flow.",
            oracle: "The server responds with a 400 page and uses no code: the flow belongs to its browser.",
            source: "RFC 9700 4.7; CWE-352"
        ) { context in
            try await context.atFactorPage { target, person in
                let (page, browser, _) = try await target.factorPage()
                let (_, other, _) = try await target.factorPage()
                let form = [("decision", "prove"), ("code", person.authenticator.code())]
                for thief in [Browser(), other] {
                    await target.fire(try await target.submitting(page, form, in: thief), expecting: .page())
                }
                try await target.mustStillWork(try await target.submitting(page, form, in: browser), status: 303)
            }
        },
        .attack(
            "2F-32", "A person is led to the page of the attacker's flow, and its handoff code is redeemed.",
            oracle: "The server responds with 400: the handoff code belongs to the verifier of the flow.",
            source: "RFC 7636 section 1; RFC 9700 4.5"
        ) { context in
            try await context.atFactorPage { target, person in
                let (page, browser, flow) = try await target.factorPage()
                let form = [("decision", "prove"), ("code", person.authenticator.code())]
                let done = try await target.honest(try await target.submitting(page, form, in: browser), status: 303)
                let code = done.redirected("code") ?? ""
                await target.secret(code)
                await target.fire(
                    target.redeem(code, flow) { $0.set("code_verifier", String(repeating: "a", count: 43)) },
                    expecting: .refused())
                let again = try await target.submitting(page, form, in: browser)
                await target.fire(again, expecting: .page())
            }
        },
        .attack(
            "2F-33", "Codes are guessed on the page, and in several flows of several browsers.",
            oracle: "The server shows the page five times more, and then another one with Retry-After.",
            source: "RFC 4226 section 7.3; CWE-307"
        ) { context in
            try await context.atFactorPage { target, person in
                let pages = [try await target.factorPage(), try await target.factorPage()]
                for (index, code) in person.authenticator.wrongCodes(5).enumerated() {
                    let (page, browser, _) = pages[index % pages.count]
                    await target.fire(
                        try await target.submitting(page, [("decision", "prove"), ("code", code)], in: browser),
                        expecting: .page())
                }
                for (page, browser, _) in pages {
                    let form = [("decision", "prove"), ("code", person.authenticator.code())]
                    let reply = await target.fire(
                        try await target.submitting(page, form, in: browser), expecting: .page())
                    await target.expect(
                        reply.answer?.field("retry-after") != nil, .wrongAnswer, "The page has no Retry-After.")
                }
            }
        },
        .attack(
            "2F-34", "A device is approved and polled while the page asks for the code of its account.",
            oracle: "The server responds with authorization_pending until the person has sent the code and approved.",
            source: "RFC 8628 section 5.4; CWE-288",
            needs: [.standIns, .processes, .accounts, .browserFlow, .deviceGrant]
        ) { context in
            try await context.atFactorPage { target, person in
                let (device, visitor) = (try await target.device(), DeviceVisitor(target))
                let handle = try await visitor.verify(device)
                await target.expectWaiting(device)
                for form in [[("flow", handle), ("decision", "approve")], [("decision", "approve")]] {
                    let reply = await target.fire(await visitor.posting(form), expecting: .page())
                    await target.expectNothing(in: reply)
                }
                await target.expectWaiting(device)
                let form = [("flow", handle), ("decision", "prove"), ("code", person.authenticator.code())]
                let approval = try await visitor.answer(
                    to: await visitor.browser.sending(.form("/authorize", form)), status: 200)
                await target.expectWaiting(device)
                try await target.honest(
                    await visitor.deciding("approve", form: approval.input("flow") ?? ""), status: 200)
                try await target.collect(device)
            }
        },
    )
}

extension AttackContext {
    /// Runs an attack on a server where the user `alice` of Yahoo has a second factor.
    ///
    /// The users of the stand-ins keep their accounts, so that other attacks must not meet the factor.
    fileprivate func atFactorPage(
        _ attack: (_ target: AttackContext, _ person: Enrolled) async throws -> Void
    ) async throws {
        try await onOwnServer("factor") { target, _, _ in
            let (code, flow) = try await target.handoff()
            let answer = try await target.honest(target.redeem(code, flow))
            guard let token = answer["access_token"], let uid = answer["uid"] else {
                throw Inconclusive("The sign-in returned no custom token.")
            }
            let member = Member(
                uid: uid, bearer: try await target.tradeIn(token), provider: "yahoo.com", subject: "",
                customToken: token)
            try await attack(target, try await target.enrolled(member))
        }
    }

    /// Goes through Yahoo up to the page of the second factor.
    fileprivate func factorPage() async throws -> (page: Answer, browser: Browser, flow: Flow) {
        let flow = try await begin()
        let page = try await honest(await callback(try await approve(flow), in: flow.browser))
        guard page.input("flow") != nil else { throw Inconclusive("The callback shows no page with a form.") }
        await flow.browser.take(page)
        return (page, flow.browser, flow)
    }

    /// Expects that a response has no handoff code.
    fileprivate func expectNothing(in reply: Reply) async {
        await expect(reply.answer?.redirected("code") == nil, .minted, "The page of the second factor was skipped.")
    }
}
