import JOSE
import Jansson
package import OpenSSL

extension GoogleStandIn {
    /// `oauth2.googleapis.com/token`: an access token for a signed assertion (RFC 7523 §2.1).
    ///
    /// `aud` is Google's own address whatever the stand-in's is, as Google's libraries send it.
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
        // Acting for another person needs a delegation that no account here has.
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
        // RFC 7523 §3 leaves the limit to the server; Google's is an hour.
        guard let issued = payload["iat"]?.integer, let expiry = payload["exp"]?.integer, issued >= 0, expiry > now,
            issued <= now + Self.signedTimesMayBeAhead, expiry > issued, expiry - issued <= 3600
        else { throw .times }
        return ServiceAccountAssertion(account: account, payload: payload)
    }

    /// With the account's own key, or with one that Google manages for it; `kid` may say which.
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

/// A JWT that a service account signed, once its signature, audience and times have held (RFC 7523 §3).
struct ServiceAccountAssertion {
    enum Defect: Error {
        /// No JWT, not RS256, or no strict JSON inside.
        case malformed
        /// `iss` names nobody that is registered.
        case unknownIssuer
        case signature
        case audience
        /// Absent, not whole numbers, more than an hour apart, ahead, or over.
        case times
    }

    let account: GoogleServiceAccount
    let payload: JSON
}

/// A service account that Google's stand-in knows.
package struct GoogleServiceAccount: Sendable {
    package let email: String
    package let projectID: String
    /// The `private_key_id` of the account's file; a token that names another key is refused.
    package let keyID: String?
    /// Nil where only the stand-in signs for the account.
    package let publicKey: RSAPublicKey?

    package init(email: String, projectID: String = "sandbox", keyID: String? = nil, publicKey: RSAPublicKey?) {
        self.email = email
        self.projectID = projectID
        self.keyID = keyID
        self.publicKey = publicKey
    }
}
