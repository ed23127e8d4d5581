internal import Jansson

extension Catalogue {
    /// Faulty responses of X in the three-legged flow.
    static let oauth1Answers: [Attack] =
        requestTokens.map { letter, what, body in
            Attack(
                "O1-13" + letter, .oauth1, .high, "X's response with the request token \(what).",
                oracle: "The server responds with 502 provider_response_invalid and starts no flow.",
                source: "RFC 5849 2.1; OAuth advisory 2009.1",
                needs: [.standIns, .oauth1, .sessions]
            ) { context in
                try await context.standIns.fault(["target": "x.request_token", "times": 1, "body": .string(body)])
                await context.fire(context.signin(), expecting: .unusable("provider_response_invalid"))
            }
        }
        + accessTokens.map { letter, what, fault in
            Attack(
                "O1-14" + letter, .oauth1, .high, "X's response with the access token \(what).",
                oracle: "The server responds with 502 provider_response_invalid and signs no user in.",
                source: "RFC 5849 2.3",
                needs: [.standIns, .oauth1, .sessions]
            ) { context in
                let session = try await context.oauth1Session()
                let callback = try await context.callbackURL(of: session)
                try await context.standIns.fault(
                    fault.setting(["target"], to: "x.access_token").setting(["times"], to: 1))
                await context.fire(
                    context.ending(session, callback), expecting: .unusable("provider_response_invalid"))
            }
        } + [
            Attack(
                "O1-14a", .oauth1, .critical,
                "X's response with the access token names a user who does not own the token.",
                oracle:
                    "The server responds with 502 provider_response_invalid: at a first sign-in the ids must match.",
                source: "RFC 5849 2.3", needs: [.standIns, .oauth1, .sessions, .processes]
            ) { context in
                // A separate store without accounts: the server asks X for the user before it creates an account.
                try await context.onOwnServer("first") { target, _, _ in
                    let session = try await target.oauth1Session()
                    let callback = try await target.callbackURL(of: session)
                    let pair = try await target.pair(user: "mallory")
                    let answer =
                        "oauth_token=\(pair.token)&oauth_token_secret=\(pair.secret)&user_id=2244994945&screen_name=a"
                    try await target.standIns.fault(["target": "x.access_token", "times": 1, "body": .string(answer)])
                    await target.fire(
                        target.ending(session, callback), expecting: .unusable("provider_response_invalid"))
                }
            },
            Attack(
                "O1-15b", .oauth1, .critical, "The request token endpoint redirects.",
                oracle: "The server responds with 502 provider_error and does not follow the redirect.",
                source: "CVE-2026-54605; CVE-2022-27774",
                needs: [.standIns, .oauth1, .sessions]
            ) { context in
                try await context.redirects(of: "x.request_token", to: "/oauth/request_token") { context.signin() }
            },
            Attack(
                "O1-15c", .oauth1, .critical, "The access token endpoint redirects.",
                oracle:
                    "The server responds with 502 provider_error, follows no redirect, and spends the session.",
                source: "CVE-2026-54605; CVE-2022-27774", needs: [.standIns, .oauth1, .sessions]
            ) { context in
                try await context.redirects(of: "x.access_token", to: "/oauth/access_token") {
                    let session = try await context.oauth1Session()
                    return context.ending(session, try await context.callbackURL(of: session))
                }
            },
            Attack(
                "O1-24", .oauth1, .medium, "X refuses our client credentials at the request token endpoint.",
                oracle:
                    "The server responds with 502 provider_refuses_us or provider_error.",
                source: "RFC 5849 3.2",
                needs: [.standIns, .oauth1, .sessions]
            ) { context in
                for status: JSON in [401, 403, 500, 200] {
                    try await context.standIns.fault([
                        "target": "x.request_token", "times": 1, "status": status,
                        "body": "{\"errors\":[{\"code\":32,\"message\":\"Could not authenticate you.\"}]}",
                    ])
                    await context.fire(
                        context.signin(),
                        expecting: .unusable("provider_refuses_us", "provider_error", "provider_response_invalid"))
                }
            },
        ]

    private static let requestTokens: [(letter: String, what: String, body: String)] = [
        ("a", "does not confirm the callback", "oauth_token=t0ken0000&oauth_token_secret=s3cret000"),
        (
            "b", "says that the callback is not confirmed",
            "oauth_token=t0ken0000&oauth_token_secret=s3cret000&oauth_callback_confirmed=false"
        ),
        (
            "c", "confirms the callback in upper case",
            "oauth_token=t0ken0000&oauth_token_secret=s3cret000&oauth_callback_confirmed=TRUE"
        ),
        (
            "d", "says both",
            "oauth_token=t0&oauth_token_secret=s3&oauth_callback_confirmed=false&oauth_callback_confirmed=true"
        ),
        ("e", "has no secret", "oauth_token=t0ken0000&oauth_callback_confirmed=true"),
        ("f", "has two tokens", "oauth_token=a&oauth_token=b&oauth_token_secret=s&oauth_callback_confirmed=true"),
        ("g", "is HTML", "<html><body>Sign in</body></html>"),
        ("h", "is JSON", "{\"oauth_token\":\"t\",\"oauth_token_secret\":\"s\",\"oauth_callback_confirmed\":true}"),
        ("i", "is empty", ""),
    ]

    private static let accessTokens: [(letter: String, what: String, fault: JSON)] = [
        ("b", "contains duplicate members", ["body": "oauth_token=a&oauth_token=b&oauth_token_secret=s&user_id=1"]),
        ("c", "names two users", ["body": "oauth_token=a&oauth_token_secret=s&user_id=1666&user_id=2244994945"]),
        ("d", "is HTML", ["body": "<html>oauth_token=a</html>"]),
        ("e", "is JSON", ["body": "{\"oauth_token\":\"a\",\"oauth_token_secret\":\"s\",\"user_id\":\"1\"}"]),
        ("f", "is 400 KB long", ["body": "oauth_token=aaaaaaaaaaaaaaaa", "body_repeat": 15_000]),
        ("g", "names a user id that is not a number", ["body": "oauth_token=a&oauth_token_secret=s&user_id=1666x"]),
        ("h", "has no secret", ["body": "oauth_token=a&user_id=1666"]),
        ("i", "is not UTF-8", ["body": "oauth_token=%FF%FE&oauth_token_secret=s&user_id=1666"]),
        ("j", "is empty", ["body": ""]),
        ("k", "has a broken escape", ["body": "oauth_token=%G0&oauth_token_secret=s&user_id=1666"]),
    ]
}
