internal import Jansson

/// Changed metadata of a provider that is found by discovery.
enum Metadata {
    static let attacks: [Attack] = [
        changed("JW-09a", "names another issuer", "OIDF discovery-issuer-mismatch; OIDC Discovery 4.3") {
            yahoo, hostile in
            [
                ["set": ["issuer": .string(hostile)]], ["set": ["issuer": .string(yahoo + "/")]],
                ["remove": ["issuer"]],
                ["set": ["issuer": .array([.string(yahoo)])]], ["set": ["issuer": .string(yahoo.uppercased())]],
                ["set": ["issuer": .null]],
            ]
        },
        changed("JW-09b", "names a `jwks_uri` at the attacker's host", "PROF Malicious Endpoint; Supabase #2326") {
            yahoo, hostile in
            let userinfo = yahoo.dropFirst(7)
            return [
                ["set": ["jwks_uri": .string(hostile + "/jwks")]], ["set": ["jwks_uri": "file:///etc/passwd"]],
                ["set": ["jwks_uri": "http://169.254.169.254/"]], ["remove": ["jwks_uri"]],
                ["set": ["jwks_uri": .string("http://\(userinfo)@\(hostile.dropFirst(7))/jwks")]],
                ["set": ["jwks_uri": .string(yahoo + ".evil.example/jwks")]],
                ["set": ["jwks_uri": .string("/openid/v1/certs")]],
            ]
        },
        changed("JW-09c", "is not a valid metadata document", "OIDC Discovery 4.2") { _, hostile in
            [
                ["body": "<html></html>"], ["body": "[]"], ["status": 500, "body": "{}"], ["body": "{}"],
                ["status": 302, "header": ["Location": .string(hostile + "/.well-known/openid-configuration")]],
                ["body": .string(String(repeating: " ", count: 6_000)), "body_repeat": 100],
            ]
        },
        Attack(
            "JW-09d", .keySets, .critical,
            "The metadata of a provider names token and userinfo endpoints at the attacker's host.",
            oracle: "The server sends no code, secret or token to that host.",
            source: "PROF Malicious Endpoint; RFC 9700 4.4",
            needs: [.standIns, .processes, .discovery]
        ) { context in
            let hostile = try context.standIns.addresses.hostile
            let changes: [[String: JSON]] = [
                ["token_endpoint": .string(hostile + "/token")], ["userinfo_endpoint": .string(hostile + "/userinfo")],
            ]
            try await context.withKeyRoom(providers: changes.count, discovers: true) { room in
                for (number, change) in changes.enumerated() {
                    try await room.fault(["set": .object(change)], at: "yahoo.discovery")
                    let code = try await context.yahooCode(provider: KeyRoom.provider(number))
                    // The profile is optional: the sign-in succeeds without it.
                    let reply = await room.wire.send(context.exchange(code), within: .seconds(10))
                    await context.expect(
                        number == 1 || reply.answer?.status == 502, .wrongAnswer,
                        "A foreign token endpoint in the metadata led to status \(reply.answer?.status ?? 0)."
                    )
                }
            }
        },
    ]

    private static func changed(
        _ id: String, _ what: String, _ source: String,
        _ orders: @escaping @Sendable (String, String) -> [[String: JSON]]
    ) -> Attack {
        Attack(
            id, .keySets, .critical, "The metadata of a provider \(what).",
            oracle:
                "The server responds with 502 if issuer or hosts are not as configured, and calls none of them.",
            source: source, needs: [.standIns, .processes, .discovery]
        ) { context in
            let standIns = try context.standIns
            let evil = try OwnKey.p256("evil")
            try await standIns.hostileAnswer("/jwks", body: JSON.keySet([evil.jwk()]).text)
            let orders = orders(standIns.addresses.yahoo, standIns.addresses.hostile)
            try await context.withKeyRoom(providers: orders.count, discovers: true) { room in
                for (number, order) in orders.enumerated() {
                    try await room.fault(order, at: "yahoo.discovery")
                    let mark = try await context.mark()
                    try await room.fire(
                        number,
                        expecting: .unusable("provider_error", "provider_response_invalid", "provider_unreachable"))
                    try await room.fire(number, key: evil, expecting: .keysUnusable)
                    try await context.expectCalls(["yahoo.certs": 0], since: mark)
                }
            }
        }
    }
}
