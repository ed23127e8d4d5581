internal import Jansson

/// Changes of key sets: correct rotations and harmful ones.
enum KeyRotations {
    static let attacks = Section(.keySets, .high, needs: [.standIns, .processes]).attacks(
        .attack(
            "JW-03", "A token is posted whose key the provider rotated immediately before.", severity: .medium,
            oracle: "The server fetches the key set once more and accepts the token.",
            source: "OIDF signing-key-rotation-just-before-signing"
        ) { context in
            let (old, new) = (try OwnKey.p256("old"), try OwnKey.p256("new"))
            try await context.withKeyRoom(keys: [old.jwk()]) { room in
                try await room.expectAccepted(key: old)
                try await room.serve([old.jwk(), new.jwk()])
                let mark = try await context.mark()
                try await room.expectAccepted(key: new)
                try await room.expectAccepted(key: new)
                try await room.expectAccepted(key: old)
                try await context.expectCalls(["yahoo.certs": 1], since: mark)
            }
        },
        .attack(
            "JW-04", "The provider replaces its key between two sign-ins and removes the old one.",
            oracle: "The server accepts the new key, and rejects the old one after it fetched the new set.",
            source: "OIDF signing-key-rotation"
        ) { context in
            let (old, new) = (try OwnKey.p256("old"), try OwnKey.rsa("new"))
            try await context.withKeyRoom(keys: [old.jwk()]) { room in
                try await room.expectAccepted(key: old)
                try await room.serve([new.jwk()])
                try await room.expectAccepted(key: new)
                try await room.fire(key: old, expecting: .refused("unknown_key"))
            }
        },
        .attack(
            "JW-05", "The provider responds to a refresh of the key set with garbage, errors, and an incomplete set.",
            oracle: "The server keeps the keys that it has and takes no key from the garbage.",
            source: "fail safe; RFC 7517 5"
        ) { context in
            let evil = try OwnKey.p256("evil")
            try await context.withKeyRoom(providers: garbage(evil).count) { room in
                for (number, fault) in garbage(evil).enumerated() {
                    try await room.fault(fault)
                    try await room.fire(number, key: evil, expecting: .keysUnusable)
                    try await room.expectAccepted(number)
                }
            }
        },
        .attack(
            "JW-14", "A captive portal responds in place of the key set, with the attacker's key in its page.",
            severity: .critical, oracle: "The server keeps the keys that it has.", source: "fail safe"
        ) { context in
            let evil = try OwnKey.p256("evil")
            let page = "<html><script>var keys = \(JSON.keySet([evil.jwk()]).text)</script></html>"
            try await context.withKeyRoom { room in
                try await room.expectAccepted()
                try await room.fault(["body": .string(page), "header": ["Content-Type": "text/html"]])
                for _ in 0..<3 { try await room.fire(key: evil, expecting: .keysUnusable) }
                try await room.expectAccepted()
            }
        },
        .attack(
            "JW-08",
            "Requests for the key set are redirected to the attacker's host, to a file, and to local services.",
            severity: .critical, oracle: "The server follows no redirect and keeps the keys that it has.",
            source: "CVE-2026-58418; CVE-2026-54603"
        ) { context in
            let evil = try OwnKey.p256("evil")
            let hostile = try context.standIns.addresses.hostile
            try await context.standIns.hostileAnswer("/jwks", body: JSON.keySet([evil.jwk()]).text)
            let places = [
                hostile + "/jwks", "//" + hostile.dropFirst(7) + "/jwks", "file:///etc/passwd",
                "http://169.254.169.254/latest/meta-data", "gopher://127.0.0.1:6379/_INFO",
            ]
            let orders = places.enumerated().map { (number: Int, place: String) -> [String: JSON] in
                ["status": .integer([302, 301, 307, 308, 303][number]), "header": ["Location": .string(place)]]
            }
            try await context.withKeyRoom(providers: orders.count) { room in
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
            ["body": .string(keySet), "cut_after_bytes": 40],
            ["body": .string("[" + keySet + "]")], ["body": "{\"keys\":{}}"], ["body": "{\"keys\":null}"],
            ["body": .string(keySet + keySet)], ["body": ""], ["drop": true],
            ["body": .string(keySet.replacing("{\"keys\"", with: "{\"keys\":[],\"keys\""))],
            ["status": 203, "body": .string(keySet)],
        ]
    }
}
