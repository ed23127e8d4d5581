import JOSE
import Jansson
import OpenSSL

extension XStandIn {
    /// `/2/oauth2/token`.
    func oauth2Token(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let (form, client) = try authenticatedForm(request)
        switch form["grant_type"] {
        case "authorization_code": return .json(try redeem(form, client))
        case "refresh_token": return .json(try refresh(form, client))
        default: throw Self.tokenError("Value passed for the grant type was invalid.", error: "unsupported_grant_type")
        }
    }

    /// `/2/oauth2/revoke`.
    func revokeOAuth2(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let (form, client) = try authenticatedForm(request)
        guard let token = form["token"] else {
            throw Self.tokenError("Missing required parameter [token].")
        }
        if accessTokens[exactly: token]?.grant.clientID == client.clientID { accessTokens[token] = nil }
        if refreshTokens[exactly: token]?.clientID == client.clientID { refreshTokens[token] = nil }
        return .json(.object(["revoked": .bool(true)]))
    }

    /// The response to a code.
    ///
    /// It contains a refresh token only for the scope `offline.access`.
    func tokens(for grant: XGrant) throws(Refusal) -> [String: JSON] {
        let now = clock.now
        if accessTokens.count > 10_000 { accessTokens = accessTokens.filter { $0.value.expiresAt > now } }
        let token = try opaqueToken("at")
        accessTokens[token] = XAccessToken(grant: grant, expiresAt: now + 7200)
        var members: [String: JSON] = [
            "token_type": .string("bearer"), "expires_in": .integer(7200), "access_token": .string(token),
            "scope": .string(grant.scopes.joined(separator: " ")),
        ]
        if grant.scopes.contains("offline.access") {
            let refreshToken = try opaqueToken("rt")
            refreshTokens[refreshToken] = grant
            members["refresh_token"] = .string(refreshToken)
        }
        return members
    }

    private func redeem(_ form: FormParameters, _ client: XRegistration) throws(Refusal) -> JSON {
        for name in ["code", "redirect_uri", "code_verifier"] where form[name] == nil {
            throw Self.tokenError("Missing required parameter [\(name)].")
        }
        // X returns invalid_request; RFC 6749 §5.2 has invalid_grant.
        guard let text = form["code"], let code = codes[exactly: text], code.grant.clientID == client.clientID,
            code.expiresAt > clock.now
        else { throw Self.tokenError("Value passed for the authorization code was invalid.") }
        // The code is used up even if a check below refuses it.
        codes[text] = nil
        guard let redirectURI = form["redirect_uri"], code.redirectURI.utf8.elementsEqual(redirectURI.utf8) else {
            throw Self.tokenError("Value passed for the redirect uri did not match the uri of the authorization code.")
        }
        guard let verifier = form["code_verifier"], code.codeChallenge.fits(verifier) else {
            throw Self.tokenError("Value passed for the code verifier did not match the code challenge.")
        }
        return .object(try tokens(for: code.grant))
    }

    /// Issues new tokens.
    ///
    /// The old refresh token is valid once.
    private func refresh(_ form: FormParameters, _ client: XRegistration) throws(Refusal) -> JSON {
        guard let text = form["refresh_token"], let grant = refreshTokens[exactly: text],
            grant.clientID == client.clientID
        else { throw Self.tokenError("Value passed for the token was invalid.") }
        refreshTokens[text] = nil
        return .object(try tokens(for: grant))
    }

    /// Authenticates the client: a confidential client by `Basic`, a public client by `client_id` in the body.
    private func authenticatedForm(
        _ request: IncomingRequest
    ) throws(Refusal) -> (form: FormParameters, client: XRegistration) {
        guard let form = request.bodyParameters, !form.hasRepeatedName else {
            throw Self.tokenError("The body is not a form, or a parameter occurs twice.")
        }
        let fields = request.fields("authorization")
        let basic = fields.count == 1 ? BasicCredentials(field: fields[0]) : nil
        guard fields.isEmpty || basic != nil else { throw Self.missingAuthorization }
        guard let client = application(clientID: basic?.username ?? form["client_id"]) else {
            throw Self.tokenError("Value passed for the client id was invalid.")
        }
        guard let secret = client.clientSecret else { return (form, client) }
        guard let basic, constantTimeEqual(Array(secret.utf8), Array(basic.password.utf8)) else {
            throw Self.missingAuthorization
        }
        return (form, client)
    }

    private static var missingAuthorization: Refusal {
        tokenError("Missing valid authorization header", status: 401, error: "unauthorized_client")
    }

    private static func tokenError(
        _ description: String, status: Int = 400, error: String = "invalid_request"
    ) -> Refusal {
        Refusal(status, error, description)
    }
}

/// The code challenge that a verifier must match (RFC 7636 §4.6).
struct XCodeChallenge: Sendable {
    enum Method: String, CaseIterable, Sendable {
        case s256 = "S256"
        case plain
    }

    let value: String
    let method: Method

    func fits(_ verifier: String) -> Bool {
        let derived =
            switch method {
            case .s256: Base64URL.encode(SHA256.hash(Array(verifier.utf8)))
            case .plain: verifier
            }
        return derived.utf8.elementsEqual(value.utf8)
    }
}
