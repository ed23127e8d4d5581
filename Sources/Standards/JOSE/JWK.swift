internal import OpenSSL

/// A public key of a JSON Web Key Set, fit for verifying with one algorithm.
package struct JWK: Sendable {
    enum Material: Sendable {
        case rsa(RSAPublicKey)
        case p256(P256PublicKey)
    }

    package let id: KeyID?

    let material: Material

    /// The key decides, the token does not: "each key MUST be used with exactly one algorithm" (RFC 8725 §3.1).
    package var algorithm: Algorithm {
        switch material {
        case .rsa: .rs256
        case .p256: .es256
        }
    }

    func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        switch material {
        case .rsa(let key): key.isValid(signature: signature, for: message)
        case .p256(let key): key.isValid(signature: signature, for: message)
        }
    }
}
