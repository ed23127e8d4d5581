internal import Jansson

extension Catalogue {
    static let exchangeAnswers: [Attack] =
        asked.map { letter, name, value, reveals in
            Attack(
                "TX-09" + letter, .tokenExchange, .critical,
                "The attacker exchanges a token of their own with `\(name)=\(value)`.",
                oracle: "Ignored: the token minted is the attacker's own, without a claim that was asked for.",
                source: "Keycloak token exchange; BH-EU-16", needs: [.standIns, .tokenExchange], reveals: reveals
            ) { strike in
                let own = try await strike.uid(ofPerson: "mallory")
                let (token, verifier) = try await strike.subject(user: "mallory")
                let answer = try await strike.honest(
                    strike.tokenExchange(token, nonce: verifier) { $0.set(name, value) })
                await strike.expect(
                    answer["uid"] == own && answer["provider_uid"] == "MALLORYJNWVNQD4GXZ5NGMZUS4", .minted,
                    "The token is for \(answer["uid"] ?? "no person").")
                let claims = strike.claims(of: answer["access_token"] ?? "")
                await strike.expect(
                    claims?["uid"]?.string == answer["uid"] && claims?["claims"]?["admin"] == nil, .minted,
                    "The token holds what was asked for.")
            }
        } + [
            Attack(
                "TX-15", .tokenExchange, .medium, "The answer is read.",
                oracle: "jwt, N_A, an hour at most, no-store, and no token of another kind.",
                source: "RFC 8693 2.2.1; RFC 6749 5.1", needs: [.standIns, .tokenExchange],
                reveals: [.bareHeaders, .longLivedToken]
            ) { strike in
                let (token, verifier) = try await strike.subject()
                let answer = try await strike.honest(strike.tokenExchange(token, nonce: verifier))
                await strike.expect(
                    answer["issued_token_type"] == Strike.jwtType && answer["token_type"] == "N_A", .wrongAnswer,
                    "The answer does not say what it holds.")
                await strike.expect(
                    (1...3600).contains(answer.json?["expires_in"]?.integer ?? 0), .wrongAnswer,
                    "The token is good for more than an hour.")
                let cache = answer.field("cache-control") ?? ""
                await strike.expect(cache.contains("no-store"), .unprotected, "The answer may be cached: \(cache)")
                await strike.expect(
                    answer["custom_token"] == nil && answer["refresh_token"] == nil && answer["scope"] == nil,
                    .wrongAnswer, "The answer holds more than the grant gives.")
                let claims = strike.claims(of: answer["access_token"] ?? "")
                let lifetime = (claims?["exp"]?.integer ?? 0) - (claims?["iat"]?.integer ?? 0)
                await strike.expect((1...3600).contains(lifetime), .wrongAnswer, "`exp` is \(lifetime) s after `iat`.")
            }
        ]

    private static let asked: [(letter: String, name: String, value: String, reveals: Set<Mistake>)] = [
        ("a", "scope", "admin", []), ("b", "claims", "{\"admin\":true}", []),
        ("c", "requested_subject", "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4", []),
        ("d", "uid", "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4", [.uidFromBody]),
        ("e", "sub", "ALICEWJNWVNQD4GXZ5NGMZUST4", []), ("f", "on_behalf_of", "alice", []),
        ("g", "user_id", "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4", []), ("h", "act", "{\"sub\":\"alice\"}", []),
        ("i", "access_token", "an-access-token", []), ("j", "requested_issuer", "twitter.com", []),
    ]
}

extension Strike {
    /// What a token says, believed as it stands.
    func claims(of token: String) -> JSON? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64.urlDecode(parts[1]) else { return nil }
        return try? JSON.parse(bytes, maximumBytes: 1 << 16)
    }
}
