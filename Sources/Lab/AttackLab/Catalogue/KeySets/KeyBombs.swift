internal import Jansson

/// Key sets that are too large, too slow or too deep.
enum KeyBombs {
    static let attacks: [Attack] = [
        bombs("JW-10a", "The key set is 600 KB of spaces, or a good one behind 300 KB of them.", oversized),
        bombs(
            "JW-11", "The key set holds 10,000 keys, 51 keys, an id of 200 KB, members twice, or lists 200 deep.",
            crowded),
        Attack(
            "JW-10b", .keySets, .high, "The key set comes byte by byte, one each second.",
            oracle: "The fetch ends after five seconds, and no other request waits.",
            source: "RFC 9110 9.2; slow loris",
            needs: [.standIns, .processes, .patience]
        ) { strike in
            let evil = try OwnKey.p256("evil")
            try await strike.withKeyRoom(providers: 2) { room in
                try await room.fault(["drip_ms": 1000])
                let request = try await room.request(0, key: evil)
                async let slow = strike.fire(request, expecting: .keysUnusable, at: room.wire, within: .seconds(12))
                try await Task.sleep(for: .milliseconds(300))
                try await room.expectAccepted(0)
                try await room.expectAccepted(1)
                if let answer = await slow.answer {
                    await strike.expect(
                        answer.duration < .seconds(8), .slow, "It was given up after \(answer.duration).")
                }
                try await room.expectAccepted(0)
            }
        },
    ]

    private static func bombs(
        _ id: String, _ sentence: String, _ orders: @escaping @Sendable (OwnKey) -> [[String: JSON]]
    ) -> Attack {
        Attack(
            id, .keySets, .high, sentence, oracle: "No more than 256 KiB and 50 keys are read; the keys at hand stay.",
            source: "RFC 8725 3.12; CVE-2025-61920; libcurl's limits", needs: [.standIns, .processes]
        ) { strike in
            let evil = try OwnKey.p256("evil")
            let orders = orders(evil)
            try await strike.withKeyRoom(providers: orders.count) { room in
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
        let some = Array(repeating: "{\"kty\":\"x\"}", count: 50).joined(separator: ",")
        return [
            set(key + "," + many), set(key + "," + some),
            set(key + ",{\"kid\":\"" + String(repeating: "k", count: 200_000) + "\",\"kid\":\"\"}"),
            set(key.replacing("{\"", with: "{\"kid\":\"other\",\"")),
            set(key + "," + String(repeating: "[", count: 200) + String(repeating: "]", count: 200)),
        ]
    }
}
