internal import JOSE
package import Jansson
package import OpenSSL
package import Transport

/// The answer of the process that holds the key, as JSON: `{"token": "eyJ…"}`, for a check
/// `{"issuer": "signer@my-project.iam.gserviceaccount.com", "n": "sXch…", "e": "AQAB"}`, or `{"error": "rate_exceeded"}`.
package enum SigningResponse: Sendable, Equatable {
    case token(String)
    case checked(SignerIdentity)
    case refused(SignerRefusal)

    package var json: JSON {
        switch self {
        case .token(let token): .object(["token": .string(token)])
        case .checked(let identity): identity.json
        case .refused(let refusal): .object(["error": .string(refusal.rawValue)])
        }
    }

    /// Reads an answer; returns `nil` for any other text.
    static func parse(_ bytes: [UInt8]) -> Self? {
        guard let content = try? JSON.parse(bytes), let members = content.object else { return nil }
        guard members.count == 1 else { return SignerIdentity(content).map(Self.checked) }
        if let token = content["token"]?.string { return .token(token) }
        return content["error"]?.string.flatMap { SignerRefusal(rawValue: $0) }.map(Self.refused)
    }
}

/// The service account of a signer, and the public half of its key.
package struct SignerIdentity: Sendable, Equatable {
    let issuer: String
    let key: RSAPublicKey

    package init(issuer: String, key: RSAPublicKey) {
        self.issuer = issuer
        self.key = key
    }

    /// Returns `nil` unless the members are those of an identity, and no others.
    fileprivate init?(_ json: JSON) {
        guard let members = json.object, Set(members.keys) == ["issuer", "n", "e"],
            let issuer = json["issuer"]?.string, !issuer.isEmpty,
            let modulus = json["n"]?.string.flatMap({ try? Base64URL.decode($0) }),
            let exponent = json["e"]?.string.flatMap({ try? Base64URL.decode($0) }),
            let key = try? RSAPublicKey(modulus: modulus, exponent: exponent)
        else { return nil }
        self.init(issuer: issuer, key: key)
    }

    fileprivate var json: JSON {
        .object([
            "issuer": .string(issuer), "n": .string(Base64URL.encode(key.modulus)),
            "e": .string(Base64URL.encode(key.exponent)),
        ])
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.issuer == other.issuer && one.key.modulus == other.key.modulus && one.key.exponent == other.key.exponent
    }
}

/// Why the process that holds the key does not sign.
package enum SignerRefusal: String, Error, Sendable, CaseIterable {
    /// The question is not JSON with exactly the members of its type.
    case malformed
    case unsupportedVersion = "unsupported_version"
    /// The process of the server runs as a user that may not ask.
    case peerNotAllowed = "peer_not_allowed"
    /// The server is configured for another project than the key.
    case projectMismatch = "project_mismatch"
    /// The uid does not have 1 to 128 UTF-16 code units.
    case uidInvalid = "uid_invalid"
    case uidNotAllowed = "uid_not_allowed"
    case lifetimeNotAllowed = "lifetime_not_allowed"
    /// Firebase reserves the name of a claim.
    case reservedClaim = "reserved_claim"
    case claimNotAllowed = "claim_not_allowed"
    case claimsTooLarge = "claims_too_large"
    case tenantNotAllowed = "tenant_not_allowed"
    /// The hook is not one of the signer's configuration.
    case audienceNotAllowed = "audience_not_allowed"
    /// The `jti` of a hook's question does not have 1 to 128 characters.
    case idInvalid = "id_invalid"
    case accessTokensNotAllowed = "access_tokens_not_allowed"
    /// More custom tokens were requested than the rate allows.
    case rateExceeded = "rate_exceeded"
    /// The line of the audit trail could not be written, without which no token is given out.
    case auditFailed = "audit_failed"
    /// The key did not sign.
    case keyFailed = "key_failed"
}

/// Why there is no signature of the process that holds the key.
package enum SignerProcessError: Error, Equatable, Sendable {
    case unreachable(FrameCallError)
    case refused(SignerRefusal)
    /// The answer is not one of the protocol, or its token does not say what was asked.
    case malformedAnswer
    /// The token has no valid signature of the key that this process learned first, or another key answers now.
    case otherKey
}
