import Firebase
import JOSE
import Jansson
import SQLiteStores
import Server
import Support
import Transport

/// Faults of the HTTP request.
extension RefusalCase {
    static let requests: [Self] = [
        Self("nothing is at another path", "not_found") { try await $0.get("/v1/nothing") },
        Self("an endpoint takes one method", "method_not_allowed") { try await $0.get("/v1/exchange") },
        Self("the request target is longer than 8 KiB", "uri_too_long") {
            try await $0.get("/" + String(repeating: "a", count: 9000))
        },
        Self("a header field is longer than 16 KiB", "headers_too_large") {
            try await $0.raw(
                TestServer.request(header: [
                    "Content-Type: application/json", "X-Long: " + String(repeating: "a", count: 17_000),
                ]))
        },
        Self("there are more than a hundred header fields", "headers_too_large") {
            try await $0.raw(
                TestServer.request(header: ["Content-Type: application/json"] + (0..<120).map { "X-\($0): a" }))
        },
        Self("the body is a form", "unsupported_media_type") {
            try await $0.post("/v1/exchange", text: "a=b", type: "application/x-www-form-urlencoded")
        },
        Self("the body is longer than 64 KiB", "body_too_large") {
            try await $0.post("/v1/exchange", text: String(repeating: "a", count: 65_537))
        },
        Self("the body is no JSON object", "malformed_body") { try await $0.post("/v1/exchange", text: "[]") },
        Self("a member is of another type", "malformed_body") {
            try await $0.exchange(Bodies.inventedCode.setting("client_id", to: 7))
        },
        Self("a code_verifier has 42 characters", "malformed_body") {
            try await $0.exchange(
                Bodies.exchange(
                    "twitter.com",
                    [
                        "type": "authorization_code", "code": "c", "redirect_uri": "com.example.app:/x",
                        "code_verifier": .string(String(repeating: "a", count: 42)),
                    ]))
        },
        Self("a member is not known", "unknown_field") {
            try await $0.exchange(Bodies.inventedCode.setting("uid", to: "admin"))
        },
        Self("a member is missing", "missing_field") {
            try await $0.exchange(Bodies.inventedCode.setting("provider", to: nil))
        },
        Self("the nonce of OpenID Connect is missing", "missing_field") {
            try await $0.exchange(Bodies.inventedCode.setting("credential", "nonce", to: nil))
        },
        Self("a member is given twice", "duplicate_parameter") {
            try await $0.post(
                "/v1/nonce", text: #"{"client_id":"my-app","client_id":"my-app","provider":"yahoo.com"}"#)
        },
        Self("no client has this id", "unknown_client") {
            try await $0.post("/v1/nonce", Bodies.nonce.setting("client_id", to: "nobody"))
        },
        Self("no provider has this id", "unknown_provider") {
            try await $0.post("/v1/nonce", Bodies.nonce.setting("provider", to: "nobody.example"))
        },
        Self("the provider is switched off for the client", "provider_disabled") {
            try await $0.post("/v1/nonce", Bodies.nonce.setting("client_id", to: "x-only"))
        },
        Self("the page's origin is another one", "origin_not_allowed") {
            try await $0.raw(
                TestServer.request(header: ["Content-Type: application/json", "Origin: https://evil.example"]))
        },
        Self("a parameter is the server's to set", "reserved_parameter") {
            try await $0.post("/v1/signin", Bodies.signIn.setting("parameters", to: ["state": "mine"]))
        },
        Self("a parameter is not among the provider's", "parameter_not_allowed") {
            try await $0.post("/v1/signin", Bodies.signIn.setting("parameters", to: ["colour": "red"]))
        },
        Self("a code_verifier where PKCE is off", "parameter_not_allowed") {
            try await $0.exchange(
                Bodies.inventedCode.setting("credential", "code_verifier", to: .string(StandIns.verifier)))
        },
        Self("a scope is not among the provider's", "invalid_scope") {
            try await $0.post("/v1/signin", Bodies.signIn.setting("scopes", to: ["mail-w"]))
        },
        Self("the redirect URI differs in one character", "redirect_uri_not_allowed") {
            try await $0.post("/v1/signin", Bodies.signIn.setting("redirect_uri", to: "com.example.app:/yahoo/"))
        },
        Self("a code's redirect URI is another client's", "redirect_uri_not_allowed") {
            try await $0.exchange(
                Bodies.inventedCode.setting("credential", "redirect_uri", to: "com.example.hostile:/yahoo"))
        },
        Self("a code comes without its verifier", "pkce_required") {
            try await $0.exchange(
                Bodies.exchange(
                    "twitter.com",
                    ["type": "authorization_code", "code": "c", "redirect_uri": "com.example.app:/x"]))
        },
        Self("there is no credential of this type", "unknown_credential_type") {
            try await $0.exchange(Bodies.exchange("yahoo.com", ["type": "password", "password": "p"]))
        },
        Self("the provider does not take this type", "unsupported_credential") {
            try await $0.exchange(
                Bodies.exchange(
                    "yahoo.com",
                    ["type": "oauth1_token", "oauth_token": "t", "oauth_token_secret": "s", "nonce": "n"]))
        },
        Self("the provider has no flow of this name", "parameter_not_allowed") {
            try await $0.post("/v1/signin", Bodies.signIn.setting("flow", to: "implicit"))
        },
    ]
}

/// Failures of the server itself.
extension RefusalCase {
    static let ours: [Self] = [
        Self("the store is shut", "store_unavailable", retry: "same") { server in
            let body = try await server.idTokenBody()
            try server.store.close()
            return try await server.exchange(body)
        },
        Self(
            "the signing process has more to do than it can", "signer_unavailable", retry: "restart",
            plan: .with { $0.signer = .overloaded() }
        ) { server in try await server.exchange(server.codeBody()) },
        Self("nothing can be made up", "internal", retry: "restart", plan: .withoutRandomness) {
            try await $0.post("/v1/nonce", Bodies.nonce)
        },
        Self("an address asks too often", "rate_limited", retry: "same", plan: onceAMinute) { server in
            _ = try await server.post("/v1/nonce", Bodies.nonce)
            return try await server.post("/v1/nonce", Bodies.nonce)
        },
        Self("as many are in as may be", "overloaded", retry: "same", plan: .limits { $0.inFlight = 1 }) { server in
            let body = try await server.codeBody()
            server.gate.shut()
            async let first = server.exchange(body)
            await server.gate.isReached()
            let second = try await server.post("/v1/nonce", Bodies.nonce)
            server.gate.open()
            _ = try await first
            return second
        },
        Self("the server is leaving", "draining", retry: "same") { server in
            server.concurrencyLimit.drain()
            return try await server.post("/v1/nonce", Bodies.nonce)
        },
    ]

    private static var onceAMinute: Plan {
        .limits { $0.startsPerAddress = RateLimit(count: 1, period: .seconds(60)) }
    }
}
