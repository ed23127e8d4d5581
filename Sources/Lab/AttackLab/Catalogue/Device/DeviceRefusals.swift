internal import Jansson

/// Device grants that the provider ends, and devices without the proof that their application asks for.
enum DeviceRefusals {
    private static let needs: Set<Need> = [.standIns, .deviceGrant]

    static let all = Section(.device, .high, needs: needs).attacks(
        .attack(
            "DG-31", "The person says no at the provider, and the device goes on polling.",
            oracle: "400 access_denied at the next poll, and the page says that the device was refused.",
            source: "RFC 8628 3.5"
        ) { strike in
            let (device, visitor) = (try await strike.device(), DeviceVisitor(strike))
            let url = try await strike.standIns.decide(at: try await visitor.leave(device), allow: false)
            let request = await visitor.with(cookies: .get(Strike.target(of: url)))
            let reply = await strike.fire(request, expecting: .status(200, 400))
            await strike.expect(
                reply.answer?.field("location") == nil, .wrongAnswer, "The browser is sent away from the page.")
            await strike.fire(strike.poll(device), expecting: .deniedDevice)
            await strike.fire(
                await visitor.typing(device.userCode, form: try await visitor.open()), expecting: .page())
        },
        .attack(
            "DG-32", "The provider fails while a person signs a device in.", severity: .medium,
            oracle: "A page; the device goes on waiting, and the same code signs it in afterwards.",
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
            await strike.expect(uid.contains("ALICE"), .minted, "The device is signed in as another person.")
        },
        .attack(
            "DG-33",
            "A device code is asked for without an App Check token, and with wrong ones, for an application that asks for one.",
            oracle: "403 app_check_required and app_check_invalid, with Firebase's own code.",
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
            throw Inconclusive("Firebase gave no App Check token.")
        }
        await secret(token)
        return token
    }
}
