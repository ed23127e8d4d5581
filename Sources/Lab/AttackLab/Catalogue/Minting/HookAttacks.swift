internal import Jansson

/// Answers of the operator's hook, which an attacker may reach, break or delay to get past it.
enum HookAttacks {
    static let all = Section(.minting, .critical, needs: [.standIns, .processes]).attacks(
        .attack(
            "HK-01",
            "The hook answers with other JSON, with texts that are not JSON, with other statuses, and with cut responses.",
            oracle: "The server responds with 503 hook_unavailable each time, and asks once.",
            source: "fail closed; OWASP ASVS 16.5.2"
        ) { context in
            try await context.refusedByHook([
                body("true"), body("[]"), body(""), body("{"), body("{}{}"), body("\u{FEFF}{}"), body("allow"),
                body(#"{"allow":true}"#), body(#"{"deny":false}"#), body(#"{"deny":null}"#), body(#"{"claims":null}"#),
                body(#"{"claims":{},"claims":{}}"#), body("{}", status: "201 Created"),
                body("{}", status: "204 No Content"), body("{}", status: "403 Forbidden"),
                body("{}", status: "500 Internal Server Error"),
                [.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}")],
                [.send("{}")], [.reset],
            ])
        },
        .attack(
            "HK-02", "The hook redirects to a target that allows every sign-in.",
            oracle: "The server responds with 503 hook_unavailable and does not follow the redirect.",
            source: "CVE-2026-54603; CVE-2022-27774"
        ) { context in
            try await context.standIns.hostileAnswer("/gate", body: "{}")
            let target = try context.standIns.addresses.hostile + "/gate"
            let statuses = ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"]
            try await context.refusedByHook(
                statuses.map { body("{}", status: $0, "Location: \(target)") }
                    + [body("{}", status: "300 Choices", "Refresh: 0; url=\(target)")])
            let followed = try await context.standIns.hostileRequests()
            await context.expect(followed.isEmpty, .exfiltrated, "The target received the question.")
        },
        .attack(
            "HK-03", "The hook adds claims of another identity, of a fresh login, of a second factor, or of Firebase.",
            oracle: "The server responds with 503 hook_unavailable and mints nothing.",
            source: "firebase-admin BLACKLISTED_CLAIMS; RFC 8725 section 3.12"
        ) { context in
            let names = [
                "idp", "idp_uid", "anonymous", "second_factor", "second_factor_time", "reauth_time", "reauth_method",
                "sub", "uid", "user_id", "firebase", "aud", "iss", "exp", "auth_time", "email", "email_verified",
            ]
            try await context.refusedByHook(
                names.map { body(#"{"claims":{"role":"user","\#($0)":"admin"}}"#) }
                    + [body(#"{"claims":{"\u0069dp":"x"}}"#), body(#"{"claims":{"a":"\#(long)"}}"#)])
        },
        .attack(
            "HK-04", "The hook sends its answer slowly, endlessly or never.", severity: .high,
            oracle: "The server responds with 503 hook_unavailable within the timeout of the hook.",
            source: "resilience of the calls; CVE-2023-23916"
        ) { context in
            try await context.refusedByHook([
                [.wait(milliseconds: 2_000), .send(.head(length: 2)), .send("{}")],
                [.send(.head(length: 2)), .send("{"), .wait(milliseconds: 2_000), .send("}")],
                [.send(.head()), .send("{}"), .repeated([UInt8](repeating: 0x20, count: 65_536))],
                [.send(.head(length: 1 << 30)), .repeated([UInt8](repeating: 0x20, count: 65_536))],
            ])
        },
        .attack(
            "HK-05", "The hook refuses with a text of markup, control characters and a megabyte, or beside claims.",
            severity: .high,
            oracle: "The server responds with 403 blocked_by_hook; the text is one line of at most 300 characters.",
            source: "RFC 6749 section 5.2; CWE-117"
        ) { context in
            let refusal = Expectation.denied("blocked_by_hook")
            let answers = try await context.answersOfHook(
                [
                    body(#"{"deny":{"message":"<script>alert(1)</script>\r\nSet-Cookie: a=b"}}"#),
                    body(#"{"deny":{"message":"\#(String(repeating: "x", count: 10_000))"}}"#),
                    body(#"{"deny":{"message":"\u001b[2J\u0085\u2028"}}"#), body(#"{"deny":{}}"#),
                    body(#"{"claims":{"admin":true},"deny":{"message":"no"}}"#),
                ], expecting: refusal)
            for answer in answers {
                let text = answer.json?["message"]?.string ?? ""
                await context.expect(
                    text.unicodeScalars.count <= 300
                        && !text.unicodeScalars.contains { $0.properties.generalCategory == .control },
                    .echoed, "The text of the hook is not one short line.")
                await context.expect(answer.field("set-cookie") == nil, .echoed, "The hook sets a cookie.")
            }
        },
        .attack(
            "HK-06",
            "A person whom before_create refuses signs up at Firebase itself, or anonymously, and links or merges there.",
            oracle: "The server responds with 403 blocked_by_hook each time, and the accounts get no identity.",
            source: "Firebase: Block Registration With Blocking Functions; CWE-288",
            needs: [.standIns, .processes, .accounts, .anonymous]
        ) { context in
            let (allowed, denied) = (body("{}"), body(#"{"deny":{}}"#))
            let refusal = Expectation.denied("blocked_by_hook")
            // The anonymous account and the account of an identity may be created, and nothing else.
            let answers = [denied, allowed, denied, allowed, denied, denied]
            let peer = try CrudePeer { number, _ in number < answers.count ? answers[number] : denied }
            defer { peer.stop() }
            try await context.onOwnServer("first-identity") { plan in
                plan.set("hooks/before_create", ["url": .string(peer.base + "/gate")])
            } _: { context, _, _ in
                let native = try await context.stranger()
                await context.fire(
                    context.link(native.bearer, try await context.proof(of: try context.freshSubject())),
                    expecting: refusal)
                let anonymous = try await context.enterAnonymously()
                await context.fire(
                    context.link(anonymous.bearer, try await context.proof(of: try context.freshSubject())),
                    expecting: refusal)
                let known = try await context.enter()
                // A refusal leaves the second ID token spent.
                for (caller, token) in [(native, known.bearer), (anonymous, try await context.bearer(of: known.uid))] {
                    await context.fire(
                        context.merge(caller.bearer, ["from_id_token": .string(token)]), expecting: refusal)
                    try await context.expectIdentities(caller, [:])
                }
                try await context.expectIdentities(known, [known.provider: known.subject])
                await context.expect(
                    peer.requests.count == answers.count, .sideEffect,
                    "The hook was asked \(peer.requests.count) times.")
            }
        },
    )

    private static let long = String(repeating: "a", count: 1000)

    private static func body(_ text: String, status: String = "200 OK", _ fields: String...) -> [CrudePeer.Step] {
        let head = ["HTTP/1.1 \(status)", "Content-Type: application/json", "Content-Length: \(text.utf8.count)"]
        return [.send((head + fields + ["", text]).joined(separator: "\r\n"))]
    }
}

extension AttackContext {
    /// Expects 503 for each answer of the hook.
    fileprivate func refusedByHook(_ answers: [[CrudePeer.Step]]) async throws {
        _ = try await answersOfHook(
            answers,
            expecting: .refused("hook_unavailable", status: 503, error: "temporarily_unavailable"))
    }

    /// Signs in once for each answer of the hook, and returns the responses of the server.
    ///
    /// For the last sign-in the hook answers `{}`. It must succeed, so that a server that refuses every sign-in does not
    /// pass.
    fileprivate func answersOfHook(
        _ answers: [[CrudePeer.Step]], expecting expectation: Expectation
    ) async throws -> [Answer] {
        let well: [CrudePeer.Step] = [.send(.head(length: 2)), .send("{}")]
        let peer = try CrudePeer { number, _ in number < answers.count ? answers[number] : well }
        defer { peer.stop() }
        var received: [Answer] = []
        try await onOwnServer("hook") { plan in
            plan.set("hooks/before_sign_in", ["url": .string(peer.base + "/gate"), "timeout": "800ms"])
        } _: { context, _, _ in
            for index in answers.indices {
                let request = try await context.genuine().request
                let reply = await context.fire(request, expecting: expectation, within: .seconds(3))
                if let answer = reply.answer { received.append(answer) }
                await context.expect(
                    peer.requests.count == index + 1, .sideEffect,
                    "The hook was asked \(peer.requests.count) times for \(index + 1) sign-ins.")
            }
            try await context.mustStillWork(context.genuine().request)
        }
        return received
    }
}
