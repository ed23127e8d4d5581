internal import Jansson

/// The steps of the token-exchange grant (RFC 8693).
extension AttackContext {
    static let tokenExchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"
    static let idTokenType = "urn:ietf:params:oauth:token-type:id_token"
    static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
    static let jwtType = "urn:ietf:params:oauth:token-type:jwt"

    /// `POST /token` with a subject token and valid parameters, changed by `change`.
    func tokenExchange(
        _ subjectToken: String, nonce: String, _ change: (inout [(String, String)]) -> Void = { _ in }
    ) -> Request {
        var parameters = [
            ("grant_type", Self.tokenExchangeGrant), ("subject_token", subjectToken),
            ("subject_token_type", Self.idTokenType), ("subject_issuer", lab.application.provider),
            ("nonce", nonce), ("client_id", lab.application.clientID),
        ]
        change(&parameters)
        return .form("/token", parameters)
    }

    /// Returns a valid ID token and its nonce verifier.
    func subject(user: String = "alice") async throws -> (token: String, verifier: String) {
        let (nonce, verifier) = try await nonce()
        let token = try await issued(
            [
                "provider": "yahoo.com", "user": .string(user), "nonce": .string(nonce), "application": "ours",
            ], "id_token")
        return (token, verifier)
    }

    /// Returns the form of the grant with a token that `change` modifies.
    func forgedSubject(
        subject: String = "ATTACKERWJNWVNQD4GXZ5NGMZU", _ change: (inout TokenDraft) async throws -> Void
    ) async throws -> Request {
        let (nonce, verifier) = try await nonce()
        var draft = try await draft(subject: subject, nonce: nonce)
        try await change(&draft)
        return tokenExchange(try await draft.token(by: standIns), nonce: verifier)
    }
}

extension Expectation {
    /// Expects 400 `invalid_request`, which RFC 8693 §2.2.2 requires for an invalid subject token.
    static func badSubject(_ reasons: Set<String>) -> Self {
        Self(statuses: [400], errors: ["invalid_request"], reasons: reasons)
    }
}
