internal import JOSE
package import OAuth
internal import Providers
internal import Sealing

extension Corridor {
    /// Begins a browser flow (RFC 6749 §4.1.1).
    ///
    /// It leads to the provider, or to a page on which a person presses a button first: if no provider is named, if any
    /// application can claim the redirect URI (RFC 8252 §8.6), and if the flow has an intent. What another person
    /// began to link would look like a sign-in otherwise.
    ///
    /// - `parameters`: those of `GET /authorize`: the request itself, or `client_id` and the `request_uri` of one
    ///   that was pushed (RFC 9126 §4) or of a flow of `POST /v1/signin`.
    package func authorize(_ parameters: Parameters) async throws(FlowFailure) -> AuthorizationStep {
        if let departure = try await departure(parameters) { return try ask(departure) }
        let request = try await request(parameters)
        let client = try registered(request)
        let chosen = try request.provider.map { id throws(FlowFailure) in try admit(id, for: request).1 }
        if let chosen, request.intent == nil, RedirectURI.isClaimedHTTPS(request.redirectURI) {
            return try await leave(request, for: chosen)
        }
        let speaking = (chosen.map { [$0] } ?? providers(of: client))
            .filter { provider in request.flow.map { provider.protocols[$0] != nil } ?? true }
        guard !speaking.isEmpty else { throw FlowFailure(.unknownFlow, tell: request.returnAddress) }
        let able = speaking.filter { (try? flow(request.flow, for: request.intent?.purpose, at: $0)) != nil }
        guard !able.isEmpty else { throw FlowFailure(.freshLoginUnavailable, tell: request.returnAddress) }
        let choices = able.filter { provider in
            provider.allows(
                scopes: request.scopes, flow: try? flow(request.flow, for: request.intent?.purpose, at: provider))
        }
        guard !choices.isEmpty else { throw FlowFailure(.scopeNotAllowed, tell: request.returnAddress) }
        let handle = try unguessable(for: request)
        return .ask(
            SignInPrompt(
                application: client.name, purpose: request.intent?.purpose, account: request.account.map(shown),
                redirectURI: request.redirectURI, providers: choices, handle: Secret(handle)),
            keeping: try cookie(.application(request), leg: nil, handle: handle, tell: request.returnAddress))
    }

    /// The person has pressed a button of the page that ``authorize(_:)`` asked for.
    ///
    /// - `provider`: nil where they do not want to sign in.
    /// - `handle`: of the page's form.
    package func choose(
        _ provider: ProviderID?, handle: String, cookies: FlowCookies
    ) async throws(FlowFailure) -> AuthorizationStep {
        let flow = try opened(handle, cookies)
        guard flow.leg == nil else { throw FlowFailure(.unknownBrowserFlow) }
        switch flow.purpose {
        case .application(let request): return try await leave(request, for: provider, over: flow, handle: handle)
        case .departure(let departure):
            return try await leave(departure, for: provider, over: flow, handle: handle)
        case .device: throw FlowFailure(.unknownBrowserFlow)
        }
    }

    private func leave(
        _ request: AuthorizationRequest, for provider: ProviderID?, over flow: SealedFlow, handle: String
    ) async throws(FlowFailure) -> AuthorizationStep {
        _ = try registered(request)
        guard let provider else {
            do {
                try await spend(flow.record)
            } catch {
                throw FlowFailure(error, ending: handle)
            }
            throw FlowFailure(.session(.accessDenied), tell: request.returnAddress, ending: handle)
        }
        // A page that offered one provider does not lead to another.
        guard request.provider.map({ $0 == provider }) ?? true
        else { throw FlowFailure(.unknownProvider, tell: request.returnAddress) }
        return try await leave(request, for: try admit(provider, for: request).1, over: handle)
    }

    /// Of the client that is still configured, in a fixed order.
    func providers(of client: RegisteredClient) -> [Provider] {
        providers.values
            .filter { client.providers?.contains($0.id) ?? true }
            .sorted { $0.id.text < $1.id.text }
    }

    func parametersOfProviders(of client: RegisteredClient) -> Set<String> {
        providers(of: client).reduce(into: []) { $0.formUnion($1.allowedParameters) }
    }

