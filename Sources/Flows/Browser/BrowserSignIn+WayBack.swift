internal import JOSE
internal import Standards

/// The application of a flow whose error is shown on a page.
extension BrowserSignIn {
    /// Returns a flow of this browser that has not expired.
    func opened(_ handle: String, _ cookies: FlowCookies) throws -> SealedFlow {
        guard let flow = flows.opened(handle, cookies) else { throw FlowFailure(Refusal.unknownBrowserFlow) }
        guard flows.time.now() < flow.expiresAt else { throw shown(Refusal.sessionExpired, of: flow) }
        return flow
    }

    /// Returns the failure for an error that a page shows, with the way back to the application.
    ///
    /// With `prompt=none` the application receives an error instead (OpenID Connect Core §3.1.2.6).
    ///
    /// - Parameter handle: The handle of the flow if it ends.
    func shown(_ error: any Error, of flow: SealedFlow, ending handle: String? = nil) -> FlowFailure {
        if case .application(let request) = flow.purpose { return shown(error, of: request, ending: handle) }
        return FlowFailure(error, ending: handle, offer: wayBack(of: flow))
    }

    /// Returns the failure for an error that a page shows, as ``shown(_:of:ending:)`` does for a flow.
    func shown(_ error: any Error, of request: AuthorizationRequest, ending handle: String? = nil) -> FlowFailure {
        guard request.isSilent, (try? registered(request)) != nil
        else { return FlowFailure(error, ending: handle, offer: wayBack(of: request)) }
        return FlowFailure(error, tell: request.returnAddress, ending: handle, replacesPage: true)
    }

    /// Returns the failure of a callback, as ``shown(_:of:ending:)`` does.
    ///
    /// If the flow or its pushed request was used before, the application may have a code, so that the page has no link
    /// that reports an error to it.
    func answered(_ refusal: Refusal, of flow: SealedFlow, ending handle: String? = nil) -> FlowFailure {
        let failure = shown(refusal, of: flow, ending: handle)
        guard refusal.reason == .replayed, let client = failure.wayBack?.client else { return failure }
        return FlowFailure(refusal, ending: handle, offer: WayBack(client: client, url: nil))
    }

    /// Returns the way back to the application of a flow; `nil` for a device, which polls for the result.
    func wayBack(of flow: SealedFlow) -> WayBack? {
        switch flow.purpose {
        case .application(let request): wayBack(of: request)
        case .confirmation(let confirmation): confirmations.wayBack(of: confirmation)
        case .device: nil
        }
    }

    /// Returns the way back to the application of a request; `nil` if the configuration no longer has its redirect URI.
    ///
    /// The application receives the same error as from a person who cancels.
    func wayBack(of request: AuthorizationRequest) -> WayBack? {
        guard (try? registered(request)) != nil else { return nil }
        let response = request.returnAddress.response([("error", "access_denied")], issuer: registrations.issuer)
        // A link cannot carry the response of another mode.
        guard case .redirect(let url) = response else { return WayBack(client: request.client, url: nil) }
        return WayBack(client: request.client, url: url.secretText)
    }
}
