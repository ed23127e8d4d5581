internal import JOSE
package import Jansson
package import OpenSSL
package import Standards

/// A custom token, parsed without the code that made it.
package struct MintedToken: Sendable {
    package let header: JSON
    package let payload: JSON
    package let signature: [UInt8]
    package let signingInput: [UInt8]

    /// Parses a token in compact form.
    ///
    /// - Throws: `JOSEError` or `JSONError` if it is not a JWS of two JSON objects.
    package init(_ token: Secret) throws {
        let parts = token.secretText.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { throw JOSEError.malformedToken(.segments) }
        header = try JSON.parse(try Base64URL.decode(parts[0]))
        payload = try JSON.parse(try Base64URL.decode(parts[1]))
        signature = try Base64URL.decode(parts[2])
        signingInput = Array((parts[0] + "." + parts[1]).utf8)
    }

    package func isSigned(by key: RSAPublicKey) -> Bool {
        key.isValid(signature: signature, for: signingInput)
    }
}
