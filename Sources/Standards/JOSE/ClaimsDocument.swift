internal import Jansson

/// The payload of a JWT: one JSON object (RFC 7519 §7.2).
enum ClaimsDocument {
    static func parse(_ payload: [UInt8]) throws(JOSEError) -> JSON {
        guard let claims = try? JSON.parse(payload, maximumBytes: CompactJWS.maximumBytes, maximumDepth: 8),
            claims.object != nil
        else { throw .malformedToken(.payload) }
        return claims
    }
}
