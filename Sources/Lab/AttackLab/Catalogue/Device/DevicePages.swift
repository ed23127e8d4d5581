internal import Jansson

/// Attacks that open, frame or forge the pages of `/device`, or send them to a victim.
enum DevicePages {
    private static let needs: Set<Need> = [.standIns, .deviceGrant]

    static let all = Section(.device, .high, needs: needs).attacks(
        .attack(
            "DG-12a", "verification_uri_complete is opened by a link, framed, prefetched, and requested with HEAD.",
            oracle: "GET looks up, claims and approves no code; the page cannot be framed.",
            source: "cross-device BCP 6; RFC 9700 4.16"
        ) { context in
            let (device, visitor) = (try await context.device(), DeviceVisitor(context))
            let target = "/device?user_code=" + device.userCode
            let answer = try await visitor.answer(to: .get(target), status: 200)
            await context.expect(answer.field("x-frame-options") == "DENY", .unprotected, "The page can be framed.")
            let policy = answer.field("content-security-policy") ?? ""
            await context.expect(
                policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"), .unprotected,
                "The page's Content-Security-Policy is \(policy.isEmpty ? "missing" : "weak").")
            await context.expect(
                answer.field("referrer-policy") == "no-referrer", .unprotected,
                "The page has no Referrer-Policy: no-referrer.")
            let form = answer.input("flow") ?? ""
            for further in ["&decision=approve", "&provider=yahoo.com", "&decision=deny"] {
                let request = await visitor.browser.sending(
                    .get(target + further + "&flow=" + PercentEncoding.encode(form)))
                await context.fire(request, expecting: .status(200))
            }
            let ahead = await visitor.browser.sending(.get(target)).with("Sec-Purpose", "prefetch;prerender")
            await context.fire(ahead, expecting: .page())
            await context.expectWaiting(device)
            try await DeviceVisitor(context).approve(device)
        },
        .attack(
            "DG-12b", "Another site posts the victim's forms in the victim's browser, at each step.",
            severity: .critical,
            oracle: "The server responds with a 400 page if Sec-Fetch-Site is cross-site or same-site.",
            source: "RFC 9700 4.16; Fetch Metadata"
        ) { context in
            let (device, visitor) = (try await context.device(), DeviceVisitor(context))
            let first = try await visitor.open()
            let second = try await visitor.confirm(device)
            let third = try await visitor.verify(device)
            for site in ["cross-site", "same-site", "none", "anything"] {
                let requests = [
                    await visitor.typing(device.userCode, form: first),
                    await visitor.choosing("yahoo.com", form: second),
                    await visitor.deciding("approve", form: third), await visitor.deciding("deny", form: third),
                ]
                for request in requests {
                    await context.fire(request.with("Sec-Fetch-Site", site), expecting: .page())
                }
            }
            await context.expectWaiting(device)
            _ = try await visitor.answer(to: await visitor.deciding("approve", form: third), status: 200)
            try await context.collect(device)
        },
        .attack(
            "DG-12c", "Forms without the sealed field, as another site can build them, claim and approve a device.",
            oracle: "The server responds with a 400 page: the sealed field is the anti-CSRF token.",
            source: "RFC 9700 4.7"
        ) { context in
            let (device, visitor) = (try await context.device(), DeviceVisitor(context))
            _ = try await visitor.open()
            let attacker = DeviceVisitor(context)
            let foreign = try await attacker.confirm(device)
            let forms: [[(String, String)]] = [
                [("user_code", device.userCode)], [("provider", "yahoo.com"), ("user_code", device.userCode)],
                [("decision", "approve"), ("user_code", device.userCode)],
                [("flow", foreign), ("provider", "yahoo.com")], [("flow", foreign), ("decision", "deny")],
                [("flow", foreign), ("user_code", device.userCode)],
            ]
            for form in forms { await context.fire(await visitor.posting(form), expecting: .page()) }
            await context.expectWaiting(device)
        },
        .attack(
            "DG-13", "The attacker sends a user code to the victim (user-transferred session data).",
            oracle:
                """
                The pages name the application, warn, and name the user before approval; the code lives ten \
                minutes at most.
                """,
            source: "cross-device BCP 6.1"
        ) { context in
            let (device, visitor) = (try await context.device(), DeviceVisitor(context))
            await context.expect(device.lifetime <= 600, .wrongAnswer, "A code is good for \(device.lifetime) s.")
            let form = try await visitor.open()
            let confirm = try await visitor.answer(
                to: await visitor.typing(device.userCode, form: form), status: 200)
            for text in ["My App", device.userCode, "class=\"caution\"", "value=\"deny\""] {
                await context.expect(
                    confirm.text.contains(text), .unprotected, "The page that asks for confirmation lacks \(text).")
            }
            let url = try await context.standIns.decide(at: try await visitor.leave(device), as: "alice")
            let approve = try await visitor.answer(
                to: await visitor.browser.sending(.get(AttackContext.target(of: url))), status: 200)
            for text in ["My App", "Alice Example", "class=\"caution\"", "value=\"deny\""] {
                await context.expect(
                    approve.text.contains(text), .unprotected, "The page that asks for approval lacks \(text).")
            }
            await context.expectWaiting(device)
        },
        .attack(
            "DG-23", "The callback of a device's flow is sent without cookies, or twice.", severity: .critical,
            oracle: "The server responds with a 400 page: the callback is bound to its browser and accepted once.",
            source: "RFC 9700 4.7"
        ) { context in
            let (device, visitor) = (try await context.device(), DeviceVisitor(context))
            let url = try await context.standIns.decide(at: try await visitor.leave(device), as: "alice")
            let target = AttackContext.target(of: url)
            await context.fire(.get(target), expecting: .page())
            let begun = try await context.begin()
            await context.fire(await context.callback(target, in: begun.browser), expecting: .page())
            let mark = try await context.mark()
            let request = await visitor.browser.sending(.get(target))
            _ = try await visitor.answer(to: request, status: 200)
            await context.fire(request, expecting: .page())
            try await context.expectCalls(["yahoo.token": 1], since: mark)
            await context.expectWaiting(device)
        },
        .attack(
            "DG-24", "A form of one device also contains the user code of another.",
            oracle: "The server uses the user code in the sealed field: the other device still waits.",
            source: "RFC 8628 5.4"
        ) { context in
            let (own, other) = (try await context.device(), try await context.device())
            let visitor = DeviceVisitor(context)
            let form = try await visitor.confirm(own)
            let request = await visitor.posting([
                ("flow", form), ("user_code", other.userCode), ("provider", "yahoo.com"),
            ])
            let reply = await context.lab.server.send(request, from: context.source)
            if let answer = reply.answer { await visitor.browser.take(answer) }
            await context.expectWaiting(other)
            let victim = DeviceVisitor(context)
            try await victim.approve(other)
            try await context.collect(other)
        },
        .attack(
            "DG-30", "A device that named its provider is signed in with another or an unknown provider.",
            severity: .medium, oracle: "The server responds with a 400 page.",
            source: "token-exchange API: device grant"
        ) { context in
            let device = try await context.device(further: [("provider", "yahoo.com")])
            let visitor = DeviceVisitor(context)
            let form = try await visitor.confirm(device)
            for provider in ["twitter.com", "unknown.example", "", "yahoo.com\0", "YAHOO.COM"] {
                await context.fire(await visitor.choosing(provider, form: form), expecting: .page())
            }
            await context.expectWaiting(device)
        },
    )
}

