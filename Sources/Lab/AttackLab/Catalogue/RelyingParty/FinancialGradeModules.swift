internal import Jansson

/// Modules of the FAPI 2.0 security profile that are stricter than those of OpenID Connect.
enum FinancialGradeModules {
    private static let module = ConformanceModule(prefix: "FAPI2-")

    static let attacks: [Attack] = [rejected, responses, controls].flatMap(\.self)

    private static let rejected: [Attack] = module.rejects([
        ("invalid-iss", "IDT-18e"), ("invalid-missing-iss", "IDT-18b"), ("invalid-aud", "IDT-19c"),
        ("invalid-missing-aud", "IDT-20a"), ("invalid-secondary-aud", "IDT-21a"), ("invalid-expired-exp", "IDT-25a"),
        ("invalid-missing-exp", "IDT-25c"), ("invalid-nonce", "IDT-28c"), ("invalid-missing-nonce", "IDT-28a"),
        ("invalid-null-alg", "IDT-57f"), ("invalid-alternate-alg", "IDT-07c"),
    ])

    private static let responses: [Attack] = [
        module.attack(
            "discovery-issuer-mismatch", .critical, "The metadata's issuer is not the prefix of the metadata URL.",
            oracle: "The server does not use the metadata and calls no endpoint of the provider.",
            needs: [.standIns, .processes, .discovery]
        ) { context in
            let yahoo = try context.standIns.addresses.yahoo
            try await context.withKeyRoom(discovers: true) { room in
                try await room.fault(["set": ["issuer": .string(yahoo + "/")]], at: "yahoo.discovery")
                let mark = try await context.mark()
                let code = try await context.yahooCode(provider: KeyRoom.provider(0))
                await context.fire(
                    context.exchange(code), expecting: .unusable("provider_response_invalid"), at: room.wire)
                try await context.expectCalls(["yahoo.token": 0, "yahoo.userinfo": 0, "yahoo.certs": 0], since: mark)
            }
        },
        response(
            "ensure-authorization-response-with-invalid-state-fails", "has another `state`", ["state_mismatch"]
        ) { parameters, _ in parameters.map { $0.name == "state" ? ($0.name, "another") : $0 } },
        response(
            "ensure-authorization-response-with-invalid-missing-state-fails", "has no `state`", ["state_mismatch"]
        ) { parameters, _ in parameters.filter { $0.name != "state" } },
        response("invalid-authorization-response-iss", "has the `iss` of another issuer", ["issuer_mismatch"]) {
            parameters, _ in parameters + [("iss", "https://evil.example")]
        },
        response(
            "remove-authorization-response-iss", "lacks the `iss` that the metadata announces", ["issuer_mismatch"]
        ) {
            parameters, _ in parameters
        },
    ]

    /// An attack with a provider whose metadata announces `iss` (RFC 9207 §3).
    private static func response(
        _ name: String, _ what: String, _ reasons: Set<String>,
        _ change: @escaping @Sendable ([(name: String, value: String)], String) -> [(String, String)]
    ) -> Attack {
        module.attack(
            name, .critical, "The authorization response \(what).",
            oracle: "The server rejects it and does not redeem the code; the correct response still works.",
            needs: [.standIns, .processes, .discovery]
        ) { context in
            let provider = KeyRoom.provider(0)
            let issuer = try context.standIns.addresses.yahoo
            try await context.withKeyRoom(discovers: true) { room in
                try await room.fault(
                    ["set": ["authorization_response_iss_parameter_supported": true]], at: "yahoo.discovery")
                let begun = try await context.session(provider: provider, at: room.wire)
                let url = try await context.callbackURL(of: begun)
                let mark = try await context.mark()
                var changed = change(PercentEncoding.query(of: url), issuer)
                // The other modules test only `state`.
                if reasons == ["state_mismatch"] { changed.append(("iss", issuer)) }
                await context.fire(
                    context.ending(begun, begun.redirectURI + "?" + PercentEncoding.form(changed)),
                    expecting: Expectation(statuses: [400], errors: ["invalid_grant"], reasons: reasons), at: room.wire)
                try await context.expectCalls(["yahoo.token": 0, "yahoo.userinfo": 0], since: mark)
                await context.expectAccepted(
                    context.ending(begun, url.setting(parameter: "iss", to: issuer)), at: room.wire)
            }
        }
    }

    private static let controls: [Attack] = [
        module.attack(
            "valid-aud-as-array", .low, "The ID token's `aud` is an array of only our client id.",
            oracle: "The server accepts the token."
        ) { context in
            try await context.accepts(claims: ["set": ["aud": .array([.string(try await context.audience)])]])
        },
        module.attack(
            "token-type-case-insensitivity", .low, "The token endpoint sends `token_type` in mixed case.",
            oracle: "The server accepts the response (RFC 6749 5.1)."
        ) { context in
            for type in ["bEaReR", "BEARER", "Bearer"] {
                try await context.accepts(tokens: ["set": ["token_type": .string(type)]])
            }
        },
        module.attack(
            "token-endpoint-response-without-expires_in", .low, "The token endpoint omits `expires_in`.",
            oracle: "The server accepts the response (RFC 6749 5.1: recommended, not required)."
        ) { try await $0.accepts(tokens: ["remove": ["expires_in"]]) },
    ]
}
