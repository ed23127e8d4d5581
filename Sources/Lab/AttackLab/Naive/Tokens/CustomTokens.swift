internal import Foundation
internal import Jansson
internal import OpenSSL

/// Mints Firebase custom tokens (RS256), signed with a service account's key.
struct CustomTokens: Sendable {
    static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    private let environment: BackendEnvironment
    private let account: String
    private let keyID: String
    private let key: RSAPrivateKey

    /// Reads the key from `file`, a service account file as Google issues it.
    init(file: String, environment: BackendEnvironment) throws {
        let content = try JSON.parse(Array(try Data(contentsOf: URL(filePath: file))))
        guard let account = content["client_email"]?.string, let keyID = content["private_key_id"]?.string,
            let pem = content["private_key"]?.string
        else { throw CocoaError(.fileReadCorruptFile) }
        self.environment = environment
        self.account = account
        self.keyID = keyID
        key = try RSAPrivateKey(pem: pem)
    }

    /// Firebase accepts a token any number of times, so its lifetime is only five minutes.
    var lifetime: Int64 { environment.makes(.longLivedToken) ? 86400 : 300 }

    func mint(_ uid: String, for identity: Identity) throws(Refusal) -> String {
        let now = environment.now
        var claims: [String: JSON] = [
            "iss": .string(account), "sub": .string(account), "aud": .string(Self.audience), "iat": .integer(now),
            "exp": .integer(now + lifetime), "uid": .string(uid),
        ]
        if environment.makes(.claimsCopied) { claims["claims"] = identity.claims }
        let header: [String: JSON] = ["alg": .string("RS256"), "kid": .string(keyID), "typ": .string("JWT")]
        let input = [header, claims].map { Base64Text.encode(JSON.object($0).serialized()) }.joined(separator: ".")
        do {
            return input + "." + Base64Text.encode(try key.signature(for: Array(input.utf8)))
        } catch {
            throw .failure(
                503, "temporarily_unavailable", "signer_unavailable", "The signing key failed.", retry: "restart")
        }
    }
}
