internal import Jansson

/// Key sets that change, as they should and as they should not.
enum KeyRotations {
    static let attacks = Section(.keySets, .high, needs: [.standIns, .processes]).attacks(
        .attack(
            "JW-03", "The provider's key is rotated just before it signs.", severity: .medium,
            oracle: "One fetch more, and the token is accepted.",
            source: "OIDF signing-key-rotation-just-before-signing"
        ) { strike in
            let (old, new) = (try OwnKey.p256("old"), try OwnKey.p256("new"))
            try await strike.withKeyRoom(keys: [old.jwk()]) { room in
                try await room.expectAccepted(key: old)
                try await room.serve([old.jwk(), new.jwk()])
                let mark = try await strike.mark()
                try await room.expectAccepted(key: new)
                try await room.expectAccepted(key: new)
                try await room.expectAccepted(key: old)
                try await strike.expectCalls(["yahoo.certs": 1], since: mark)
            }
        },
        .attack(
            "JW-04", "The provider's key is rotated between two sign-ins, and the old one taken away.",
            oracle: "The new one is accepted; the old one no longer, once the new set was read.",
            source: "OIDF signing-key-rotation"
        ) { strike in
            let (old, new) = (try OwnKey.p256("old"), try OwnKey.rsa("new"))
            try await strike.withKeyRoom(keys: [old.jwk()]) { room in
                try await room.expectAccepted(key: old)
                try await room.serve([new.jwk()])
                try await room.expectAccepted(key: new)
                try await room.fire(key: old, expecting: .refused("unknown_key"))
            }
        },
        .attack(
            "JW-05", "Fetching the key set anew comes to garbage, errors, and half a set.",
            oracle: "The keys at hand stay; nothing of the garbage is a key.", source: "fail safe; RFC 7517 5"
        ) { strike in
            let evil = try OwnKey.p256("evil")
            try await strike.withKeyRoom(providers: garbage(evil).count) { room in
                for (number, fault) in garbage(evil).enumerated() {
                    try await room.fault(fault)
                    try await room.fire(number, key: evil, expecting: .keysUnusable)
                    try await room.expectAccepted(number)
                }
            }
        },
        .attack(
            "JW-14", "A captive portal answers in the key set's place, with a key of the attacker's in its page.",
            severity: .critical, oracle: "The keys at hand stay.", source: "fail safe"
        ) { strike in
            let evil = try OwnKey.p256("evil")
            let page = "<html><script>var keys = \(JSON.keySet([evil.jwk()]).text)</script></html>"
            try await strike.withKeyRoom { room in
                try await room.expectAccepted()
                try await room.fault(["body": .string(page), "header": ["Content-Type": "text/html"]])
                for _ in 0..<3 { try await room.fire(key: evil, expecting: .keysUnusable) }
                try await room.expectAccepted()
            }
        },
        .attack(
            "JW-08",
            "The key set is answered by redirects: to the attacker's, to a file, to the machine's own services.",
            severity: .critical, oracle: "No redirect is followed; the keys at hand stay.",
            source: "CVE-2026-58418; CVE-2026-54603"
        ) { strike in
            let evil = try OwnKey.p256("evil")
            let hostile = try strike.standIns.addresses.hostile
            try await strike.standIns.hostileAnswer("/jwks", body: JSON.keySet([evil.jwk()]).text)
            let places = [
                hostile + "/jwks", "//" + hostile.dropFirst(7) + "/jwks", "file:///etc/passwd",
                "http://169.254.169.254/latest/meta-data", "gopher://127.0.0.1:6379/_INFO",
            ]
            let orders = places.enumerated().map { (number: Int, place: String) -> [String: JSON] in
                ["status": .integer([302, 301, 307, 308, 303][number]), "header": ["Location": .string(place)]]
            }
            try await strike.withKeyRoom(providers: orders.count) { room in
                for (number, order) in orders.enumerated() {
                    try await room.fault(order.merging(["body": .string(JSON.keySet([evil.jwk()]).text)]) { $1 })
                    try await room.fire(number, key: evil, expecting: .keysUnusable)
                    try await room.expectAccepted(number)
                }
            }
        },
    )

    private static func garbage(_ evil: OwnKey) -> [[String: JSON]] {
        let keySet = JSON.keySet([evil.jwk()]).text
        return [
            ["body": "<html>Sorry</html>", "header": ["Content-Type": "text/html"]], ["body": "null"], ["body": "[]"],
            ["status": 500, "body": .string(keySet)], ["status": 404, "body": .string(keySet)],
            ["body": .string(keySet), "cut_after_bytes": 40], ["body": .string("\u{FEFF}" + keySet)],
            ["body": .string("[" + keySet + "]")], ["body": "{\"keys\":{}}"], ["body": "{\"keys\":null}"],
            ["body": .string(keySet + keySet)], ["body": ""], ["drop": true],
            ["body": .string(keySet.replacing("{\"keys\"", with: "{\"keys\":[],\"keys\""))],
            ["status": 203, "body": .string(keySet)],
        ]
    }
}
