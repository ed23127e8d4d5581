import Jansson

extension ProviderStandIn {
    /// The user endpoint and the list of addresses, which accept the tokens of every application.
    func resource(
        _ request: IncomingRequest, _ endpoint: Endpoint, of provider: DocumentedProvider
    ) throws(Refusal) -> Answer {
        guard case .present(let text) = BearerToken(request), let token = token(text, of: provider) else {
            throw try Self.refusal(provider.wrongToken)
        }
        let template = endpoint == .providersUser ? provider.user : provider.emails
        let query = Dictionary(request.queryParameters?.pairs.map { ($0.name, $0.value) } ?? []) { $1 }
        guard let template, endpoint != .providersUser || query == provider.userQuery else {
            throw Self.invalidRequest("The query is not the documented one.")
        }
        return .json(try template.json(values(of: token.grant)))
    }

    func introspect(_ request: IncomingRequest, of provider: DocumentedProvider) throws(Refusal) -> Answer {
        guard let introspection = provider.introspection, request.method == introspection.place.method else {
            throw Refusal(.text("Not found.", status: 404))
        }
        let asker = try asker(request, introspection, of: provider)
        guard let text = introspection.place.token(in: request), let token = token(text, of: provider),
            asker == nil || !introspection.hidesOthers || asker?.clientID == token.grant.clientID
        else { throw try Self.refusal(introspection.unknown) }
        return .json(try introspection.answer.json(values(of: token.grant)))
    }

    private func token(_ text: String, of provider: DocumentedProvider) -> ProviderAccessToken? {
        guard let token = accessTokens[exactly: text], token.expiresAt > clock.now,
            token.grant.provider.id == provider.id
        else { return nil }
        return token
    }

    /// The application that asks; `nil` if it need not authenticate.
    private func asker(
        _ request: IncomingRequest, _ introspection: DocumentedProvider.Introspection, of provider: DocumentedProvider
    ) throws(Refusal) -> ProviderRegistration? {
        let form = request.bodyParameters
        let credentials: (id: String?, secret: String?)
        switch introspection.authentication {
        case .none: return nil
        case .basic: credentials = Self.basicCredentials(request)
        case .post: credentials = (form?["client_id"], form?["client_secret"])
        case .appToken:
            let sides = (request.queryParameters?["access_token"] ?? "").split(separator: "|", maxSplits: 1)
            credentials = (sides.first.map(String.init), sides.last.map(String.init))
        }
        guard let id = credentials.id, let client = registration(clientID: id, at: provider),
            credentials.secret == client.clientSecret
        else { throw try Self.refusal(provider.wrongClient) }
        return client
    }
}

extension DocumentedProvider.Introspection.Place {
    fileprivate var method: String {
        switch self {
        case .query, .authorization: "GET"
        case .form, .json: "POST"
        }
    }

    fileprivate func token(in request: IncomingRequest) -> String? {
        switch self {
        case .query(let name): return request.queryParameters?[name]
        case .form(let name): return request.bodyParameters?[name]
        case .json(let name): return (try? JSON.parse(request.body))?[name]?.string
        case .authorization(let scheme):
            let words = request.fields("authorization").first?.split(separator: " ").map(String.init) ?? []
            return words.count == 2 && words[0] == scheme ? words[1] : nil
        }
    }
}
