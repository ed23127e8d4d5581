internal import JOSE
internal import Jansson
internal import Providers
internal import Standards
internal import Stores

/// The page before the provider, for a flow that `POST /v1/signin` began with an intent.
///
/// The server stores nothing for it. The URL contains the sealed authorization request, and becomes a flow of each
/// browser that opens it, of which one button spends it. Another site can neither press the button in that browser, nor
/// show a page that it opened elsewhere.
struct ConfirmationPages: Sendable {
    let registrations: Registrations
    let authorization: ProviderAuthorization
    let freshLogin: FreshLoginCheck
    let seal: Seal
    let time: TimeSource
    let random: RandomSource

    /// Seals a flow for its confirmation page.
    ///
    /// - Returns: The URL that the application opens instead of the provider's.
    /// - Throws: ``Refusal/requestTooLarge`` if the request does not fit into a cookie, or the error of discovery.
    func page(
        before begun: (url: String, binding: FlowBinding), of request: SignInRequest, at provider: Provider,
        for intent: (AccountIntent, account: AccountName)
    ) async throws -> String {
        let flow = try freshLogin.flow(request.flow, for: request.purpose, at: provider)
        let endpoint = try await authorizationEndpoint(of: provider, flow: flow)
        let confirmation = Confirmation(
            id: try random.unguessableText(),
            expiresAt: time.now() + SealedSession.lifetime,
            client: request.client, provider: provider.id, redirectURI: request.redirectURI, flow: flow,
            purpose: intent.0.purpose, account: intent.account,
            isSilent: ProviderAuthorization.isSilent(request.parameters["prompt"]),
            query: String(begun.url.dropFirst(endpoint.count + 1)),
            refusal: try await refusal(of: begun.binding, of: request, at: provider).encoded)
        let sealed = try seal.seal(confirmation.json, as: .confirmation, for: request.client.text)
        // The sealed text must fit into a request target, and its content into a cookie.
        guard sealed.utf8.count <= 3000 else { throw Refusal.requestTooLarge }
        let query = Parameters([
            ("client_id", request.client.text), ("request_uri", PushedRequest.requestURIPrefix + sealed),
        ])
        return query.appended(to: registrations.issuer + "/authorize")
    }

    /// Opens the confirmation in a `request_uri`, which may be spent.
    ///
    /// - Returns: The confirmation; `nil` if `POST /v1/signin` did not issue the `request_uri`.
    func opened(_ parameters: Parameters) throws -> Confirmation? {
        guard let client = parameters["client_id"], let requestURI = parameters["request_uri"],
            let sealed = PushedRequest.sealedContent(of: requestURI),
            let content = seal.open(sealed, as: .confirmation, for: client), let confirmation = Confirmation(content)
        else { return nil }
        guard time.now() < confirmation.expiresAt
        else { throw FlowFailure(Refusal.sessionExpired, offer: wayBack(of: confirmation)) }
        return confirmation
    }

    /// Returns the way back to the application; `nil` if the configuration no longer allows the confirmation.
    ///
    /// The application receives the same response as from a person who cancels.
    func wayBack(of confirmation: Confirmation) -> WayBack? {
        guard (try? authorize(confirmation)) != nil else { return nil }
        return WayBack(
            client: confirmation.client,
            url: Parameters.append(confirmation.refusal, to: confirmation.redirectURI))
    }

    /// Admits the client and the provider of a confirmation by the current configuration.
    func authorize(_ confirmation: Confirmation) throws -> Registrations.Registered {
        let registered = try registrations.authorize(confirmation.client, confirmation.provider)
        guard
            RedirectURI.isRegistered(
                confirmation.redirectURI, among: registered.client.providerRedirectURIs(at: registered.provider))
        else { throw registered.client.refusal(of: confirmation.redirectURI, at: registered.provider) }
        return registered
    }

