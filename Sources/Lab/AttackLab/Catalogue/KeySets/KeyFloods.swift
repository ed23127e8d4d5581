internal import Jansson

/// Tokens that would make the server fetch key sets all the time.
enum KeyFloods {
    static let attacks: [Attack] = [
        Attack(
            "JW-01a", .keySets, .high, "Forty tokens with unknown key ids are posted one after the other.",
            oracle: "The key set is fetched at most once; each token is refused, and known keys go on.",
            source: "go-oidc #482; fastapi-zitadel-auth #156; tilegroxy #883", reveals: [.keysFetchedAtWill]
        ) { strike in
            let (nonce, verifier) = try await strike.nonce()
            let mark = try await strike.mark()
            for number in 0..<40 {
                var draft = try await strike.draft(nonce: nonce)
                draft.header["kid"] = .text("unknown-\(number)")
                let token = try await draft.token(by: strike.standIns)
                await strike.fire(strike.exchange(idToken: token, nonce: verifier), expecting: .refused("unknown_key"))
            }
            try await strike.expectFewFetches(since: mark)
        },
        Attack(
            "JW-01b", .keySets, .high, "Two hundred tokens with unknown key ids are posted at once.",
            oracle: "The key set is fetched once for all; each token is refused, and known keys go on.",
            source: "go-oidc #482; libjwt #313", needs: [.standIns, .processes, .bulk]
        ) { strike in
            try await strike.withKeyRoom { room in
                var requests: [Request] = []
                let first = try await room.request { $0.header["kid"] = "unknown" }
                for _ in 0..<200 { requests.append(first) }
                let mark = try await strike.mark()
                await strike.volley(requests, winners: 0...0, losers: .refused("unknown_key"), at: [room.wire])
                try await strike.expectFewFetches(since: mark)
                try await room.expectAccepted()
            }
        },
        flood("JW-02a", "is empty") { _ in [] },
        flood("JW-02b", "holds nothing that can be used") { _ in
            [["kty": "oct", "kid": "x", "k": "c2VjcmV0"], ["kty": "EC", "crv": "P-521", "kid": "y"], .null, "x"]
        },
        Attack(
            "JW-12a", .keySets, .medium,
            "The key set says that it may not be kept: `max-age=0`, `no-store`, a past `Expires`.",
            oracle: "It is kept for five minutes all the same: twenty sign-ins, no further fetch.",
            source: "RFC 9111 5.2.2; practice", needs: [.standIns, .processes]
        ) { strike in
            let headers: [[String: JSON]] = [
                ["Cache-Control": "max-age=0"], ["Cache-Control": "no-store"],
                ["Expires": "Thu, 01 Jan 1970 00:00:00 GMT"],
            ]
            for header in headers {
                try await strike.standIns.fault(["target": "yahoo.certs", "header": .object(header)])
                try await strike.withKeyRoom { room in
                    let mark = try await strike.mark()
                    for _ in 0..<7 { try await room.expectAccepted() }
                    try await strike.expectCalls(["yahoo.certs": 0], since: mark)
                }
            }
        },
    ]

    private static func flood(
        _ id: String, _ what: String, _ keys: @escaping @Sendable (Strike) -> [JSON]
    ) -> Attack {
        Attack(
            id, .keySets, .high, "Forty tokens are posted while the provider's key set \(what).",
            oracle: "The cool-down counts from the attempt, whatever came of it: at most one fetch.",
            source: "mobula #28", needs: [.standIns, .processes]
        ) { strike in
            try await strike.withKeyRoom(keys: keys(strike)) { room in
                let mark = try await strike.mark()
                let request = try await room.request()
                for _ in 0..<40 { await strike.fire(request, expecting: .refused("unknown_key"), at: room.wire) }
                try await strike.expectFewFetches(since: mark)
            }
        }
    }
}

extension Strike {
    fileprivate func expectFewFetches(since mark: Int64) async throws {
        let count = try await standIns.calls(since: mark)["yahoo.certs", default: 0]
        await expect(count <= 1, .sideEffect, "The key set was fetched \(count) times, where one is right.")
    }
}
