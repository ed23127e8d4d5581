internal import Jansson
internal import Octets

/// What a JWS says of itself (RFC 7515 §4.1): a request to the verifier, never an instruction.
///
///     {"alg": "ES256", "kid": "3466d51f", "typ": "JWT"}
///
/// `jwk`, `jku`, `x5u`, `x5c` and `x5t` are not read, so that no token brings its own key.
package struct JWSHeader: Sendable {
    /// As it stands there; ``JWSVerifier`` compares it with what it allows.
    package let algorithm: String
    package let keyID: KeyID?
    package let type: String?

    init(_ bytes: [UInt8]) throws(JOSEError) {
        let members: JSON
        do {
            members = try JSON.parse(bytes, maximumBytes: CompactJWS.maximumBytes, maximumDepth: 8)
        } catch {
            throw .malformedToken(.header)
        }
        guard members.object != nil else { throw .malformedToken(.header) }
        // RFC 7515 §4.1.11: "If any of the listed extension Header Parameters are not understood and supported by the
        // recipient, then the JWS is invalid." None is; and `b64` (RFC 7797) is one that must be listed.
        guard members["crit"] == nil, members["b64"] == nil else { throw .criticalHeader }
        guard let algorithm = members["alg"]?.string else { throw .malformedToken(.algorithm) }
        self.algorithm = algorithm
        keyID = try Self.keyID(members["kid"])
        type = try Self.type(members["typ"])
    }

    private static func keyID(_ member: JSON?) throws(JOSEError) -> KeyID? {
        guard let member else { return nil }
        guard let keyID = member.string.flatMap(KeyID.init) else { throw .malformedToken(.keyID) }
        return keyID
    }

    private static func type(_ member: JSON?) throws(JOSEError) -> String? {
        guard let member else { return nil }
        guard let type = member.string else { throw .malformedToken(.type) }
        return type
    }

    /// RFC 8725 §3.11 and §3.12: the kinds of JWT an issuer signs are told apart by `typ`.
    ///
    /// RFC 7519 §5.1 writes ours in capitals, and media types do not depend on case. It may be absent.
    func checkType() throws(JOSEError) {
        if let type, !type.lowercased().exactlyEquals("jwt") { throw .typeNotAllowed }
    }
}
