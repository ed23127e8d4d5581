internal import Flows
internal import Hummingbird
internal import Providers
internal import Standards

/// The endpoints that people visit with a browser; every response is a page or a redirect.
struct PageRoutes: Sendable {
    let limits: ServerLimits
    let rates: Rates
    let pages: PageRenderer

    /// A form that is shown again, because the code in it is refused.
    private enum RefusedCode: Error {
        case ofDevice(CodeProblem, typed: String, DeviceForm, because: Refusal? = nil)
        case ofFactor(AuthorizationStep)
    }

    /// Responds by a handler of an endpoint, and with the page of its error if it fails.
    func response(
        to incoming: IncomingRequest,
        by handler: (PageRoutes) -> (IncomingRequest, BrowserCookies) async throws -> Response
    ) async -> EndpointResponse {
        let cookies = BrowserCookies(incoming.request, issuer: incoming.flows.issuer)
        do {
            // The browser sends a prefetch without the user: nothing may be spent, and no cookie may change.
            if incoming.request.isPrefetch {
                try rates.pages?.take(incoming.address)
                throw Refusal(
                    .sessionInvalid, Refusal.unknownBrowserFlow.description,
                    finding: "the browser fetches this page ahead, without the person, which begins and spends nothing")
            }
            // A form of another site is refused before its body is read. It does not count against the rate, since the
            // user did not send it.
            if incoming.operation.body == .form { try SameOrigin.check(incoming.request) }
            try incoming.count(in: rates)
            return EndpointResponse(response: try await handler(self)(incoming, cookies))
        } catch RefusedCode.ofDevice(let problem, let typed, let form, let failure) {
            var response = page(
                .enterCode(code: typed, problem: problem, flow: form.field.secretText), nil, incoming, cookies,
                status: problem == .tooManyTries ? .tooManyRequests : .badRequest)
            cookies.keep(form.browser, in: &response)
            if case .retryAfter(let seconds)? = failure?.detail { response.headers[.retryAfter] = String(seconds) }
            return EndpointResponse(
                response: response, reason: problem == .tooManyTries ? .rateLimited : .codeRejected, failure: failure)
        } catch RefusedCode.ofFactor(let step) {
            return EndpointResponse(response: response(to: step, incoming, cookies), reason: .secondFactorInvalid)
        } catch {
            let failure = FlowFailure(error)
            // A failure with a way back is of a flow whose cookie the browser has sent.
            let isUnknown = failure.wayBack == nil && !incoming.request.isPrefetch
            let missing = isUnknown ? cookies.missing(for: failure.error) : nil
            return refusal(missing.map { FlowFailure($0) } ?? failure, incoming, cookies)
        }
    }

    /// Responds with the page of an error.
    ///
    /// - Parameters:
    ///   - requestID: The identifier of the request, which the page shows.
    ///   - issuer: The issuer of this server.
    ///   - application: The client whose branding the page has, and the URL of the link to it; `nil` if it is unknown.
    func refusal(
        _ error: Refusal, _ request: Request, _ requestID: String, issuer: String,
        of application: (client: RegisteredClient, url: String?)? = nil
    ) -> EndpointResponse {
        let refusal = ErrorResponse(error)
        let cookies = BrowserCookies(request, issuer: issuer)
        var response = Response.page(
            .problem(
                PageProblem(error, isOfApplication: application != nil), message: refusal.message, requestID: requestID,
                wayBack: application.flatMap { application in
                    application.url.map { ApplicationLink(name: application.client.name, url: $0) }
                }), by: pages, in: PageLanguage(for: request, cookies),
            branding: application.map { PageBranding($0.client) }, status: .init(code: refusal.pageStatus))
        response.annotate(with: refusal)
        if error.reason == .headersTooLarge {
            cookies.forgetFlows(in: &response)
        }
        return EndpointResponse(response: response, reason: error.reason, failure: error)
    }

    /// Responds to the error of a flow: to the application, in its response mode, if its address is known; otherwise by
    /// a page.
    private func refusal(_ failure: FlowFailure, _ incoming: IncomingRequest, _ cookies: BrowserCookies)
        -> EndpointResponse
    {
        let error = failure.error
        var response: EndpointResponse
        if let address = failure.returnAddress {
            // OpenID Connect Core §3.1.2.6: the error of a request that needs a page, and has prompt=none.
            let name = failure.replacesPage ? UnmetInteraction.interaction.rawValue : ErrorResponse(error).redirectError
            var members = [("error", name), ("error_description", error.description)]
            if let code = failure.code { members.append(("code", code.secretText)) }
            let answer = address.response(members, issuer: incoming.flows.issuer)
            response = EndpointResponse(
                response: carrying(answer, incoming, cookies), reason: error.reason, failure: error)
        } else {
            let application = failure.wayBack.flatMap { wayBack in
                incoming.flows.clients[wayBack.client].map { (client: $0, url: wayBack.url) }
            }
            response = refusal(
                error, incoming.request, incoming.requestID, issuer: incoming.flows.issuer, of: application)
        }
        if let ended = failure.ended { cookies.forget(ended, in: &response.response) }
        return response
    }

