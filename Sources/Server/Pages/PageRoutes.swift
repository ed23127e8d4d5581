internal import Flows
internal import Hummingbird
internal import OAuth
internal import Pages
internal import Providers
internal import Wrapping

/// The endpoints that people visit with a browser; every response is a page or a redirect.
struct PageRoutes: Sendable {
    private let limits: ServerLimits
    private let rates: Rates
    private let pages: PageRenderer

    init(limits: ServerLimits, rates: Rates, pages: PageRenderer) {
        self.limits = limits
        self.rates = rates
        self.pages = pages
    }

    /// Why a request does not have its usual response.
    private enum Refusal: Error {
        case request(RequestError)
        case flow(FlowFailure)
        /// The form for the code is shown again, with the problem.
        case code(CodeProblem, typed: String, DeviceForm, retryAfter: Int64? = nil)
    }

    func response(to incoming: IncomingRequest) async -> EndpointResponse {
        let cookies = BrowserCookies(incoming.request, issuer: incoming.flows.issuer)
        do throws(Refusal) {
            // The browser sends a prefetch without the user: nothing may be spent, and no cookie may change.
            guard !incoming.request.isPrefetch else { throw .request(.signIn(.unknownBrowserFlow)) }
            return EndpointResponse(response: try await respond(incoming, cookies))
        } catch {
            switch error {
            case .request(let error):
                return refusal(error, incoming.request, incoming.requestID, issuer: incoming.flows.issuer)
            case .flow(let failure): return refusal(failure, incoming, cookies)
            case .code(let problem, let typed, let form, let seconds):
                var response = page(
                    .enterCode(code: typed, problem: problem, flow: form.field.secretText), incoming.request,
                    status: problem == .tooManyTries ? .tooManyRequests : .badRequest)
                cookies.keep(form.browser, in: &response)
                response.headers[.retryAfter] = seconds.map(String.init)
                return EndpointResponse(
                    response: response, reason: problem == .tooManyTries ? .rateLimited : .codeRejected)
            }
        }
    }

    /// Responds with the page of an error.
    func refusal(_ error: RequestError, _ request: Request, _ requestID: String, issuer: String) -> EndpointResponse {
        let refusal = ErrorTable.response(to: error)
        var response = page(
            .problem(PageProblem(error), requestID: requestID), request, status: .init(code: refusal.pageStatus))
        response.annotate(with: refusal)
        if case .headersTooLarge = error {
            BrowserCookies(request, issuer: issuer).forgetFlows(in: &response)
        }
        return EndpointResponse(response: response, reason: refusal.reason, failure: error)
    }

    /// Responds to the error of a flow: to the application, in its response mode, if its address is known; otherwise by
    /// a page.
    private func refusal(_ failure: FlowFailure, _ incoming: IncomingRequest, _ cookies: BrowserCookies)
        -> EndpointResponse
    {
        let error = RequestError.signIn(failure.error)
        var response: EndpointResponse
        if let address = failure.returnAddress {
            let refusal = ErrorTable.response(to: error)
            let answer = address.response(
                [("error", refusal.redirectError), ("error_description", refusal.description)],
                issuer: incoming.flows.issuer)
            response = EndpointResponse(
                response: carrying(answer, incoming.request), reason: refusal.reason, failure: error)
        } else {
            response = refusal(error, incoming.request, incoming.requestID, issuer: incoming.flows.issuer)
        }
        if let ended = failure.ended { cookies.forget(ended, in: &response.response) }
        return response
    }

