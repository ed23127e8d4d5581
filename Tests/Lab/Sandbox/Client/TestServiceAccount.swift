import FoundationEssentials
import Jansson
import OpenSSL
import Sandbox

/// A service account with a key that the tests know.
struct TestServiceAccount: Sendable {
    /// The key is generated once, because that takes time.
    private static let key = Result { try RSAPrivateKey.generate() }

    let email: String
    let projectID: String
    let key: RSAPrivateKey

    init(email: String = "sandbox@sandbox.iam.gserviceaccount.com", projectID: String = "sandbox") throws {
        self.email = email
        self.projectID = projectID
        key = try Self.key.get()
    }

    var settings: GoogleSettings {
        GoogleSettings(serviceAccounts: [
            GoogleServiceAccount(email: email, projectID: projectID, keyID: "k1", publicKey: key.publicKey)
        ])
    }

    /// A valid custom token, with some claims changed or added, or removed by `null`.
    func customToken(
        _ changes: [String: JSON] = [:], header: [String: JSON] = [:], signedBy signer: RSAPrivateKey? = nil
    ) throws -> String {
        try token(
            [
                "aud": .string(SandboxClient.customTokenAudience), "iss": .string(email), "sub": .string(email),
                "iat": .integer(SandboxClient.start), "exp": .integer(SandboxClient.start + 300), "uid": .string("u1"),
            ], changes, header, signer)
    }

    /// A valid assertion for an access token.
    func assertion(
        _ changes: [String: JSON] = [:], header: [String: JSON] = [:], signedBy signer: RSAPrivateKey? = nil
    ) throws -> String {
        try token(
            [
                "aud": .string("https://oauth2.googleapis.com/token"), "iss": .string(email),
                "iat": .integer(SandboxClient.start), "exp": .integer(SandboxClient.start + 3600),
                "scope": .string(SandboxClient.identityToolkit),
            ], changes, header, signer)
    }

    private func token(
        _ claims: [String: JSON], _ changes: [String: JSON], _ headerChanges: [String: JSON], _ signer: RSAPrivateKey?
    ) throws -> String {
        let payload = claims.merging(changes) { $1 }.filter { $0.value != .null }
        let header: [String: JSON] = ["alg": .string("RS256"), "typ": .string("JWT"), "kid": .string("k1")]
        let input =
            Self.base64URL(JSON.object(header.merging(headerChanges) { $1 }.filter { $0.value != .null }).serialized())
            + "." + Self.base64URL(JSON.object(payload).serialized())
        return input + "." + Self.base64URL(try (signer ?? key).signature(for: Array(input.utf8)))
    }

    static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
