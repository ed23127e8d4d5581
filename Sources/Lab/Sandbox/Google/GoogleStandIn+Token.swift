import JOSE
import Jansson
import LabSystem
package import OpenSSL

extension GoogleStandIn {
    /// `oauth2.googleapis.com/token`: an access token for a signed assertion (RFC 7523 §2.1).
    ///
    /// `aud` must be Google's own address, not the stand-in's, because Google's libraries send that.
    func token(_ request: IncomingRequest) throws(Refusal) -> Answer {
        guard let form = request.bodyParameters, !form.hasRepeatedName, form["grant_type"]?.isEmpty == false else {
            throw GoogleError.oauth("invalid_request", "Required parameter is missing: grant_type")
        }
        guard form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer" else {
            throw GoogleError.oauth("unsupported_grant_type", "Invalid grant_type")
        }
        guard let text = form["assertion"], !text.isEmpty else {
            throw GoogleError.oauth("invalid_request", "Required parameter is missing: assertion")
        }
        let signed: ServiceAccountAssertion
        do throws(ServiceAccountAssertion.Defect) {
            signed = try assertion(text, audience: "https://oauth2.googleapis.com/token")
        } catch {
            throw GoogleError.oauth("invalid_grant", Self.description(of: error))
        }
        // An account may act for another user only with domain-wide delegation, which does not exist here.
        if let subject = signed.payload["sub"], subject != .string(signed.account.email) {
            throw GoogleError.oauth(
                "unauthorized_client",
                "Client is unauthorized to retrieve access tokens using this method, or client not authorized for any "
                    + "of the scopes requested.")
        }
        let scopes = Set((signed.payload["scope"]?.string ?? "").split(separator: " ").map(String.init))
        guard !scopes.isEmpty, scopes.allSatisfy({ $0.hasPrefix(GoogleScope.prefix) }) else {
            throw GoogleError.oauth("invalid_scope", "Invalid OAuth scope or ID token audience provided.")
        }
        return .json(Self.tokenAnswer(try issueAccessToken(to: signed.account, scopes: scopes)))
    }

    static func tokenAnswer(_ token: String) -> JSON {
        .object(["access_token": .string(token), "expires_in": .integer(3599), "token_type": .string("Bearer")])
    }

    private static func description(of defect: ServiceAccountAssertion.Defect) -> String {
        switch defect {
        case .malformed: "Invalid JWT: Failed to parse the assertion."
        case .unknownIssuer: "Invalid grant: account not found"
        case .signature: "Invalid JWT Signature."
        case .audience:
            "Invalid JWT: Failed audience check. The right audience is https://oauth2.googleapis.com/token"
        case .times:
            "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat "
                + "and exp values in the JWT claim."
        }
    }
}

extension GoogleStandIn {
    func assertion(
        _ text: String, audience: String
    ) throws(ServiceAccountAssertion.Defect) -> ServiceAccountAssertion {
        guard let jws = try? CompactJWS.parse(text), jws.header.algorithm.utf8.elementsEqual("RS256".utf8),
            jws.header.type.map({ $0.lowercased() == "jwt" }) ?? true,
            let payload = try? JSON.parse(jws.payload, maximumBytes: CompactJWS.maximumBytes)
        else { throw .malformed }
        guard let account = payload["iss"]?.string.flatMap({ serviceAccounts[exactly: $0] }) else {
            throw .unknownIssuer
        }
        guard isSigned(jws, by: account) else { throw .signature }
        guard let claimed = payload["aud"]?.string, claimed.utf8.elementsEqual(audience.utf8) else { throw .audience }
        let now = clock.now
        // RFC 7523 §3 lets the server limit the lifetime; Google's limit is one hour.
        guard let issued = payload["iat"]?.integer, let expiry = payload["exp"]?.integer, issued >= 0, expiry > now,
            issued <= now + Self.signedTimesMayBeAhead, expiry > issued, expiry - issued <= 3600
        else { throw .times }
        return ServiceAccountAssertion(account: account, payload: payload)
    }

    /// Whether the account's own key, or a key that Google manages for it, made the signature.
    ///
    /// `kid` may select the key.
    private func isSigned(_ jws: CompactJWS, by account: GoogleServiceAccount) -> Bool {
        let named = jws.header.keyID?.text
        if let key = account.publicKey, named == nil || account.keyID == nil || named == account.keyID,
            key.isValid(signature: jws.signature, for: jws.signingInput)
        {
            return true
        }
        return managedKeys[account.email]?.isValid(
            signature: jws.signature, for: jws.signingInput, keyID: named) ?? false
    }
}

/// A JWT of a service account whose signature, audience and times were verified (RFC 7523 §3).
struct ServiceAccountAssertion {
    enum Defect: Error {
        /// It is not a JWT with RS256 and strict JSON.
        case malformed
        /// `iss` is not a registered account.
        case unknownIssuer
        case signature
        case audience
        /// The times are absent, not integers, more than one hour apart, in the future, or expired.
        case times
    }

    let account: GoogleServiceAccount
    let payload: JSON
}

/// A service account at Google's stand-in.
package struct GoogleServiceAccount: Sendable {
    package let email: String
    package let projectID: String
    /// The `private_key_id` of the account's file; a token that names another key is refused.
    package let keyID: String?
    /// The account's own key; `nil` if only the stand-in signs for the account.
    package let publicKey: RSAPublicKey?
    /// The certificate of the account's own key in PEM; `nil` if only its JWK is published.
    package let certificate: String?

    package init(
        email: String, projectID: String = "sandbox", keyID: String? = nil, publicKey: RSAPublicKey?,
        certificate: String? = nil
    ) {
        self.email = email
        self.projectID = projectID
        self.keyID = keyID
        self.publicKey = publicKey
        self.certificate = certificate
    }

    /// Makes the certificate of an account's own key, which is valid from now until the end of the year 9999.
    ///
    /// - Parameters:
    ///   - email: The address of the account, of which 64 characters are used.
    ///   - now: Seconds since 1970-01-01T00:00:00Z.
    /// - Returns: A block `CERTIFICATE` in PEM.
    /// - Throws: An error of OpenSSL.
    package static func certificate(for email: String, key: RSAPrivateKey, now: Int64) throws -> String {
        try key.selfSignedCertificate(
            commonName: String(email.prefix(64)), serialNumber: 1, notBefore: now, notAfter: 253_402_300_799)
    }
}
