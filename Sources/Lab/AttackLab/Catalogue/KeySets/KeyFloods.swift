internal import Jansson

/// Tokens that try to make the server fetch key sets again and again.
enum KeyFloods {
    static let attacks: [Attack] = [
        Attack(
            "JW-01a", .keySets, .high, "Forty tokens with unknown key ids are posted sequentially.",
            oracle: "The server fetches the key set at most once, rejects each token, and still accepts known keys.",
            source: "go-oidc #482; fastapi-zitadel-auth #156; tilegroxy #883", reveals: [.keysFetchedAtWill]
        ) { context in
            let (nonce, verifier) = try await context.nonce()
            let mark = try await context.mark()
            for number in 0..<40 {
                var draft = try await context.draft(nonce: nonce)
                draft.header["kid"] = .text("unknown-\(number)")
                let token = try await draft.token(by: context.standIns)
                await context.fire(
                    context.exchange(idToken: token, nonce: verifier), expecting: .refused("unknown_key"))
            }
            try await context.expectFewFetches(since: mark)
        },
        Attack(
            "JW-01b", .keySets, .high, "Two hundred tokens with unknown key ids are posted concurrently.",
            oracle: "The server fetches the key set once for all, rejects each token, and still accepts known keys.",
            source: "go-oidc #482; libjwt #313", needs: [.standIns, .processes, .bulk]
        ) { context in
            try await context.withKeyRoom { room in
                var requests: [Request] = []
                let first = try await room.request { $0.header["kid"] = "unknown" }
                for _ in 0..<200 { requests.append(first) }
                let mark = try await context.mark()
                await context.volley(requests, winners: 0...0, losers: .refused("unknown_key"), at: [room.wire])
                try await context.expectFewFetches(since: mark)
                try await room.expectAccepted()
            }
        },
        flood("JW-02a", "is empty") { _ in [] },
        flood("JW-02b", "contains no usable key") { _ in
            [["kty": "oct", "kid": "x", "k": "c2VjcmV0"], ["kty": "EC", "crv": "P-521", "kid": "y"], .null, "x"]
        },
        Attack(
            "JW-12a", .keySets, .medium,
            "The key set's headers forbid caching: `max-age=0`, `no-store`, a past `Expires`.",
            oracle: "The server still caches it for five minutes: no further fetch in twenty sign-ins.",
            source: "RFC 9111 5.2.2; practice", needs: [.standIns, .processes]
        ) { context in
            let headers: [[String: JSON]] = [
                ["Cache-Control": "max-age=0"], ["Cache-Control": "no-store"],
                ["Expires": "Thu, 01 Jan 1970 00:00:00 GMT"],
            ]
            for header in headers {
                try await context.standIns.fault(["target": "yahoo.certs", "header": .object(header)])
                try await context.withKeyRoom { room in
                    let mark = try await context.mark()
                    for _ in 0..<7 { try await room.expectAccepted() }
                    try await context.expectCalls(["yahoo.certs": 0], since: mark)
                }
            }
        },
    ]

    private static func flood(
        _ id: String, _ what: String, _ keys: @escaping @Sendable (AttackContext) -> [JSON]
    ) -> Attack {
        Attack(
            id, .keySets, .high, "Forty tokens are posted while the provider's key set \(what).",
            oracle: "The cool-down starts with the attempt, also if it fails: at most one fetch.",
            source: "mobula #28", needs: [.standIns, .processes]
        ) { context in
            try await context.withKeyRoom(keys: keys(context)) { room in
                let mark = try await context.mark()
                let request = try await room.request()
                for _ in 0..<40 { await context.fire(request, expecting: .refused("unknown_key"), at: room.wire) }
                try await context.expectFewFetches(since: mark)
            }
        }
    }
}

extension AttackContext {
    fileprivate func expectFewFetches(since mark: Int64) async throws {
        let count = try await standIns.calls(since: mark)["yahoo.certs", default: 0]
        await expect(count <= 1, .sideEffect, "The key set was fetched \(count) times; at most once is correct.")
    }
}

/// Key sets that are too large, too slow or too deep.
enum KeyBombs {
    static let attacks: [Attack] = [
        bombs("JW-10a", "The key set is 600 KB of spaces, or a valid one after 300 KB of spaces.", oversized),
        bombs(
            "JW-11",
            "The key set contains 10,000 keys, 251 keys, an id of 200 KB, duplicate members, or arrays nested 200 deep.",
            crowded),
        Attack(
            "JW-10b", .keySets, .high, "The provider sends the key set byte by byte, one each second.",
            oracle: "The server ends the fetch after five seconds, and no other request waits.",
            source: "RFC 9110 9.2; slow loris",
            needs: [.standIns, .processes, .patience]
        ) { context in
            let evil = try OwnKey.p256("evil")
            try await context.withKeyRoom(providers: 2) { room in
                try await room.fault(["drip_ms": 1000])
                let request = try await room.request(0, key: evil)
                async let slow = context.fire(request, expecting: .keysUnusable, at: room.wire, within: .seconds(12))
                try await Task.sleep(for: .milliseconds(300))
                try await room.expectAccepted(0)
                try await room.expectAccepted(1)
                if let answer = await slow.answer {
                    await context.expect(
                        answer.duration < .seconds(8), .slow, "The server ended the fetch after \(answer.duration).")
                }
                try await room.expectAccepted(0)
            }
        },
    ]

    private static func bombs(
        _ id: String, _ sentence: String, _ orders: @escaping @Sendable (OwnKey) -> [[String: JSON]]
    ) -> Attack {
        Attack(
            id, .keySets, .high, sentence,
            oracle: "The server accepts at most 256 KiB and 50 keys, and keeps the keys that it has.",
            source: "RFC 8725 3.12; CVE-2025-61920; libcurl's limits", needs: [.standIns, .processes]
        ) { context in
            let evil = try OwnKey.p256("evil")
            let orders = orders(evil)
            try await context.withKeyRoom(providers: orders.count) { room in
                for (number, order) in orders.enumerated() {
                    try await room.fault(order)
                    try await room.fire(number, key: evil, expecting: .keysUnusable)
                    try await room.expectAccepted(number)
                }
            }
        }
    }

    private static func oversized(_ evil: OwnKey) -> [[String: JSON]] {
        let keySet = JSON.keySet([evil.jwk()]).text
        return [
            ["body": .string(String(repeating: " ", count: 6_000)), "body_repeat": 100],
            ["body": .string(keySet + String(repeating: " ", count: 300_000))],
        ]
    }

    private static func crowded(_ evil: OwnKey) -> [[String: JSON]] {
        let key = evil.jwk().text
        func set(_ keys: String) -> [String: JSON] { ["body": .string("{\"keys\":[\(keys)]}")] }
        let many = Array(repeating: "{\"kty\":\"x\"}", count: 10_000).joined(separator: ",")
        let some = Array(repeating: "{\"kty\":\"x\"}", count: 250).joined(separator: ",")
        return [
            set(key + "," + many), set(key + "," + some),
            set(key + ",{\"kid\":\"" + String(repeating: "k", count: 200_000) + "\",\"kid\":\"\"}"),
            set(key.replacing("{\"", with: "{\"kid\":\"other\",\"")),
            set(key + "," + String(repeating: "[", count: 200) + String(repeating: "]", count: 200)),
        ]
    }
}
