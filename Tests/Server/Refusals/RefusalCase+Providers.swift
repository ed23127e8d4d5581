import Jansson

/// Failures at the provider, and whether the same request may be sent again.
extension RefusalCase {
    static let providers: [Self] = [
        atToken("status 500", ["status": 500], "provider_error", retry: "restart"),
        atToken("status 503 is no attempt", ["status": 503], "provider_error", retry: "same"),
        atToken("status 429 is no attempt", ["status": 429], "provider_error", retry: "same"),
        atToken(
            "a redirect is not followed", ["status": 302, "header": ["Location": "http://127.0.0.1:1/"]],
            "provider_error", retry: "restart"),
        atToken(
            "the provider does not take our secret", ["status": 401, "body": #"{"error":"INVALID_CLIENT_SECRET"}"#],
            "provider_refuses_us", retry: nil),
        atToken("no credit is left", ["status": 402], "provider_refuses_us", retry: nil),
        atToken(
            "a page of HTML", ["body": "<html>", "header": ["Content-Type": "text/html"]], "provider_error",
            retry: "restart"),
        atToken("half an object", ["body": "{"], "provider_response_invalid", retry: "restart"),
        atToken("no ID token", ["remove": ["id_token"]], "provider_response_invalid", retry: "restart"),
        atToken(
            "more than 256 KiB", ["body": "0123456789", "body_repeat": 30_000], "provider_response_invalid",
            retry: "restart"),
        atToken("the answer is cut", ["cut_after_bytes": 10], "provider_unreachable", retry: "restart"),
        atToken("the connection is dropped", ["drop": true], "provider_unreachable", retry: "restart"),
        atToken(
            "no answer in time", ["delay_ms": 60_000], "provider_timeout", retry: "restart",
            plan: .with { $0.providerTimeout = .seconds(1) }),
        Self("nobody listens at the token endpoint", "provider_unreachable", retry: "same") {
            try await $0.exchange(try await $0.codeBody(provider: "gone.example"))
        },
        Self("nobody listens where the keys are", "provider_unreachable", retry: "same") {
            try await $0.exchange(try await $0.idTokenBody(provider: "dark.example"))
        },
        atKeys("status 500", ["status": 500], "provider_error"),
        atKeys("keys that are none", ["body": "[]"], "provider_response_invalid"),
        atKeys("more than 256 KiB", ["body": "0123456789", "body_repeat": 30_000], "provider_response_invalid"),
        atKeys(
            "compressed although nothing asked for it",
            ["body": "\u{1F}\u{8}", "header": ["Content-Encoding": "gzip"]], "provider_response_invalid"),
        atKeys("the connection is dropped", ["drop": true], "provider_unreachable"),
        atKeys(
            "keys that come too late", ["delay_ms": 60_000], "provider_timeout",
            plan: .with { $0.providerTimeout = .seconds(1) }),
        Self("the introspection endpoint fails", "provider_error", retry: "restart") { server in
            try await server.standIns.fault("yahoo.introspect", ["status": 500])
            return try await server.exchange(try await server.accessTokenBody())
        },
        Self("userinfo speaks of somebody else", "provider_response_invalid", retry: "restart") { server in
            try await server.standIns.fault("yahoo.userinfo", ["set": ["sub": "MALLORY"]])
            return try await server.exchange(try await server.codeBody())
        },
        Self("X asks for patience while a flow begins", "provider_error", retry: "same") { server in
            try await server.standIns.fault("x.request_token", ["status": 429])
            return try await server.post(
                "/v1/signin",
                Bodies.signIn.setting("provider", to: "twitter.com").setting("flow", to: "oauth1")
                    .setting("redirect_uri", to: "com.example.app:/x"))
        },
        Self("X does not check a pair of tokens", "provider_error", retry: "restart") { server in
            try await server.standIns.fault("x.verify_credentials", ["status": 500])
            return try await server.exchange(try await server.tokenPairBody())
        },
        Self(
            "userinfo is out of order, for a person who has no account yet, and no address in the ID token",
            "provider_error", retry: "restart"
        ) { server in
            try await server.standIns.fault("yahoo.userinfo", ["status": 503])
            return try await server.exchange(try await server.codeBody(user: "kobayashi"))
        },
        atUser("users/me costs credit that is not there", 402, "{}", "provider_refuses_us"),
        atUser("users/me is not of our tier", 403, "{}", "provider_refuses_us"),
        atUser("the person is suspended", 403, #"{"errors":[{"code":64}]}"#, "provider_account_disabled"),
        atUser("the person is gone", 404, #"{"errors":[{"code":50}]}"#, "provider_account_disabled"),
        Self("a posted ID token does not say when the person logged in", "fresh_login_unproven") { server in
            let alice = try await server.atYahoo()
            return try await alice.reauthenticate(try await server.codeBody())
        },
        Self("a code of X reauthenticates", "fresh_login_unavailable") { server in
            try await server.atX().reauthenticate(try await server.xCodeBody(user: "bjorn"))
        },
    ]

    private static func atToken(
        _ sentence: String, _ fault: JSON, _ reason: String, retry: String?, plan: Plan = Plan()
    ) -> Self {
        Self("token endpoint: \(sentence)", reason, retry: retry, plan: plan) { server in
            let body = try await server.codeBody()
            try await server.standIns.fault("yahoo.token", fault)
            return try await server.exchange(body)
        }
    }

    private static func atUser(_ sentence: String, _ status: Int64, _ body: String, _ reason: String) -> Self {
        Self("user endpoint of X: \(sentence)", reason) { server in
            let code = try await server.xCodeBody()
            try await server.standIns.fault(
                "x.users_me", ["status": .integer(status), "body": .string(body)], times: 2)
            return try await server.exchange(code)
        }
    }

    /// Without keys the token is not checked, so that it remains usable.
    private static func atKeys(
        _ sentence: String, _ fault: JSON, _ reason: String, plan: Plan = Plan()
    ) -> Self {
        Self("key set: \(sentence)", reason, retry: "same", plan: plan) { server in
            let body = try await server.idTokenBody()
            try await server.standIns.fault("yahoo.certs", fault)
            return try await server.exchange(body)
        }
    }
}
