internal import Jansson

/// The page of a browser or device flow that asks for a code.
enum FactorPages {
    static let all = Section(
        .secondFactor, .critical, needs: [.standIns, .processes, .accounts, .browserFlow]
    ).attacks(
        .attack(
            "2F-30a", "The page is skipped: its form names a provider, a decision of another page, or an empty code.",
            oracle: "The server ends the flow or shows the page again; it returns no handoff code.",
            source: "CWE-425; CWE-288; OWASP WSTG-ATHN-11"
        ) { strike in
            let forms: [[(String, String)]] = [
                [("provider", "yahoo.com")], [("provider", "")], [("decision", "approve")], [("decision", "allow")],
                [("decision", "continue")], [("decision", "prove")], [("decision", "prove"), ("code", "")],
                [("decision", "prove"), ("totp", "000000")], [("decision", "PROVE"), ("code", "000000")], [],
            ]
            try await strike.atFactorPage { there, _ in
                for form in forms {
                    let (page, browser, _) = try await there.factorPage()
                    let request = await there.submitting(page, form, in: browser)
                    let reply = await there.fire(request, expecting: .status(200, 303, 400))
                    await there.expectNothing(in: reply)
                    await there.expectNothing(in: await there.fire(request, expecting: .status(200, 303, 400)))
                }
            }
        },
        .attack(
            "2F-30b", "The cookie and the callback from before the page are used again after it was shown.",
            oracle: "The server responds with a 400 page: the callback has ended the first part of the flow.",
            source: "CWE-294; CWE-425"
        ) { strike in
            try await strike.atFactorPage { there, person in
                let flow = try await there.begin()
                let first = await flow.browser.cookie() ?? ""
                let target = try await there.approve(flow)
                let page = try await there.honest(.get(target).with("Cookie", first))
                await there.expect(page.input("flow") != nil, .minted, "The callback shows no page with a form.")
                await there.fire(.get(target).with("Cookie", first), expecting: .page())
                let pressed = await there.fire(
                    .form("/authorize", [("flow", flow.providerState ?? ""), ("provider", "yahoo.com")])
                        .with("Cookie", first), expecting: .status(303, 400))
                await there.expectNothing(in: pressed)
                await there.fire(
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
        ) { strike in
            try await strike.atFactorPage { there, person in
                let (page, browser, _) = try await there.factorPage()
                let (_, other, _) = try await there.factorPage()
                let form = [("decision", "prove"), ("code", person.authenticator.code())]
                for thief in [Browser(), other] {
                    await there.fire(await there.submitting(page, form, in: thief), expecting: .page())
                }
                try await there.mustStillWork(await there.submitting(page, form, in: browser), status: 303)
            }
        },
        .attack(
            "2F-32", "A person is led to the page of the attacker's flow, and its handoff code is redeemed.",
            oracle: "The server responds with 400: the handoff code belongs to the verifier of the flow.",
            source: "RFC 7636 section 1; RFC 9700 4.5"
        ) { strike in
            try await strike.atFactorPage { there, person in
                let (page, browser, flow) = try await there.factorPage()
                let form = [("decision", "prove"), ("code", person.authenticator.code())]
                let done = try await there.honest(await there.submitting(page, form, in: browser), status: 303)
                let code = done.redirected("code") ?? ""
                await there.secret(code)
                await there.fire(
                    there.redeem(code, flow) { $0.set("code_verifier", String(repeating: "a", count: 43)) },
                    expecting: .refused())
                let again = await there.submitting(page, form, in: browser)
                await there.fire(again, expecting: .page())
            }
        },
        .attack(
            "2F-33", "Codes are guessed on the page, and in several flows of several browsers.",
            oracle: "The server shows the page five times more, and then another one with Retry-After.",
            source: "RFC 4226 section 7.3; CWE-307"
        ) { strike in
            try await strike.atFactorPage { there, person in
                let pages = [try await there.factorPage(), try await there.factorPage()]
                for (index, code) in person.authenticator.wrongCodes(5).enumerated() {
                    let (page, browser, _) = pages[index % pages.count]
                    await there.fire(
                        await there.submitting(page, [("decision", "prove"), ("code", code)], in: browser),
                        expecting: .page())
                }
                for (page, browser, _) in pages {
                    let form = [("decision", "prove"), ("code", person.authenticator.code())]
                    let reply = await there.fire(
                        await there.submitting(page, form, in: browser), expecting: .page())
                    await there.expect(
                        reply.answer?.field("retry-after") != nil, .wrongAnswer, "The page has no Retry-After.")
                }
            }
        },
        .attack(
            "2F-34", "A device is approved and polled while the page asks for the code of its account.",
            oracle: "The server responds with authorization_pending until the person has sent the code and approved.",
            source: "RFC 8628 section 5.4; CWE-288",
            needs: [.standIns, .processes, .accounts, .browserFlow, .deviceGrant]
        ) { strike in
            try await strike.atFactorPage { there, person in
                let (device, visitor) = (try await there.device(), DeviceVisitor(there))
                let handle = try await visitor.verify(device)
                await there.expectWaiting(device)
                for form in [[("flow", handle), ("decision", "approve")], [("decision", "approve")]] {
                    let reply = await there.fire(await visitor.posting(form), expecting: .page())
                    await there.expectNothing(in: reply)
                }
                await there.expectWaiting(device)
                let form = [("flow", handle), ("decision", "prove"), ("code", person.authenticator.code())]
                let approval = try await visitor.answer(
                    to: await visitor.with(cookies: .form("/authorize", form)), status: 200)
                await there.expectWaiting(device)
                try await there.honest(
                    await visitor.deciding("approve", form: approval.input("flow") ?? ""), status: 200)
                try await there.collect(device)
            }
        },
    )
}

extension Strike {
    /// Runs an attack on a server where the user `alice` of Yahoo has a second factor.
    ///
    /// The users of the stand-ins keep their accounts, so that other attacks must not meet the factor.
    fileprivate func atFactorPage(
        _ attack: (_ there: Strike, _ person: Enrolled) async throws -> Void
    ) async throws {
        try await onOwnServer("factor") { there, _, _ in
            let (code, flow) = try await there.handoff()
            let answer = try await there.honest(there.redeem(code, flow))
            guard let token = answer["access_token"], let uid = answer["uid"] else {
                throw Inconclusive("The sign-in returned no custom token.")
            }
            let member = Member(
                uid: uid, bearer: try await there.tradeIn(token), provider: "yahoo.com", subject: "",
                customToken: token)
            try await attack(there, try await there.enrolled(member))
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

    /// Returns the request that the form of a page sends with these fields.
    fileprivate func submitting(_ page: Answer, _ form: [(String, String)], in browser: Browser) async -> Request {
        let request = Request.form("/authorize", [("flow", page.input("flow") ?? "")] + form)
        guard let cookie = await browser.cookie() else { return request }
        return request.with("Cookie", cookie)
    }

    /// Expects that a response has no handoff code.
    fileprivate func expectNothing(in reply: Reply) async {
        await expect(reply.answer?.redirected("code") == nil, .minted, "The page of the second factor was skipped.")
    }
}
