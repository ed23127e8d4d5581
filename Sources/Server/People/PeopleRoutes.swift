internal import Hummingbird
internal import OAuth
internal import Pages
internal import Providers
internal import SignIn

/// The endpoints that people visit: each answer is a page or a redirect.
struct PeopleRoutes: Sendable {
    private let limits: ServerLimits
    private let rates: Rates
    private let pages: PageRenderer

    init(limits: ServerLimits, rates: Rates, pages: PageRenderer) {
        self.limits = limits
        self.rates = rates
        self.pages = pages
    }

    /// Why a visit does not go on as it was meant.
    private enum Refusal: Error {
        case request(RequestError)
        case flow(FlowFailure)
        /// The code field again, with what is wrong.
        case code(CodeProblem, typed: String, DeviceForm)
    }

    func answer(_ visit: Visit) async -> Answer {
        let cookies = BrowserCookies(visit.request, issuer: visit.corridor.issuer)
        do throws(Refusal) {
            return Answer(response: try await respond(visit, cookies))
        } catch {
            switch error {
            case .request(let error): return refusal(error, visit.request, visit.requestID)
            case .flow(let failure): return refusal(failure, visit)
            case .code(let problem, let typed, let form):
                var response = page(
                    .enterCode(code: typed, problem: problem, flow: form.field.secretText), visit.request,
                    status: problem == .tooManyTries ? .tooManyRequests : .badRequest)
                cookies.keep(form.browser, in: &response)
                return Answer(response: response, reason: problem == .tooManyTries ? .rateLimited : .codeRejected)
            }
        }
    }

    /// A page that says what went wrong.
    func refusal(_ error: RequestError, _ request: Request, _ requestID: String) -> Answer {
        let answer = ErrorTable.answer(to: error)
        var response = page(
            .problem(PageProblem(error), requestID: requestID), request, status: .init(code: answer.pageStatus))
        response.annotate(with: answer)
        return Answer(response: response, reason: answer.reason, failure: error)
    }

    /// The application is told where one is known; a page says the rest.
    private func refusal(_ failure: FlowFailure, _ visit: Visit) -> Answer {
        let error = RequestError.signIn(failure.error)
        guard let address = failure.returnAddress else { return refusal(error, visit.request, visit.requestID) }
        let answer = ErrorTable.answer(to: error)
        let location = address.url(
            with: [("error", answer.redirectError), ("error_description", answer.description)],
            issuer: visit.corridor.issuer)
        return Answer(response: .seeOther(location), reason: answer.reason, failure: error)
    }

    private func respond(_ visit: Visit, _ cookies: BrowserCookies) async throws(Refusal) -> Response {
        switch (visit.endpoint, visit.request.method) {
        case (.authorize, .get):
            try asking { () throws(RequestError) in try rates.starts?.admit(visit.address) }
            let parameters = try asking { () throws(RequestError) in try FormBody.parse(visit.query ?? "") }
            return response(
                to: try await walking { () async throws(FlowFailure) in
                    try await visit.corridor.authorize(parameters)
                }, visit, cookies)
        case (.authorize, _):
            let form = try await form(of: visit)
            let provider = form["provider"].map { ProviderID($0) }
            return response(
                to: try await walking { () async throws(FlowFailure) in
                    try await visit.corridor.choose(
                        provider, handle: form["flow"] ?? "", cookies: cookies.flows)
                }, visit, cookies)
        case (.callback, _):
            // An empty value is no answer of a provider; it is left for the corridor to refuse.
            let parameters = try asking { () throws(RequestError) in try FormBody.parse(visit.query ?? "") }
            let provider = ProviderID(String(visit.path.dropFirst(Endpoint.callback.rawValue.count)))
            return response(
                to: try await walking { () async throws(FlowFailure) in
                    try await visit.corridor.callback(provider, parameters, cookies: cookies.flows)
                }, visit, cookies)
        case (.device, .get):
            let form = try await asking { () async throws(SignInError) in
                try visit.corridor.deviceForm(browser: cookies.device)
            }
            let query = try asking { () throws(RequestError) in try FormBody.parse(visit.query ?? "") }
            var response = page(
                .enterCode(code: query["user_code"] ?? "", problem: nil, flow: form.field.secretText), visit.request)
            cookies.keep(form.browser, in: &response)
            return response
        case (.device, _):
            return try await device(visit, cookies)
        default:
            throw .request(.notFound)
        }
    }

