internal import Jansson
internal import OpenSSL

/// The checks of an ID token's claims in the order of OpenID Connect Core section 3.1.3.7.
struct ClaimsCheck: Sendable {
    private static let skew: Int64 = 60
    private static let maximumLifetime: Int64 = 86400

    let environment: BackendEnvironment
    let issuer: String
    let clientID: String
    /// Whether every audience is accepted: the mistake `forgotten-door`.
    var ignoresAudience = false

    /// Checks all claims.
    ///
    /// `maximumAge` counts from `iat`; it is `nil` if the token comes directly from the provider.
    func check(_ claims: JSON, nonce: String, maximumAge: Int64?) throws(Refusal) {
        // RFC 8417 section 4.5: a token about an event is no ID token.
        guard claims["events"] == nil else { throw .malformedToken }
        try checkIssuer(claims["iss"]?.string)
        try checkSubject(claims["sub"]?.string)
        try checkAudience(claims["aud"], authorizedParty: claims["azp"])
        try checkTimes(claims, maximumAge: maximumAge)
        try checkNonce(claims["nonce"], expected: nonce)
    }

    private func checkIssuer(_ found: String?) throws(Refusal) {
        if environment.makes(.issuerUnchecked) { return }
        if environment.makes(.issuerPrefix), found?.hasPrefix(issuer) ?? false { return }
        guard let found, same(found, issuer) else { throw .issuerMismatch }
    }

    private func checkSubject(_ found: String?) throws(Refusal) {
        guard let found, (1...255).contains(found.utf8.count),
            !found.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }),
            !found.unicodeScalars.allSatisfy(\.properties.isWhitespace)
        else { throw .malformedToken }
    }

    /// Requires one audience, which is our client id, and the same `azp` if there is one.
    private func checkAudience(_ found: JSON?, authorizedParty: JSON?) throws(Refusal) {
        if environment.makes(.audienceUnchecked) || ignoresAudience { return }
        let audiences = found?.string.map { [$0] } ?? found?.array?.compactMap(\.string) ?? []
        if environment.makes(.audienceAmongOthers), audiences.count > 1, audiences.contains(clientID) { return }
        guard audiences.count == (found?.array?.count ?? 1), audiences.count == 1 else { throw .audienceMismatch }
        guard same(audiences[0], clientID) || environment.makes(.audienceSubstring) && audiences[0].contains(clientID)
        else { throw .audienceMismatch }
        guard authorizedParty == nil || authorizedParty == .string(clientID) else { throw .audienceMismatch }
    }

    private func checkTimes(_ claims: JSON, maximumAge: Int64?) throws(Refusal) {
        let now = environment.now
        let expiry = environment.makes(.expiryUnchecked) ? nil : try required(claims["exp"])
        if let expiry, now - Self.skew >= expiry { throw .expired }
        if let start = claims["nbf"], try required(start) > now + Self.skew { throw .notYetValid }
        if environment.makes(.issueTimeUnchecked) { return }
        let issuedAt = try required(claims["iat"])
        guard issuedAt <= now + Self.skew else { throw .notYetValid }
        if let maximumAge, now > issuedAt + maximumAge + Self.skew { throw .tooOld }
        if environment.makes(.lifetimeUnbounded) { return }
        if let expiry, expiry > issuedAt + Self.maximumLifetime { throw .lifetimeTooLong }
    }

    /// Reads a time in whole seconds since 1970.
    private func required(_ claim: JSON?) throws(Refusal) -> Int64 {
        switch claim {
        // Greater times are limited to this value, so that nothing overflows.
        case .integer(let seconds)? where seconds >= 0: return min(seconds, 1 << 53)
        case .real(let value)?:
            guard let seconds = Int64(exactly: value), seconds >= 0 else { throw .malformedToken }
            return min(seconds, 1 << 53)
        default: throw .malformedToken
        }
    }

    private func checkNonce(_ found: JSON?, expected: String) throws(Refusal) {
        if environment.makes(.nonceIgnored) { return }
        if environment.makes(.nonceOnlyIfPresent), found == nil { return }
        guard let found = found?.string, same(found, expected) else { throw .nonceMismatch }
    }
}

/// Checks that an ID token was issued with this access token (OpenID Connect Core section 3.1.3.6).
enum AccessTokenHash {
    static func check(_ claims: JSON, _ accessToken: String, environment: BackendEnvironment) throws(Refusal) {
        if environment.makes(.accessTokenHashIgnored) { return }
        if environment.makes(.accessTokenHashOptional), claims["at_hash"] == nil { return }
        // Yahoo writes base64 with padding; the standard requires base64url without padding.
        guard let text = claims["at_hash"]?.string, [22, 24].contains(text.utf8.count),
            let found = Base64Text.decode(unpadded(text)),
            constantTimeEqual(found, Array(SHA256.hash(Array(accessToken.utf8)).prefix(16)))
        else { throw .accessTokenHash }
    }

    private static func unpadded(_ text: String) -> String {
        String((text.hasSuffix("==") ? text.dropLast(2) : text[...]).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}
