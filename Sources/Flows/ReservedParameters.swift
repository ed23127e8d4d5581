/// The parameters of an authorization request that only this server sets.
enum ReservedParameters {
    static func contains(_ name: String) -> Bool {
        names.contains(name) || name.hasPrefix("oauth_")
    }

    private static let names: Set<String> = [
        "claims", "client_id", "client_secret", "code_challenge", "code_challenge_method", "id_token_hint", "nonce",
        "redirect_uri", "request", "request_uri", "response_mode", "response_type", "scope", "state",
    ]
}
