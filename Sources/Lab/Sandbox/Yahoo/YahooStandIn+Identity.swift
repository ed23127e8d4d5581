import Jansson
import OpenSSL

extension YahooStandIn {
    /// Issues an ID token with ES256, no `typ`, a string as `aud`, a padded `at_hash` and a lifetime of one hour,
    /// changed by the configured defect.
    func idToken(for grant: YahooGrant, accessToken: String) throws(Refusal) -> String {
        let now = clock.now
        // OpenID Connect Core §3.1.3.6 requires base64url without padding; Yahoo pads it.
        let half = SHA256.hash(Array(accessToken.utf8)).prefix(16)
        var claims = Self.claims(of: grant)
        claims["iss"] = .string(origin)
        claims["aud"] = .string(grant.clientID)
        claims["iat"] = .integer(now)
        claims["exp"] = .integer(now + 3600)
        claims["at_hash"] = .string(Base64.encode(half))
        if let nonce = grant.nonce { claims["nonce"] = .string(nonce) }
        if let authTime = grant.authTime { claims["auth_time"] = .integer(authTime) }

        let defect = takeDefect()
        let signature = defect?.signature ?? .own
        do {
            let header: [String: JSON] = ["alg": .string("ES256"), "kid": .string(try keys.id(for: signature))]
            return try IDTokenSigner(keys: keys).token(
                header: defect?.header(header) ?? JSON.object(header).serialized(),
                payload: defect?.payload(claims) ?? JSON.object(claims).serialized(), signature)
        } catch {
            throw Refusal(500, "INTERNAL_ERROR", "The token could not be signed.")
        }
    }

    /// `/openid/v1/userinfo` with GET, or with POST and `access_token` in the form.
    ///
    /// It accepts tokens of every application.
    func userinfo(_ request: IncomingRequest) throws(Refusal) -> Answer {
        switch BearerToken(request, form: request.bodyParameters) {
        case .absent:
            // RFC 6750 §3.1: no error code if the request contains no authentication.
            throw Self.bearerError(401, nil, "The access token is absent.")
        case .malformed:
            throw Self.bearerError(400, "invalid_request", "The access token is malformed or sent twice.")
        case .present(let text):
            guard let token = accessTokens[exactly: text], token.expiresAt > clock.now else {
                throw Self.bearerError(401, "invalid_token", "The access token is expired or not known.")
            }
            guard token.grant.scopes.contains("openid") else {
                throw Self.bearerError(403, "insufficient_scope", "The access token lacks the scope openid.")
            }
            var members = Self.claims(of: token.grant)
            if token.grant.scopes.contains("profile") {
                members["preferred_username"] = .string(token.grant.user.screenName)
                members["picture"] = .string("\(origin)/picture/\(token.grant.user.key).png")
            }
            return .json(.object(members))
        }
    }

    /// The claims that the scopes allow, including `sub`.
    private static func claims(of grant: YahooGrant) -> [String: JSON] {
        let user = grant.user
        var claims: [String: JSON] = ["sub": .string(user.yahooSubject)]
        if grant.scopes.contains("profile") {
            claims["name"] = .string(user.name)
            claims["given_name"] = user.givenName.map { .string($0) }
            claims["family_name"] = user.familyName.map { .string($0) }
            claims["locale"] = user.locale.map { .string($0) }
            claims["birthdate"] = user.birthdate.map { .string($0) }
        }
        if grant.scopes.contains("email"), let email = user.email {
            claims["email"] = .string(email)
            claims["email_verified"] = .bool(user.isEmailVerified)
        }
        return claims
    }

    private static func bearerError(_ status: Int, _ error: String?, _ description: String) -> Refusal {
        var challenge = "Bearer realm=\"yahooapis.com\""
        if let error { challenge += ", error=\"\(error)\", error_description=\"\(description)\"" }
        var members: [String: JSON] = ["error_description": .string(description)]
        members["error"] = error.map { .string($0) }
        return Refusal(.json(.object(members), status: status, header: [("WWW-Authenticate", challenge)]))
    }
}
