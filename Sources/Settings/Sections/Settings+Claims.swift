extension Settings {
    /// Names that a developer claim must not have: those that Firebase refuses in a custom token, those that it
    /// overwrites in its own, and those that only a reauthentication may give.
    static let reservedClaims: Set<String> = [
        "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "claims", "cnf", "email", "email_verified", "exp",
        "firebase", "iat", "iss", "jti", "nbf", "nonce", "phone_number", "provider_id", "reauth_method", "reauth_time",
        "sub", "uid", "user_id",
    ]
    /// The size of the claims as JSON; what placeholders bring is counted when a token is minted.
    static let maximumClaimBytes = 1000

    /// `claims`: the developer claims of every custom token.
    static func readClaims(_ entry: Entry?) -> [String: Template] {
        guard let entry else {
            return [
                "idp": Template(segments: [.placeholder(.provider)]),
                "idp_uid": Template(segments: [.placeholder(.subject)]),
            ]
        }
        var claims: [String: Template] = [:]
        for member in entry.members() ?? [] {
            guard !reservedClaims.contains(member.name) else {
                member.refuse("is a reserved name: choose another")
                continue
            }
            claims[member.name] = member.template(allowing: Template.Placeholder.allCases)
        }
        // {"name":"text","name":"text"}
        let bytes = claims.reduce(2) { $0 + jsonBytes($1.key) + jsonBytes($1.value.constantParts.joined()) + 2 }
        if bytes > maximumClaimBytes + 1 {
            entry.refuse("are longer than \(maximumClaimBytes) bytes before any placeholder is filled: shorten them")
        }
        return claims
    }

    /// As a JSON string with its quotes, without control characters, which were refused before.
    private static func jsonBytes(_ text: String) -> Int {
        text.utf8.reduce(2) { $0 + ($1 == UInt8(ascii: "\"") || $1 == UInt8(ascii: "\\") ? 2 : 1) }
    }
}
