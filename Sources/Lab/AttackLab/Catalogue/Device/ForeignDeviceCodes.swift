internal import Jansson
internal import OpenSSL

/// Device codes that are foreign, guessed or of another kind.
enum ForeignDeviceCodes {
    private static let unknown = Expectation.refused("code_rejected")

    static let all = Section(.device, .high, needs: [.standIns, .deviceGrant]).attacks(
        .attack(
            "DG-06", "Another application and an unknown one poll with the device code.", severity: .critical,
            oracle:
                """
                The server responds with 400 code_rejected and 401 unknown_client; the right device still \
                gets its token.
                """,
            source: "CVE-2023-2585"
        ) { context in
            let device = try await context.device()
            try await DeviceVisitor(context).approve(device)
            let application = context.lab.application
            await context.fire(context.poll(device, clientID: application.otherClientID), expecting: unknown)
            for clientID in [application.clientID.uppercased(), "unknown-client", application.clientID + "\0"] {
                await context.fire(
                    context.poll(device, clientID: clientID),
                    expecting: Expectation(
                        statuses: [400, 401], errors: ["invalid_client", "invalid_request"],
                        reasons: ["unknown_client", "malformed_body"]))
            }
            try await context.mustStillWork(context.poll(device))
        },
        .attack(
            "DG-06b", "Applications that may not use the device grant begin it and poll.", severity: .medium,
            oracle:
                """
                The server responds with 400 unauthorized_client, or 403 app_check_required if the \
                application needs that.
                """,
            source: "RFC 6749 5.2"
        ) { context in
            let expectation = Expectation.refused("unauthorized_client", error: "unauthorized_client")
                .or(.denied("app_check_required"))
            await context.fire(.form("/device_authorization", [("client_id", "checked-app")]), expecting: expectation)
            let device = try await context.device()
            await context.fire(
                context.poll(device, clientID: "checked-app"),
                expecting: Expectation(
                    statuses: [400], errors: ["unauthorized_client", "access_denied"],
                    reasons: ["unauthorized_client", "app_check_required"]))
        },
        .attack(
            "DG-07d", "A hundred device codes are guessed, and valid ones are changed in one character.",
            oracle: "The server responds with 400 code_rejected; device codes have 256 random bits.",
            source: "RFC 8628 5.2", needs: [.deviceGrant]
        ) { context in
            let device = try await context.device()
            await context.expect(
                device.code.utf8.count >= 43, .wrongAnswer, "A device code is too short to be unguessable.")
            for _ in 0..<100 {
                let guess = Device(
                    clientID: device.clientID, code: Base64.urlEncode(try SecureRandom.bytes(32)), userCode: "",
                    lifetime: 0)
                await context.fire(context.poll(guess), expecting: unknown)
            }
            for text in Spoilt.texts(of: device.code) {
                let guess = Device(clientID: device.clientID, code: text, userCode: "", lifetime: 0)
                await context.fire(context.poll(guess), expecting: unknown)
            }
        },
        .attack(
            "DG-19a", "Other values that the server issued are sent as device codes.",
            oracle: "The server responds with 400 code_rejected; the values can still be used for their purpose.",
            source: "typed records",
            needs: [.standIns, .deviceGrant, .browserFlow]
        ) { context in
            let device = try await context.device()
            try await DeviceVisitor(context).approve(device)
            let (code, flow) = try await context.handoff()
            let nonce = try await context.nonce()
            let texts = [
                code, flow.state, flow.codeVerifier, flow.providerState ?? "s", nonce.verifier, device.userCode,
                device.userCode.filter { $0 != "-" },
            ]
            for text in texts {
                let wrong = Device(clientID: device.clientID, code: text, userCode: "", lifetime: 0)
                await context.fire(context.poll(wrong), expecting: unknown)
            }
            try await context.mustStillWork(context.redeem(code, flow))
            try await context.mustStillWork(context.poll(device))
        },
        .attack(
            "DG-19b", "An approved device code is sent as a handoff code, subject token, session and nonce.",
            oracle: "The server responds with 400 each time; the device gets its token afterwards.",
            source: "typed records",
            needs: [.standIns, .deviceGrant, .tokenExchange]
        ) { context in
            let device = try await context.device()
            try await DeviceVisitor(context).approve(device)
            let flow = try await context.begin()
            await context.fire(context.redeem(device.code, flow), expecting: unknown)
            let subject = [
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("client_id", device.clientID),
                ("subject_token", device.code), ("subject_issuer", "yahoo.com"), ("nonce", device.code),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
            ]
            await context.fire(
                .form("/token", subject), expecting: .malformed("malformed_token", "nonce_mismatch"))
            let callback: JSON = [
                "type": "callback", "session": .string(device.code),
                "callback_url": .string(context.lab.application.yahooRedirectURI + "?code=c&state=s"),
            ]
            await context.fire(context.exchange(callback), expecting: .refused("session_invalid"))
            try await context.mustStillWork(context.poll(device))
        },
        .attack(
            "DG-25", "A device code is sent in the query, twice, not at all, and with a client secret.",
            severity: .medium,
            oracle: "The server responds with 405 to the query and with 400 to the others.", source: "RFC 6749 3.2",
            needs: [.deviceGrant]
        ) { context in
            let device = try await context.device()
            let form = PercentEncoding.form([
                ("grant_type", AttackContext.deviceGrant), ("device_code", device.code), ("client_id", device.clientID),
            ])
            await context.fire(
                .get("/token?" + form),
                expecting: .methodNotAllowed)
            let grant = ("grant_type", AttackContext.deviceGrant)
            await context.fire(
                .form("/token", [grant, ("client_id", device.clientID)]), expecting: .malformed("missing_field"))
            await context.fire(
                .form(
                    "/token",
                    [
                        grant, ("client_id", device.clientID), ("device_code", device.code),
                        ("device_code", device.code),
                    ]), expecting: .malformed("duplicate_parameter"))
        },
        .attack(
            "DG-22", "A device grant is begun with invalid parameters.", severity: .low,
            oracle: "The server responds with 400 or 401 depending on the cause, and issues no code.",
            source: "RFC 8628 3.1"
        ) { context in
            let id = ("client_id", context.lab.application.clientID)
            let cases: [([(String, String)], Expectation)] = [
                ([], .malformed("missing_field")), ([id, id], .malformed("duplicate_parameter")),
                (
                    [("client_id", "unknown-client")],
                    Expectation.unknownClient
                ),
                ([id, ("provider", "unknown.example")], .malformed("unknown_provider")),
                ([id, ("scope", "everything")], .refused("invalid_scope", error: "invalid_scope")),
                (
                    [("client_id", "x-only"), ("provider", "yahoo.com")],
                    Expectation(statuses: [400, 403], reasons: ["provider_disabled"])
                ),
            ]
            for (form, expectation) in cases {
                let reply = await context.fire(.form("/device_authorization", form), expecting: expectation)
                await context.expect(reply.answer?["device_code"] == nil, .minted, "The server issued a device code.")
            }
        },
    )
}
