import Jansson

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