    private func respond(_ incoming: IncomingRequest, _ cookies: BrowserCookies) async throws(Refusal) -> Response {
        switch (incoming.endpoint, incoming.request.method) {
        case (.authorize, .get):
            try wrappingNow(Refusal.request, rates.starts?.take(incoming.address))
            let parameters = try wrappingNow(Refusal.request, FormBody.parse(incoming.query ?? ""))
            let step = try await wrapping(
                Refusal.flow, await incoming.flows.browser.authorize(parameters))
            return response(to: step, incoming, cookies)
        case (.authorize, _):
            let form = try await form(of: incoming, countedAs: rates.starts)
            let provider = form["provider"].map { ProviderID($0) }
            let step = try await wrapping(
                Refusal.flow,
                await incoming.flows.browser.choose(
                    provider, handle: form["flow"] ?? "", cookies: cookies.flows))
            return response(to: step, incoming, cookies)
        case (.callback, _):
            try wrappingNow(Refusal.request, rates.pages?.take(incoming.address))
            let parameters = try wrappingNow(Refusal.request, FormBody.parse(incoming.query ?? ""))
            let provider = ProviderID(String(incoming.path.dropFirst(Endpoint.callback.rawValue.count)))
            let step = try await wrapping(
                Refusal.flow, await incoming.flows.browser.callback(provider, parameters, cookies: cookies.flows))
            return response(to: step, incoming, cookies)
        case (.device, .get):
            try wrappingNow(Refusal.request, rates.pages?.take(incoming.address))
            let form = try wrappingNow(Self.signIn, incoming.flows.device.deviceForm(browser: cookies.device))
            let query = try wrappingNow(Refusal.request, FormBody.parse(incoming.query ?? ""))
            var response = page(
                .enterCode(code: query["user_code"] ?? "", problem: nil, flow: form.field.secretText), incoming.request)
            cookies.keep(form.browser, in: &response)
            return response
        case (.device, _):
            return try await device(incoming, cookies)
        default:
            throw .request(.notFound)
        }
    }

    /// Responds to `POST /device`: the fields of the form tell the step, and the sealed field proves it.
    private func device(_ incoming: IncomingRequest, _ cookies: BrowserCookies) async throws(Refusal) -> Response {
        let form = try await form(of: incoming, countedAs: rates.pages)
        let (field, browser) = (Secret(form["flow"] ?? ""), cookies.device)
        if let decision = form["decision"] {
            let decided = try await wrapping(
                Self.signIn,
                await incoming.flows.device.decide(approving: decision == "approve", form: field, browser: browser))
            return page(
                decided.isApproved
                    ? .deviceApproved(application: decided.application)
                    : .deviceRefused(application: decided.application), incoming.request)
        }
        if let provider = form["provider"] {
            try wrappingNow(Refusal.request, rates.starts?.take(incoming.address))
            let step = try await wrapping(
                Self.signIn,
                await incoming.flows.device.signIn(deviceAt: ProviderID(provider), form: field, browser: browser))
            return response(to: step, incoming, cookies)
        }
        let prompt = try await prompt(form, field, browser, incoming)
        var response = page(
            .confirmDevice(
                application: prompt.application, userCode: prompt.userCode.description,
                providers: prompt.providers.map { ProviderChoice(id: $0.id.text, name: $0.name) },
                flow: prompt.form.field.secretText), incoming.request)
        cookies.keep(prompt.form.browser, in: &response)
        return response
    }

    /// Looks up a user code; a code for which no device is waiting counts as a guess (RFC 8628 §5.1).
    private func prompt(
        _ form: OAuth.Parameters, _ field: Secret, _ browser: Secret?, _ incoming: IncomingRequest
    ) async throws(Refusal) -> DevicePrompt {
        let again = try wrappingNow(Self.signIn, incoming.flows.device.deviceForm(browser: browser))
        try wrappingNow(Self.signIn, incoming.flows.device.checkCodeForm(field, browser: browser))
        guard let typed = form["user_code"] else { throw .code(.missing, typed: "", again) }
        guard let code = UserCode(typed: typed) else { throw .code(.unknown, typed: typed, again) }
        do throws(RequestError) {
            // The guess is counted before the lookup, so that concurrent guesses cannot exceed the limit.
            try rates.userCodes.take(incoming.address)
            do {
                try rates.allUserCodes.take("")
            } catch {
                rates.userCodes.refund(incoming.address)
                throw error
            }
        } catch {
            if case .rateLimited(let seconds) = error {
                throw .code(.tooManyTries, typed: typed, again, retryAfter: seconds)
            }
            throw .request(error)
        }
        do {
            let prompt = try await incoming.flows.device.findDevice(code, form: field, browser: browser)
            refundGuess(incoming)
            return prompt
        } catch .device(.unknownUserCode) {
            throw .code(.unknown, typed: typed, again)
        } catch {
            refundGuess(incoming)
            throw .request(.signIn(error))
        }
    }

