internal import Jansson
internal import OpenSSL

extension Catalogue {
    /// Responses of the provider's token endpoint to a valid code.
    static let codeAnswers: [Attack] =
        codeUserInfo + unusedUserInfo + [
            Attack(
                "EX-14a", .code, .medium, "The token response has a token type other than Bearer.",
                oracle: "The ID token signs the user in, and the server sends the access token nowhere.",
                source: "RFC 6749 7.1; FAPI2 token-type-case-insensitivity", needs: [.standIns, .processes]
            ) { context in
                let types: [JSON] = ["mac", "DPoP", "Bearer,Bearer", "N_A"]
                for type in types {
                    try await context.standIns.fault(["target": "yahoo.token", "times": 1, "set": ["token_type": type]])
                    let mark = try await context.mark()
                    try await context.honest(context.exchange(try await context.yahooCode()))
                    try await context.expectCalls(["yahoo.userinfo": 0], since: mark)
                }
            },
            Attack(
                "EX-14b", .code, .low, "The token response spells the token type in another letter case.",
                oracle: "The sign-in succeeds: the token type is not case-sensitive.", source: "RFC 6749 5.1"
            ) { context in
                for type: JSON in ["BEARER", "Bearer"] {
                    try await context.standIns.fault(["target": "yahoo.token", "times": 1, "set": ["token_type": type]])
                    try await context.honest(context.exchange(try await context.yahooCode()))
                }
            },
            Attack(
                "EX-34", .code, .critical,
                "The token response contains an ID token that the server has already accepted.",
                oracle: "The server responds with replayed: an ID token is accepted once, whatever its source.",
                source: "RFC 9700 4.5.3",
                reveals: [.notRemembered]
            ) { context in
                let nonce = Base64.urlEncode(try SecureRandom.bytes(16))
                let draft = try await context.draft(nonce: nonce)
                let token = try await draft.token(by: context.standIns)
                await context.secret(token)
                for expected in [nil, Expectation.refused("replayed")] {
                    try await context.standIns.fault([
                        "target": "yahoo.token", "times": 1, "set": ["id_token": .string(token)],
                    ])
                    // A permanent refusal, since a temporary failure would prevent the first sign-in.
                    try await context.standIns.fault(["target": "yahoo.userinfo", "times": 1, "status": 403])
                    let request = context.exchange(try await context.yahooCode(nonce: nonce))
                    if let expected {
                        await context.fire(request, expecting: expected)
                    } else {
                        try await context.honest(request)
                    }
                }
            },
        ]

    /// EX-15: userinfo responses with a wrong `sub`.
    private static let codeUserInfo: [Attack] = [
        ("a", "another `sub`", ["set": ["sub": "MALLORYJNWVNQD4GXZ5NGMZUS4"]], [.profileOfAnother]),
        ("b", "the `sub` in lower case", ["set": ["sub": "alicewjnwvnqd4gxz5ngmzust4"]], [.profileOfAnother]),
        ("e", "the `sub` followed by a space", ["set": ["sub": "ALICEWJNWVNQD4GXZ5NGMZUST4 "]], [.profileOfAnother]),
    ].map { (letter: String, what: String, fault: JSON, reveals: Set<Mistake>) in
        Attack(
            "EX-15" + letter, .code, .high, "The userinfo response contains \(what).",
            oracle: "The server responds with 502 provider_response_invalid and uses nothing from that profile.",
            source: "OIDC Core 5.3.2; OIDF userinfo-invalid-sub; PROF ID Spoofing 6-11", reveals: reveals
        ) { context in
            try await context.standIns.fault(
                fault.setting(["target"], to: "yahoo.userinfo").setting(["times"], to: 1))
            await context.fire(
                context.exchange(try await context.yahooCode()), expecting: .unusable("provider_response_invalid"))
        }
    }

    /// EX-15: userinfo responses that name no person, or cannot be read.
    private static let unusedUserInfo: [Attack] = [
        ("c", "a list of `sub`", #"{"sub":["ALICEWJNWVNQD4GXZ5NGMZUST4"],"name":"Forged Name"}"#),
        ("d", "no `sub`", #"{"name":"Forged Name","email":"forged@example.org"}"#),
        (
            "f", "two members `sub`",
            #"{"sub":"ALICEWJNWVNQD4GXZ5NGMZUST4","sub":"MALLORYJNWVNQD4GXZ5NGMZUS4","name":"Forged Name"}"#
        ), ("g", "HTML", "<html>Forged Name</html>"),
    ].map { (letter: String, what: String, body: String) in
        Attack(
            "EX-15" + letter, .code, .high, "The userinfo response contains \(what).",
            oracle: "The ID token signs the user in, and the server uses nothing from that response.",
            source: "OIDC Core 5.3.2; OIDF userinfo-invalid-sub", needs: [.standIns, .processes]
        ) { context in
            try await context.standIns.fault(["target": "yahoo.userinfo", "times": 1, "body": .string(body)])
            let answer = try await context.honest(context.exchange(try await context.yahooCode()))
            await context.expect(
                !answer.text.lowercased().contains("forged"), .wrongAnswer,
                "The response contains a member of the unusable userinfo.")
        }
    }
}
