package import JOSE
package import Jansson
internal import OpenSSL
package import Standards

/// An ID token that is valid until one of its members is changed.
package struct IDTokenBuilder: Sendable {
    package var header: [String: JSON]
    package var claims: [String: JSON]
    package var signer: TestKeys.Signer
    /// JSON texts that replace the values of some claims.
    private var texts: [String: String] = [:]

    package init(header: [String: JSON], claims: [String: JSON], signer: TestKeys.Signer) {
        self.header = header
        self.claims = claims
        self.signer = signer
    }

    /// A token like those of Yahoo: ES256, no `typ`.
    package static func yahoo(nonce: String, at now: NumericDate = TestClock.start) -> Self {
        Self(
            header: ["alg": .string("ES256"), "kid": .string(TestKeys.curveKeyID)],
            claims: [
                "iss": .string(Yahoo.issuer), "sub": .string(Yahoo.subject), "aud": .string(Yahoo.clientID),
                "iat": .integer(now.seconds), "exp": .integer(now.seconds + 3600), "nonce": .string(nonce),
                "auth_time": .integer(now.seconds),
                "name": .string("Ann Example"), "given_name": .string("Ann"), "family_name": .string("Example"),
                "email": .string("ann@example.org"), "email_verified": .bool(true), "locale": .string("en-US"),
            ],
            signer: .curve)
    }

    /// A token like those of the generic provider: RS256.
    package static func generic(nonce: String, at now: NumericDate = TestClock.start) -> Self {
        Self(
            header: ["alg": .string("RS256"), "kid": .string(TestKeys.rsaKeyID), "typ": .string("JWT")],
            claims: [
                "iss": .string(Generic.issuer), "sub": .string(Generic.subject), "aud": .string(Generic.clientID),
                "iat": .integer(now.seconds), "exp": .integer(now.seconds + 3600), "nonce": .string(nonce),
                "auth_time": .integer(now.seconds),
            ],
            signer: .rsa)
    }

    /// A logout token of the generic provider (OpenID Connect Back-Channel Logout 1.0 §2.4).
    package static func logout(at now: NumericDate = TestClock.start) -> Self {
        Self(
            header: ["alg": .string("RS256"), "kid": .string(TestKeys.rsaKeyID), "typ": .string("logout+jwt")],
            claims: [
                "iss": .string(Generic.issuer), "sub": .string(Generic.subject), "aud": .string(Generic.clientID),
                "iat": .integer(now.seconds), "exp": .integer(now.seconds + 120), "jti": .string("logout-1"),
                "events": .object(["http://schemas.openid.net/event/backchannel-logout": .object([:])]),
            ],
            signer: .rsa)
    }

    /// Returns the token with another value for a claim, or without the claim.
    package func setting(_ claim: String, to value: JSON?) -> Self {
        var changed = self
        changed.claims[claim] = value
        return changed
    }

    /// Returns the token with a JSON text as the value of a claim, for values that `JSON` cannot represent; `nil`
    /// removes the claim.
    package func setting(_ claim: String, toText text: String?) -> Self {
        var changed = setting(claim, to: nil)
        changed.texts[claim] = text
        return changed
    }

    /// Returns the token with another value for a header member, or without it.
    package func settingHeader(_ member: String, to value: JSON?) -> Self {
        var changed = self
        changed.header[member] = value
        return changed
    }

    package func signed(by signer: TestKeys.Signer) -> Self {
        var changed = self
        changed.signer = signer
        return changed
    }

    /// Returns the token with the `at_hash` of an access token (OpenID Connect Core §3.1.3.6).
    package func vouching(for accessToken: String) -> Self {
        setting("at_hash", to: .string(Base64URL.encode(Array(SHA256.hash(Array(accessToken.utf8)).prefix(16)))))
    }

    package func compact() throws -> String {
        let input = Base64URL.encode(JSON.object(header).serialized()) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(try TestKeys.shared.signature(for: Array(input.utf8), by: signer))
    }

    private var payload: [UInt8] {
        let members =
            claims.map { name, value in (name, String(decoding: value.serialized(), as: UTF8.self)) }
            + texts.map { ($0.key, $0.value) }
        return Array("{\(members.map { "\"\($0.0)\":\($0.1)" }.sorted().joined(separator: ","))}".utf8)
    }

    package func token() throws -> UnverifiedIDToken {
        UnverifiedIDToken(try compact())
    }
}
