internal import Jansson

/// Attacks that open, frame or forge the pages of `/device`, or send them to a victim.
enum DevicePages {
    private static let needs: Set<Need> = [.standIns, .deviceGrant]

    static let all = Section(.device, .high, needs: needs).attacks(
        .attack(
            "DG-12a", "verification_uri_complete is opened by a link, framed, prefetched, and requested with HEAD.",
            oracle: "GET looks up, claims and approves no code; the page cannot be framed.",
            source: "cross-device BCP 6; RFC 9700 4.16"
        ) { strike in
            let (device, visitor) = (try await strike.device(), DeviceVisitor(strike))
            let target = "/device?user_code=" + device.userCode
            let answer = try await visitor.answer(to: .get(target), status: 200)
            await strike.expect(answer.field("x-frame-options") == "DENY", .unprotected, "The page can be framed.")
            let policy = answer.field("content-security-policy") ?? ""
            await strike.expect(
                policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"), .unprotected,
                "The page's Content-Security-Policy is \(policy.isEmpty ? "missing" : "weak").")
            await strike.expect(
                answer.field("referrer-policy") == "no-referrer", .unprotected,
                "The page has no Referrer-Policy: no-referrer.")
            let form = answer.input("flow") ?? ""
            for further in ["&decision=approve", "&provider=yahoo.com", "&decision=deny"] {
                let request = await visitor.with(
                    cookies: .get(target + further + "&flow=" + PercentEncoding.encode(form)))
                await strike.fire(request, expecting: .status(200))
            }
            let ahead = await visitor.with(cookies: .get(target)).with("Sec-Purpose", "prefetch;prerender")
            await strike.fire(ahead, expecting: .page())
            await strike.expectWaiting(device)
            try await DeviceVisitor(strike).approve(device)
        },
        .attack(
            "DG-12b", "Another site posts the victim's forms in the victim's browser, at each step.",
            severity: .critical,
            oracle: "The server responds with a 400 page if Sec-Fetch-Site is cross-site or same-site.",
            source: "RFC 9700 4.16; Fetch Metadata"
        ) { strike in
            let (device, visitor) = (try await strike.device(), DeviceVisitor(strike))
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
                    await strike.fire(request.with("Sec-Fetch-Site", site), expecting: .page())
                }
            }
            await strike.expectWaiting(device)
            _ = try await visitor.answer(to: await visitor.deciding("approve", form: third), status: 200)
            try await strike.collect(device)
        },
        .attack(
            "DG-12c", "Forms without the sealed field, as another site can build them, claim and approve a device.",
            oracle: "The server responds with a 400 page: the sealed field is the anti-CSRF token.",
            source: "RFC 9700 4.7"
        ) { strike in
            let (device, visitor) = (try await strike.device(), DeviceVisitor(strike))
            _ = try await visitor.open()
            let attacker = DeviceVisitor(strike)
            let foreign = try await attacker.confirm(device)
            let forms: [[(String, String)]] = [
                [("user_code", device.userCode)], [("provider", "yahoo.com"), ("user_code", device.userCode)],
                [("decision", "approve"), ("user_code", device.userCode)],
                [("flow", foreign), ("provider", "yahoo.com")], [("flow", foreign), ("decision", "deny")],
                [("flow", foreign), ("user_code", device.userCode)],
            ]
            for form in forms { await strike.fire(await visitor.posting(form), expecting: .page()) }
            await strike.expectWaiting(device)
        },
        .attack(
            "DG-13", "The attacker sends a user code to the victim (user-transferred session data).",
            oracle:
                """
                The pages name the application, warn, and name the user before approval; the code lives ten \
                minutes at most.
                """,
            source: "cross-device BCP 6.1"
        ) { strike in
            let (device, visitor) = (try await strike.device(), DeviceVisitor(strike))
            await strike.expect(device.lifetime <= 600, .wrongAnswer, "A code is good for \(device.lifetime) s.")
            let form = try await visitor.open()
            let confirm = try await visitor.answer(
                to: await visitor.typing(device.userCode, form: form), status: 200)
            for text in ["My App", device.userCode, "class=\"caution\"", "value=\"deny\""] {
                await strike.expect(
                    confirm.text.contains(text), .unprotected, "The page that asks for confirmation lacks \(text).")
            }
            let url = try await strike.standIns.decide(at: try await visitor.leave(device), as: "alice")
            let approve = try await visitor.answer(
                to: await visitor.with(cookies: .get(Strike.target(of: url))), status: 200)
            for text in ["My App", "Alice Example", "class=\"caution\"", "value=\"deny\""] {
                await strike.expect(
                    approve.text.contains(text), .unprotected, "The page that asks for approval lacks \(text).")
            }
            await strike.expectWaiting(device)
        },
        .attack(
            "DG-23", "The callback of a device's flow is sent without cookies, or twice.", severity: .critical,
            oracle: "The server responds with a 400 page: the callback is bound to its browser and accepted once.",
            source: "RFC 9700 4.7"
        ) { strike in
            let (device, visitor) = (try await strike.device(), DeviceVisitor(strike))
            let url = try await strike.standIns.decide(at: try await visitor.leave(device), as: "alice")
            let target = Strike.target(of: url)
            await strike.fire(.get(target), expecting: .page())
            let begun = try await strike.begin()
            await strike.fire(await strike.callback(target, in: begun.browser), expecting: .page())
            let mark = try await strike.mark()
            let request = await visitor.with(cookies: .get(target))
            _ = try await visitor.answer(to: request, status: 200)
            await strike.fire(request, expecting: .page())
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
            await strike.expectWaiting(device)
        },
        .attack(
            "DG-24", "A form of one device also contains the user code of another.",
            oracle: "The server uses the user code in the sealed field: the other device still waits.",
            source: "RFC 8628 5.4"
        ) { strike in
            let (own, other) = (try await strike.device(), try await strike.device())
            let visitor = DeviceVisitor(strike)
            let form = try await visitor.confirm(own)
            let request = await visitor.posting([
                ("flow", form), ("user_code", other.userCode), ("provider", "yahoo.com"),
            ])
            let reply = await strike.lab.server.send(request, from: strike.source)
            if let answer = reply.answer { await visitor.browser.take(answer) }
            await strike.expectWaiting(other)
            let victim = DeviceVisitor(strike)
            try await victim.approve(other)
            try await strike.collect(other)
        },
        .attack(
            "DG-30", "A device that named its provider is signed in with another or an unknown provider.",
            severity: .medium, oracle: "The server responds with a 400 page.",
            source: "token-exchange API: device grant"
        ) { strike in
            let device = try await strike.device(further: [("provider", "yahoo.com")])
            let visitor = DeviceVisitor(strike)
            let form = try await visitor.confirm(device)
            for provider in ["twitter.com", "unknown.example", "", "yahoo.com\0", "YAHOO.COM"] {
                await strike.fire(await visitor.choosing(provider, form: form), expecting: .page())
            }
            await strike.expectWaiting(device)
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
        ) { strike in
            let (device, visitor) = (try await strike.device(), DeviceVisitor(strike))
            let url = try await strike.standIns.decide(at: try await visitor.leave(device), allow: false)
            let request = await visitor.with(cookies: .get(Strike.target(of: url)))
            let reply = await strike.fire(request, expecting: .status(200, 400))
            await strike.expect(
                reply.answer?.field("location") == nil, .wrongAnswer,
                "The response redirects the browser away from the page.")
            await strike.fire(strike.poll(device), expecting: .deniedDevice)
            await strike.fire(
                await visitor.typing(device.userCode, form: try await visitor.open()), expecting: .page())
        },
        .attack(
            "DG-32", "The provider fails while a user signs a device in.", severity: .medium,
            oracle: "The server responds with a page; the device keeps waiting, and the same code works afterwards.",
            source: "RFC 8628 3.5"
        ) { strike in
            let (device, visitor) = (try await strike.device(), DeviceVisitor(strike))
            let url = try await strike.standIns.decide(at: try await visitor.leave(device), as: "alice")
            try await strike.standIns.fault(["target": "yahoo.token", "status": 500, "body": "{}"])
            await strike.fire(
                await visitor.with(cookies: .get(Strike.target(of: url))), expecting: .status(400, 502, 503))
            try await strike.standIns.reset()
            await strike.expectWaiting(device)
            _ = try await visitor.answer(
                to: await visitor.deciding("approve", form: try await visitor.verify(device)), status: 200)
            let uid = try await strike.collect(device)
            await strike.expect(uid.contains("ALICE"), .minted, "The device is signed in as another user.")
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
        ) { strike in
            try await strike.withServer("checked-devices") {
                $0.set("clients/checked-app/grants", ["device_code"])
            } _: { server, _ in
                let request = Request.form("/device_authorization", [("client_id", "checked-app")])
                await strike.fire(request, expecting: .denied("app_check_required"), at: server.wire)
                let orders: [JSON] = [
                    ["app_id": "1:1234567890:ios:another"], ["app_id": "1:1234567890:ios:abcdef", "key": "foreign"],
                    ["app_id": "1:1234567890:ios:abcdef", "issued_seconds_ago": 3700],
                    ["app_id": "1:1234567890:ios:abcdef", "project_id": "another"],
                ]
                var tokens = ["x", "a.b.c"]
                for order in orders { tokens.append(try await strike.appCheckToken(order)) }
                for token in tokens {
                    let reply = await strike.fire(
                        request.with("X-Firebase-AppCheck", token), expecting: .denied("app_check_invalid"),
                        at: server.wire)
                    await strike.expect(
                        reply.answer?["code"] == "auth/firebase-app-check-token-is-invalid", .wrongAnswer,
                        "The code is \(reply.answer?["code"] ?? "missing").")
                }
                let token = try await strike.appCheckToken(["app_id": "1:1234567890:ios:abcdef"])
                try await strike.mustStillWork(request.with("X-Firebase-AppCheck", token), at: server.wire)
            }
        },
    )
}

extension Strike {
    fileprivate func appCheckToken(_ order: JSON) async throws -> String {
        let answer = try await standIns.google("POST", "/app-check-token", order)
        guard let token = answer["app_check_token"]?.string else {
            throw Inconclusive("Google's stand-in issued no App Check token.")
        }
        await secret(token)
        return token
    }
}
