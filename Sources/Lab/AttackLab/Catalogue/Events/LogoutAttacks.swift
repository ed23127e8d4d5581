internal import Jansson

/// Logout tokens that a provider did not send, or not to this server, or not for this.
enum LogoutAttacks {
    static let all: [Attack] = [modules, tokens, replays, doors].flatMap(\.self)

    private static let needs: Set<Need> = [.standIns, .providerEvents]
    private static let logout = "OIDC Back-Channel Logout 1.0"
    private static let refuses = "The server refuses the token, and no session ends."

    /// A logout token with one defect, and the reasons of its refusal.
    private struct Defect: Sendable {
        let what: String
        let reasons: Set<String>
        let change: Forgery.Change

        init(_ what: String, _ reasons: Set<String>, _ change: @escaping Forgery.Change) {
            (self.what, self.reasons, self.change) = (what, reasons, change)
        }

        var expectation: Expectation {
            Expectation(statuses: [400], errors: ["invalid_grant", "invalid_request"], reasons: reasons)
        }
    }

    private static func fire(_ context: AttackContext, _ defects: [Defect]) async throws {
        let victim = try await context.signedIn()
        for defect in defects {
            let token = try await context.logoutToken(of: victim.subject) { try await defect.change(&$0, context) }
            try await context.fire(context.logout(token), expecting: defect.expectation, keeps: victim)
        }
        // The server refused them for their defects only.
        let token = try await context.logoutToken(of: victim.subject)
        try await context.expectEnd(of: victim, by: context.logout(token))
    }

    // MARK: - The modules of the conformance suite

    private static let module = ConformanceModule(prefix: "OIDC-")

    private static let modules: [Attack] =
        [
            module.attack(
                "rp-backchannel-rpinitlogout", .low, "The provider posts a valid logout token.",
                oracle: "The server accepts the token, and the sessions of the person end.", needs: needs
            ) { try await fire($0, []) }
        ]
        + [
            (
                "alg-none",
                Defect("without a signature", ["malformed_token", "algorithm_not_allowed"]) { draft, _ in
                    draft.header["alg"] = "none"
                    draft.key = .none
                }
            ),
            (
                "wrong-alg",
                Defect("with HS256", ["algorithm_not_allowed"]) { draft, _ in
                    draft.header["alg"] = "HS256"
                    draft.key = .custom { _ in [UInt8](repeating: 1, count: 32) }
                }
            ),
            (
                "wrong-aud",
                Defect("for another client", ["audience_mismatch"]) { draft, context in
                    draft.claims["aud"] = .text(try await context.otherAudience)
                }
            ),
            (
                "wrong-iss",
                Defect("of another issuer", ["issuer_mismatch"]) { draft, context in
                    draft.claims["iss"] = .text(try context.standIns.addresses.hostile)
                }
            ),
            (
                "wrong-event",
                Defect("with another event", ["malformed_token"]) { draft, _ in
                    draft.claims["events"] = AttackContext.event(AttackContext.sessionRevoked)
                }
            ),
            ("no-event", Defect("without an event", ["malformed_token"]) { draft, _ in draft.claims["events"] = nil }),
            ("with-nonce", Defect("with a nonce", ["malformed_token"]) { draft, _ in draft.claims["nonce"] = "n" }),
        ].map { name, defect in
            module.attack(
                "rp-backchannel-rpinitlogout-" + name, .medium, "A logout token \(defect.what) is posted.",
                oracle: refuses, needs: needs
            ) { try await fire($0, [defect]) }
        }

    // MARK: - Tokens

