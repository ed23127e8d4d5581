internal import Jansson

extension Catalogue {
    static let exchangeClients = Section(.tokenExchange, .high, needs: [.standIns, .tokenExchange]).attacks(
        .attack(
            "TX-11a", "A public client sends a secret in the header field, in the form, and in both.",
            oracle:
                "The server refuses the request: accepting a secret would imply that it was verified.",
            source: "RFC 6749 2.3, 5.2"
        ) { context in
            let (token, verifier) = try await context.subject()
            let good = context.tokenExchange(token, nonce: verifier)
            let basic = "Basic bXktYXBwOnNlY3JldC0wMDAwMDE="
            let expected = Expectation(statuses: [400, 401], errors: ["invalid_client", "invalid_request"])
            for field in [basic, "Basic !!!", "Digest x", ""] where !field.isEmpty {
                await context.fire(good.with("Authorization", field), expecting: expected)
            }
            let inForm = context.tokenExchange(token, nonce: verifier) { $0.set("client_secret", "secret-000001") }
            await context.fire(inForm, expecting: expected)
            await context.fire(inForm.with("Authorization", basic), expecting: expected)
            let assertion = context.tokenExchange(token, nonce: verifier) {
                $0.set("client_assertion", "e30.e30.AA")
                $0.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            }
            await context.fire(assertion, expecting: expected)
            try await context.mustStillWork(good)
        },
        .attack(
            "TX-11b", "The client id is missing, unknown, or differently encoded.",
            oracle: "The server responds with missing_field, or 401 invalid_client; the token stays valid.",
            source: "RFC 6749 3.2.1, 5.2"
        ) { context in
            let (token, verifier) = try await context.subject()
            for clientID in [nil, ""] {
                await context.fire(
                    context.tokenExchange(token, nonce: verifier) { $0.set("client_id", clientID) },
                    expecting: .malformed("missing_field"))
            }
            for clientID in ["unknown-client", "MY-APP", "my-app ", "my-app/../other-app", "*"] {
                await context.fire(
                    context.tokenExchange(token, nonce: verifier) { $0.set("client_id", clientID) },
                    expecting: .unknownClient)
            }
            try await context.mustStillWork(context.tokenExchange(token, nonce: verifier))
        },
        .attack(
            "TX-11c", "A client exchanges a token whose nonce another client obtained.", severity: .critical,
            oracle: "The server responds with nonce_mismatch: a nonce belongs to one client; the token stays valid.",
            source: "RFC 8693 5"
        ) { context in
            let (token, verifier) = try await context.subject()
            await context.fire(
                context.tokenExchange(token, nonce: verifier) {
                    $0.set("client_id", context.lab.application.otherClientID)
                }, expecting: .badSubject(["nonce_mismatch"]))
            try await context.mustStillWork(context.tokenExchange(token, nonce: verifier))
        },
        .attack(
            "TX-16", "A client uses the grant although its configuration does not list it.",
            oracle: "The server responds with 400 unauthorized_client; the token stays valid.", source: "RFC 6749 5.2",
            needs: [.standIns, .tokenExchange, .processes]
        ) { context in
            let (token, verifier) = try await context.subject()
            let request = context.tokenExchange(token, nonce: verifier)
            var plan = ServerPlan("no-grant-\(context.attack.id)")
            plan.sharesStore = true
            plan.set("clients/my-app/grants", ["authorization_code"])
            try await context.withServer(plan) { server in
                await context.fire(
                    request, expecting: .refused("unauthorized_client", error: "unauthorized_client"), at: server.wire)
            }
            try await context.mustStillWork(request)
        },
        .attack(
            "TX-12", "A token of a user whom an administrator has disabled is exchanged.", severity: .critical,
            oracle: "The server responds with 400, user_disabled: every endpoint checks the directory.",
            source: "CVE-2025-53942",
            needs: [.standIns, .tokenExchange, .processes]
        ) { context in
            var plan = ServerPlan("directory-\(context.attack.id)")
            plan.set("firebase/directory", "firebase")
            try await context.withServer(plan) { server in
                func subject() async throws -> Request {
                    let (nonce, verifier) = try await context.nonce(at: server.wire)
                    let token = try await context.issued(
                        ["provider": "yahoo.com", "user": "carol", "nonce": .string(nonce)], "id_token")
                    return context.tokenExchange(token, nonce: verifier)
                }
                let uid = try await context.honest(try await subject(), at: server.wire)["uid"] ?? ""
                try await context.changeUser(uid, ["disabled": true])
                await context.fire(
                    try await subject(), expecting: Expectation(statuses: [400], reasons: ["user_disabled"]),
                    at: server.wire)
                try await context.changeUser(uid, ["disabled": false])
                try await context.honest(try await subject(), at: server.wire)
            }
        },
    )
}

