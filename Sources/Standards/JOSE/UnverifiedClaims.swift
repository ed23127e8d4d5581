package import Jansson

/// The claims of a token whose signature was not verified, for display to an operator.
///
/// It is another type than ``Claims`` so that it can stand for them nowhere.
package struct UnverifiedClaims: Sendable {
    package let json: JSON

    /// - Throws: ``JOSEError/malformedToken(_:)`` where the payload is no JSON object.
    package init(of jws: CompactJWS) throws(JOSEError) {
        json = try ClaimsDocument.parse(jws.payload)
    }
}
