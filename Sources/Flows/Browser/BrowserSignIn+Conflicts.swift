internal import Accounts
internal import Providers
internal import SecondFactors
internal import Standards
internal import Stores
internal import Verification

/// Conflicts in browser and device flows: the page, and the second part of the flow at a provider.
extension BrowserSignIn {
    /// Returns the step after a provider's response if the flow has a conflict, or meets one.
    ///
    /// - Parameters:
    ///   - flow: A flow that signs in, and is spent.
    ///   - identity: The identity that the person has just proven.
    ///   - lookup: The account of the identity, or those with its address.
    /// - Returns: The step; `nil` if there is no conflict.
    /// - Throws: ``Refusal/conflictNotSettled`` after too many tries, or the error of `prompt=none`.
    func conflictStep(
        of flow: SealedFlow, meeting identity: VerifiedIdentity, _ lookup: IdentityLookup,
        proving factor: ProvenFactor?, for client: RegisteredClient, handle: String
    ) async throws -> AuthorizationStep? {
        guard let conflict = flow.conflict else {
            guard case .conflict(let accounts) = lookup,
                let conflict = try await conflictPages.conflict(of: identity, meeting: accounts, for: client)
            else { return nil }
            // OpenID Connect Core §3.1.2.1: with prompt=none no page is shown.
            guard !flow.isSilent else { throw Refusal.interactionRequired(.interaction) }
            return try ask(conflict, in: flow, for: client, forgetting: handle)
        }
        // Nothing is linked for a device whose sign-in was refused in another tab, or whose code has expired.
        if case .device(let userCode, _) = flow.purpose { try await devices.requireClaimed(userCode: userCode) }
        switch try await conflictPages.settle(conflict, by: identity, proving: factor, for: client) {
        case .settled(let linked):
            return try await finish(flow, with: linked, isLinked: true, proving: factor, handle: handle)
        case .otherAccount(let conflict): return try ask(conflict, in: flow, for: client, forgetting: handle)
        }
    }

    private func ask(
        _ conflict: OpenConflict, in flow: SealedFlow, for client: RegisteredClient, forgetting ended: String
    ) throws -> AuthorizationStep {
        let handle = try random.unguessableText()
        return .settle(
            conflictPages.prompt(conflict, for: client, handle: handle),
            keeping: try flows.cookie(flow.purpose, upstreamRequest: nil, conflict: conflict, handle: handle),
            forgetting: FlowCookie.name(of: ended))
    }

    /// Continues after the person has pressed a button of the page of a conflict.
    ///
    /// - Parameter choice: The provider; `nil` if the person does not settle the conflict.
    /// - Returns: The redirect to the provider.
    /// - Throws: A ``FlowFailure``, with ``Refusal/conflictNotSettled`` if the person pressed "cancel".
    func settle(
        _ conflict: OpenConflict, with choice: ProviderID?, over flow: SealedFlow, handle: String
    ) async throws -> AuthorizationStep {
        if case .application(let request) = flow.purpose { _ = try registered(request) }
        guard let choice else {
            do {
                try await singleUse.spend([flow.record])
            } catch {
                throw FlowFailure(error, ending: handle)
            }
            throw FlowFailure(
                await ending(flow, with: Refusal.conflictNotSettled), tell: flow.returnAddress, ending: handle)
        }
        do {
            let client = try await client(of: flow)
            let provider = try conflictPages.chosen(choice, for: client, conflict)
            // The scopes and parameters of the application are for the provider with which the flow began.
            let begun = try await authorization.begin(
                SignInRequest(
                    client: client.id, provider: provider.id, redirectURI: registrations.callbackURI(of: provider.id),
                    scopes: [], parameters: [:], flow: nil), at: provider)
            return .leave(
                to: Secret(begun.url),
                keeping: try flows.cookie(
                    flow.purpose,
                    upstreamRequest: SealedFlow.UpstreamRequest(provider: provider.id, binding: begun.binding),
                    conflict: conflict, handle: begun.binding.handle),
                forgetting: FlowCookie.name(of: handle))
        } catch {
            throw FlowFailure(error, tell: flow.returnAddress)
        }
    }

    /// Continues in the application after the person has pressed the button of a page that cannot settle its conflict.
    ///
    /// The application receives the error and a code, with which only it can fetch the conflict: it has the verifier. A
    /// device fetches the conflict with its next poll.
    ///
    /// - Parameter handle: The hidden field of the form.
    /// - Returns: The failure for the application, with ``Refusal/conflictNotSettled`` and the code.
    /// - Throws: A ``FlowFailure``.
    package func leaveConflict(handle: String, cookies: FlowCookies) async throws -> FlowFailure {
        let flow = try opened(handle, cookies)
        guard flow.upstreamRequest == nil, flow.challenge == nil, let conflict = flow.conflict
        else { throw shown(Refusal.unknownBrowserFlow, of: flow) }
        if case .application(let request) = flow.purpose { _ = try registered(request) }
        let client: RegisteredClient
        do {
            client = try await self.client(of: flow)
            // On a page that can settle the conflict the person proves an identity, or cancels.
            guard conflictPages.providers(settling: conflict, for: client).isEmpty
            else { throw Refusal.parameterMalformed("decision") }
            try await singleUse.spend([flow.record])
        } catch {
            throw shown(error, of: flow)
        }
        var code: Secret?
        do {
            let identity = try await conflictPages.identity(of: conflict, for: client)
            switch flow.purpose {
            case .application(let request):
                code = try await handoffCodes.code(for: identity, isRefused: true, of: request)
            case .device(let userCode, let browser):
                try await devices.refused(identity, userCode: userCode, browser: browser)
            case .confirmation: throw Refusal.unknownBrowserFlow
            }
        } catch {
            throw FlowFailure(error, tell: flow.returnAddress, ending: handle)
        }
        return FlowFailure(Refusal.conflictNotSettled, tell: flow.returnAddress, ending: handle, code: code)
    }

    /// Returns the client of a flow, by the current configuration.
    func client(of flow: SealedFlow) async throws -> RegisteredClient {
        switch flow.purpose {
        case .application(let request): try registrations.client(request.client)
        case .device(let userCode, _): try await devices.client(ofUserCode: userCode)
        case .confirmation(let confirmation): try registrations.client(confirmation.client)
        }
    }
}
