import JOSE
import Jansson
import OpenSSL

extension ProviderStandIn {
    func token(_ request: IncomingRequest, of provider: DocumentedProvider) throws(Refusal) -> Answer {
        do throws(Refusal) {
            let (form, client) = try authenticatedForm(request, of: provider)
            if case .refused(let error) = provider.pkce, form["code_verifier"] != nil {
                throw try Self.refusal(error)
            }
            let members =
                switch form["grant_type"] {
                case "authorization_code": try redeem(form, client, of: provider)
                case "refresh_token": try refresh(form, client, of: provider)
                default: throw Self.invalidRequest("The grant_type is not supported.")
                }
            return Self.tokenAnswer(.json(members), to: request, of: provider)
        } catch {
            throw Refusal(Self.tokenAnswer(error.answer, to: request, of: provider))
        }
    }

    /// Removes a token, whether it is known or not (RFC 7009 §2.2).
    ///
    /// The providers do not agree about authenticating this request, so that it is not checked.
    func revoke(_ request: IncomingRequest) throws(Refusal) -> Answer {
        guard let token = request.bodyParameters?["token"] else {
            throw Self.invalidRequest("The token is absent.")
        }
        accessTokens[token] = nil
        refreshTokens[token] = nil
        return Answer(200, header: [("Cache-Control", "no-store")])
    }

    /// The whole answer of the code grant.
    func tokens(for grant: ProviderGrant, withIDToken: Bool = true) throws(Refusal) -> JSON {
        let now = clock.now
        if accessTokens.count > 10_000 { accessTokens = accessTokens.filter { $0.value.expiresAt > now } }
        let accessToken = try RandomText.make(64)
        let refreshToken = try RandomText.make(64)
        accessTokens[accessToken] = ProviderAccessToken(grant: grant, expiresAt: now + 3600)
        refreshTokens[refreshToken] = grant
        var values = values(of: grant)
        values["access_token"] = .string(accessToken)
        values["refresh_token"] = .string(refreshToken)
        if withIDToken { values.merge(try idTokens(for: grant, accessToken: accessToken, values)) { $1 } }
        return try grant.provider.tokens.json(values)
    }

    static func refusal(_ error: DocumentedProvider.ErrorAnswer) throws(Refusal) -> Refusal {
        Refusal(.json(try error.body.json([:]), status: error.status))
    }

    static func invalidRequest(_ description: String) -> Refusal {
        Refusal(400, "invalid_request", description)
    }

    // MARK: - Grants

    private func redeem(
        _ form: FormParameters, _ client: ProviderRegistration, of provider: DocumentedProvider
    ) throws(Refusal) -> JSON {
        guard let text = form["code"], let code = codes[exactly: text],
            code.grant.provider.id == provider.id, code.grant.clientID == client.clientID, code.expiresAt > clock.now
        else { throw try Self.refusal(provider.wrongCode) }
        // The code is used up even if a check below refuses it.
        codes[text] = nil
        guard form["redirect_uri"] == code.redirectURI else { throw try Self.refusal(provider.wrongCode) }
        if case .checked = provider.pkce {
            // RFC 9700 §4.8.2: a verifier is also refused if there was no challenge.
            let challenge = form["code_verifier"].map { Base64URL.encode(SHA256.hash(Array($0.utf8))) }
            guard code.codeChallenge == challenge else { throw try Self.refusal(provider.wrongCode) }
        }
        return try tokens(for: code.grant)
    }

    private func refresh(
        _ form: FormParameters, _ client: ProviderRegistration, of provider: DocumentedProvider
    ) throws(Refusal) -> JSON {
        guard let text = form["refresh_token"], let grant = refreshTokens[exactly: text],
            grant.provider.id == provider.id, grant.clientID == client.clientID
        else { throw try Self.refusal(provider.wrongCode) }
        return try tokens(for: grant, withIDToken: false)
    }

