internal import Jansson
internal import Octets

extension ClaimsExpectation {
    /// Answers the one expected audience that the token is for.
    ///
    /// OpenID Connect Core 1.0 §3.1.3.7 (3): "The Client MUST validate that the aud (audience) Claim contains its
    /// client_id value …. The ID Token MUST be rejected if the ID Token does not list the Client as a valid audience, or
    /// if it contains additional audiences not trusted by the Client." We trust none, so there is exactly one.
    func checkAudience(of claims: Claims) throws(JOSEError) -> String {
        let audience: String
        switch claims["aud"] {
        case nil:
            throw .missingClaim("aud")
        case .string(let text):
            audience = text
        case .array(let elements):
            let texts = elements.compactMap(\.string)
            guard let first = texts.first, texts.count == elements.count else { throw .malformedClaim("aud") }
            guard texts.count == 1 else { throw .severalAudiences }
            audience = first
        default:
            throw .malformedClaim("aud")
        }
        guard let expected = audiences.first(where: { $0.exactlyEquals(audience) }) else {
            throw .audienceMismatch(expected: audiences)
        }
        return expected
    }
}