    private static let tokens = Section(.events, .medium, needs: needs).attacks(
        .attack(
            "EV-01", "Logout tokens are signed by keys that are not the provider's.", oracle: refuses, source: logout
        ) {
            try await fire(
                $0,
                [
                    Defect("", ["signature_invalid"]) { draft, _ in draft.key = .foreign },
                    Defect("", ["unknown_key"]) { draft, _ in
                        draft.key = .foreign
                        draft.header["kid"] = "another"
                    },
                    Defect("", ["signature_invalid"]) { draft, _ in
                        draft.key = .custom { _ in [UInt8](repeating: 0, count: 64) }
                    },
                    Defect("", ["malformed_token"]) { draft, _ in draft.header["crit"] = ["exp"] },
                ])
        },
        .attack(
            "EV-02", "Logout tokens have the type of another kind of token.", oracle: refuses,
            source: "RFC 8725 3.11; \(logout) 2.4"
        ) {
            let types: [Forged] = ["at+jwt", "secevent+jwt", "dpop+jwt", "application/at+jwt", "", 1]
            try await fire(
                $0, types.map { type in Defect("", ["malformed_token"]) { draft, _ in draft.header["typ"] = type } })
        },
        .attack(
            "EV-03", "Logout tokens have wrong times, no time, or no id.", oracle: refuses, source: "\(logout) 2.6 (4)"
        ) { context in
            let now = context.lab.now
            func setting(_ claim: String, _ value: Forged?, _ reasons: Set<String>) -> Defect {
                Defect("", reasons) { draft, _ in draft.claims[claim] = value }
            }
            try await fire(
                context,
                [
                    setting("exp", nil, ["malformed_token"]), setting("exp", .number(now - 3600), ["expired"]),
                    setting("exp", .number(now + 10_000_000), ["lifetime_too_long"]),
                    setting("exp", .number(now * 1000), ["lifetime_too_long"]),
                    setting("exp", .text(String(now + 60)), ["malformed_token"]),
                    setting("iat", nil, ["malformed_token"]), setting("iat", .number(now + 3600), ["not_yet_valid"]),
                    setting("iat", .number(now - 7200), ["too_old"]),
                    setting("nbf", .number(now + 3600), ["not_yet_valid"]),
                    setting("jti", nil, ["malformed_token"]), setting("jti", "", ["malformed_token"]),
                    setting("jti", .null, ["malformed_token"]), setting("jti", ["a"], ["malformed_token"]),
                ])
        },
        .attack(
            "EV-04", "Logout tokens name no person, or only a session.", oracle: refuses, source: "\(logout) 2.6 (5)"
        ) {
            func setting(_ value: Forged?, _ reasons: Set<String> = ["malformed_token"]) -> Defect {
                Defect("", reasons) { draft, _ in draft.claims["sub"] = value }
            }
            try await fire(
                $0,
                [
                    setting(nil), setting(""), setting(" "), setting(.null), setting(["a"]), setting(1),
                    setting(.text(String(repeating: "a", count: 256))),
                    Defect("", ["unsupported_credential"]) { draft, _ in
                        draft.claims["sub"] = nil
                        draft.claims["sid"] = "session"
                    },
                ])
        },
        .attack(
            "EV-05", "The claim events has another type, or its member has.", oracle: refuses,
            source: "\(logout) 2.6 (6)"
        ) {
            let logout = "http://schemas.openid.net/event/backchannel-logout"
            let values: [Forged] = [
                .object([]), .null, [.text(logout)], .text(logout), AttackContext.event(logout, true),
                AttackContext.event(logout, .null), AttackContext.event(logout, []), AttackContext.event(logout, "{}"),
                AttackContext.event(logout + "/"), AttackContext.event(logout.uppercased()),
            ]
            try await fire(
                $0,
                values.map { value in
                    Defect("", ["malformed_token"]) { draft, _ in draft.claims["events"] = value }
                })
        },
        .attack(
            "EV-06", "Logout tokens name several audiences, or were issued to another client.", oracle: refuses,
            source: "OIDC Core 3.1.3.7 (3), (5)"
        ) { context in
            let (own, other) = (try await context.audience, try await context.otherAudience)
            try await fire(
                context,
                [
                    Defect("", ["audience_mismatch"]) { draft, _ in draft.claims["aud"] = [.text(own), .text(other)] },
                    Defect("", ["audience_mismatch"]) { draft, _ in draft.claims["azp"] = .text(other) },
                    Defect("", ["audience_mismatch"]) { draft, _ in draft.claims["aud"] = .text(own + " ") },
                    Defect("", ["audience_mismatch"]) { draft, _ in draft.claims["aud"] = nil },
                ])
        },
        .attack(
            "EV-07", "Texts that are no tokens are posted as logout tokens.", oracle: refuses, source: "CWE-20"
        ) { context in
            let victim = try await context.signedIn()
            let texts = [
                "a", "a.b.c", "..", "e30.e30.e30", String(repeating: ".", count: 1000),
                String(repeating: "a", count: 20_000),
            ]
            for text in texts {
                try await context.fire(context.logout(text), expecting: .refused("malformed_token"), keeps: victim)
            }
            try await context.fire(context.logout(""), expecting: .malformed("missing_field"), keeps: victim)
        },
        .attack(
            "EV-08", "A genuine ID token is posted as a logout token.", oracle: refuses, source: "\(logout) 4.1"
        ) { context in
            let victim = try await context.signedIn()
            let draft = try await context.draft(subject: victim.subject, nonce: "n")
            let token = try await draft.token(by: context.standIns)
            try await context.fire(context.logout(token), expecting: .refused("malformed_token"), keeps: victim)
            let (_, issued) = try await context.genuine()
            let genuine = issued["id_token"]?.string ?? ""
            try await context.fire(context.logout(genuine), expecting: .refused("malformed_token"), keeps: victim)
        },
    )

    // MARK: - Replays

