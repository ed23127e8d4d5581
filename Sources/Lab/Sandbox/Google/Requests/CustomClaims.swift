import Jansson

/// Claims of a developer's own: those of custom tokens, and `customAttributes`.
enum CustomClaims {
    static let maximumBytes = 1000

    /// What the admin SDKs refuse, too.
    private static let reserved: Set = [
        "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat", "iss", "jti",
        "nbf", "nonce", "sub",
    ]

    /// - Throws: CLAIMS_TOO_LARGE, INVALID_CLAIMS, FORBIDDEN_CLAIM.
    static func check(_ claims: JSON?) throws(Refusal) -> [String: JSON] {
        guard let claims else { return [:] }
        guard let members = claims.object else { throw GoogleError.identity("INVALID_CLAIMS") }
        guard claims.serialized().count <= maximumBytes else { throw GoogleError.identity("CLAIMS_TOO_LARGE") }
        if let name = members.keys.filter(reserved.contains).min() {
            throw GoogleError.identity("FORBIDDEN_CLAIM : \(name)")
        }
        return members
    }

    /// The same for an object in a string.
    static func check(text: String) throws(Refusal) {
        guard text.count <= maximumBytes else { throw GoogleError.identity("CLAIMS_TOO_LARGE") }
        guard let claims = try? JSON.parse(Array(text.utf8)) else { throw GoogleError.identity("INVALID_CLAIMS") }
        _ = try check(claims)
    }
}
