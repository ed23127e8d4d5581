package import JOSE
package import Jansson
package import Standards

extension IDTokenBuilder {
    /// A Firebase ID token that was issued 10 seconds ago to a user who signed in 100 seconds ago.
    package static func firebase(at now: NumericDate = TestClock.start) -> Self {
        Self(
            header: ["alg": .string("RS256"), "kid": .string(TestKeys.rsaKeyID), "typ": .string("JWT")],
            claims: [
                "iss": .string("https://securetoken.google.com/project"), "aud": .string("project"),
                "auth_time": .integer(now.seconds - 100), "user_id": .string("u1"), "sub": .string("u1"),
                "iat": .integer(now.seconds - 10), "exp": .integer(now.seconds + 3590),
                "email": .string("ann@example.org"), "email_verified": .bool(true),
                "firebase": firebaseObject(),
            ],
            signer: .rsa)
    }

    /// An App Check token that is valid for an hour.
    package static func appCheck() -> Self {
        Self(
            header: ["alg": .string("RS256"), "kid": .string(TestKeys.rsaKeyID), "typ": .string("JWT")],
            claims: [
                "iss": .string("https://firebaseappcheck.googleapis.com/1234567890"),
                "aud": .array([.string("projects/1234567890"), .string("projects/project")]),
                "sub": .string("1:1234567890:ios:abcdef"), "iat": .integer(TestClock.start.seconds),
                "exp": .integer(TestClock.start.seconds + 3600),
            ],
            signer: .rsa)
    }

    package static func firebaseObject(changing members: [String: JSON?] = [:]) -> JSON {
        var object: [String: JSON] = ["identities": .object([:]), "sign_in_provider": .string("custom")]
        for (name, value) in members { object[name] = value }
        return .object(object)
    }

    package func secret() throws -> Secret { Secret(try compact()) }

    /// The token in the form of the emulator: `alg` is `none`, and the signature is empty.
    package func unsigned() throws -> Secret {
        let signed = try settingHeader("alg", to: .string("none")).compact()
        return Secret(signed.split(separator: ".").prefix(2).joined(separator: ".") + ".")
    }
}
