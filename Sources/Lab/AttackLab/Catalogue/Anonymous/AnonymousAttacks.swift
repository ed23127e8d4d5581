internal import Jansson

/// Attacks on `POST /v1/anonymous`, which needs no credential, and on its accounts.
enum AnonymousAttacks {
    private static let needs: Set<Need> = [.standIns, .accounts, .anonymous]

    private static func ask(_ context: AttackContext, _ further: [String: JSON] = [:]) -> Request {
        .json(
            "/v1/anonymous",
            .object(further.merging(["client_id": .string(context.lab.application.clientID)]) { first, _ in first }))
    }

    static let all = Section(.anonymous, .medium, needs: [.anonymous]).attacks(
        .attack(
            "AN-02a", "One address creates accounts without end and forges the header fields of a proxy.",
            oracle:
                """
                The server responds with 429 after the configured number in spite of the fields; it serves \
                other addresses.
                """,
            source: "CVE-2026-45364", needs: needs.union([.processes, .addresses])
        ) { context in
            try await context.withServer("anonymous") {
                $0.set("limits/anonymous_per_address", "10/min")
            } _: { server, _ in
                for _ in 0..<10 { try await context.honest(ask(context), at: server.wire) }
                let expectation = Expectation.rateLimited
                await context.fire(ask(context), expecting: expectation, at: server.wire)
                for name in ["X-Forwarded-For", "X-Real-IP", "Forwarded", "CF-Connecting-IP", "X-Client-IP"] {
                    let reply = await context.fire(
                        ask(context).with(name, name == "Forwarded" ? "for=198.51.100.7" : "198.51.100.7"),
                        expecting: expectation, at: server.wire)
                    await context.expect(
                        reply.answer?.field("retry-after") != nil, .wrongAnswer,
                        "The 429 response has no Retry-After field.")
                }
                let other = await server.wire.send(ask(context), from: "127.202.0.1")
                await context.expect(other.answer?.status == 200, .consumed, "The server limits another address, too.")
            }
        },
        .attack(
            "AN-02b", "Behind a trusted proxy, a client changes its address within one IPv6 /64.",
            oracle: "The server counts a /64 network as one address and responds with 429.", source: "CVE-2026-45364",
            needs: needs.union([.processes])
        ) { context in
            try await context.withServer("anonymous-2") { plan in
                plan.set("limits/anonymous_per_address", "10/min")
                plan.set("server/trusted_proxies", ["127.0.0.0/8"])
            } _: { server, _ in
                for host in 1...10 {
                    try await context.honest(
                        ask(context).with("X-Forwarded-For", "2001:db8:1:2:\(host)::1"), at: server.wire)
                }
                await context.fire(
                    ask(context).with("X-Forwarded-For", "2001:db8:1:2:ffff::1"),
                    expecting: .rateLimited,
                    at: server.wire)
                // The server must ignore entries that the client wrote before the proxy's entry.
                await context.fire(
                    ask(context).with("X-Forwarded-For", "203.0.113.1, 2001:db8:1:2:eeee::1"),
                    expecting: .rateLimited,
                    at: server.wire)
            }
        },
        .attack(
            "AN-03a", "The body asks for a uid, claims, a provider, a tenant or an e-mail address.",
            severity: .critical,
            oracle: "The server responds with 400 unknown_field.", source: "EX-11; BH-EU-16"
        ) { context in
            let members: [String: JSON] = [
                "uid": "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4", "claims": ["admin": true], "provider": "yahoo.com",
                "localId": "x", "sub": "x", "tenant_id": "tenant-1", "email": "alice@example.com", "expires_in": 86400,
            ]
            for (name, value) in members {
                await context.fire(ask(context, [name: value]), expecting: .malformed("unknown_field"))
            }
        },
        .attack(
            "AN-03b", "Fifty accounts are created concurrently, and their uids are compared.", severity: .high,
            oracle:
                """
                The uids differ, have at least 128 random bits each, and begin with a prefix that is reserved \
                for them.
                """,
            source: "CWE-330",
            needs: needs
        ) { context in
            let replies = await context.volley(
                [Request](repeating: ask(context), count: 50), winners: 50...50, losers: .status(200))
            let uids = replies.compactMap { $0.answer?["uid"] }
            await context.expect(
                Set(uids).count == 50, .raced, "\(Set(uids).count) different uids exist for 50 accounts.")
            for uid in uids {
                let random = uid.dropFirst("anonymous:".count)
                await context.expect(
                    uid.hasPrefix("anonymous:") && random.utf8.count >= 22
                        && random.utf8.allSatisfy {
                            Character(Unicode.Scalar($0)).isLetter
                                || Character(Unicode.Scalar($0)).isNumber
                        }, .minted,
                    "The uid \(uid) is not random text after its prefix.")
            }
        },
        .attack(
            "AN-04", "Requests of two applications carry the same idempotency key.",
            oracle: "Each request creates an account of its own; no request gets the response to another one.",
            source: "response mix-up",
            needs: needs
        ) { context in
            var uids: Set<String> = []
            for clientID in [context.lab.application.clientID, context.lab.application.otherClientID] {
                for name in ["Idempotency-Key", "X-Request-Id", "If-None-Match"] {
                    let request = Request.json("/v1/anonymous", ["client_id": .string(clientID)]).with(name, "\"same\"")
                    uids.insert(try await context.honest(request)["uid"] ?? "")
                }
            }
            await context.expect(uids.count == 6, .minted, "Two requests received the same account.")
        },
        .attack(
            "AN-08", "Accounts are requested with client ids that are not allowed, need App Check, or do not exist.",
            oracle: "The server responds with 403 anonymous_disabled, 403 app_check_required and 401 unknown_client.",
            source: "CWE-862",
            needs: [.standIns, .anonymous]
        ) { context in
            let cases: [(String, Expectation)] = [
                ("x-only", .denied("anonymous_disabled")), ("checked-app", .denied("app_check_required")),
                (
                    "unknown-client",
                    Expectation.unknownClient
                ),
                ("My-App", Expectation.unknownClient),
            ]
            for (clientID, expectation) in cases {
                await context.fire(
                    .json("/v1/anonymous", ["client_id": .string(clientID)]), expecting: expectation)
            }
        },
        .attack(
            "AN-09", "Accounts are requested by GET, by a form, and by bodies that are not a JSON object.",
            severity: .low,
            oracle: "The server responds with 405, 415 and 400, and creates no account.", source: "CVE-2021-41274"
        ) { context in
            await context.fire(
                .get("/v1/anonymous?client_id=" + context.lab.application.clientID),
                expecting: .methodNotAllowed)
            await context.fire(
                .form("/v1/anonymous", [("client_id", context.lab.application.clientID)]),
                expecting: .unsupportedMediaType)
            for text in [
                "", "[]", "null", "\"my-app\"", "{", "{}", "{\"client_id\":null}", "{\"client_id\":[]}",
                "{\"client_id\":\"my-app\",\"client_id\":\"other-app\"}", "{\"client_id\":\"my-app\"}{}",
            ] {
                await context.fire(
                    .json("/v1/anonymous", text: text),
                    expecting: .malformed("malformed_body", "missing_field", "duplicate_parameter"))
            }
        },
    )
}
