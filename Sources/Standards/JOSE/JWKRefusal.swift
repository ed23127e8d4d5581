package import OpenSSL

/// Why a key of a set is not used, while the others are.
package enum JWKRefusal: Error, Equatable, Sendable {
    case notAnObject
    /// Missing, or not of the type and form of RFC 7517 and 7518. The name is one of theirs.
    case malformedMember(String)
    /// `kty` is `oct`: a secret in a public document.
    case symmetric
    /// `d` or its like: the key's secret is published, so that everybody may sign with it.
    case privateMember
    case typeNotSupported
    case curveNotSupported
    /// `use` is another than `sig`.
    case useNotSignature
    /// `key_ops` is there without `verify`.
    case operationNotVerify
    /// `alg` is another than the one of this type and curve.
    case algorithmDoesNotFit
    case key(KeyError)
    /// The modulus was made by the Infineon library of 2012 to 2017, and can be factored (CVE-2017-15361).
    case factorable
    /// Another entry of the set has the same `kid`; neither is used.
    case duplicateKeyID
}