    private func refundGuess(_ incoming: IncomingRequest) {
        rates.userCodes.refund(incoming.address)
        rates.allUserCodes.refund("")
    }

    private func response(to step: AuthorizationStep, _ incoming: IncomingRequest, _ cookies: BrowserCookies)
        -> Response
    {
        var response: Response
        switch step {
        case .ask(let prompt, let cookie):
            response = page(
                .signIn(
                    application: prompt.application, purpose: SignInPurpose(prompt.purpose),
                    account: prompt.account.map(AccountShown.init), destination: Destination(of: prompt.redirectURI),
                    providers: prompt.providers.map { ProviderChoice(id: $0.id.text, name: $0.name) },
                    flow: prompt.handle.secretText), incoming.request)
            cookies.keep(cookie, in: &response)
        case .leave(let url, let cookie, let ended):
            response = .seeOther(url)
            if let ended { cookies.forget(ended, in: &response) }
            cookies.keep(cookie, besides: ended, in: &response)
        case .finish(let url, let name):
            response = .seeOther(url)
            cookies.forget(name, in: &response)
        case .deliver(let page, let name):
            response = carrying(.page(page), incoming.request)
            cookies.forget(name, in: &response)
        case .settle(let prompt, let cookie, let ended):
            response = page(
                .settleConflict(
                    application: prompt.application, provider: prompt.provider, person: prompt.person,
                    waysIn: prompt.waysIn,
                    providers: prompt.providers.map { ProviderChoice(id: $0.id.text, name: $0.name) },
                    isRepeated: prompt.isRepeated, flow: prompt.handle.secretText), incoming.request)
            cookies.forget(ended, in: &response)
            cookies.keep(cookie, besides: ended, in: &response)
        case .linked(let fact, let next):
            incoming.notes.note(fact)
            return self.response(to: next, incoming, cookies)
        case .approve(let approval, let name):
            response = page(
                .approveDevice(
                    application: approval.application, provider: approval.provider, person: approval.person,
                    flow: approval.form.field.secretText), incoming.request)
            cookies.forget(name, in: &response)
            cookies.keep(approval.form.browser, in: &response)
        }
        return response
    }

    /// Returns the response of a browser flow, which the browser carries to the application.
    private func carrying(_ answer: AuthorizationResponse, _ request: Request) -> Response {
        switch answer {
        case .redirect(let url): return .seeOther(url)
        case .page(let content):
            var response = page(Page(content), request)
            // The message needs `window.opener`, which any other policy would remove from a window that a page of
            // another origin opened (HTML §7.1.3).
            if case .message = content.way { response.allowOpener() }
            return response
        }
    }

    private func page(_ page: Page, _ request: Request, status: HTTPResponse.Status = .ok) -> Response {
        .page(page, by: pages, for: request, status: status)
    }

    private func form(
        of incoming: IncomingRequest, countedAs rate: NetworkRateLimiter?
    ) async throws(Refusal) -> OAuth.Parameters {
        do throws(RequestError) {
            // A form of another site is refused before its body is read. It does not count against the rate, since the
            // user did not send it.
            try SameOrigin.check(incoming.request)
            try rate?.take(incoming.address)
            return try await FormBody.read(incoming, limits: limits)
        } catch {
            throw .request(error)
        }
    }

    private static func signIn(_ error: SignInError) -> Refusal { .request(.signIn(error)) }
}
