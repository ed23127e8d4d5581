internal import Flows
internal import Hummingbird
internal import OAuth
internal import Pages
internal import Providers

/// The endpoints that people incoming: each answer is a page or a redirect.
struct PageRoutes: Sendable {
    private let limits: ServerLimits
    private let rates: Rates
    private let pages: PageRenderer

    init(limits: ServerLimits, rates: Rates, pages: PageRenderer) {
        self.limits = limits
        self.rates = rates
        self.pages = pages
    }

    /// Why a incoming does not go on as it was meant.
    private enum Refusal: Error {
        case request(RequestError)
        case flow(FlowFailure)
        /// The code field again, with what is wrong.
        case code(CodeProblem, typed: String, DeviceForm, retryAfter: Int64? = nil)
    }

    func response(to incoming: IncomingRequest) async -> EndpointResponse {
        let cookies = BrowserCookies(incoming.request, issuer: incoming.flows.issuer)
        do throws(Refusal) {
            // No person sent a browser that fetches ahead: nothing is spent, and no cookie changes.
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

    /// A page that says what went wrong.
    func refusal(_ error: RequestError, _ request: Request, _ requestID: String, issuer: String) -> EndpointResponse {
        let answer = ErrorTable.response(to: error)
        var response = page(
            .problem(PageProblem(error), requestID: requestID), request, status: .init(code: answer.pageStatus))
        response.annotate(with: answer)
        if case .headersTooLarge = error {
            BrowserCookies(request, issuer: issuer).forgetFlows(in: &response)
        }
        return EndpointResponse(response: response, reason: answer.reason, failure: error)
    }

    /// The application is told where one is known; a page says the rest.
    private func refusal(_ failure: FlowFailure, _ incoming: IncomingRequest, _ cookies: BrowserCookies)
        -> EndpointResponse
    {
        let error = RequestError.signIn(failure.error)
        var answer: EndpointResponse
        if let address = failure.returnAddress {
            let refusal = ErrorTable.response(to: error)
            let location = address.url(
                with: [("error", refusal.redirectError), ("error_description", refusal.description)],
                issuer: incoming.flows.issuer)
            answer = EndpointResponse(response: .seeOther(location), reason: refusal.reason, failure: error)
        } else {
            answer = refusal(error, incoming.request, incoming.requestID, issuer: incoming.flows.issuer)
        }
        if let ended = failure.ended { cookies.forget(ended, in: &answer.response) }
        return answer
    }

    private func respond(_ incoming: IncomingRequest, _ cookies: BrowserCookies) async throws(Refusal) -> Response {
        switch (incoming.endpoint, incoming.request.method) {
        case (.authorize, .get):
            try asking { () throws(RequestError) in try rates.starts?.admit(incoming.address) }
            let parameters = try asking { () throws(RequestError) in try FormBody.parse(incoming.query ?? "") }
            return response(
                to: try await walking { () async throws(FlowFailure) in
                    try await incoming.flows.browser.authorize(parameters)
                }, incoming, cookies)
        case (.authorize, _):
            let form = try await form(of: incoming, countedAs: rates.starts)
            let provider = form["provider"].map { ProviderID($0) }
            return response(
                to: try await walking { () async throws(FlowFailure) in
                    try await incoming.flows.browser.choose(
                        provider, handle: form["flow"] ?? "", cookies: cookies.flows)
                }, incoming, cookies)
        case (.callback, _):
            try asking { () throws(RequestError) in try rates.pages?.admit(incoming.address) }
            let parameters = try asking { () throws(RequestError) in try FormBody.parse(incoming.query ?? "") }
            let provider = ProviderID(String(incoming.path.dropFirst(Endpoint.callback.rawValue.count)))
            return response(
                to: try await walking { () async throws(FlowFailure) in
                    try await incoming.flows.browser.callback(provider, parameters, cookies: cookies.flows)
                }, incoming, cookies)
        case (.device, .get):
            try asking { () throws(RequestError) in try rates.pages?.admit(incoming.address) }
            let form = try await asking { () async throws(SignInError) in
                try incoming.flows.device.deviceForm(browser: cookies.device)
            }
            let query = try asking { () throws(RequestError) in try FormBody.parse(incoming.query ?? "") }
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

    /// `POST /device`: which step it is, the form's fields tell, and the sealed one proves.
    private func device(_ incoming: IncomingRequest, _ cookies: BrowserCookies) async throws(Refusal) -> Response {
        let form = try await form(of: incoming, countedAs: rates.pages)
        let (field, browser) = (Secret(form["flow"] ?? ""), cookies.device)
        if let decision = form["decision"] {
            let decided = try await asking { () async throws(SignInError) in
                try await incoming.flows.device.decide(approving: decision == "approve", form: field, browser: browser)
            }
            return page(
                decided.isApproved
                    ? .deviceApproved(application: decided.application)
                    : .deviceRefused(application: decided.application), incoming.request)
        }
        if let provider = form["provider"] {
            try asking { () throws(RequestError) in try rates.starts?.admit(incoming.address) }
            let step = try await asking { () async throws(SignInError) in
                try await incoming.flows.device.signIn(deviceAt: ProviderID(provider), form: field, browser: browser)
            }
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

    /// Looks a user code up; one for which no device waits counts as a guess (RFC 8628 §5.1).
    private func prompt(
        _ form: OAuth.Parameters, _ field: Secret, _ browser: Secret?, _ incoming: IncomingRequest
    ) async throws(Refusal) -> DevicePrompt {
        let again = try await asking { () async throws(SignInError) in
            try incoming.flows.device.deviceForm(browser: browser)
        }
        try await asking { () async throws(SignInError) in
            try incoming.flows.device.checkCodeForm(field, browser: browser)
        }
        guard let typed = form["user_code"] else { throw .code(.missing, typed: "", again) }
        guard let code = UserCode(typed: typed) else { throw .code(.unknown, typed: typed, again) }
        do throws(RequestError) {
            // Taken first, so that guesses sent at once do not slip through together.
            try rates.userCodes.admit(incoming.address)
            do {
                try rates.allUserCodes.admit("")
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

    private func page(_ page: Page, _ request: Request, status: HTTPResponse.Status = .ok) -> Response {
        .page(page, by: pages, for: request, status: status)
    }

    private func form(
        of incoming: IncomingRequest, countedAs rate: NetworkRateLimiter?
    ) async throws(Refusal) -> OAuth.Parameters {
        do throws(RequestError) {
            // What another site sends brings no cookie along, and if the browser says so it is not read at all; nor is
            // it counted, since the person whose browser it is did not send it.
            try SameOrigin.check(incoming.request)
            try rate?.admit(incoming.address)
            return try await FormBody.read(incoming, limits: limits)
        } catch {
            throw .request(error)
        }
    }

    private func asking<Value>(_ read: () throws(RequestError) -> Value) throws(Refusal) -> Value {
        do {
            return try read()
        } catch {
            throw .request(error)
        }
    }

    private func asking<Value: Sendable>(
        _ flows: () async throws(SignInError) -> Value
    ) async throws(Refusal) -> Value {
        do {
            return try await flows()
        } catch {
            throw .request(.signIn(error))
        }
    }

    private func walking(
        _ flows: () async throws(FlowFailure) -> AuthorizationStep
    ) async throws(Refusal) -> AuthorizationStep {
        do {
            return try await flows()
        } catch {
            throw .flow(error)
        }
    }
}
