internal import JOSE
internal import Providers
internal import Standards

extension BrowserSignIn {
    /// Returns the page of ``authorize(_:)`` again, for another language of it.
    ///
    /// Nothing is spent, and the flow keeps its handle and its end.
    ///
    /// - Parameter handle: The hidden field of the form.
    /// - Throws: A ``FlowFailure``.
    package func prompt(handle: String, cookies: FlowCookies) async throws -> FlowPrompt {
        let flow = try opened(handle, cookies)
        guard flow.upstreamRequest == nil else { throw shown(Refusal.unknownBrowserFlow, of: flow) }
        if flow.challenge != nil {
            let client = try await client(of: flow)
            return .challenge(ChallengePrompt(client: client, isRepeated: false, handle: Secret(handle)))
        }
        if let conflict = flow.conflict {
            let client = try await client(of: flow)
            return .conflict(conflictPages.prompt(conflict, for: client, handle: handle))
        }
        switch flow.purpose {
        case .application(let request): return .signIn(try prompt(request, handle: handle))
        case .confirmation(let confirmation): return .signIn(try prompt(confirmation, handle: handle))
        case .device: throw FlowFailure(Refusal.unknownBrowserFlow)
        }
    }

    func prompt(_ request: AuthorizationRequest, handle: String) throws -> SignInPrompt {
        let client = try registered(request)
        let chosen = try request.provider.map { try authorize($0, for: request) }
        return SignInPrompt(
            client: client, purpose: request.intent?.purpose,
            account: request.account.map(registrations.shown), redirectURI: request.redirectURI,
            providers: try choices(request, among: chosen.map { [$0] } ?? registrations.providers(of: client)),
            handle: Secret(handle))
    }

    func prompt(_ confirmation: Confirmation, handle: String) throws -> SignInPrompt {
        guard flows.time.now() < confirmation.expiresAt
        else { throw FlowFailure(Refusal.sessionExpired, offer: confirmations.wayBack(of: confirmation)) }
        let registered = try confirmations.authorize(confirmation)
        return SignInPrompt(
            client: registered.client, purpose: confirmation.purpose,
            account: registrations.shown(confirmation.account), redirectURI: confirmation.redirectURI,
            providers: [registered.provider], handle: Secret(handle))
    }

    /// Returns the providers that can serve a request.
    ///
    /// - Throws: A ``FlowFailure`` that says which requirement no provider meets: the protocol, a fresh login, the scopes.
    private func choices(
        _ request: AuthorizationRequest, among providers: [Provider]
    ) throws -> [Provider] {
        let speaking = providers.filter { provider in request.flow.map { provider.protocols[$0] != nil } ?? true }
        guard !speaking.isEmpty else { throw FlowFailure(Refusal.unknownFlow, tell: request.returnAddress) }
        func flow(at provider: Provider) -> String? {
            try? freshLogin.flow(request.flow, for: request.intent?.purpose, at: provider)
        }
        let able = speaking.filter { flow(at: $0) != nil }
        guard !able.isEmpty else { throw FlowFailure(Refusal.freshLoginUnsupported, tell: request.returnAddress) }
        let choices = able.filter { $0.allows(scopes: request.scopes, flow: flow(at: $0)) }
        guard !choices.isEmpty else { throw FlowFailure(Refusal.scopeNotAllowed, tell: request.returnAddress) }
        return choices
    }
}
