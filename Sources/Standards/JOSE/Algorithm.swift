internal import Octets

/// The signature algorithms of RFC 7518 §3.1 that exist here.
///
/// `none` and the symmetric ones are not among them, so that nothing can allow them.
package enum Algorithm: String, Sendable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"

    /// Nil unless the text is that of an algorithm, in the same case and without a space.
    init?(exactly text: String) {
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.exactlyEquals(text) }) else { return nil }
        self = algorithm
    }
}
