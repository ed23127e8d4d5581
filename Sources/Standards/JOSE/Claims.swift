package import Jansson

/// What a token says whose signature held.
///
/// There is no other way to one than ``JWSVerifier``, but for the emulator's unsigned tokens. That the signature holds
/// does not make the claims ours, or fresh: ``ClaimsExpectation`` tells.
package struct Claims: Sendable {
    private let members: JSON

    init(verified members: JSON) {
        self.members = members
    }

    package subscript(name: String) -> JSON? { members[name] }

    /// All of them, as one object.
    package var json: JSON { members }

    package var issuer: String? { self["iss"]?.string }
    package var subject: String? { self["sub"]?.string }
    package var nonce: String? { self["nonce"]?.string }
    package var expiry: NumericDate? { try? date("exp") }
    package var issuedAt: NumericDate? { try? date("iat") }
    /// When the person proved who they are, if the issuer says so.
    package var authenticatedAt: NumericDate? { try? date("auth_time") }
}

extension Claims {
    /// Nil where the claim is absent; `null` is not absent.
    ///
    /// - Throws: ``JOSEError/malformedClaim(_:)`` for anything but a text.
    package func text(_ name: String) throws(JOSEError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw .malformedClaim(name) }
        return text
    }

    package func requiredText(_ name: String) throws(JOSEError) -> String {
        guard let text = try text(name) else { throw .missingClaim(name) }
        return text
    }

    /// Nil where the claim is absent.
    ///
    /// RFC 7519 §2 allows fractions of a second; they are not accepted here, nor are seconds before 1970.
    package func date(_ name: String) throws(JOSEError) -> NumericDate? {
        let seconds: Int64?
        switch self[name] {
        case nil: return nil
        case .integer(let value): seconds = value
        case .real(let value): seconds = Int64(exactly: value)
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
