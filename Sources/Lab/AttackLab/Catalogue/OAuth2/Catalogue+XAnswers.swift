internal import Jansson

extension Catalogue {
    /// What X's token and user endpoints answer.
    static let xAnswers: [Attack] =
        xPeople.map { letter, what, fault in
            xAnswer("X2-04" + letter, "The user endpoint answers with \(what).", "x.users_me", fault)
        }
        + xTokens.map { letter, what, fault in
            xAnswer("X2-05" + letter, "The token endpoint answers with \(what).", "x.oauth2_token", fault)
        } + [
            Attack(
                "X2-16", .oauth2, .high, "X refuses, at its user endpoint, the token that it gave a moment ago.",
                oracle:
                    "502 provider_error, or provider_refuses_us where the tier does not allow it; the code stays spent.",
                source: "part 2 of the reference", reveals: [.codeReused]
            ) { strike in
                let rows: [(status: JSON, reason: String, retry: String?)] = [
                    (401, "provider_error", "restart"), (402, "provider_refuses_us", nil),
                    (403, "provider_refuses_us", nil), (404, "provider_error", "restart"),
                    (429, "provider_error", "restart"), (500, "provider_error", "restart"),
                    (503, "provider_error", "restart"),
                ]
                for (status, reason, retry) in rows {
                    let request = strike.exchange(try await strike.xCode())
                    try await strike.standIns.fault(["target": "x.users_me", "status": status, "body": "{}"])
                    let reply = await strike.fire(request, expecting: .unusable(reason))
                    await strike.expect(
                        reply.answer?["retry"] == retry, .wrongAnswer,
                        "After \(status.integer ?? 0) of X the retry is \(reply.answer?["retry"] ?? "missing").")
                    await strike.fire(request, expecting: .refused("replayed"))
                }
            }
        ]

    private static func xAnswer(_ id: String, _ sentence: String, _ target: String, _ fault: JSON) -> Attack {
        Attack(
            id, .oauth2, .high, sentence, oracle: "502 provider_response_invalid; no one is signed in.",
            source: "RFC 6749 5.1; RFC 8259 4, 6"
        ) { strike in
            let request = strike.exchange(try await strike.xCode())
            try await strike.standIns.fault(
                fault.setting(["target"], to: .string(target)).setting(["times"], to: 1))
            await strike.fire(request, expecting: .unusable("provider_response_invalid"))
        }
    }

    private static let xPeople: [(letter: String, what: String, fault: JSON)] = [
        ("a", "no `data`", ["remove": ["data"]]),
        ("b", "`data` that is a list", ["set": ["data": [["id": "2244994945"]]]]),
        ("c", "`data` without an id", ["set": ["data": ["username": "alice_example"]]]),
        ("d", "an id that is a number", ["set": ["data": ["id": 2_244_994_945]]]),
        ("e", "an empty id", ["set": ["data": ["id": ""]]]),
        ("f", "an id that is a list", ["set": ["data": ["id": ["2244994945"]]]]),
        ("g", "an id with letters", ["set": ["data": ["id": "2244994945x"]]]),
        ("h", "an id at the top and none in `data`", ["set": ["id": "2244994945", "data": [:]]]),
        ("i", "`errors` and status 200", ["body": "{\"errors\":[{\"title\":\"Not Found Error\"}]}"]),
        (
            "j", "two `data`",
            ["body": "{\"data\":{\"id\":\"1666\"},\"data\":{\"id\":\"2244994945\"}}"]
        ),
        ("k", "two ids", ["body": "{\"data\":{\"id\":\"1666\",\"id\":\"2244994945\"}}"]),
        ("l", "null", ["body": "null"]),
    ]

    private static let xTokens: [(letter: String, what: String, fault: JSON)] = [
        ("a", "a scope without `users.read`", ["set": ["scope": "tweet.read"]]),
        ("b", "an empty scope", ["set": ["scope": ""]]),
        ("c", "a scope that is a list", ["set": ["scope": ["users.read", "tweet.read"]]]),
        ("d", "no access token", ["remove": ["access_token"]]),
        ("e", "an access token that is a number", ["set": ["access_token": 1]]),
        ("f", "an empty access token", ["set": ["access_token": ""]]),
        ("g", "a negative `expires_in`", ["set": ["expires_in": -1]]),
        ("h", "an `expires_in` that is text", ["set": ["expires_in": "7200"]]),
        ("i", "`error` beside status 200", ["set": ["error": "invalid_request"]]),
        ("j", "a scope that only begins like `users.read`", ["set": ["scope": "users.reader tweet.readonly"]]),
    ]
}
