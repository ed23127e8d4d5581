import JOSE
import Jansson

/// Codes, callbacks and tokens of the provider that are wrong, used or issued to another client.
extension RefusalCase {
    static let grants: [Self] = [
        Self("the provider does not know the code", "code_rejected") {
            try await $0.exchange(Bodies.inventedCode)
        },
        Self("a code is posted again", "replayed") {
            let body = try await $0.codeBody()
            _ = try await $0.exchange(body)
            return try await $0.exchange(body)
        },
        Self("a code's ID token holds another nonce", "nonce_mismatch") {
            try await $0.exchange(try await $0.codeBody().setting("credential", "nonce", to: "another"))
        },
        Self("the callback has another state", "state_mismatch") {
            try await $0.exchange(try await $0.callbackBody("code=CODE&state=another"))
        },
        Self("the callback has no state", "state_mismatch") {
            try await $0.exchange(try await $0.callbackBody("code=CODE"))
        },
        Self("the callback has a token in it", "callback_mismatch") {
            try await $0.exchange(try await $0.callbackBody("code=CODE&state=STATE&id_token=a.b.c"))
        },
        Self("the person said no", "access_denied") {
            try await $0.exchange(try await $0.callbackBody("error=access_denied&state=STATE"))
        },
        Self("the provider does not grant a scope", "invalid_scope") {
            try await $0.exchange(try await $0.callbackBody("error=invalid_scope&state=STATE"))
        },
        Self("nobody is signed in at the provider, and it was to ask nobody", "login_required") {
            try await $0.exchange(try await $0.callbackBody("error=login_required&state=STATE"))
        },
        Self("the provider cannot choose an account, and was not to ask", "account_selection_required") {
            try await $0.exchange(try await $0.callbackBody("error=account_selection_required&state=STATE"))
        },
        Self("the person has not consented before, and was not to be asked", "consent_required") {
            try await $0.exchange(try await $0.callbackBody("error=consent_required&state=STATE"))
        },
        Self("the provider needs to show a page, and was not to", "interaction_required") {
            try await $0.exchange(try await $0.callbackBody("error=interaction_required&state=STATE"))
        },
        Self("the provider ended the flow otherwise", "provider_error", retry: "restart") {
            try await $0.exchange(try await $0.callbackBody("error=server_error&state=STATE"))
        },
        Self("the callback comes from another issuer", "issuer_mismatch") {
            try await $0.exchange(
                try await $0.callbackBody("code=CODE&state=STATE&iss=https%3A%2F%2Fevil.example"))
        },
        Self("the callback has a parameter twice", "callback_mismatch") {
            try await $0.exchange(try await $0.callbackBody("code=CODE&state=STATE&code=another"))
        },
        Self("the callback has no answer in it", "callback_mismatch") {
            try await $0.exchange(try await $0.callbackBody("state=STATE"))
        },
        Self("the callback goes to another place", "callback_mismatch") {
            try await $0.exchange(
                try await $0.callbackBody().setting(
                    "credential", "callback_url", to: "com.example.app:/other?code=c&state=s"))
        },
        Self("the session is too old", "expired") { server in
            let body = try await server.callbackBody()
            server.clock.advance(by: .seconds(601))
            return try await server.exchange(body)
        },
        Self("the session is used again", "replayed") { server in
            let body = try await server.callbackBody()
            _ = try await server.exchange(body)
            return try await server.exchange(body)
        },
        Self("the session is not one of this server", "session_invalid") {
            try await $0.exchange(try await $0.callbackBody().setting("credential", "session", to: "AAAA"))
        },
        Self("a pair of tokens was issued to another application", "token_rejected") {
            try await $0.exchange(try await $0.tokenPairBody(application: "hostile"))
        },
        Self("a pair of tokens comes with a used nonce", "replayed") { server in
            let body = try await server.tokenPairBody()
            _ = try await server.exchange(body)
            return try await server.exchange(body)
        },
        Self("the nonce of a pair of tokens is ten minutes old", "expired") { server in
            let body = try await server.tokenPairBody()
            server.clock.advance(by: .seconds(600))
            return try await server.exchange(body)
        },
        Self("the nonce of a pair of tokens is not one of this server", "nonce_mismatch") {
            try await $0.exchange(try await $0.tokenPairBody().setting("credential", "nonce", to: "AAAA"))
        },
        Self("a pair of tokens comes without a nonce", "missing_field") {
            try await $0.exchange(try await $0.tokenPairBody().setting("credential", "nonce", to: nil))
        },
        Self("an access token says nothing of its audience", "audience_unverifiable") {
            try await $0.exchange(try await $0.accessTokenBody(provider: "yahoo.com"))
        },
        Self("an access token was issued to another client", "audience_mismatch") {
            try await $0.exchange(try await $0.accessTokenBody(application: "hostile"))
        },
        Self("an access token is not active", "token_rejected") {
            try await $0.exchange(
                try await $0.accessTokenBody().setting("credential", "access_token", to: "unknown"))
        },
    ]
}