    func home(_ incoming: IncomingRequest, _ cookies: BrowserCookies) -> Response {
        // With several clients the page cannot know which of them a person looks for.
        let clients = Array(incoming.flows.clients.values)
        return page(.home, clients.count == 1 ? clients.first : nil, incoming, cookies)
    }

    func logo(_ incoming: IncomingRequest, _ cookies: BrowserCookies) throws(Refusal) -> Response {
        guard let logo = incoming.flows.logo(incoming.parameter) else { throw .notFound }
        return .logo(logo)
    }

    func authorize(_ incoming: IncomingRequest, _ cookies: BrowserCookies) async throws -> Response {
        let parameters = try FormBody.parse(incoming.query ?? "", repeatable: TokenMessages.repeatable)
        note(parameters["provider"], of: incoming)
        let step = try await incoming.flows.browser.authorize(parameters)
        return response(to: step, incoming, cookies)
    }

    /// Names a provider of the configuration in the log.
    private func note(_ provider: String?, of incoming: IncomingRequest) {
        guard let provider = provider.flatMap({ incoming.flows.providers[ProviderID($0)] }) else { return }
        incoming.notes.note(provider: provider.id)
    }

    /// Responds to `POST /authorize`: the fields of the form tell the step.
    func choose(_ incoming: IncomingRequest, _ cookies: BrowserCookies) async throws -> Response {
        let form = try await FormBody.read(incoming, limits: limits)
        if form["flow"] == nil, form["client_id"] != nil {
            throw Refusal(
                .sessionInvalid, Refusal.unknownBrowserFlow.description,
                finding: "an authorization request was posted: the application has to send the browser here by GET, "
                    + "with the parameters in the query")
        }
        if let language = try PageLanguage(chosenIn: form) {
            let prompt = try await incoming.flows.browser.prompt(handle: form["flow"] ?? "", cookies: cookies.flows)
            switch prompt {
            case .signIn(let prompt):
                return page(Page(prompt), prompt.client, switchedTo: language, cookies)
            case .conflict(let prompt):
                return page(Page(prompt), prompt.client, switchedTo: language, cookies)
            case .challenge(let prompt):
                return page(Page(prompt), prompt.client, switchedTo: language, cookies)
            }
        }
        if form["decision"] == "prove" {
            let step = try await incoming.flows.browser.prove(
                form["code"] ?? "", handle: form["flow"] ?? "", cookies: cookies.flows)
            if case .challenge(let prompt, _, _) = step, prompt.isRepeated { throw RefusedCode.ofFactor(step) }
            return response(to: step, incoming, cookies)
        }
        if form["decision"] == "continue" {
            throw try await incoming.flows.browser.leaveConflict(handle: form["flow"] ?? "", cookies: cookies.flows)
        }
        note(form["provider"], of: incoming)
        let provider = form["provider"].map { ProviderID($0) }
        let step = try await incoming.flows.browser.choose(
            provider, handle: form["flow"] ?? "", cookies: cookies.flows)
        return response(to: step, incoming, cookies)
    }

    func callback(_ incoming: IncomingRequest, _ cookies: BrowserCookies) async throws -> Response {
        // The log also names the provider that appends a slash to the path.
        let path = incoming.parameter.hasSuffix("/") ? String(incoming.parameter.dropLast()) : incoming.parameter
        note(path, of: incoming)
        let parameters = try FormBody.parseCallback(incoming.query ?? "")
        let step = try await incoming.flows.browser.callback(
            ProviderID(incoming.parameter), parameters, cookies: cookies.flows)
        return response(to: step, incoming, cookies)
    }

    /// Responds to a form that a page of a provider has posted.
    func relay(_ incoming: IncomingRequest, _ cookies: BrowserCookies) async throws -> Response {
        let step = try await incoming.flows.browser.relay(ProviderID(incoming.parameter)) {
            try await FormBody.readCallback(incoming, limits: limits)
        }
        return response(to: step, incoming, cookies)
    }

    func enterCode(_ incoming: IncomingRequest, _ cookies: BrowserCookies) throws -> Response {
        let form = try incoming.flows.device.deviceForm(browser: cookies.device)
        let query = try FormBody.parse(incoming.query ?? "")
        var response = page(
            .enterCode(code: query["user_code"] ?? "", problem: nil, flow: form.field.secretText), nil, incoming,
            cookies)
        cookies.keep(form.browser, in: &response)
        return response
    }

