internal import Exchange
internal import JOSE
internal import OAuth
internal import Providers
internal import Sealing

/// The page before the provider of a flow that `POST /v1/signin` began with an intent.
///
/// Nothing is kept for it: the URL carries the sealed way to the provider, is good once, and becomes a flow of the
/// browser that opened it. Another site can neither press the button in that browser nor make its own browser's page
/// this one's.
extension Corridor {
    /// - Returns: The URL that the application opens in the place of the provider's.
    func page(
        before begun: (url: String, binding: SealedSession.Binding), of request: SignInRequest, at provider: Provider,
        for intent: (AccountIntent, account: AccountName)
    ) async throws(SignInError) -> String {
        let flow = try self.flow(request.flow, for: request.purpose, at: provider)
        let endpoint = try await authorizationEndpoint(of: provider, flow: flow)
        let sealed: String
        do {
            let departure = Departure(
                id: try random.unguessableText(), expiresAt: time.now() + SealedSession.lifetime,
                client: request.client, provider: provider.id, redirectURI: request.redirectURI, flow: flow,
                purpose: intent.0.purpose, account: intent.account,
                query: String(begun.url.dropFirst(endpoint.count + 1)),
                refusal: try await refusal(of: begun.binding, at: provider).encoded)
            sealed = try seal.seal(departure.json, as: .signInPage, for: request.client.text)
        } catch let error as SignInError {
            throw error
        } catch {
            throw .random(RandomFailure())
        }
        // It must fit into a request target, and its content into a cookie.
        guard sealed.utf8.count <= 3000 else { throw .requestTooLarge }
        let query = Parameters([
            ("client_id", request.client.text), ("request_uri", Self.requestURIPrefix + sealed),
        ])
        return appending(query, to: issuer + "/authorize")
    }

    /// The flow that a `request_uri` stands for, for its one way to the page; nil if it is none of `POST /v1/signin`.
    func departure(_ parameters: Parameters) async throws(FlowFailure) -> Departure? {
        guard let client = parameters["client_id"], let requestURI = parameters["request_uri"],
            requestURI.utf8.starts(with: Self.requestURIPrefix.utf8),
            let content = seal.open(
                String(decoding: requestURI.utf8.dropFirst(Self.requestURIPrefix.utf8.count), as: UTF8.self),
                as: .signInPage, for: client),
            let departure = Departure(content)
        else { return nil }
        guard time.now() < departure.expiresAt else { throw FlowFailure(.session(.expired)) }
        do {
            try await spend(departure.record)
        } catch {
            throw FlowFailure(error)
        }
        return departure
    }

    func ask(_ departure: Departure) throws(FlowFailure) -> AuthorizationStep {
        let (client, provider) = try admitted(departure)
        let handle: String
        do {
            handle = try random.unguessableText()
        } catch {
            throw FlowFailure(.random(error))
        }
        return .ask(
            SignInPrompt(
                application: client.name, purpose: departure.purpose, account: shown(departure.account),
                redirectURI: departure.redirectURI, providers: [provider], handle: Secret(handle)),
            keeping: try cookie(.departure(departure), leg: nil, handle: handle, tell: nil))
    }

    /// The person has pressed a button of that page.
    ///
    /// - `choice`: nil if they do not go on.
    func leave(
        _ departure: Departure, for choice: ProviderID?, over flow: SealedFlow, handle: String
    ) async throws(FlowFailure) -> AuthorizationStep {
        guard time.now() < departure.expiresAt else { throw FlowFailure(.session(.expired), ending: handle) }
        let (_, provider) = try admitted(departure)
        guard let choice else {
            do {
                try await spend(flow.record)
            } catch {
                throw FlowFailure(error, ending: handle)
            }
            return .finish(
                to: Secret(appending(departure.refusal, to: departure.redirectURI)),
                forgetting: FlowCookie.name(of: handle))
        }
        guard choice == departure.provider else { throw FlowFailure(.unknownProvider) }
        let endpoint: String
        do {
            endpoint = try await authorizationEndpoint(of: provider, flow: departure.flow)
        } catch {
            throw FlowFailure(error)
        }
        return .finish(to: Secret(appending(departure.query, to: endpoint)), forgetting: FlowCookie.name(of: handle))
    }

    /// How a page names an account, with the name of its provider.
    func shown(_ account: AccountName) -> (name: AccountName, provider: String?) {
        (account, account.provider.map { providers[$0]?.name ?? $0.text })
    }

    /// The client and the provider as they are configured now.
    private func admitted(_ departure: Departure) throws(FlowFailure) -> (RegisteredClient, Provider) {
        do throws(SignInError) {
            let (client, provider) = try admit(departure.client, departure.provider)
            guard RedirectURI.isRegistered(departure.redirectURI, among: client.providerRedirectURIs)
            else { throw .redirectURINotAllowed }
            return (client, provider)
        } catch {
            throw FlowFailure(error)
        }
    }

    private func authorizationEndpoint(of provider: Provider, flow: String) async throws(SignInError) -> String {
        switch provider.protocols[flow] {
        case .openIDConnect(let openIDConnect): try await endpoints(of: openIDConnect).authorization
        case .oauth2(let oauth2): oauth2.authorizationEndpoint
        case .oauth1(let oauth1): oauth1.authorizationEndpoint
        case nil: throw .unknownFlow
        }
    }

    /// What the provider would answer if the person refused there, so that the application needs no second case.
    private func refusal(
        of binding: SealedSession.Binding, at provider: Provider
    ) async throws(SignInError) -> Parameters {
        switch binding {
        case .temporaryCredentials(let identifier, _): return Parameters([("denied", identifier)])
        case .authorizationCode(let state, _, _, _):
            var answer = [(name: "error", value: "access_denied"), (name: "state", value: state)]
            if let openIDConnect = provider.openIDConnect {
                let endpoints = try await endpoints(of: openIDConnect)
                // RFC 9207 §2.4: the session would refuse an answer without it.
                if endpoints.sendsIssuer, let issuer = endpoints.issuers.first { answer.append(("iss", issuer)) }
            }
            return Parameters(answer)
        }
    }

    private func endpoints(of openIDConnect: OpenIDConnect) async throws(SignInError) -> OpenIDConnectEndpoints {
        do {
            return try await openIDConnect.endpoints()
        } catch {
            throw .exchange(.provider(.document(error), givenBack: true))
        }
    }
}