/// Device grants that fail at the provider, and devices without the App Check token that their application requires.
enum DeviceRefusals {
    private static let needs: Set<Need> = [.standIns, .deviceGrant]

    static let all = Section(.device, .high, needs: needs).attacks(
        .attack(
            "DG-31", "The user refuses at the provider, and the device keeps polling.",
            oracle: "The next poll gets 400 access_denied, and the page says that the device was refused.",
            source: "RFC 8628 3.5"
        ) { context in
            let (device, visitor) = (try await context.device(), DeviceVisitor(context))
            let url = try await context.standIns.decide(at: try await visitor.leave(device), allow: false)
            let request = await visitor.browser.sending(.get(AttackContext.target(of: url)))
            let reply = await context.fire(request, expecting: .status(200, 400))
            await context.expect(
                reply.answer?.field("location") == nil, .wrongAnswer,
                "The response redirects the browser away from the page.")
            await context.fire(context.poll(device), expecting: .deniedDevice)
            await context.fire(
                await visitor.typing(device.userCode, form: try await visitor.open()), expecting: .page())
        },
        .attack(
            "DG-32", "The provider fails while a user signs a device in.", severity: .medium,
            oracle: "The server responds with a page; the device keeps waiting, and the same code works afterwards.",
            source: "RFC 8628 3.5"
        ) { context in
            let (device, visitor) = (try await context.device(), DeviceVisitor(context))
            let url = try await context.standIns.decide(at: try await visitor.leave(device), as: "alice")
            try await context.standIns.fault(["target": "yahoo.token", "status": 500, "body": "{}"])
            await context.fire(
                await visitor.browser.sending(.get(AttackContext.target(of: url))), expecting: .status(400, 502, 503))
            try await context.standIns.reset()
            await context.expectWaiting(device)
            _ = try await visitor.answer(
                to: await visitor.deciding("approve", form: try await visitor.verify(device)), status: 200)
            let uid = try await context.collect(device)
            await context.expect(uid.contains("ALICE"), .minted, "The device is signed in as another user.")
        },
        .attack(
            "DG-33",
            """
            A device code is requested without an App Check token, and with wrong ones, for an application \
            that needs one.
            """,
            oracle:
                """
                The server responds with 403 app_check_required and app_check_invalid, and with Firebase's \
                error code.
                """,
            source: "Firebase App Check", needs: needs.union([.processes])
        ) { context in
            try await context.withServer("checked-devices") {
                $0.set("clients/checked-app/grants", ["device_code"])
            } _: { server, _ in
                let request = Request.form("/device_authorization", [("client_id", "checked-app")])
                await context.fire(request, expecting: .denied("app_check_required"), at: server.wire)
                let orders: [JSON] = [
                    ["app_id": "1:1234567890:ios:another"], ["app_id": "1:1234567890:ios:abcdef", "key": "foreign"],
                    ["app_id": "1:1234567890:ios:abcdef", "issued_seconds_ago": 3700],
                    ["app_id": "1:1234567890:ios:abcdef", "project_id": "another"],
                ]
                var tokens = ["x", "a.b.c"]
                for order in orders { tokens.append(try await context.appCheckToken(order)) }
                for token in tokens {
                    let reply = await context.fire(
                        request.with("X-Firebase-AppCheck", token), expecting: .denied("app_check_invalid"),
                        at: server.wire)
                    await context.expect(
                        reply.answer?["code"] == "auth/firebase-app-check-token-is-invalid", .wrongAnswer,
                        "The code is \(reply.answer?["code"] ?? "missing").")
                }
                let token = try await context.appCheckToken(["app_id": "1:1234567890:ios:abcdef"])
                try await context.mustStillWork(request.with("X-Firebase-AppCheck", token), at: server.wire)
            }
        },
    )
}

extension AttackContext {
    func appCheckToken(_ order: JSON) async throws -> String {
        let answer = try await standIns.google("POST", "/app-check-token", order)
        guard let token = answer["app_check_token"]?.string else {
            throw Inconclusive("Google's stand-in issued no App Check token.")
        }
        await secret(token)
        return token
    }
}
