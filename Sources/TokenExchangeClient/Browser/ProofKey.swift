internal import Foundation

#if canImport(CryptoKit)
    internal import CryptoKit
#endif

/// A random value of one flow, and its PKCE challenge (RFC 7636).
struct ProofKey: Sendable {
    let verifier: String

    /// The method `S256`.
    var challenge: String {
        #if canImport(CryptoKit)
            Self.base64URL(Array(SHA256.hash(data: Data(verifier.utf8))))
        #else
            Self.base64URL(SHA256.hash(Array(verifier.utf8)))
        #endif
    }

    init(verifier: String = randomText()) {
        self.verifier = verifier
    }

    /// Returns 256 random bits of the system's generator, which is cryptographically secure, as 43 characters.
    static func randomText() -> String {
        var generator = SystemRandomNumberGenerator()
        return base64URL((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    private static func base64URL(_ octets: [UInt8]) -> String {
        Data(octets).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
}
