import Jansson
import OpenSSL

extension YahooStandIn {
    /// Returns the form of a POST request and the client that it authenticates.
    ///
    /// Yahoo's error codes have mixed case. A `Basic` field with line breaks or spaces in its base64 is refused.
    func authenticatedForm(
        _ request: IncomingRequest
    ) throws(Refusal) -> (form: FormParameters, client: YahooRegistration) {
        guard let form = request.bodyParameters else {
            throw Refusal(400, "INVALID_REQUEST", "The body is not a form.")
        }
        guard !form.hasRepeatedName, request.query.isEmpty else {
            throw Refusal(400, "INVALID_PARAM", "A parameter occurs twice, or in the query.")
        }
        let fields = request.fields("authorization")
        let id: String
        let secret: String
        if fields.isEmpty {
            guard let bodyID = form["client_id"], let bodySecret = form["client_secret"] else {
                throw Refusal(400, "PARAMETER_ABSENT", "The client does not authenticate.")
            }
            (id, secret) = (bodyID, bodySecret)
        } else {
            guard fields.count == 1, let basic = BasicCredentials(field: fields[0]) else {
                throw Refusal(401, "INVALID_CLIENT_SECRET", "The Authorization field cannot be read.")
            }
            // RFC 6749 §2.3: not more than one method in a request.
            guard form["client_secret"] == nil, form["client_id"] ?? basic.username == basic.username else {
                throw Refusal(400, "INVALID_REQUEST", "The client authenticates twice.")
            }
            (id, secret) = (basic.username, basic.password)
        }
        guard let client = applications[exactly: id] else {
            throw Refusal(400, "INVALID_CLIENT", "The client_id is not known.")
        }
        guard constantTimeEqual(Array(client.clientSecret.utf8), Array(secret.utf8)) else {
            throw Refusal(401, "INVALID_CLIENT_SECRET", "The client_secret is not right.")
        }
        return (form, client)
    }

    /// `/oauth2/introspect` (RFC 7662): every authenticated client may ask about the tokens of every client.
    ///
    /// Yahoo publishes the endpoint without documentation, so this implementation follows the RFC.
    func introspect(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let (form, _) = try authenticatedForm(request)
        guard let text = form["token"] else { throw Refusal(400, "invalid_request", "The token is absent.") }
        guard let token = accessTokens[exactly: text], token.expiresAt > clock.now else {
            // RFC 7662 §2.2: the response must contain nothing else about an inactive token.
            return .json(.object(["active": .bool(false)]))
        }
        return .json(
            .object([
                "active": .bool(true), "client_id": .string(token.grant.clientID),
                "aud": .string(token.grant.clientID), "iss": .string(origin),
                "sub": .string(token.grant.user.yahooSubject),
                "scope": .string(token.grant.scopes.joined(separator: " ")),
                "token_type": .string("bearer"), "iat": .integer(token.issuedAt), "exp": .integer(token.expiresAt),
            ]))
    }

    /// `/oauth2/revoke` (RFC 7009): it returns 200 for an unknown token too.
    func revoke(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let (form, client) = try authenticatedForm(request)
        guard let text = form["token"] else { throw Refusal(400, "invalid_request", "The token is absent.") }
        let refreshToken = accessTokens[exactly: text]?.refreshToken ?? text
        if refreshTokens[exactly: refreshToken]?.grant.clientID == client.clientID {
            refreshTokens[refreshToken] = nil
            accessTokens = accessTokens.filter { $0.value.refreshToken != refreshToken }
        }
        return Answer(200, header: [("Cache-Control", "no-store")])
    }
}
