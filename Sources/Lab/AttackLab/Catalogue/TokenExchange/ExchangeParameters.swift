internal import Jansson

extension Catalogue {
    /// Additional and faulty parameters of the token exchange.
    static let exchangeParameters: [Attack] =
        targets.map { letter, name, values in
            Attack(
                "TX-05" + letter, .tokenExchange, .high,
                "The token is requested with a `\(name)` of \(letter == "d" ? "several" : "another") project.",
                oracle:
                    "The server responds with invalid_target; the subject token stays valid.",
                source: "RFC 8693 2.1, 2.2.2; RFC 8707 2", needs: [.standIns, .tokenExchange],
                reveals: [.targetIgnored]
            ) { context in
                for value in values {
                    try await context.fire(
                        with: value.map { ($0.contains("://") ? "resource" : name, $0) },
                        expecting: .refused("invalid_target", error: "invalid_target")
                    )
                }
            }
        } + [
            Attack(
                "TX-06", .tokenExchange, .critical, "An actor token is sent, with its type and without.",
                oracle:
                    "The server responds with invalid_request: it does not support delegation; the token stays valid.",
                source: "RFC 8693 2.1, 4.1",
                needs: [.standIns, .tokenExchange]
            ) { context in
                let (_, actor) = try await context.subject(user: "mallory")
                for parameters: [(String, String)] in [
                    [("actor_token", actor)], [("actor_token_type", AttackContext.idTokenType)],
                    [("actor_token", actor), ("actor_token_type", AttackContext.idTokenType)],
                    [("actor_token", actor), ("actor_token_type", AttackContext.jwtType)],
                ] {
                    try await context.fire(with: parameters, expecting: .malformed("parameter_not_allowed"))
                }
            },
            Attack(
                "TX-07", .tokenExchange, .medium, "Another type of token is requested.",
                oracle: "The server responds with invalid_request, malformed_body; the token stays valid.",
                source: "RFC 8693 2.1, 3",
                needs: [.standIns, .tokenExchange]
            ) { context in
                for type in [
                    AttackContext.accessTokenType, AttackContext.idTokenType,
                    "urn:ietf:params:oauth:token-type:refresh_token",
                    "urn:ietf:params:oauth:token-type:saml2", "jwt", AttackContext.jwtType + " ",
                    AttackContext.jwtType.uppercased(),
                ] {
                    try await context.fire(
                        with: [("requested_token_type", type)], expecting: .malformed("malformed_body"))
                }
            },
            Attack(
                "TX-10", .tokenExchange, .medium,
                "The grant type is differently encoded, missing, or duplicated.",
                oracle: "The server responds with unsupported_grant_type or invalid_request; the token stays valid.",
                source: "RFC 6749 5.2, 3.2",
                needs: [.standIns, .tokenExchange]
            ) { context in
                let (token, verifier) = try await context.subject()
                let grant = AttackContext.tokenExchangeGrant
                for spelling in [
                    grant + " ", " " + grant, grant.uppercased(), "token-exchange", "token_exchange", grant + "\u{0}",
                    "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange", "password", "client_credentials",
                    "refresh_token", "implicit", "urn:ietf:params:oauth:grant-type:jwt-bearer",
                ] {
                    await context.fire(
                        context.tokenExchange(token, nonce: verifier) { $0.set("grant_type", spelling) },
                        expecting: Expectation(statuses: [400], errors: ["unsupported_grant_type", "invalid_request"]))
                }
                await context.fire(
                    context.tokenExchange(token, nonce: verifier) { $0.set("grant_type", nil) },
                    expecting: .malformed("missing_field"))
                for name in [
                    "grant_type", "subject_token", "subject_token_type", "subject_issuer", "nonce", "client_id",
                ] {
                    await context.fire(
                        context.tokenExchange(token, nonce: verifier) { parameters in
                            guard let first = parameters.first(where: { $0.0 == name }) else { return }
                            parameters.append(first)
                        }, expecting: .malformed("duplicate_parameter"))
                }
                try await context.mustStillWork(context.tokenExchange(token, nonce: verifier))
            },
            Attack(
                "TX-14", .tokenExchange, .medium,
                "The parameters are sent as JSON, in the query, or as multipart/form-data.",
                oracle:
                    "The server responds with 415, or 400 malformed_body, logs no token, and the token stays valid.",
                source: "RFC 6749 3.2, B; RFC 9700 4.3.2", needs: [.standIns, .tokenExchange]
            ) { context in
                let (token, verifier) = try await context.subject()
                let good = context.tokenExchange(token, nonce: verifier)
                let media = Expectation.unsupportedMediaType
                let json: JSON = [
                    "grant_type": .string(AttackContext.tokenExchangeGrant), "subject_token": .string(token),
                    "subject_token_type": .string(AttackContext.idTokenType), "subject_issuer": "yahoo.com",
                    "nonce": .string(verifier), "client_id": "my-app",
                ]
                await context.fire(.json("/token", json), expecting: media)
                for type in ["text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded2"] {
                    var changed = good
                    changed.fields = [("Content-Type", type)]
                    await context.fire(changed, expecting: media)
                }
                var queried = good
                queried.target += "?" + String(decoding: good.body, as: UTF8.self)
                await context.fire(queried, expecting: .malformed("malformed_body"))
                queried.body = []
                await context.fire(queried, expecting: .malformed("malformed_body"))
                queried.method = "GET"
                await context.fire(queried, expecting: .refused(status: 405, error: "invalid_request"))
                try await context.mustStillWork(good)
            },
        ]

    /// RFC 8693 §2.1.
    private static let targets: [(letter: String, name: String, values: [[String]])] = [
        ("a", "audience", [["another-project"], ["my-app"], ["demo-project"], ["https://another.example/"]]),
        (
            "b", "resource",
            [["https://another.example/"], ["https://a.example/#fragment"], ["/relative"], ["not a uri"]]
        ),
        ("c", "audience", [["x", "y"], ["x", "https://another.example/"]]),
        (
            "d", "resource",
            [["https://a.example/", "https://b.example/"], ["https://a.example/", "https://a.example/"]]
        ),
    ]
}

extension AttackContext {
    /// Expects that a valid exchange with extra parameters is refused and the token stays valid.
    fileprivate func fire(with parameters: [(String, String)], expecting expectation: Expectation) async throws {
        let (token, verifier) = try await subject()
        await fire(tokenExchange(token, nonce: verifier) { $0 += parameters }, expecting: expectation)
        try await mustStillWork(tokenExchange(token, nonce: verifier))
    }
}
