internal import Accounts
internal import SecondFactors
internal import Standards
internal import Stores
internal import Verification

/// The page of a second factor, in browser and device flows.
extension BrowserSignIn {
    /// Returns the page that asks for a code, before anything is promised to the person.
    func challenge(
        _ flow: SealedFlow, _ identity: VerifiedIdentity, of account: Account, for client: RegisteredClient,
        forgetting ended: String
    ) async throws -> AuthorizationStep {
        // OpenID Connect Core §3.1.2.1: with prompt=none no page is shown.
        guard !flow.isSilent else { throw Refusal.interactionRequired(.interaction) }
        let handle = try random.unguessableText()
        let pending = try await pipeline.conflicts.keep(
            identity, isLinked: false, for: client, waitingFor: account.uid)
        return .challenge(
            ChallengePrompt(client: client, isRepeated: false, handle: Secret(handle)),
            keeping: try flows.cookie(
                flow.purpose, upstreamRequest: nil, conflict: flow.conflict, challenge: pending, handle: handle),
            forgetting: FlowCookie.name(of: ended))
    }

    /// Continues after the person has entered a code on the page of a second factor.
    ///
    /// - Parameter handle: The hidden field of the form.
    /// - Returns: The next page or redirect; the same page after a wrong code.
    /// - Throws: A ``FlowFailure``.
    package func prove(
        _ typed: String, handle: String, cookies: FlowCookies
    ) async throws -> AuthorizationStep {
        let flow = try opened(handle, cookies)
        let name = FlowCookie.name(of: handle)
        guard flow.upstreamRequest == nil, let challenge = flow.challenge, let cookie = cookies[name]
        else { throw shown(Refusal.unknownBrowserFlow, of: flow) }
        if case .application(let request) = flow.purpose { _ = try registered(request) }
        let wayBack = wayBack(of: flow)
        let proven: ProvenIdentity
        do {
            let client = try await client(of: flow)
            let again = AuthorizationStep.challenge(
                ChallengePrompt(client: client, isRepeated: true, handle: Secret(handle)),
                keeping: FlowCookie(name: name, value: cookie))
            guard let code = FactorCode(typed: typed) else { return again }
            do {
                proven = try await pipeline.prove(code, of: challenge, for: client)
            } catch let refusal as Refusal where refusal.reason == .secondFactorInvalid {
                return again
            }
            do {
                try await singleUse.spend([flow.record])
            } catch {
                _ = await proven.credential.giveBack()
                throw error
            }
        } catch {
            // The handle may still be valid, so that the application is not told that the flow has ended.
            throw FlowFailure(error, offer: wayBack)
        }
        do {
            return try await proceed(flow, with: proven.identity, proving: proven.factor, handle: handle)
        } catch {
            throw FlowFailure(await ending(flow, with: error), tell: flow.returnAddress, ending: handle)
        }
    }

    /// Ends a flow whose person does not enter a code.
    func refuseChallenge(over flow: SealedFlow, handle: String) async throws -> AuthorizationStep {
        do {
            try await singleUse.spend([flow.record])
        } catch {
            throw FlowFailure(error, ending: handle)
        }
        throw FlowFailure(
            await ending(flow, with: ProviderRefusal.accessDenied.refusal), tell: flow.returnAddress, ending: handle)
    }
}
