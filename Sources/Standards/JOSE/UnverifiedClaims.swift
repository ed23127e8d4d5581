package import Jansson

/// What a token says that anybody may have written, for showing it to an operator.
///
/// It is another type than ``Claims`` so that it can stand for them nowhere.
package struct UnverifiedClaims: Sendable {
    package let json: JSON

    /// - Throws: ``JOSEError/malformedToken(_:)`` where the payload is no JSON object.
    package init(of jws: CompactJWS) throws(JOSEError) {
        json = try ClaimsDocument.parse(jws.payload)
    }
}
