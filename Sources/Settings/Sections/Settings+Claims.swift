internal import Providers

extension Settings {
    /// Names that a developer claim must not have.
    ///
    /// Firebase refuses some of them in a custom token and overwrites others in its own tokens. The server itself sets
    /// `anonymous`, `reauth_method`, `reauth_time`, `second_factor` and `second_factor_time`.
    static let reservedClaims: Set<String> = [
        "acr", "amr", "anonymous", "at_hash", "aud", "auth_time", "azp", "c_hash", "claims", "cnf", "email",
        "email_verified", "exp", "firebase", "iat", "iss", "jti", "nbf", "nonce", "phone_number", "provider_id",
        "reauth_method", "reauth_time", "second_factor", "second_factor_time", "sub", "uid", "user_id",
    ]
    /// The maximal size of the claims as JSON.
    ///
    /// The values of placeholders are counted when a token is minted.
    static let maximumClaimBytes = 1000

    /// Reads the section `claims`: the developer claims of every custom token; `nil` if there is no section.
    static func readClaims(_ entry: Entry?) -> [String: IdentityTemplate]? {
        guard let entry else { return nil }
        var claims: [String: IdentityTemplate] = [:]
        for member in entry.members() ?? [] {
            guard !reservedClaims.contains(member.name) else {
                member.refuse("is a reserved name: choose another")
                continue
            }
            claims[member.name] = member.template(allowing: IdentityTemplate.Placeholder.allCases)
        }
        // {"name":"text","name":"text"}
        let bytes = claims.reduce(2) { $0 + jsonBytes($1.key) + jsonBytes($1.value.constantParts.joined()) + 2 }
        if bytes > maximumClaimBytes + 1 {
            entry.refuse(
                "are longer than \(maximumClaimBytes) bytes, not counting the values of placeholders: shorten them")
        }
        return claims
    }

    /// The size as a JSON string with quotes.
    ///
    /// Control characters were refused before.
    private static func jsonBytes(_ text: String) -> Int {
        text.utf8.reduce(2) { $0 + ($1 == UInt8(ascii: "\"") || $1 == UInt8(ascii: "\\") ? 2 : 1) }
    }
}

extension Entry {
    /// Reads a template.
    ///
    /// Every brace belongs to a placeholder; a literal brace cannot be written.
    func template(allowing allowed: [IdentityTemplate.Placeholder]) -> IdentityTemplate? {
        // YAML reads `{provider}` without quotation marks as a section.
        guard isText || isTemplate || writtenText == nil && !isSection else {
            return refusing("must be a text: write it in quotes")
        }
        guard let text = text() else { return nil }
        var segments: [IdentityTemplate.Segment] = []
        var rest = text[...]
        while !rest.isEmpty {
            let constant = rest.prefix { $0 != "{" && $0 != "}" }
            if !constant.isEmpty { segments.append(.text(String(constant))) }
            rest = rest[constant.endIndex...]
            guard let brace = rest.first else { break }
            let name = rest.dropFirst().prefix { $0 != "{" && $0 != "}" }
            guard brace == "{", name.endIndex < rest.endIndex, rest[name.endIndex] == "}" else {
                return refusing("has an unpaired brace: write placeholders as {name}")
            }
            guard let placeholder = IdentityTemplate.Placeholder(rawValue: String(name)), allowed.contains(placeholder)
            else {
                return refusing("has an unknown placeholder: write \(allowed.map { "{\($0.rawValue)}" }.inWords)")
            }
            segments.append(.placeholder(placeholder))
            rest = rest[rest.index(after: name.endIndex)...]
        }
        return IdentityTemplate(segments)
    }
}
