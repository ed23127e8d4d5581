internal import Accounts
package import Firebase
internal import JOSE
internal import Providers
internal import SecondFactors
package import Standards
internal import Stores
internal import Verification

/// Sign-ins in which this server owns the redirect URI at the provider (RFC 6749 §4.1).
package struct BrowserSignIn: Sendable {
    let registrations: Registrations
    let pipeline: Pipeline
    let conflictPages: ConflictPages
    let authorization: ProviderAuthorization
    let confirmations: ConfirmationPages
    let pushedRequests: PushedRequests
    let handoffCodes: HandoffCodes
    let flows: SealedFlows
    let devices: DeviceSignIn
    let freshLogin: FreshLoginCheck
    let singleUse: SingleUse
    let random: RandomSource
    let callbacks = CallbacksInProgress()

    /// Accepts an authorization request in advance (RFC 9126 §2).
    ///
    /// The server stores nothing.
    ///
    /// - Parameters:
    ///   - parameters: The form.
    ///   - user: The user whose account a request with an `intent` is for. Such a request requires one.
    /// - Throws: The error of the first parameter that is wrong.
    package func push(_ parameters: Parameters, for user: FirebaseUser? = nil) async throws
        -> PushedRequest
    {
        try await pushedRequests.push(parameters, for: user)
    }

    /// Redeems a handoff code for a custom token (RFC 6749 §4.1.3, RFC 7636 §4.5).
    ///
    /// The account is found only now, so that a change since the browser flow counts.
    package func redeem(
        handoffCode: Secret, redirectURI: String, codeVerifier: Secret, client clientID: ClientID
    ) async throws -> SignInOutcome {
        let client = try registrations.client(clientID, for: .authorizationCode)
        let proven = try await handoffCodes.identity(
            ofHandoff: handoffCode, redirectURI: redirectURI, codeVerifier: codeVerifier, client: client, intent: nil)
        // The configuration may have changed since the flow began.
        _ = try registrations.authorize(client.id, proven.identity.provider)
        guard !proven.isRefused else { try await pipeline.refuse(proven, for: client) }
        return try await pipeline.signIn(proven, for: client)
    }

    // MARK: - The authorization endpoint

    /// Begins a browser flow (RFC 6749 §4.1.1).
    ///
    /// Nothing is spent, because a preview, a scanner or a reload may open the same link.
    ///
    /// The browser is redirected to the provider, or shows a page with a button first. It shows the page if no provider
    /// is named, if any application can claim the redirect URI (RFC 8252 §8.6), and if the flow has an intent. Without
    /// the page, a flow that another person began to link would look like a sign-in. With `prompt=none` the application
    /// receives an error instead of the page.
    ///
    /// - Parameter parameters: The parameters of `GET /authorize`: the request itself, or `client_id` and the
    ///   `request_uri` of a pushed request (RFC 9126 §4) or of a flow of `POST /v1/signin`.
    /// - Throws: A ``FlowFailure``.
    package func authorize(_ parameters: Parameters) async throws -> AuthorizationStep {
        // A flow of `POST /v1/signin` with an intent has its own page.
        if let confirmation = try confirmations.opened(parameters) { return try ask(confirmation) }
        let request = try request(parameters)
        _ = try registered(request)
        let chosen = try request.provider.map { try authorize($0, for: request) }
        if let chosen, request.intent == nil, RedirectURI.isClaimedHTTPS(request.redirectURI) {
            return try await leave(request, for: chosen)
        }
        guard !request.isSilent else {
            let unmet: UnmetInteraction = request.provider == nil ? .accountSelection : .interaction
            throw FlowFailure(Refusal.interactionRequired(unmet), tell: request.returnAddress)
        }
        do {
            let handle = try random.unguessableText()
            return .ask(
                try prompt(request, handle: handle),
                keeping: try flows.cookie(.application(request), upstreamRequest: nil, handle: handle))
        } catch {
            throw FlowFailure(error, tell: request.returnAddress)
        }
    }

    /// Continues after the person has pressed a button of the page that ``authorize(_:)`` returned.
    ///
    /// - Parameters:
    ///   - provider: The provider that the person chose; `nil` if the person does not want to sign in.
    ///   - handle: The hidden field of the form.
    /// - Throws: A ``FlowFailure``.
    package func choose(
        _ provider: ProviderID?, handle: String, cookies: FlowCookies
    ) async throws -> AuthorizationStep {
        // A second press, of a double click or after the way back in the history, begins again: otherwise its error would stand
        // in place of the page of the provider.
        if let begun = flows.begun(byPage: handle, cookies), case .application(let request) = begun.purpose {
            return try await leave(request, for: provider, over: begun, handle: handle)
        }
        let flow = try opened(handle, cookies)
        guard flow.upstreamRequest == nil else { throw shown(Refusal.unknownBrowserFlow, of: flow) }
        if flow.challenge != nil { return try await refuseChallenge(over: flow, handle: handle) }
        if let conflict = flow.conflict {
            return try await settle(conflict, with: provider, over: flow, handle: handle)
        }
        switch flow.purpose {
        case .application(let request): return try await leave(request, for: provider, over: flow, handle: handle)
        case .confirmation(let confirmation):
            return try await leave(confirmation, for: provider, over: flow, handle: handle)
        case .device: throw FlowFailure(Refusal.unknownBrowserFlow)
        }
    }

    private func leave(
        _ request: AuthorizationRequest, for provider: ProviderID?, over flow: SealedFlow, handle: String
    ) async throws -> AuthorizationStep {
        _ = try registered(request)
        guard let provider else {
            do {
                try await singleUse.spend([flow.record] + request.recordsOfButton)
            } catch {
                throw shown(error, of: flow, ending: handle)
            }
            throw FlowFailure(ProviderRefusal.accessDenied.refusal, tell: request.returnAddress, ending: handle)
        }
        // A page that offered one provider must not lead to another.
        guard request.provider.map({ $0 == provider }) ?? true
        else { throw FlowFailure(Refusal.unknownProvider, tell: request.returnAddress) }
        let step = try await leave(
            request, for: try authorize(provider, for: request), over: handle,
            until: flow.page?.expiresAt ?? flow.expiresAt)
        if !request.recordsOfButton.isEmpty {
            do {
                try await singleUse.spend(request.recordsOfButton)
            } catch {
                throw shown(error, of: flow, ending: handle)
            }
        }
        return step
    }

    private func leave(
        _ request: AuthorizationRequest, for provider: Provider, over handle: String? = nil,
        until expiry: NumericDate? = nil
    ) async throws -> AuthorizationStep {
        // A provider that does not receive `prompt=none`, or does not know it, shows its page.
        guard !request.isSilent || provider.allowsPromptNone
        else { throw FlowFailure(Refusal.interactionRequired(.login), tell: request.returnAddress) }
        let signIn = SignInRequest(
            client: request.client, provider: provider.id, redirectURI: registrations.callbackURI(of: provider.id),
            scopes: provider.sent(request.scopes),
            parameters: request.parameters.filter { provider.allows(parameter: $0.key) },
            flow: request.flow, purpose: request.intent?.purpose)
        do {
            let begun = try await authorization.begin(signIn, at: provider)
            return .leave(
                to: Secret(begun.url),
                keeping: try flows.cookie(
                    .application(request),
                    upstreamRequest: SealedFlow.UpstreamRequest(provider: provider.id, binding: begun.binding),
                    page: handle.flatMap { handle in expiry.map { SealedFlow.Page(handle: handle, expiresAt: $0) } },
                    handle: begun.binding.handle),
                forgetting: handle.map(FlowCookie.name))
        } catch {
            throw FlowFailure(error, tell: request.returnAddress)
        }
    }

    private func request(_ parameters: Parameters) throws -> AuthorizationRequest {
        let client = try registrations.client(parameters)
        let onlyClient = WayBack(client: client.id, url: nil)
        let address: ReturnAddress
        do {
            if let requestURI = parameters["request_uri"] {
                let pushed = try pushedRequests.opened(requestURI, of: client)
                do {
                    try pushedRequests.checkLifetime(of: pushed)
                } catch {
                    throw shown(error, of: pushed)
                }
                return pushed
            }
            address = try AuthorizationRequest.returnAddress(parameters, of: client)
        } catch {
            throw FlowFailure(error, offer: onlyClient)
        }
        do {
            return try AuthorizationRequest(
                parameters, of: client, returningTo: address, known: registrations.parametersOfProviders(of: client))
        } catch {
            throw FlowFailure(error, tell: address)
        }
    }

    /// Returns the client of a request.
    ///
    /// The configuration may have changed while the request was in a cookie.
    func registered(_ request: AuthorizationRequest) throws -> RegisteredClient {
        let client = try registrations.client(request.client)
        guard RedirectURI.isRegistered(request.redirectURI, among: client.redirectURIs)
        else { throw FlowFailure(client.refusal(of: request.redirectURI)) }
        // Neither a code nor an error may reach an origin that the client has no more.
        guard request.responseMode.isAllowed(for: client) else { throw FlowFailure(Refusal.responseModeNotAllowed) }
        return client
    }

    func authorize(
        _ provider: ProviderID, for request: AuthorizationRequest
    ) throws -> Provider {
        do {
            return try registrations.authorize(request.client, provider).provider
        } catch {
            throw FlowFailure(error, tell: request.returnAddress)
        }
    }

    // MARK: - Confirmation pages

    private func ask(_ confirmation: Confirmation) throws -> AuthorizationStep {
        if confirmation.isSilent {
            _ = try confirmations.authorize(confirmation)
            return .finish(
                to: Secret(Parameters.append(confirmation.refusal, to: confirmation.redirectURI)), forgetting: nil)
        }
        let handle = try random.unguessableText()
        return .ask(
            try prompt(confirmation, handle: handle),
            keeping: try flows.cookie(.confirmation(confirmation), upstreamRequest: nil, handle: handle))
    }

    /// Continues after the person has pressed a button of a confirmation page.
    ///
    /// - Parameter choice: The provider; `nil` if the person does not continue.
    /// - Throws: A ``FlowFailure``.
    private func leave(
        _ confirmation: Confirmation, for choice: ProviderID?, over flow: SealedFlow, handle: String
    ) async throws -> AuthorizationStep {
        guard flows.time.now() < confirmation.expiresAt
        else { throw shown(Refusal.sessionExpired, of: flow, ending: handle) }
        let provider = try confirmations.authorize(confirmation).provider
        let target: String
        if let choice {
            guard choice == confirmation.provider else { throw FlowFailure(Refusal.unknownProvider) }
            do {
                let endpoint = try await confirmations.authorizationEndpoint(of: provider, flow: confirmation.flow)
                target = Parameters.append(confirmation.query, to: endpoint)
            } catch {
                throw shown(error, of: flow)
            }
        } else {
            target = Parameters.append(confirmation.refusal, to: confirmation.redirectURI)
        }
        do {
            try await singleUse.spend([confirmation.record])
        } catch {
            throw shown(error, of: flow, ending: handle)
        }
        return .finish(to: Secret(target), forgetting: FlowCookie.name(of: handle))
    }

    // MARK: - The redirection endpoint

    /// Continues after the provider has sent the browser back.
    ///
    /// A response that belongs to no flow of this browser is refused before anything is spent or requested. After that
    /// the flow is spent, and once the response has proven an identity, also the pushed request of the flow.
    ///
    /// A browser that sends a callback again while the first one is in progress drops the response to the first one. It
    /// gets the same response to the second one.
    ///
    /// - Parameters:
    ///   - provider: The provider in the path of the callback.
    ///   - parameters: The query of the callback.
    /// - Throws: A ``FlowFailure``.
    package func callback(
        _ provider: ProviderID, _ parameters: Parameters, cookies: FlowCookies
    ) async throws -> AuthorizationStep {
        // X reports a refusal as `denied`, with the request token as its value.
        guard let handle = parameters["state"] ?? parameters["oauth_token"] ?? parameters["denied"]
        else { throw FlowFailure(Refusal.stateMissing(in: parameters)) }
        // Only the browser of the flow knows its cookie, so that no other one has the same key.
        guard let cookie = cookies[FlowCookie.name(of: handle)]?.secretText else {
            throw FlowFailure(Refusal.unknownBrowserFlow)
        }
        return try await callbacks.result(of: cookie + parameters.appended(to: "/" + provider.text)) {
            try await step(after: provider, parameters, handle: handle, cookies: cookies)
        }
    }

    private func step(
        after provider: ProviderID, _ parameters: Parameters, handle: String, cookies: FlowCookies
    ) async throws -> AuthorizationStep {
        let flow = try opened(handle, cookies)
        // RFC 9700 §4.4: each provider has a redirect URI of its own.
        guard let upstreamRequest = flow.upstreamRequest else { throw shown(Refusal.callbackOfOtherProvider, of: flow) }
        guard upstreamRequest.provider == provider else {
            throw shown(
                [upstreamRequest.provider.text, upstreamRequest.provider.text + "/"].map { $0.lowercased() }
                    .containsExactly(provider.text.lowercased())
                    ? Refusal.callbackElsewhere(provider, of: upstreamRequest.provider) : .callbackOfOtherProvider,
                of: flow)
        }
        if case .application(let request) = flow.purpose { _ = try registered(request) }
        let address = flow.returnAddress
        let registration: Provider
        let response: CallbackResponse
        do {
            registration = try registrations.provider(provider)
            response = try CallbackResponse.parse(parameters, bound: upstreamRequest.binding, isSilent: flow.isSilent)
            try await authorization.requests.check(issuer: parameters["iss"], provider: registration)
            try await authorization.prepare(for: response, of: registration)
            try await singleUse.spend([flow.record])
        } catch {
            // The response may come from an attacker, so that the application receives the error only if the flow belongs
            // to this browser, and fails because of the server or the provider, so that another request may succeed.
            let refusal = Refusal(error)
            let mayWorkLater = refusal.reason.retry != .never
            throw mayWorkLater ? FlowFailure(refusal, tell: address) : answered(refusal, of: flow)
        }
        let identity: VerifiedIdentity
        do {
            identity = try await authorization.identity(
                answering: upstreamRequest.binding, by: response, with: parameters, beside: flow.requestedScopes,
                redirectURI: registrations.callbackURI(of: provider), at: registration, for: try await client(of: flow))
            try freshLogin.check(
                identity, for: flow.intent, since: flow.beganAt, bound: upstreamRequest.binding, at: registration)
        } catch {
            throw FlowFailure(await ending(flow, with: error), tell: address, ending: handle)
        }
        // The second callback of a flow, after a conflict, continues what the first one has spent.
        if flow.conflict == nil, case .application(let request) = flow.purpose, !request.recordsOfCallback.isEmpty {
            do {
                try await singleUse.spend(request.recordsOfCallback)
            } catch {
                // The application has the response of the flow that came first, and must not take this one for it.
                let refusal = Refusal(error)
                throw refusal.reason == .replayed
                    ? answered(refusal, of: flow, ending: handle)
                    : FlowFailure(refusal, tell: address, ending: handle)
            }
        }
        do {
            return try await proceed(flow, with: identity, handle: handle)
        } catch {
            throw FlowFailure(await ending(flow, with: error), tell: address, ending: handle)
        }
    }

    /// Redirects a form that the browser has posted for a provider to the callback.
    ///
    /// The cookie of the flow is `SameSite=Lax`: a browser does not send it with a form of another site, and sends it
    /// with the redirect. Nothing is spent, and no flow is looked for.
    ///
    /// - Parameter form: Reads the parameters, which is not done for a provider that does not post forms.
    /// - Throws: ``Refusal/unexpectedForm(of:)``, ``Refusal/malformedCallback(_:)`` for a form with tokens, or the error
    ///   of `form`.
    package func relay(
        _ provider: ProviderID, reading form: () async throws -> Parameters
    ) async throws -> AuthorizationStep {
        let registration = try registrations.provider(provider)
        guard registration.responseMode == .formPost else { throw Refusal.unexpectedForm(of: provider) }
        let parameters = try await form()
        // In the query, a token would reach the history of the browser.
        guard !CallbackResponse.hasTokens(parameters) else { throw Refusal.malformedCallback(.token) }
        let read = parameters.pairs.compactMap { name, value -> (String, String)? in
            // A redirect with a long text would be longer than a browser or a proxy takes.
            if CallbackURL.errorParameters.contains(name) { return value.utf8.count > 1024 ? nil : (name, value) }
            guard name == CallbackName.parameter else { return (name, value) }
            // The rest of it would reach the history of the browser.
            return registration.callbackName.map { (name, $0.reduced(value)) }
        }
        let target = Parameters(read).appended(to: registrations.callbackURI(of: provider))
        return .finish(to: Secret(target), forgetting: nil)
    }

    /// Continues a flow whose person has proven an identity: with the page of a second factor, with that of a conflict,
    /// or with its end.
    ///
    /// - Parameter flow: The flow, which is spent.
    /// - Throws: The refusal of a step, or `StoreError`.
    func proceed(
        _ flow: SealedFlow, with identity: VerifiedIdentity, proving factor: ProvenFactor? = nil, handle: String
    ) async throws -> AuthorizationStep {
        // Nothing is linked here for a flow with an intent: its application does that with a Firebase ID token.
        guard flow.intent == nil else { return try await finish(flow, with: identity, handle: handle) }
        let client = try await client(of: flow)
        let lookup = try await pipeline.lookup(of: identity, for: client)
        // Before a conflict is settled: a linked identity would sign in to the account afterwards.
        if case .account(let account) = lookup,
            try await pipeline.waits(account, proving: factor, for: client)
        {
            return try await challenge(flow, identity, of: account, for: client, forgetting: handle)
        }
        if let step = try await conflictStep(
            of: flow, meeting: identity, lookup, proving: factor, for: client, handle: handle)
        {
            return step
        }
        return try await finish(flow, with: identity, proving: factor, handle: handle)
    }

    /// Finishes a flow with a verified identity.
    func finish(
        _ flow: SealedFlow, with identity: VerifiedIdentity, isLinked: Bool = false,
        proving factor: ProvenFactor? = nil, handle: String
    ) async throws -> AuthorizationStep {
        switch flow.purpose {
        case .application(let request):
            let code = try await handoffCodes.code(for: identity, isLinked: isLinked, proving: factor, of: request)
            let name = FlowCookie.name(of: handle)
            switch request.returnAddress.response([("code", code.secretText)], issuer: registrations.issuer) {
            case .redirect(let url): return .finish(to: url, forgetting: name)
            case .page(let page): return .deliver(page, forgetting: name)
            }
        case .device(let userCode, let browser):
            return .approve(
                try await devices.verified(
                    identity, isLinked: isLinked, proving: factor, userCode: userCode, browser: browser),
                forgetting: FlowCookie.name(of: handle))
        case .confirmation:
            // The flow of a confirmation page has no callback here: the provider's response goes to the application.
            throw Refusal.unknownBrowserFlow
        }
    }

    /// Returns the error that a person sees after a flow failed at the provider.
    ///
    /// If the person refused, did not settle a conflict or has an address that is not allowed, the next poll of the device reports it
    /// (RFC 8628 §3.5). After any other failure the user code stays valid.
    func ending(_ flow: SealedFlow, with error: any Error) async -> Refusal {
        let refusal = Refusal(error)
        guard case .device(let userCode, let browser) = flow.purpose else { return refusal }
        let denial: DeviceDenial
        switch (refusal.reason, refusal.detail) {
        case (.accessDenied, _): denial = .refused
        case (.accountExists, nil): denial = .accountExists
        case (.emailDomainNotAllowed, _): denial = .emailDomainNotAllowed
        case (.blockedByHook, .message(let message)): denial = .blocked(message: message)
        default: return refusal
        }
        do {
            try await devices.deny(userCode: userCode, browser: browser, because: denial)
        } catch {
            // The refusal was not recorded, so that the page must not say that the device was refused.
            return Refusal(error)
        }
        return refusal
    }
}

extension SealedFlow {
    fileprivate var intent: AccountIntent? {
        if case .application(let request) = purpose { request.intent } else { nil }
    }

    /// The scopes that the application requested beside those of the configuration.
    fileprivate var requestedScopes: [String] {
        if case .application(let request) = purpose { request.scopes } else { [] }
    }

    /// `true` if the authorization request had `prompt=none`.
    var isSilent: Bool {
        if case .application(let request) = purpose { request.isSilent } else { false }
    }

    /// The address of the application; `nil` for a device, which polls for the result.
    var returnAddress: ReturnAddress? {
        if case .application(let request) = purpose { request.returnAddress } else { nil }
    }
}
