import JOSE
import Jansson
import OpenSSL

extension YahooStandIn {
    /// `/oauth2/get_token`.
    func token(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let (form, client) = try authenticatedForm(request)
        switch form["grant_type"] {
        case "authorization_code": return .json(try redeem(form, client))
        case "refresh_token": return .json(try refresh(form, client))
        case nil: throw Refusal(400, "PARAMETER_ABSENT", "The grant_type is absent.")
        default: throw Refusal(400, "UNSUPPORTED_GRANT_TYPE", "The grant_type is not supported.")
        }
    }

    private func redeem(_ form: FormParameters, _ client: YahooRegistration) throws(Refusal) -> JSON {
        guard let text = form["code"], let redirectURI = form["redirect_uri"] else {
            throw Refusal(400, "PARAMETER_ABSENT", "The code or the redirect_uri is absent.")
        }
        guard let code = codes[exactly: text], code.grant.clientID == client.clientID, code.expiresAt > clock.now else {
            throw Refusal(401, "INVALID_GRANT", "The code is not valid.")
        }
        // The code is used up even if a check below refuses it.
        codes[text] = nil
        guard code.redirectURI == redirectURI else {
            throw Refusal(401, "invalid_grant", "The redirect_uri is not that of the code.")
        }
        // RFC 9700 §4.8.2: a verifier is also refused if there was no challenge.
        guard code.codeChallenge == form["code_verifier"].map({ Base64URL.encode(SHA256.hash(Array($0.utf8))) })
        else { throw Refusal(401, "invalid_grant", "The code_verifier is not that of the code.") }
        return try tokens(for: code.grant, redirectURI: redirectURI)
    }

    /// Every second refresh returns a new refresh token and revokes the old one.
    ///
    /// Yahoo's responses occur both ways.
    private func refresh(_ form: FormParameters, _ client: YahooRegistration) throws(Refusal) -> JSON {
        guard let text = form["refresh_token"], !text.isEmpty else {
            throw Refusal(
                400, "invalid_request", "refresh token parameter cannot be empty for refresh_token grant type")
        }
        guard text.hasPrefix(Self.refreshTokenPrefix), text.hasSuffix(Self.tokenSuffix) else {
            throw Refusal(400, "INVALID_REFRESH_TOKEN", "Failed to decode/encode refresh token")
        }
        guard var token = refreshTokens[exactly: text], token.grant.clientID == client.clientID,
            form["redirect_uri"] ?? token.redirectURI == token.redirectURI
        else { throw Refusal(401, "invalid_grant", "The refresh_token is not valid.") }
        token.uses += 1
        guard token.uses.isMultiple(of: 2) else {
            refreshTokens[text] = token
            return .object(try accessToken(for: token.grant, refreshToken: text).members)
        }
        refreshTokens[text] = nil
        let next = try newRefreshToken(for: token.grant, redirectURI: token.redirectURI)
        var members = try accessToken(for: token.grant, refreshToken: next).members
        members["refresh_token"] = .string(next)
        return .object(members)
    }

    /// The complete response of the code grant.
    func tokens(for grant: YahooGrant, redirectURI: String) throws(Refusal) -> JSON {
        let refreshToken = try newRefreshToken(for: grant, redirectURI: redirectURI)
        let made = try accessToken(for: grant, refreshToken: refreshToken)
        var members = made.members
        members["refresh_token"] = .string(refreshToken)
        if grant.scopes.contains("openid") {
            members["id_token"] = .string(try idToken(for: grant, accessToken: made.token))
        }
        return .object(members)
    }

    private func accessToken(
        for grant: YahooGrant, refreshToken: String
    ) throws(Refusal) -> (token: String, members: [String: JSON]) {
        let now = clock.now
        if accessTokens.count > 10_000 { accessTokens = accessTokens.filter { $0.value.expiresAt > now } }
        // The length is that of the example in Yahoo's documentation.
        let token = try RandomText.make(882) + Self.tokenSuffix
        accessTokens[token] = YahooAccessToken(
            grant: grant, issuedAt: now, expiresAt: now + 3600, refreshToken: refreshToken)
        let members: [String: JSON] = [
            "access_token": .string(token), "token_type": .string("bearer"), "expires_in": .integer(3600),
            "xoauth_yahoo_guid": .string(grant.user.yahooSubject),
        ]
        return (token, members)
    }

    private func newRefreshToken(for grant: YahooGrant, redirectURI: String) throws(Refusal) -> String {
        let token = Self.refreshTokenPrefix + (try RandomText.make(60)) + Self.tokenSuffix
        refreshTokens[token] = YahooRefreshToken(grant: grant, redirectURI: redirectURI)
        return token
    }

    private static var refreshTokenPrefix: String { "AJj." }
    private static var tokenSuffix: String { "--" }
}