    /// The ID tokens of a provider: one with RS256, one without the nonce, and one that the client secret signs.
    private func idTokens(
        for grant: ProviderGrant, accessToken: String, _ values: [String: JSON]
    ) throws(Refusal) -> [String: JSON] {
        var values = values
        values["at_hash"] = .string(Base64URL.encode(Array(SHA256.hash(Array(accessToken.utf8)).prefix(16))))
        var claims: [String: JSON] = [:]
        if let template = grant.provider.issuer?.claims, case .object(let members) = try template.json(values) {
            claims = members
        }
        claims["iss"] = values["issuer"]
        claims["aud"] = .string(grant.clientID)
        claims["iat"] = .integer(clock.now)
        claims["exp"] = .integer(clock.now + 3600)
        let anonymous = claims
        claims["nonce"] = values["nonce"]
        let key = try key
        do {
            let sign = { (message: [UInt8]) throws(OpenSSLError) in try key.privateKey.signature(for: message) }
            let header = JSON.object(["alg": .string("RS256"), "kid": .string(key.id), "typ": .string("JWT")])
            let secret = registration(clientID: grant.clientID, at: grant.provider)?.clientSecret ?? ""
            return [
                "id_token": .string(
                    try CompactJWS.text(
                        header: header.serialized(), payload: JSON.object(claims).serialized(), sign: sign)),
                "id_token_without_nonce": .string(
                    try CompactJWS.text(
                        header: header.serialized(), payload: JSON.object(anonymous).serialized(), sign: sign)),
                "id_token_of_secret": .string(
                    try CompactJWS.text(
                        header: JSON.object(["alg": .string("HS256"), "typ": .string("JWT")]).serialized(),
                        payload: JSON.object(claims).serialized()
                    ) { message in HMACSHA256.authenticationCode(for: message, key: Array(secret.utf8)) }),
            ]
        } catch {
            throw Refusal(.text("The token could not be signed.", status: 500))
        }
    }

    /// A form instead of JSON, if the provider answers so.
    private static func tokenAnswer(
        _ answer: Answer, to request: IncomingRequest, of provider: DocumentedProvider
    ) -> Answer {
        guard provider.answersWithForm, !request.fields("accept").contains(where: { $0.contains("json") }),
            case .object(let members)? = try? JSON.parse(answer.body)
        else { return answer }
        let pairs = members.sorted { $0.key < $1.key }.map { ($0.key, $0.value.string ?? "") }
        return Answer(
            answer.status, header: [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")],
            body: Array(FormParameters(pairs).encoded.utf8))
    }

    // MARK: - Clients

    /// The form of a token request and the client that it authenticates.
    private func authenticatedForm(
        _ request: IncomingRequest, of provider: DocumentedProvider
    ) throws(Refusal) -> (form: FormParameters, client: ProviderRegistration) {
        guard let form = request.bodyParameters, !form.hasRepeatedName, request.query.isEmpty else {
            throw Self.invalidRequest("The body is not a form, or a parameter occurs twice or in the query.")
        }
        let basic = Self.basicCredentials(request)
        let posted = form["client_secret"]
        let credentials: (id: String?, secret: String?)
        switch provider.clientAuthentication {
        case .basic: credentials = basic
        case .post, .signed: credentials = (form["client_id"], posted)
        }
        // RFC 6749 §2.3: not more than one method in a request.
        guard basic.id == nil || posted == nil, let id = credentials.id, let secret = credentials.secret,
            let client = registration(clientID: id, at: provider), isRight(secret, of: client, at: provider)
        else { throw try Self.refusal(provider.wrongClient) }
        return (form, client)
    }

    /// Client id and secret of `Basic`, which are encoded as in a form (RFC 6749 §2.3.1); `nil` if there are none.
    static func basicCredentials(_ request: IncomingRequest) -> (id: String?, secret: String?) {
        let basic = request.fields("authorization").first.flatMap(BasicCredentials.init(field:))
        return (
            basic.flatMap { PercentEncoding.decode($0.username, plusIsSpace: true) },
            basic.flatMap { PercentEncoding.decode($0.password, plusIsSpace: true) }
        )
    }

    private func isRight(
        _ secret: String, of client: ProviderRegistration, at provider: DocumentedProvider
    ) -> Bool {
        guard case .signed = provider.clientAuthentication else {
            return constantTimeEqual(Array(client.clientSecret.utf8), Array(secret.utf8))
        }
        return Self.isSigned(secret, for: client, now: clock.now)
    }

    /// Whether a client secret is a JWT as Apple demands it.
    private static func isSigned(_ secret: String, for client: ProviderRegistration, now: Int64) -> Bool {
        guard let jws = try? CompactJWS.parse(secret), let claims = try? JSON.parse(jws.payload),
            let key = try? ProviderRegistration.signingKey.get(),
            let issued = claims["iat"]?.integer, let expiry = claims["exp"]?.integer
        else { return false }
        return jws.header.algorithm == "ES256" && jws.header.keyID?.text == ProviderRegistration.signingKeyID
            && claims["iss"]?.string == ProviderRegistration.signingTeamID
            && claims["sub"]?.string == client.clientID
            && claims["aud"]?.string == "https://appleid.apple.com"
            // Not more than six months.
            && expiry > now && expiry - issued <= 15_777_000
            && key.publicKey.isValid(signature: jws.signature, for: jws.signingInput)
    }
}
