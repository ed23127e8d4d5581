/// A JWT without a signature (RFC 7519 §6): its `alg` is `none`, and its third part is empty.
///
/// Any client can forge one. The Firebase emulator issues them; only the verifier for the emulator may read them.
package struct UnsecuredJWS: Sendable {
    /// Claims that no signature proves.
    package let claims: Claims
    /// Header and payload as they were sent, with the dot between them.
    package let signingInput: [UInt8]

    /// Parses an unsecured token, and refuses a signed one.
    ///
    /// - Parameter text: The compact serialization.
    /// - Throws: As ``CompactJWS/parse(_:)``; ``JOSEError/algorithmNotAllowed`` for another `alg` than `none`.
    package static func parse(_ text: String) throws(JOSEError) -> Self {
        let parts = try CompactJWS.Parts(text, maximumBytes: CompactJWS.maximumBytes)
        let header = try JWSHeader(try Base64URL.decode(parts.header))
        guard header.algorithm.exactlyEquals("none") else { throw .algorithmNotAllowed }
        try header.checkType(.jwt)
        // RFC 7518 §3.6: "Recipients MUST verify that the JWS Signature value is the empty octet sequence."
        guard parts.signature.isEmpty else { throw .malformedToken(.segments) }
        let payload = try Base64URL.decode(parts.payload)
        return Self(
            claims: Claims(verified: try ClaimsDocument.parse(payload), algorithm: nil),
            signingInput: parts.signingInput)
    }
}
