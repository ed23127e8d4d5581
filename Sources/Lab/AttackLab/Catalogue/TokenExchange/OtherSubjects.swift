internal import Jansson

extension Catalogue {
    /// Subject tokens that are not ID tokens for this server: TX-04.
    static let otherSubjects = Section(.tokenExchange, .critical, needs: [.standIns, .tokenExchange]).attacks(
        .attack(
            "TX-04c", "An access token of Yahoo is posted as access token and as ID token.",
            oracle:
                "The server responds with audience_unverifiable or malformed_token and does not call the provider.",
            source: "RFC 9700 4.10.2; Salt Labs 2023", reveals: [.bearerOfYahoo]
        ) { context in
            let token = try await context.issued(
                ["provider": "yahoo.com", "application": "hostile", "user": "alice"], "access_token")
            try await context.fire(bearer: token, of: "yahoo.com", asking: "yahoo.userinfo")
        },
        .attack(
            "TX-04d", "An access token of X is posted as access token and as ID token.",
            oracle:
                "The server refuses both, the access token with audience_unverifiable, and does not call X.",
            source: "RFC 9700 4.10.2", reveals: [.bearerOfX]
        ) { context in
            try await context.fire(
                bearer: try await context.xToken(application: "hostile"), of: "twitter.com", asking: "x.users_me")
        },
        .attack(
            "TX-04e", "The subject token is posted with an unsupported type.", severity: .high,
            oracle: "The server responds with invalid_request, unknown_credential_type; the token stays valid.",
            source: "RFC 8693 2.1, 3"
        ) { context in
            let (token, verifier) = try await context.subject()
            let prefix = "urn:ietf:params:oauth:token-type:"
            let types: [String] = [
                prefix + "jwt", prefix + "refresh_token", prefix + "saml1", prefix + "saml2", prefix + "ID_TOKEN",
                AttackContext.idTokenType + " ", "id_token", "urn:x-oath:params:oauth:token-type:device-secret", "*",
            ]
            for type in types {
                await context.fire(
                    context.tokenExchange(token, nonce: verifier) { $0.set("subject_token_type", type) },
                    expecting: .badSubject(["unknown_credential_type"]))
            }
            try await context.mustStillWork(context.tokenExchange(token, nonce: verifier))
        },
        .attack(
            "TX-17", "`subject_issuer` names another provider than that of the token, or none.",
            oracle: "The server refuses the request; the token stays valid.", source: "RFC 9700 4.4; CVE-2026-9097"
        ) { context in
            let (token, verifier) = try await context.subject()
            let cases: [(issuer: String?, reasons: Set<String>)] = [
                ("twitter.com", ["unsupported_credential"]), ("google.com", ["unknown_provider"]),
                ("YAHOO.COM", ["unknown_provider"]), ("yahoo.com/", ["unknown_provider"]),
                (try context.standIns.addresses.yahoo, ["unknown_provider"]), (nil, ["missing_field"]),
                ("", ["missing_field"]),
            ]
            for (issuer, reasons) in cases {
                await context.fire(
                    context.tokenExchange(token, nonce: verifier) { $0.set("subject_issuer", issuer) },
                    expecting: .badSubject(reasons))
            }
            try await context.mustStillWork(context.tokenExchange(token, nonce: verifier))
        },
        .attack(
            "TX-17c", "`provider`, another name of `subject_issuer`, differs from it.",
            oracle: "The server refuses the request, whichever of the two is right; the token stays valid.",
            source: "RFC 9700 4.4; RFC 6749 3.1"
        ) { context in
            let (token, verifier) = try await context.subject()
            for (issuer, provider) in [("yahoo.com", "twitter.com"), ("twitter.com", "yahoo.com")] {
                await context.fire(
                    context.tokenExchange(token, nonce: verifier) {
                        $0.set("subject_issuer", issuer)
                        $0.set("provider", provider)
                    }, expecting: .malformed("malformed_body"))
            }
            try await context.mustStillWork(context.tokenExchange(token, nonce: verifier))
        },
        .attack(
            "TX-17b", "`subject_issuer` names another configured provider of the same issuer and client id.",
            severity: .high,
            oracle: "The server responds with nonce_mismatch: a nonce belongs to one provider; the token stays valid.",
            source: "RFC 9700 4.4", needs: [.standIns, .tokenExchange, .discovery]
        ) { context in
            let (token, verifier) = try await context.subject()
            await context.fire(
                context.tokenExchange(token, nonce: verifier) { $0.set("subject_issuer", "op.example") },
                expecting: .badSubject(["nonce_mismatch"]))
            try await context.mustStillWork(context.tokenExchange(token, nonce: verifier))
        },
        .attack(
            "TX-08", "A client that may not use Yahoo exchanges an ID token of Yahoo.",
            oracle:
                "The server responds with 400, provider_disabled: the client's providers apply here too.",
            source: "dex GHSA-7qjx-gp9h-65qj; Keycloak #48104", needs: [.standIns, .tokenExchange, .sessions]
        ) { context in
            let (token, verifier) = try await context.subject()
            await context.fire(
                context.tokenExchange(token, nonce: verifier) { $0.set("client_id", "x-only") },
                expecting: Expectation(statuses: [400], reasons: ["provider_disabled"]))
            try await context.mustStillWork(context.tokenExchange(token, nonce: verifier))
        },
        .attack(
            "TX-13", "An ID token expires while the server fetches the provider's keys.", severity: .medium,
            oracle: "The server responds with expired: the time of the decision counts.", source: "CVE-2026-9097",
            needs: [.standIns, .tokenExchange, .processes]
        ) { context in
            let (early, late) = try await context.keySets()
            let peer = try CrudePeer { number, _ in
                number == 0
                    ? [.send(.head(length: early.utf8.count) + early)]
                    : [.wait(milliseconds: 1800), .send(.head(length: late.utf8.count) + late)]
            }
            defer { peer.stop() }
            var plan = ServerPlan("slow-keys-\(context.attack.id)")
            plan.sharesStore = true
            plan.set("providers/yahoo.com/clock_skew", "0s")
            plan.set("providers/yahoo.com/endpoints/jwks", .string(peer.base + "/keys"))
            try await context.withServer(plan) { server in
                let request = try await context.forgedSubject { draft in
                    draft.claims["iat"] = .number(context.lab.now - 10)
                    draft.claims["exp"] = .number(context.lab.now + 1)
                }
                await context.fire(request, expecting: .badSubject(["expired"]), at: server.wire)
                try await context.honest(try await context.forgedSubject { _ in }, at: server.wire)
            }
        },
    )
}

extension AttackContext {
    /// Returns Yahoo's key set, and a copy with other key ids.
    fileprivate func keySets() async throws -> (other: String, own: String) {
        let wire = Wire(base: try standIns.addresses.yahoo)
        guard let own = await wire.send(.get("/openid/v1/certs")).answer?.text, own.contains("\"kid\":\"") else {
            throw Inconclusive("Yahoo's stand-in returned no key set.")
        }
        return (own.replacing("\"kid\":\"", with: "\"kid\":\"once-"), own)
    }

    /// Posts an access token as access token and as ID token.
    fileprivate func fire(bearer token: String, of provider: String, asking endpoint: String) async throws {
        let verifier = try await nonce(provider: provider).verifier
        let mark = try await mark()
        let request = tokenExchange(token, nonce: verifier) { $0.set("subject_issuer", provider) }
        await fire(request, expecting: .badSubject(["malformed_token", "unsupported_credential"]))
        let typed = tokenExchange(token, nonce: verifier) {
            $0.set("subject_issuer", provider)
            $0.set("subject_token_type", Self.accessTokenType)
        }
        await fire(typed, expecting: .badSubject(["audience_unverifiable"]))
        try await expectCalls([endpoint: 0, "yahoo.introspect": 0], since: mark)
    }
}
