/// Why a key is not used, without anything of the key.
package enum KeyError: Error, Equatable, Sendable {
    /// Not PEM, not the structure that the label promises, or numbers that no key has.
    case malformed
    /// Protected by a passphrase. Nobody is there to be asked for it.
    case encrypted
    case wrongType(expected: KeyType, found: KeyType)
    /// RSA is accepted from 2048 to 4096 bits, AES with 256.
    case unsupportedSize(bits: Int)
    /// The RSA exponent is even, 1, or longer than 64 bits.
    case weakExponent
    case pointNotOnCurve
    case certificateInsteadOfKey
    case publicKeyInsteadOfPrivate
    case privateKeyInsteadOfPublic
    /// What the private half signs, the public half does not verify.
    case halvesDoNotMatch
    /// The library failed for a reason that is not in the key.
    case failed(OpenSSLError)
}

package enum KeyType: Equatable, Sendable {
    case rsa
    case p256
    case otherCurve
    case other
}
