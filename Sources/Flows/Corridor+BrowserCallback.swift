internal import Exchange
internal import JOSE
package import OAuth
internal import Providers
internal import Stores
internal import Verification

extension Corridor {
    /// The provider has sent the browser back.
    ///
    /// What belongs to no flow of this browser is refused before anything is spent or asked; from there on the flow is
    /// one attempt.
    ///
    /// - `provider`: of the callback's path.
    package func callback(
        _ provider: ProviderID, _ parameters: Parameters, cookies: FlowCookies
    ) async throws(FlowFailure) -> AuthorizationStep {
        // X tells of a refusal by `denied`, and names the request token in it.
        guard let handle = parameters["state"] ?? parameters["oauth_token"] ?? parameters["denied"]
        else { throw FlowFailure(.session(.stateMismatch)) }
        let flow = try opened(handle, cookies)
        // RFC 9700 §4.4: each provider has a redirect URI of its own.
        guard let leg = flow.leg, leg.provider == provider else { throw FlowFailure(.session(.malformed)) }
        if case .application(let request) = flow.purpose { _ = try registered(request) }
        let address = flow.returnAddress
        let registration: Provider
        let answer: CallbackAnswer
        do throws(SignInError) {
            registration = try self.registration(provider)
            answer = try self.answer(parameters, bound: leg.binding, isSilent: flow.isSilent)
            try await check(issuer: parameters["iss"], provider: registration)
            try await prepare(for: answer, of: registration)
            try await spend(flow.record)
        } catch {
            switch error {
            // It is this browser's flow, and it fails for a reason of ours or of the provider's.
            case .exchange, .store, .random, .session(.unwatched): throw FlowFailure(error, tell: address)
            // Who sent it is in doubt.
            default: throw FlowFailure(error)
            }
        }
        let identity: VerifiedIdentity
        do {
            identity = try await redeemed(
                answer, bound: leg.binding, redirectURI: callbackURI(of: provider), at: registration)
            try checkFreshness(
                of: identity, for: flow.intent, since: flow.beganAt, bound: leg.binding, at: registration)
        } catch {
            throw FlowFailure(await ending(flow, with: error), tell: address, ending: handle)
        }
        do throws(SignInError) {
            switch flow.purpose {
            case .application(let request):
                let code = try await handOff(identity, to: request)
                return .finish(
                    to: request.returnAddress.url(with: [("code", code.secretText)], issuer: issuer),
                    forgetting: FlowCookie.name(of: handle))
            case .device(let userCode, let browser):
                return .approve(
                    try await verified(identity, userCode: userCode, browser: browser, at: registration),
                    forgetting: FlowCookie.name(of: handle))
            case .departure:
                // It has no leg, and its answer goes to the application.
                throw .unknownBrowserFlow
            }
        } catch {
            throw FlowFailure(error, tell: address, ending: handle)
        }
    }

    /// What a person is told of a flow that failed at the provider.
    ///
    /// A device whose person said no is told the same at its next poll (RFC 8628 §3.5). Any other failure leaves its
    /// code as good as before.
    private func ending(_ flow: SealedFlow, with error: SignInError) async -> SignInError {
        guard error == .session(.accessDenied), case .device(let userCode, let browser) = flow.purpose
        else { return error }
        do {
            try await deny(userCode: userCode, browser: browser)
        } catch let failure {
            // The page must not say that the device was told.
            return failure
        }
        return error
    }

    private func registration(_ provider: ProviderID) throws(SignInError) -> Provider {
        guard let provider = providers[provider] else { throw .unknownProvider }
        return provider
    }

    private func answer(
        _ parameters: Parameters, bound binding: SealedSession.Binding, isSilent: Bool
    ) throws(SignInError) -> CallbackAnswer {
        do {
            return try CallbackAnswer.parse(parameters, bound: binding, isSilent: isSilent)
        } catch {
            throw .session(error)
        }
    }
}

extension SealedFlow {
    fileprivate var intent: AccountIntent? {
        if case .application(let request) = purpose { request.intent } else { nil }
    }

    /// `true` if the authorization request had `prompt=none`; a fresh login replaces what the application asked for.
    fileprivate var isSilent: Bool {
        guard case .application(let request) = purpose else { return false }
        return Corridor.isSilent(request.parameters) && request.intent?.purpose != .reauthenticate
    }

    /// Nil for a device, which polls and is told there.
    fileprivate var returnAddress: ReturnAddress? {
        if case .application(let request) = purpose { request.returnAddress } else { nil }
    }
}
