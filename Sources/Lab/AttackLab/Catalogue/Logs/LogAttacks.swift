internal import Jansson

/// Secrets and personal data in the log and the metrics.
enum LogAttacks {
    static let all = Section(.logs, .high, needs: [.standIns, .logs, .browserFlow]).attacks(
        .attack(
            "LG-01a", "Credentials of every kind are sent, valid, used and corrupted, and the log is read.",
            oracle: "The log contains no code, token, verifier, secret or cookie, even at level debug.",
            source: "RFC 6819 4.6.7; OSVDB-118830", reveals: [.tokensLogged]
        ) { context in
            let log = try context.lab.needed(context.lab.log, "log")
            let start = log.end
            let genuine = try await context.genuine()
            await context.secret(genuine.issued["id_token"]?.string)
            await context.secret(genuine.issued["access_token"]?.string)
            let forged = try await context.forged { $0.key = .foreign }
            let (code, flow) = try await context.handoff()
            await context.secret(try await context.flowCookie(flow).value)
            await context.secret(flow.providerState)
            // Other attacks check the responses.
            for request in [genuine.request, forged, context.redeem(code, flow)] {
                for _ in 0..<2 {
                    let answer = await context.lab.server.send(request, from: context.source).answer
                    await context.secret(answer?["custom_token"] ?? answer?["access_token"])
                }
            }
            for text in [
                "client_secret", "sandbox-yahoo-secret-of-ours", "BEGIN PRIVATE KEY", "code_verifier=", "Cookie:",
            ] {
                await context.expect(!log.text(since: start).contains(text), .leaked, "The log contains \(text).")
            }
        },
        .attack(
            "LG-01b",
            "Account requests and a device flow are sent, and the log at level trace is read.",
            oracle: "The log contains no secret, and no name or email address.", source: "RFC 6819 4.6.7; 1mcp #468",
            needs: [.standIns, .logs, .processes, .accounts]
        ) { context in
            try await context.withServer("tracing") {
                $0.set("logging/level", "trace")
            } _: { server, _ in
                let name = try await context.canary()
                let address = "\(name)@example.org"
                let member = try await context.enter(wire: server.wire) { draft in
                    draft.claims["name"] = .text("Name \(name)")
                    draft.claims["email"] = .text(address)
                    draft.claims["email_verified"] = true
                }
                let second = AttackContext.secondProvider
                let other = try await context.enter(at: second, wire: server.wire)
                let pending = try await context.conflict(member, with: other, wire: server.wire)
                await context.fire(
                    context.exchange(pending), expecting: .refused("code_rejected"), at: server.wire)
                try await context.honest(
                    context.merge(member.bearer, ["pending_credential": pending["pending_credential"] ?? ""]),
                    at: server.wire)
                let device = try await context.device(wire: server.wire)
                await context.expectWaiting(device, at: server.wire)
                await context.secret(device.userCode)
                await context.fire(
                    context.account(member.bearer + "x"), expecting: .unauthorized("id_token_invalid"), at: server.wire)
                try await context.honest(context.deleteAccount(member.bearer), at: server.wire)
                await context.expectSilence(server.log.text(since: 0))
            }
        },
        .attack(
            "LG-01c", "The metrics are read after sign-ins and refusals.",
            oracle: "The metrics contain only counters with fixed names: no token, no uid, no text of a client.",
            source: "RFC 6819 4.6.7",
            needs: [.standIns, .admin, .accounts]
        ) { context in
            let admin = try context.lab.needed(context.lab.admin, "admin listener")
            let canary = try await context.canary()
            let member = try await context.enter()
            await context.fire(
                context.exchange(["type": "id_token"], provider: canary),
                expecting: .malformed("unknown_provider", "missing_field"))
            await context.fire(
                .get("/" + canary),
                expecting: .refused("not_found", status: 404, error: "invalid_request"))
            await context.fire(Request("BREW", "/v1/exchange"), expecting: .status(400, 405))
            let text = try await EventAttacks.freshMetrics(admin)
            await context.expect(text.contains("token_exchange_requests_total"), .wrongAnswer, "There are no metrics.")
            await context.expectSilence(text)
            for word in [member.uid, member.subject, "BREW", "127.0."] {
                await context.expect(!text.contains(word), .leaked, "The metrics contain \(word).")
            }
        },
        .attack(
            "LG-06", "The log is searched for personal data: names, email addresses, and subjects outside the audit.",
            severity: .medium, oracle: "Only audit lines contain uids; no line contains names or email addresses.",
            source: "privacy", needs: [.standIns, .logs, .accounts]
        ) { context in
            let log = try context.lab.needed(context.lab.log, "log")
            let start = log.end
            let canary = try await context.canary()
            let member = try await context.enter { draft in
                draft.claims["name"] = .text("Name \(canary)")
                draft.claims["email"] = .text("\(canary)@example.org")
                draft.claims["picture"] = .text("https://example.org/\(canary)")
            }
            try await context.honest(context.account(member.bearer))
            let lines = log.text(since: start).split(separator: "\n").filter { $0.contains(member.subject) }
            await context.expect(
                lines.allSatisfy { $0.contains("\"audit\":") }, .leaked, "A line outside the audit contains a subject.")
        },
        .attack(
            "LG-07", "Line feeds, escape sequences and complete log lines are sent in every text member.",
            severity: .medium, oracle: "The server writes none of it to the log.", source: "CWE-117",
            needs: [.standIns, .logs], reveals: [.tokensLogged, .inputEchoed]
        ) { context in
            let log = try context.lab.needed(context.lab.log, "log")
            let start = log.end
            let canary = try await context.canary()
            let line = "\n{\"audit\":\"mint\",\"uid\":\"\(canary)\"}\n\u{1B}[2J"
            for name in ["client_id", "provider"] {
                let body: JSON = ["client_id": "my-app", "provider": "yahoo.com", "credential": ["type": "id_token"]]
                await context.fire(
                    .json("/v1/exchange", body.setting([name], to: .string(line))),
                    expecting: Expectation(statuses: [400, 401]))
            }
            let encoded = PercentEncoding.encode(line)
            await context.fire(.get("/authorize?client_id=\(encoded)&state=\(encoded)"), expecting: .page())
            await context.fire(.get("/callback/yahoo.com?error=\(encoded)&state=\(encoded)"), expecting: .page())
            await context.fire(.get("/\(encoded)"), expecting: .status(404))
            await context.fire(.get("/callback/\(encoded)"), expecting: .status(400, 404))
            var request = Request.json("/v1/nonce", ["client_id": "my-app", "provider": "yahoo.com"])
            for name in ["User-Agent", "Referer", "X-Forwarded-For", "X-Request-Id"] {
                request.fields.append((name, canary))
            }
            await context.fire(request, expecting: .status(200))
            let text = log.text(since: start)
            await context.expect(
                !text.contains(canary) && !text.contains("\u{1B}"), .leaked, "The log repeats what was sent.")
        },
        .attack(
            "LG-08", "The client sends its own request id of one kilobyte.", severity: .low,
            oracle: "The server generates its own id, so that a client cannot write to the log with it.",
            source: "CWE-117",
            needs: []
        ) { context in
            let canary = try await context.canary()
            for name in ["X-Request-Id", "X-Correlation-Id", "Traceparent"] {
                let reply = await context.fire(
                    Request.get("/v1/exchange").with(name, canary + String(repeating: "x", count: 1000)),
                    expecting: .methodNotAllowed)
                let id = reply.answer?.field("x-request-id") ?? ""
                await context.expect(id.utf8.count < 100, .echoed, "The request id is the client's.")
            }
        },
    )
}

extension AttackContext {
    /// Expects that the text contains no secret or canary that the attack has recorded.
    func expectSilence(_ text: String) async {
        for secret in await recorder.secrets.union(recorder.canaries) where text.contains(secret) {
            await found(.leaked, "The text contains a secret: \(secret.prefix(4))…")
        }
    }
}
