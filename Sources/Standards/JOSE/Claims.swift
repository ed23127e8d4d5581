package import Jansson

/// The claims of a token whose signature was verified.
///
/// ``JWSVerifier`` makes it, and the parser of unsecured tokens, for the Firebase emulator. A valid signature does not mean
/// that the token is for this deployment, or fresh: ``ClaimsExpectation`` checks that.
package struct Claims: Sendable {
    private let members: JSON
    /// The algorithm of the signature; `nil` for an unsecured token.
    let algorithm: Algorithm?

    init(verified members: JSON, algorithm: Algorithm?) {
        self.members = members
        self.algorithm = algorithm
    }

    /// A claim; `nil` also if its value is `null`.
    ///
    /// A value that cannot be represented is ``JSON/null``, which no rule accepts.
    package subscript(name: String) -> JSON? { members[name] }

    /// All claims, as one JSON object.
    package var json: JSON { members }

    package var issuer: String? { self["iss"]?.string }
    package var expiry: NumericDate? { try? date("exp") }
    package var issuedAt: NumericDate? { try? date("iat") }
    /// The time at which the person authenticated, if the issuer sends it.
    package var authenticatedAt: NumericDate? { try? date("auth_time") }
}

extension Claims {
    /// Returns a text claim, or `nil` if the claim is absent.
    ///
    /// - Throws: ``JOSEError/malformedClaim(_:)`` for any other type.
    package func text(_ name: String) throws(JOSEError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw .malformedClaim(name) }
        return text
    }

    package func requiredText(_ name: String) throws(JOSEError) -> String {
        guard let text = try text(name) else { throw .missingClaim(name) }
        return text
    }

    /// Returns a time claim, or `nil` if the claim is absent.
    ///
    /// RFC 7519 §2 allows fractions of a second, which are dropped. Times before 1970 are refused.
    package func date(_ name: String) throws(JOSEError) -> NumericDate? {
        let seconds: Int64?
        switch self[name] {
        case nil: return nil
        case .integer(let value): seconds = value
        case .real(let value): seconds = Int64(exactly: value.rounded(.down))
        default: seconds = nil
        }
        guard let seconds, seconds >= 0 else { throw .malformedClaim(name) }
        return NumericDate(seconds)
    }

    package func requiredDate(_ name: String) throws(JOSEError) -> NumericDate {
        guard let date = try date(name) else { throw .missingClaim(name) }
        return date
    }
}

/// The claims of a token whose signature was not verified, for display to an operator.
///
/// It is a type of its own, so that the compiler refuses it where ``Claims`` are expected.
package struct UnverifiedClaims: Sendable {
    package let json: JSON

    /// - Throws: ``JOSEError/malformedToken(_:)`` if the payload is not a JSON object.
    package init(of jws: CompactJWS) throws(JOSEError) {
        // Anyone can send such a token, so that the strict and quick parser reads it.
        guard let claims = try? JSON.parse(jws.payload, maximumBytes: jws.payload.count), claims.object != nil
        else { throw .malformedToken(.payload) }
        json = claims
    }

    /// The `exp`; `nil` also if it is not a whole number.
    package var expiry: NumericDate? { json["exp"]?.integer.map(NumericDate.init) }

    /// Whether `aud` is this text, or a list with it.
    package func names(audience: String) -> Bool {
        let texts = json["aud"]?.array ?? [json["aud"]].compactMap(\.self)
        return texts.compactMap(\.string).containsExactly(audience)
    }
}

/// The payload of a JWT: one JSON object (RFC 7519 §7.2).
///
/// Each rule about a claim refuses a value that it cannot read. Other claims of an issuer may hold anything.
enum ClaimsDocument {
    static func parse(_ payload: [UInt8], isCompressed: Bool = false) throws(JOSEError) -> JSON {
        // The length of the token limits that of its payload.
        guard let claims = try? JSON.parse(tolerantly: payload, maximumBytes: payload.count),
            claims.object != nil
        else { throw .malformedToken(isCompressed ? .compressed : .payload) }
        return claims
    }
}