    /// `POST /device`: which step it is, the form's fields tell, and the sealed one proves.
    private func device(_ visit: Visit, _ cookies: BrowserCookies) async throws(Refusal) -> Response {
        let form = try await form(of: visit)
        let (field, browser) = (Secret(form["flow"] ?? ""), cookies.device)
        if let decision = form["decision"] {
            let decided = try await asking { () async throws(SignInError) in
                try await visit.corridor.decide(approving: decision == "approve", form: field, browser: browser)
            }
            return page(
                decided.isApproved
                    ? .deviceApproved(application: decided.application)
                    : .deviceRefused(application: decided.application), visit.request)
        }
        if let provider = form["provider"] {
            let step = try await asking { () async throws(SignInError) in
                try await visit.corridor.signIn(deviceAt: ProviderID(provider), form: field, browser: browser)
            }
            return response(to: step, visit, cookies)
        }
        let prompt = try await prompt(form, field, browser, visit)
        var response = page(
            .confirmDevice(
                application: prompt.application, userCode: prompt.userCode.description,
                providers: prompt.providers.map { ProviderChoice(id: $0.id.text, name: $0.name) },
                flow: prompt.form.field.secretText), visit.request)
        cookies.keep(prompt.form.browser, in: &response)
        return response
    }

    /// Looks a user code up; what is no code, and what is nobody's, counts as a guess (RFC 8628 §5.1).
    private func prompt(
        _ form: OAuth.Parameters, _ field: Secret, _ browser: Secret?, _ visit: Visit
    ) async throws(Refusal) -> DevicePrompt {
        let again = try await asking { () async throws(SignInError) in
            try visit.corridor.deviceForm(browser: browser)
        }
        guard let typed = form["user_code"] else { throw .code(.missing, typed: "", again) }
        do {
            // Taken first, so that guesses sent at once do not slip through together.
            try rates.userCodes.admit(visit.address)
            try rates.allUserCodes.admit("")
        } catch {
            throw .code(.tooManyTries, typed: typed, again)
        }
        do {
            let prompt = try await visit.corridor.findDevice(typed: typed, form: field, browser: browser)
            rates.userCodes.refund(visit.address)
            rates.allUserCodes.refund("")
            return prompt
        } catch .device(.unknownUserCode) {
            throw .code(.unknown, typed: typed, again)
        } catch {
            throw .request(.signIn(error))
        }
    }

    private func response(to step: AuthorizationStep, _ visit: Visit, _ cookies: BrowserCookies) -> Response {
        var response: Response
        switch step {
        case .ask(let prompt, let cookie):
            response = page(
                .signIn(
                    application: prompt.application, destination: Destination(of: prompt.redirectURI),
                    providers: prompt.providers.map { ProviderChoice(id: $0.id.text, name: $0.name) },
                    flow: prompt.handle.secretText), visit.request)
            cookies.keep(cookie, in: &response)
        case .leave(let url, let cookie):
            response = .seeOther(url)
            cookies.keep(cookie, in: &response)
        case .finish(let url, let name):
            response = .seeOther(url)
            cookies.forget(name, in: &response)
        case .approve(let approval, let name):
            response = page(
                .approveDevice(
                    application: approval.application, provider: approval.provider, person: approval.person,
                    flow: approval.form.field.secretText), visit.request)
            cookies.forget(name, in: &response)
            cookies.keep(approval.form.browser, in: &response)
        }
        return response
    }

    private func page(_ page: Page, _ request: Request, status: HTTPResponse.Status = .ok) -> Response {
        .page(page, by: pages, for: request, status: status)
    }

    private func form(of visit: Visit) async throws(Refusal) -> OAuth.Parameters {
        do throws(RequestError) {
            // Whatever another site sends brings no cookie along, and where the browser says so it is not read at all.
            try SameOrigin.check(visit.request)
            return try await FormBody.read(visit, limits: limits)
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
        _ corridor: () async throws(SignInError) -> Value
    ) async throws(Refusal) -> Value {
        do {
            return try await corridor()
        } catch {
            throw .request(.signIn(error))
        }
    }

    private func walking(
        _ corridor: () async throws(FlowFailure) -> AuthorizationStep
    ) async throws(Refusal) -> AuthorizationStep {
        do {
            return try await corridor()
        } catch {
            throw .flow(error)
        }
    }
}