extension Catalogue {
    static let exchangeAnswers: [Attack] =
        asked.map { letter, name, value, reveals in
            Attack(
                "TX-09" + letter, .tokenExchange, .critical,
                "The attacker exchanges a token of their own with `\(name)=\(value)`.",
                oracle: "The server ignores the parameter: the token is for the attacker, without the requested claim.",
                source: "Keycloak token exchange; BH-EU-16", needs: [.standIns, .tokenExchange], reveals: reveals
            ) { context in
                let own = try await context.uid(ofPerson: "mallory")
                let (token, verifier) = try await context.subject(user: "mallory")
                let answer = try await context.honest(
                    context.tokenExchange(token, nonce: verifier) { $0.set(name, value) })
                await context.expect(
                    answer["uid"] == own && answer["provider_uid"] == "MALLORYJNWVNQD4GXZ5NGMZUS4", .minted,
                    "The token is for \(answer["uid"] ?? "no user").")
                let claims = context.claims(of: answer["access_token"] ?? "")
                await context.expect(
                    claims?["uid"]?.string == answer["uid"] && claims?["claims"]?["admin"] == nil, .minted,
                    "The token contains the requested value.")
            }
        } + [
            Attack(
                "TX-15", .tokenExchange, .medium, "The members and headers of a response are read.",
                oracle: "The response has type jwt, N_A, at most one hour, no-store, and no other token.",
                source: "RFC 8693 2.2.1; RFC 6749 5.1", needs: [.standIns, .tokenExchange],
                reveals: [.bareHeaders, .longLivedToken]
            ) { context in
                let (token, verifier) = try await context.subject()
                let answer = try await context.honest(context.tokenExchange(token, nonce: verifier))
                await context.expect(
                    answer["issued_token_type"] == AttackContext.jwtType && answer["token_type"] == "N_A", .wrongAnswer,
                    "The response does not state the types of its token.")
                await context.expect(
                    (1...3600).contains(answer.json?["expires_in"]?.integer ?? 0), .wrongAnswer,
                    "The token is valid for more than an hour.")
                let cache = answer.field("cache-control") ?? ""
                await context.expect(cache.contains("no-store"), .unprotected, "The response may be cached: \(cache)")
                await context.expect(
                    answer["custom_token"] == nil && answer["refresh_token"] == nil && answer["scope"] == nil,
                    .wrongAnswer, "The response contains more members than the grant defines.")
                let claims = context.claims(of: answer["access_token"] ?? "")
                let lifetime = (claims?["exp"]?.integer ?? 0) - (claims?["iat"]?.integer ?? 0)
                await context.expect((1...3600).contains(lifetime), .wrongAnswer, "`exp` is \(lifetime) s after `iat`.")
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

extension AttackContext {
    /// Returns the claims of a token without verification.
    func claims(of token: String) -> JSON? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64.urlDecode(parts[1]) else { return nil }
        return try? JSON.parse(bytes, maximumBytes: 1 << 16)
    }
}
