import Flows
import Jansson
import Minting
import SQLiteStores
import Stores
import Support
import Transport

/// Errors of bearer tokens, accounts and App Check.
extension RefusalCase {
    static let accounts: [Self] = [
        Self("nobody asks", "id_token_missing") { try await $0.get("/v1/account") },
        Self("the bearer is no Firebase ID token", "id_token_invalid") {
            try await Person(server: $0, uid: "", idToken: "a.b.c").ask("GET", "/v1/account")
        },
        Self("the bearer has expired", "id_token_expired") {
            try await $0.person("u1", ["issued_seconds_ago": 3660]).ask("GET", "/v1/account")
        },
        Self("the account was deleted", "account_gone") { server in
            let alice = try await server.atYahoo()
            _ = try await alice.ask("DELETE", "/v1/account")
            return try await alice.ask("GET", "/v1/account")
        },
        Self(
            "the session was ended", "id_token_revoked", plan: .google(.users) { $0.rules.checksRevocation = true }
        ) { server in
            let alice = try await server.atYahoo()
            try await server.standIns.firebaseUser(alice.uid, ["valid_since": 1_700_000_001])
            return try await alice.ask("GET", "/v1/account")
        },
        Self("the person signed in too long ago", "requires_recent_login") {
            try await $0.person("u1", ["authenticated_seconds_ago": 301]).unlink("yahoo.com")
        },
        Self("an administrator has disabled the account", "user_disabled") { server in
            let alice = try await server.atYahoo()
            _ = try await server.store.setDisabled(true, uid: "\(alice.uid)")
            return try await server.exchange(try await server.codeBody())
        },
        Self("the Firebase user has a second factor", "second_factor_required", plan: .google(.directory)) { server in
            let alice = try await server.atYahoo()
            try await server.standIns.firebaseUser(alice.uid, ["mfa": true])
            return try await server.exchange(try await server.codeBody())
        },
        Self("the code is wrong", "second_factor_invalid") { server in
            let (_, authenticator) = try await server.atYahooWithFactor()
            return try await server.prove(try await server.challenge(), "totp", authenticator.wrongCode())
        },
        Self("the sixth code after five wrong ones", "second_factor_locked") { server in
            let (_, authenticator) = try await server.atYahooWithFactor()
            let handle = try await server.challenge()
            for _ in 0..<5 { _ = try await server.prove(handle, "totp", authenticator.wrongCode()) }
            return try await server.prove(handle, "totp", authenticator.code())
        },
        Self("a guest wants a second factor", "not_for_anonymous") {
            try await $0.anonymous().post("/v1/account/factors", ["client_id": "my-app", "type": "totp"])
        },
        Self("the factor does not exist", "no_such_factor") {
            try await $0.atYahoo().confirm("IQdLPpBcQ-6PVB4JWQXcRg", "123456")
        },
        Self("another person's credential is shown", "user_mismatch") {
            try await $0.atYahoo().reauthenticate(try await $0.freshCodeBody(user: "bjorn"))
        },
        Self(
            "the identity is another account's", "credential_already_in_use",
            further: ["existing_uid", "pending_credential"]
        ) { server in
            _ = try await server.atX()
            return try await server.atYahoo().link(try await server.xCodeBody(user: "bjorn"))
        },
        Self("the other account has a password", "merge_not_possible") { server in
            let native = try await server.person("native", ["sign_in_provider": "password"])
            return try await server.atYahoo().merge("from_id_token", native.idToken)
        },
        Self("the account has another identity of the provider", "provider_already_linked") {
            try await $0.atYahoo().link(try await $0.codeBody(user: "bjorn"))
        },
        Self(
            "the address is another account's", "account_exists_with_different_credential",
            further: ["email", "pending_credential", "providers"], plan: ConflictTests.oneEach
        ) { server in
            _ = try await server.atYahoo()
            return try await server.exchange(try await server.xCodeBody())
        },
        Self("the account has no identity of the provider", "no_such_provider") {
            try await $0.atYahoo().unlink("twitter.com")
        },
        Self("the client may not have the provider's tokens", "provider_tokens_disabled") {
            try await $0.atYahoo().refresh("r")
        },
        Self(
            "the provider refuses the refresh token", "token_rejected", plan: .with { $0.returnsProviderTokens = true }
        ) { try await $0.atYahoo().refresh("AJj.none--") },
        Self("the account has no other identity", "last_identity") { try await $0.atYahoo().unlink("yahoo.com") },
        Self("the client makes no anonymous accounts", "anonymous_disabled") {
            try await $0.post("/v1/anonymous", ["client_id": "x-only"])
        },
        Self(
            "the address is of another domain than those of the client", "email_domain_not_allowed",
            plan: .with { $0.allowedEmailDomains = [EmailDomain("company.example")] }
        ) { try await $0.exchange(try await $0.codeBody()) },
        Self(
            "the hook of the operator refuses", "blocked_by_hook", further: ["message"],
            plan: .hooked([.beforeSignIn]) { _ in #"{"deny":{"message":"Not today."}}"# }
        ) { try await $0.exchange(try await $0.codeBody()) },
        Self(
            "the hook of the operator answers nonsense", "hook_unavailable", retry: "restart",
            plan: .hooked([.beforeSignIn]) { _ in "nonsense" }
        ) { try await $0.exchange(try await $0.codeBody()) },
        Self("App Check is missing", "app_check_required", plan: .with { $0.appCheck = .required(apps: []) }) {
            try await $0.post("/v1/nonce", Bodies.nonce)
        },
        Self("App Check is wrong", "app_check_invalid", plan: .with { $0.appCheck = .required(apps: []) }) {
            try await $0.post("/v1/nonce", Bodies.nonce, header: [HeaderField("X-Firebase-AppCheck", "a.b.c")])
        },
        Self("a pending credential is none of ours", "code_rejected") {
            try await $0.exchange(Bodies.exchange("yahoo.com", ["type": "pending", "pending_credential": "a"]))
        },
        Self("a pending credential is to prove who is there now", "intent_mismatch") {
            try await $0.atYahoo().reauthenticate(
                Bodies.exchange("yahoo.com", ["type": "pending", "pending_credential": "a"]))
        },
        Self("a session was begun to link", "intent_mismatch") { server in
            let alice = try await server.atYahoo()
            let begun = try await alice.post("/v1/signin", Bodies.signIn.setting("intent", to: "link")).json
            return try await server.exchange(
                Bodies.exchange(
                    "yahoo.com",
                    [
                        "type": "callback", "session": begun?["session"] ?? .null,
                        "callback_url": "com.example.app:/yahoo?code=c&state=s",
                    ]))
        },
        Self("Google's keys cannot be fetched", "directory_unavailable", retry: "same") { server in
            let alice = try await server.person("u1")
            try await server.standIns.fault("google.id_token_keys", ["status": 500, "body": "down"], times: 100)
            return try await alice.ask("GET", "/v1/account")
        },
        Self("a provider that is to end a token is out of reach", "provider_unreachable", retry: "same") {
            try await $0.atYahoo().post("/v1/account/signout", ["provider": "yahoo.com", "token": "t"])
        },
        Self("a provider that is to revoke a token is out of reach", "provider_unreachable", retry: "same") {
            try await $0.atYahoo().post(
                "/v1/provider-token/revoke", ["client_id": "my-app", "provider": "yahoo.com", "token": "t"])
        },
        Self(
            "the provider remembers a sign-in of yesterday where a fresh one was asked for", "too_old"
        ) { server in
            let alice = try await server.atYahoo()
            let begun = try await alice.post("/v1/signin", Bodies.signIn.setting("intent", to: "reauthenticate")).json
            try await server.standIns.spoilNextIDToken(["set": ["auth_time": 1_699_900_000]])
            let callback = try await TestBrowser(server).consent(at: begun?["authorization_url"]?.string ?? "")
            return try await alice.reauthenticate(
                Bodies.exchange(
                    "yahoo.com",
                    [
                        "type": "callback", "session": begun?["session"] ?? .null, "callback_url": .string(callback),
                    ]))
        },
    ]
}