    /// The provider's own side of a browser flow comes back to us.
    func callbackURI(of provider: ProviderID) -> String { issuer + "/callback/" + provider.text }

    /// Seals a flow under the name that its handle gives it.
    func cookie(
        _ purpose: SealedFlow.Purpose, leg: SealedFlow.Leg?, handle: String, tell address: ReturnAddress?
    ) throws(FlowFailure) -> FlowCookie {
        let name = FlowCookie.name(of: handle)
        let value: String
        do {
            let flow = SealedFlow(
                id: try random.unguessableText(), expiresAt: time.now() + SealedFlow.lifetime, purpose: purpose,
                leg: leg)
            value = try seal.seal(flow.json, as: .flow, for: name)
        } catch {
            throw FlowFailure(.random(RandomFailure()), tell: address)
        }
        // RFC 6265 §6.1: a browser need not keep more than 4096 octets of a cookie, its attributes included.
        guard value.utf8.count <= 3800 else { throw FlowFailure(.requestTooLarge, tell: address) }
        return FlowCookie(name: name, value: Secret(value))
    }

    /// A flow of this browser that has not expired.
    func opened(_ handle: String, _ cookies: FlowCookies) throws(FlowFailure) -> SealedFlow {
        let name = FlowCookie.name(of: handle)
        guard
            let value = cookies[name],
            let flow = seal.open(value.secretText, as: .flow, for: name).flatMap(SealedFlow.init)
        else { throw FlowFailure(.unknownBrowserFlow) }
        guard time.now() < flow.expiresAt else { throw FlowFailure(.session(.expired)) }
        return flow
    }

    private func request(_ parameters: Parameters) async throws(FlowFailure) -> AuthorizationRequest {
        let client: RegisteredClient
        let address: ReturnAddress
        do throws(SignInError) {
            client = try self.client(parameters)
            if let requestURI = parameters["request_uri"] { return try await pulled(requestURI, of: client) }
            address = try AuthorizationRequest.returnAddress(parameters, of: client)
        } catch {
            throw FlowFailure(error)
        }
        do {
            return try AuthorizationRequest(
                parameters, of: client, returningTo: address, known: parametersOfProviders(of: client))
        } catch {
            throw FlowFailure(error, tell: address)
        }
    }

    /// The client of a request that may have waited, in a cookie, for a configuration that has changed since.
    func registered(_ request: AuthorizationRequest) throws(FlowFailure) -> RegisteredClient {
        guard let client = clients[request.client] else { throw FlowFailure(.unknownClient) }
        guard RedirectURI.isRegistered(request.redirectURI, among: client.redirectURIs)
        else { throw FlowFailure(.redirectURINotAllowed) }
        return client
    }

    private func admit(
        _ provider: ProviderID, for request: AuthorizationRequest
    ) throws(FlowFailure) -> (RegisteredClient, Provider) {
        do {
            return try admit(request.client, provider)
        } catch {
            throw FlowFailure(error, tell: request.returnAddress)
        }
    }

    private func leave(
        _ request: AuthorizationRequest, for provider: Provider, over handle: String? = nil
    ) async throws(FlowFailure) -> AuthorizationStep {
        let leg = SignInRequest(
            client: request.client, provider: provider.id, redirectURI: callbackURI(of: provider.id),
            scopes: request.scopes,
            parameters: request.parameters.filter { provider.allows(parameter: $0.key) },
            flow: request.flow, purpose: request.intent?.purpose)
        let begun: (url: String, binding: SealedSession.Binding)
        do {
            begun = try await begin(leg, at: provider)
        } catch {
            throw FlowFailure(error, tell: request.returnAddress)
        }
        return .leave(
            to: Secret(begun.url),
            keeping: try cookie(
                .application(request), leg: SealedFlow.Leg(provider: provider.id, binding: begun.binding),
                handle: begun.binding.handle, tell: request.returnAddress),
            forgetting: handle.map(FlowCookie.name))
    }

    private func unguessable(for request: AuthorizationRequest) throws(FlowFailure) -> String {
        do {
            return try random.unguessableText()
        } catch {
            throw FlowFailure(.random(error), tell: request.returnAddress)
        }
    }
}
