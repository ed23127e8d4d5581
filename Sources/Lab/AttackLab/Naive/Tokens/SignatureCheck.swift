internal import Jansson
internal import OpenSSL

/// Checks that the provider signed an ID token.
///
/// The header selects a key and an algorithm, but only among those that are allowed (RFC 8725 section 3.1).
struct SignatureCheck: Sendable {
    let environment: BackendEnvironment
    let peer: PeerClient
    let keys: KeySet
    let clientSecret: String

    func verify(_ token: SignedToken) async throws(Refusal) {
        if token.isUnsigned(environment) { return try token.checkType(environment) }
        if token.algorithm == "HS256", let secret = try await trustedSecret(token) {
            try token.checkType(environment)
            guard secret else { throw .signatureInvalid }
            return
        }
        guard ["ES256", "RS256"].contains(where: { same($0, token.algorithm) }) else { throw .algorithm }
        try token.checkType(environment)
        let key = try await key(for: token)
        guard key.algorithm == token.algorithm else { throw .algorithm }
        if environment.makes(.signatureUnchecked) { return }
        guard key.verifies(token) else { throw .signatureInvalid }
    }

    /// The key of the provider, from the configured URL.
    private func key(for token: SignedToken) async throws(Refusal) -> PublicKey {
        if environment.makes(.headerKeyTrusted), let key = token.header["jwk"].flatMap(PublicKey.init) { return key }
        if environment.makes(.headerURLFetched), let url = token.header["jku"]?.string,
            let keys = try? await KeySet.fetch(url, peer: peer), let key = KeySet.choose(token, keys)
        {
            return key
        }
        return try await keys.key(for: token)
    }

    /// Whether an HMAC under a public value is accepted, which is a mistake; `nil` if that mistake is not made.
    private func trustedSecret(_ token: SignedToken) async throws(Refusal) -> Bool? {
        var secrets: [String] = []
        if environment.makes(.emptySecret) { secrets += ["", clientSecret] }
        if environment.makes(.publicKeyAsSecret) {
            let pem = try await keys.key(for: token).pem
            secrets += [pem, String(pem.dropLast())]
        }
        guard !secrets.isEmpty else { return nil }
        let message = Array(token.signingInput.utf8)
        return secrets.contains {
            constantTimeEqual(HMACSHA256.authenticationCode(for: message, key: Array($0.utf8)), token.signature)
        }
    }
}