    /// Responds to `POST /device`: the fields of the form tell the step, and the sealed field proves it.
    func answerDevice(_ incoming: IncomingRequest, _ cookies: BrowserCookies) async throws -> Response {
        let form = try await FormBody.read(incoming, limits: limits)
        let (field, browser) = (Secret(form["flow"] ?? ""), cookies.device)
        if let language = try PageLanguage(chosenIn: form) {
            let same = try await incoming.flows.device.page(of: field, browser: browser)
            return page(Page(same, typed: form["user_code"] ?? ""), same.client, switchedTo: language, cookies)
        }
        if let decision = form["decision"] {
            let decided = try await incoming.flows.device.decide(
                approving: decision == "approve", form: field, browser: browser)
            return page(
                decided.isApproved
                    ? .deviceApproved(application: decided.client.name)
                    : .deviceRefused(application: decided.client.name), decided.client, incoming, cookies)
        }
        if let provider = form["provider"] {
            try rates.starts?.take(incoming.address)
            let step = try await incoming.flows.device.signIn(
                deviceAt: ProviderID(provider), form: field, browser: browser)
            return response(to: step, incoming, cookies)
        }
        let prompt = try await prompt(form, field, browser, incoming)
        var response = page(Page(prompt), prompt.client, incoming, cookies)
        cookies.keep(prompt.form.browser, in: &response)
        return response
    }

    /// Looks up a user code; a code for which no device is waiting counts as a guess (RFC 8628 §5.1).
    private func prompt(
        _ form: Standards.Parameters, _ field: Secret, _ browser: Secret?, _ incoming: IncomingRequest
    ) async throws -> DevicePrompt {
        let again = try incoming.flows.device.deviceForm(browser: browser)
        try incoming.flows.device.checkCodeForm(field, browser: browser)
        guard let typed = form["user_code"] else { throw RefusedCode.ofDevice(.missing, typed: "", again) }
        guard let code = UserCode(typed: typed) else { throw RefusedCode.ofDevice(.unknown, typed: typed, again) }
        do throws(Refusal) {
            // The guess is counted before the lookup, so that concurrent guesses cannot exceed the limit.
            try rates.userCodes.take(incoming.address)
            do {
                try rates.allUserCodes.take("")
            } catch {
                rates.userCodes.refund(incoming.address)
                throw error
            }
        } catch {
            throw RefusedCode.ofDevice(.tooManyTries, typed: typed, again, because: error)
        }
        do {
            let prompt = try await incoming.flows.device.findDevice(code, form: field, browser: browser)
            refundGuess(incoming)
            return prompt
        } catch let refusal as Refusal where refusal == .unknownUserCode {
            throw RefusedCode.ofDevice(.unknown, typed: typed, again, because: refusal)
        } catch {
            refundGuess(incoming)
            throw error
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
            response = page(Page(prompt), prompt.client, incoming, cookies)
            cookies.keep(cookie, in: &response)
        case .leave(let url, let cookie, let ended):
            response = .seeOther(url)
            if let ended { cookies.forget(ended, in: &response) }
            cookies.keep(cookie, besides: ended, in: &response)
        case .finish(let url, let name):
            response = .seeOther(url)
            if let name { cookies.forget(name, in: &response) }
        case .deliver(let page, let name):
            response = carrying(.page(page), incoming, cookies)
            cookies.forget(name, in: &response)
        case .settle(let prompt, let cookie, let ended):
            response = page(Page(prompt), prompt.client, incoming, cookies)
            cookies.forget(ended, in: &response)
            cookies.keep(cookie, besides: ended, in: &response)
        case .challenge(let prompt, let cookie, let ended):
            response = page(
                Page(prompt), prompt.client, incoming, cookies, status: prompt.isRepeated ? .badRequest : .ok)
            if let ended { cookies.forget(ended, in: &response) }
            cookies.keep(cookie, besides: ended, in: &response)
        case .approve(let approval, let name):
            response = page(Page(approval), approval.client, incoming, cookies)
            cookies.forget(name, in: &response)
            cookies.keep(approval.form.browser, in: &response)
        }
        return response
    }

    /// Returns the response of a browser flow, which the browser carries to the application.
    private func carrying(
        _ answer: AuthorizationResponse, _ incoming: IncomingRequest, _ cookies: BrowserCookies
    ) -> Response {
        switch answer {
        case .redirect(let url): return .seeOther(url)
        case .page(let content):
            var response = page(Page(content), nil, incoming, cookies)
            // The message needs `window.opener`, which any other policy would remove from a window that a page of
            // another origin opened (HTML §7.1.3).
            if case .message = content.way { response.allowOpener() }
            return response
        }
    }

    /// Responds with a page that has the logo, the colours and the links of a client, if the client is known.
    private func page(
        _ page: Page, _ client: RegisteredClient?, _ incoming: IncomingRequest, _ cookies: BrowserCookies,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        .page(
            page, by: pages, in: PageLanguage(for: incoming.request, cookies), branding: client.map(PageBranding.init),
            status: status)
    }

    /// Responds with the same page in the language that the person has chosen, and keeps the choice.
    private func page(
        _ page: Page, _ client: RegisteredClient?, switchedTo language: PageLanguage, _ cookies: BrowserCookies
    ) -> Response {
        var response = Response.page(
            page, by: pages, in: language, branding: client.map(PageBranding.init), status: .ok)
        cookies.keep(language, in: &response)
        return response
    }
}