    private static let replays = Section(.events, .medium, needs: needs).attacks(
        .attack(
            "EV-09", "A captured logout token is posted again after its person has signed in again.",
            oracle: "The server refuses it as replayed, and no session ends.", source: "\(logout) 2.6 (8)"
        ) { context in
            let victim = try await context.signedIn()
            let token = try await context.logoutToken(of: victim.subject)
            try await context.expectEnd(of: victim, by: context.logout(token))
            try await context.changeUser(victim.uid, ["valid_since": .integer(context.lab.now - 1000)])
            try await context.fire(context.logout(token), expecting: .refused("replayed"), keeps: victim)
        },
        .attack(
            "EV-10", "A captured logout token is posted with a rewritten signature, and its jti in another token.",
            oracle: "The server refuses both as replayed: the record is of issuer and jti.", source: "IDT-41"
        ) { context in
            let victim = try await context.signedIn()
            let token = try await context.logoutToken(of: victim.subject) { $0.claims["jti"] = .text(victim.subject) }
            try await context.expectEnd(of: victim, by: context.logout(token))
            try await context.changeUser(victim.uid, ["valid_since": .integer(context.lab.now - 1000)])
            let rewritten = try await context.logoutToken(of: victim.subject) {
                $0.claims["jti"] = .text(victim.subject)
                $0.key = .malleated
            }
            try await context.fire(context.logout(rewritten), expecting: .refused("replayed"), keeps: victim)
            let other = try await context.logoutToken(of: victim.subject) {
                $0.claims["jti"] = .text(victim.subject)
                $0.claims["iat"] = .number(context.lab.now - 5)
            }
            try await context.fire(context.logout(other), expecting: .refused("replayed"), keeps: victim)
        },
        .attack(
            "EV-11", "A logout token is posted twenty times at once.",
            oracle:
                """
                The server accepts those that arrive before the first one has ended the sessions, refuses the others as \
                replayed, and afterwards each one.
                """, source: "CWE-362",
            needs: [.standIns, .providerEvents, .bulk]
        ) { context in
            let victim = try await context.signedIn()
            let request = context.logout(try await context.logoutToken(of: victim.subject))
            await context.volley(
                Array(repeating: request, count: 20), winners: 1...20, losers: .refused("replayed"),
                succeeds: { $0.status == 200 })
            try await context.changeUser(victim.uid, ["valid_since": .integer(context.lab.now - 1000)])
            try await context.fire(request, expecting: .refused("replayed"), keeps: victim)
        },
        .attack(
            "EV-12", "Firebase is out of service when a logout token comes, and the provider sends it again.",
            oracle: "The server responds with 503 and retry: same, and the second token ends the sessions.",
            source: "\(logout) 2.8"
        ) { context in
            let victim = try await context.signedIn()
            let token = try await context.logoutToken(of: victim.subject)
            try await context.standIns.fault(["target": "google.update", "times": 20, "status": 503])
            let reply = await context.fire(
                context.logout(token), expecting: Expectation(statuses: [503], reasons: ["directory_unavailable"]))
            await context.expect(
                reply.answer?["retry"] == "same", .consumed, "The response does not tell that the token is unspent.")
            try await context.standIns.reset()
            try await context.expectEnd(of: victim, by: context.logout(token))
        },
    )

    // MARK: - Endpoints

    private static let doors = Section(.events, .low, needs: needs).attacks(
        .attack(
            "EV-13", "A logout token of one provider is posted to the endpoints of other providers.",
            oracle: "The server refuses it: a provider sends only what its configuration accepts.",
            source: "RFC 9700 4.4"
        ) { context in
            let victim = try await context.signedIn()
            for (provider, expectation) in [
                ("yahoo.com", Expectation.denied("provider_disabled")),
                ("twitter.com", .denied("provider_disabled")),
                ("unknown.example", .malformed("unknown_provider")), ("op.example%00", .malformed("unknown_provider")),
                ("", .malformed("unknown_provider")), ("OP.example", .malformed("unknown_provider")),
            ] {
                let token = try await context.logoutToken(of: victim.subject)
                try await context.fire(context.logout(token, at: provider), expecting: expectation, keeps: victim)
            }
        },
        .attack(
            "EV-14", "The response shows whether a person has an account.",
            oracle: "The responses for both are the same.", source: "CWE-204"
        ) { context in
            let victim = try await context.signedIn()
            var bodies: Set<[UInt8]> = []
            for subject in [victim.subject, try context.freshSubject()] {
                let token = try await context.logoutToken(of: subject)
                bodies.insert(try await context.honest(context.logout(token)).body)
            }
            await context.expect(bodies.count == 1, .leaked, "The response tells who has an account.")
        },
        .attack(
            "EV-15", "A web page of a configured origin calls the endpoint.",
            oracle: "The server allows no origin there, and only POST.", source: "Fetch 3.2"
        ) { context in
            let victim = try await context.signedIn()
            let origin = context.lab.application.origin
            let token = try await context.logoutToken(of: victim.subject)
            let answer = try await context.honest(context.logout(token).with("Origin", origin))
            await context.expect(
                answer.field("access-control-allow-origin") == nil, .leaked, "The server allows an origin.")
            for method in ["GET", "PUT", "DELETE", "OPTIONS"] {
                let request = Request(
                    method, "/v1/events/op.example",
                    fields: [("Origin", origin), ("Access-Control-Request-Method", "POST")])
                await context.fire(request, expecting: .status(405))
            }
        },
    )
}
