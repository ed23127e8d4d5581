import Jansson

/// Codes, callbacks and tokens of the provider that are wrong, used or somebody else's.
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
        Self("the session is too old", "expired") { street in
            let body = try await street.callbackBody()
            street.clock.advance(by: .seconds(601))
            return try await street.exchange(body)
        },
        Self("the session is used again", "replayed") { street in
            let body = try await street.callbackBody()
            _ = try await street.exchange(body)
            return try await street.exchange(body)
        },
        Self("the session is not one of this server", "session_invalid") {
            try await $0.exchange(try await $0.callbackBody().setting("credential", "session", to: "AAAA"))
        },
        Self("a pair of tokens was issued to another application", "token_rejected") {
            try await $0.exchange(try await $0.tokenPairBody(application: "hostile"))
        },
        Self("a pair of tokens comes with a used nonce", "replayed") { street in
            let body = try await street.tokenPairBody()
            _ = try await street.exchange(body)
            return try await street.exchange(body)
        },
        Self("the nonce of a pair of tokens is ten minutes old", "expired") { street in
            let body = try await street.tokenPairBody()
            street.clock.advance(by: .seconds(600))
            return try await street.exchange(body)
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