    /// Returns the authorization endpoint of a provider for one protocol.
    func authorizationEndpoint(of provider: Provider, flow: String) async throws -> String {
        switch provider.protocols[flow] {
        case .openIDConnect(let openIDConnect): try await authorization.endpoints(of: openIDConnect).authorization
        case .oauth2(let oauth2): oauth2.authorizationEndpoint
        case .oauth1(let oauth1): oauth1.authorizationEndpoint
        case nil: throw Refusal.unknownFlow
        }
    }

    /// Returns the parameters that the provider would send if the person refused there or, with `prompt=none`, if it
    /// had to show a page.
    ///
    /// The application then needs no second case for what happens on the page of this server.
    private func refusal(
        of binding: FlowBinding, of request: SignInRequest, at provider: Provider
    ) async throws -> Parameters {
        switch binding {
        case .temporaryCredentials(let identifier, _): return Parameters([("denied", identifier)])
        case .authorizationCode(let state, _, _, _):
            let isSilent = ProviderAuthorization.isSilent(request.parameters["prompt"])
            let error = isSilent ? UnmetInteraction.interaction.rawValue : "access_denied"
            var answer = [(name: "error", value: error), (name: "state", value: state)]
            if let openIDConnect = provider.openIDConnect {
                let endpoints = try await authorization.endpoints(of: openIDConnect)
                // RFC 9207 §2.4: the session would refuse a response without `iss`.
                if endpoints.sendsIssuer, let issuer = endpoints.issuers.first { answer.append(("iss", issuer)) }
            }
            return Parameters(answer)
        }
    }
}

/// The content of a confirmation page: a flow of `POST /v1/signin` with an intent, until its person presses a button.
///
/// It contains only the authorization request. The application already has the session.
struct Confirmation {
    let id: String
    let expiresAt: NumericDate
    let client: ClientID
    let provider: ProviderID
    /// A registered redirect URI of the client, which receives the provider's response.
    let redirectURI: String
    /// The protocol of the provider.
    let flow: String
    let purpose: AccountIntent.Purpose
    let account: AccountName
    /// `true` if the request had `prompt=none`: the application then receives ``refusal`` instead of the page.
    let isSilent: Bool
    /// The query of the authorization request.
    ///
    /// The endpoint comes from the configuration, so that a forged sealed value cannot redirect to another host.
    let query: String
    /// The parameters for the redirect URI if the person presses "cancel", as the provider would send them.
    let refusal: String

    /// The record that the first button of its pages spends, also "cancel".
    var record: SpentRecord {
        SpentRecord(
            .confirmation, of: [Array(id.utf8)], issuedAt: expiresAt - SealedSession.lifetime,
            expiresAt: expiresAt + .seconds(60))
    }

    var json: JSON {
        var members: [String: JSON] = [
            "id": .string(id), "exp": .integer(expiresAt.seconds), "client_id": .string(client.text),
            "provider": .string(provider.text), "redirect_uri": .string(redirectURI), "flow": .string(flow),
            "intent": .string(purpose.rawValue), "account": account.json, "query": .string(query),
            "refusal": .string(refusal),
        ]
        if isSilent { members["silent"] = .bool(true) }
        return .object(members)
    }
}

extension Confirmation {
    init?(_ content: JSON) {
        guard
            let id = content["id"]?.string, let expiry = content["exp"]?.integer,
            let client = content["client_id"]?.string, let provider = content["provider"]?.string,
            let redirectURI = content["redirect_uri"]?.string, let flow = content["flow"]?.string,
            let purpose = content["intent"]?.string.flatMap(AccountIntent.Purpose.init),
            let account = content["account"].flatMap(AccountName.init),
            let query = content["query"]?.string, let refusal = content["refusal"]?.string
        else { return nil }
        self.init(
            id: id, expiresAt: NumericDate(expiry), client: ClientID(client), provider: ProviderID(provider),
            redirectURI: redirectURI, flow: flow, purpose: purpose, account: account,
            isSilent: content["silent"] == .bool(true), query: query, refusal: refusal)
    }
}
