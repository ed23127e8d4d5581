internal import Jansson

/// Refresh tokens that are not the caller's.
enum ProviderTokenAttacks {
    static let all = Section(.link, .high, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-57a", "The refresh token of another person is posted with the attacker's Firebase ID token.",
            oracle: "The server responds with 403 user_mismatch, returns no token, and revokes the tokens.",
            source: "RFC 9700 4.14; token-exchange API: POST /v1/provider-token"
        ) { context in
            let attacker = try await context.enter()
            let stolen = try await context.refreshToken()
            await context.fire(context.refresh(attacker.bearer, stolen), expecting: .denied("user_mismatch"))
            await context.fire(context.refresh(attacker.bearer, stolen), expecting: .refused("token_rejected"))
        },
        .attack(
            "LK-57b", "A client that gets no tokens of the provider asks for fresh ones.",
            oracle: "The server responds with 403 provider_tokens_disabled, before it calls the provider.",
            source: "token-exchange API: return_provider_tokens"
        ) { context in
            let other = context.lab.application.otherClientID
            let attacker = try await context.enter(clientID: other)
            let token = try await context.refreshToken()
            await context.fire(
                context.refresh(attacker.bearer, token, clientID: other),
                expecting: .denied("provider_tokens_disabled"))
            // The token was not spent: it is refused only because it is not the attacker's.
            let member = try await context.enter()
            await context.fire(context.refresh(member.bearer, token), expecting: .denied("user_mismatch"))
        },
        .attack(
            "LK-57c", "An anonymous account asks for tokens of a provider at which it has no identity.",
            oracle: "The server responds with 409 no_such_provider, before it calls the provider.",
            source: "token-exchange API: POST /v1/provider-token"
        ) { context in
            let attacker = try await context.enterAnonymously()
            let token = try await context.refreshToken()
            await context.fire(
                context.refresh(attacker.bearer, token),
                expecting: .conflict("no_such_provider"))
        })
}

extension AttackContext {
    /// Returns a refresh token that Yahoo's stand-in issued to our application for Alice.
    fileprivate func refreshToken() async throws -> String {
        try await issued(["provider": "yahoo.com", "user": "alice"], "refresh_token")
    }

    fileprivate func refresh(_ bearer: String, _ token: String, clientID: String? = nil) -> Request {
        .json(
            "/v1/provider-token",
            [
                "client_id": .string(clientID ?? lab.application.clientID), "provider": "yahoo.com",
                "refresh_token": .string(token),
            ], bearer: bearer)
    }
}