/// ID tokens with one thing wrong.
extension RefusalCase {
    static let idTokens: [Self] = [
        Self("the token was issued to another application", "audience_mismatch") {
            try await $0.exchange(try await $0.idTokenBody(application: "hostile"))
        },
        Self("the token was issued by another issuer", "issuer_mismatch") {
            try await $0.exchange(try await $0.idTokenBody(claims: ["iss": "https://evil.example"]))
        },
        Self("another key signed it", "signature_invalid") {
            try await $0.exchange(try await $0.idTokenBody(claims: ["key": "foreign"]))
        },
        Self("it is signed with the public key as a shared secret", "algorithm_not_allowed") {
            try await $0.exchange(try await $0.idTokenBody(claims: ["key": "hs256"]))
        },
        Self("it is signed with a key that is not published", "unknown_key") {
            try await $0.exchange(try await $0.idTokenBody(claims: ["header": ["kid": "another"]]))
        },
        Self("it expired a hundred seconds ago", "expired") { server in
            let now = server.clock.now.seconds
            return try await server.exchange(
                try await server.idTokenBody(claims: ["set": ["exp": .integer(now - 100)]]))
        },
        Self("it is not valid for a hundred seconds yet", "not_yet_valid") { server in
            let now = server.clock.now.seconds
            return try await server.exchange(
                try await server.idTokenBody(claims: ["set": ["nbf": .integer(now + 100)]]))
        },
        Self("it was issued in the future", "not_yet_valid") { server in
            let now = server.clock.now.seconds
            return try await server.exchange(
                try await server.idTokenBody(claims: ["set": ["iat": .integer(now + 100)]]))
        },
        Self("it was issued an hour ago", "too_old") { server in
            let now = server.clock.now.seconds
            return try await server.exchange(
                try await server.idTokenBody(claims: ["set": ["iat": .integer(now - 3600)]]))
        },
        Self("its nonce is of another verifier", "nonce_mismatch") { server in
            try await server.exchange(
                try await server.idTokenBody()
                    .setting("credential", "nonce", to: .string(try await server.nonce().verifier)))
        },
        Self("the verifier is none of ours", "nonce_mismatch") {
            try await $0.exchange(try await $0.idTokenBody().setting("credential", "nonce", to: "AAAA"))
        },
        Self("it does not vouch for the access token beside it", "at_hash_mismatch") {
            try await $0.exchange(
                try await $0.idTokenBody().setting("credential", "access_token", to: "another"))
        },
        Self("it is no token", "malformed_token") { server in
            try await server.exchange(
                Bodies.inventedIDToken.setting(
                    "credential", "nonce", to: .string(try await server.nonce().verifier)))
        },
        Self("it lacks its subject", "malformed_token") {
            try await $0.exchange(try await $0.idTokenBody(claims: ["remove": ["sub"]]))
        },
        Self("it lives for two days", "lifetime_too_long") { server in
            let now = server.clock.now.seconds
            return try await server.exchange(
                try await server.idTokenBody(claims: ["set": ["exp": .integer(now + 172_800)]]))
        },
        Self("it is posted again", "replayed") { server in
            let body = try await server.idTokenBody()
            _ = try await server.exchange(body)
            return try await server.exchange(body)
        },
    ]
}
