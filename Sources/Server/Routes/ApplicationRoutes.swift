internal import Accounts
internal import Hummingbird
internal import Jansson
internal import OAuth
internal import SignIn
internal import Verification

/// The endpoints that programs call.
struct ApplicationRoutes: Sendable {
    private let limits: ServerLimits
    private let rates: Rates
    private let metrics: Metrics

    init(limits: ServerLimits, rates: Rates, metrics: Metrics) {
        self.limits = limits
        self.rates = rates
        self.metrics = metrics
    }

    func answer(_ visit: Visit) async throws(RequestError) -> Answer {
        switch visit.endpoint {
        case .openAPI: Answer(response: .json(text: OpenAPI.document))
        case .metadata: Answer(response: .json(MetadataRoute.json(visit.corridor)))
        case .exchange: Answer(response: .json(try await exchange(visit)))
        case .signIn: Answer(response: .json(try await signIn(visit)))
        case .nonce: Answer(response: .json(try await nonce(visit)))
        case .pushedRequest: Answer(response: .json(try await push(visit), status: .created))
        case .deviceAuthorization: Answer(response: .json(try await beginDevice(visit)))
        case .token: await token(visit)
        case .authorize, .callback, .device: throw .notFound
        }
    }

    private func exchange(_ visit: Visit) async throws(RequestError) -> JSON {
        try rates.exchanges?.admit(visit.address)
        let parsed = try ExchangeRoute.parse(try await JSONBody.read(visit.request, limits: limits))
        try CORS.check(visit.request, client: visit.corridor.clients[parsed.client])
        let outcome = try await asking { () async throws(SignInError) in try await visit.corridor.exchange(parsed) }
        metrics.recordSignIn(provider: outcome.account.identity.provider.text)
        return ExchangeRoute.json(outcome)
    }

    private func signIn(_ visit: Visit) async throws(RequestError) -> JSON {
        try rates.starts?.admit(visit.address)
        let parsed = try SignInRoute.parse(try await JSONBody.read(visit.request, limits: limits))
        try CORS.check(visit.request, client: visit.corridor.clients[parsed.client])
        return SignInRoute.json(
            try await asking { () async throws(SignInError) in try await visit.corridor.begin(parsed) })
    }

    private func nonce(_ visit: Visit) async throws(RequestError) -> JSON {
        try rates.starts?.admit(visit.address)
        let (client, provider) = try NonceRoute.parse(try await JSONBody.read(visit.request, limits: limits))
        try CORS.check(visit.request, client: visit.corridor.clients[client])
        return NonceRoute.json(
            try await asking { () async throws(SignInError) in
                try visit.corridor.issueNonce(client: client, provider: provider)
            })
    }

    private func push(_ visit: Visit) async throws(RequestError) -> JSON {
        try rates.starts?.admit(visit.address)
        let form = try await form(of: visit)
        let pushed = try await asking { () async throws(SignInError) in try visit.corridor.push(form) }
        // RFC 9126 §2.2.
        return .object([
            "request_uri": .string(pushed.requestURI.secretText), "expires_in": .integer(pushed.expiresIn),
        ])
    }

    private func beginDevice(_ visit: Visit) async throws(RequestError) -> JSON {
        try rates.starts?.admit(visit.address)
        let form = try await form(of: visit)
        let begun = try await asking { () async throws(SignInError) in try await visit.corridor.beginDevice(form) }
        return DeviceAuthorizationRoute.json(begun, issuer: visit.corridor.issuer)
    }

    /// Its errors follow RFC 6749 §5.2, RFC 8693 §2.2.2 and RFC 8628 §3.5, whatever the cause.
    private func token(_ visit: Visit) async -> Answer {
        var grant: GrantType?
        do throws(RequestError) {
            let form = try await form(of: visit, repeatable: TokenRoute.repeatable)
            let request = try TokenRoute.parse(form)
            grant = request.grant
            do {
                try rates.exchanges?.admit(visit.address)
            } catch {
                // RFC 8628 §3.5: a device that polls too often is told so, and nothing else.
                throw request.grant == .deviceCode ? .signIn(.device(.slowDown)) : error
            }
            let outcome = try await asking { () async throws(SignInError) in
                try await TokenRoute.ask(visit.corridor, request)
            }
            metrics.recordSignIn(provider: outcome.account.identity.provider.text)
            return Answer(response: .json(TokenRoute.json(outcome, for: request.grant)))
        } catch {
            let refusal = ErrorTable.answer(to: error).atTokenEndpoint(of: grant)
            return Answer(
                response: .refusal(refusal, requestID: visit.requestID), reason: refusal.reason, failure: error)
        }
    }

    private func form(
        of visit: Visit, repeatable: Set<String> = []
    ) async throws(RequestError) -> OAuth.Parameters {
        let form = try await FormBody.read(visit, limits: limits, repeatable: repeatable)
        try PublicClient.check(visit.request, form)
        try CORS.check(visit.request, client: form["client_id"].flatMap { visit.corridor.clients[ClientID($0)] })
        return form
    }

    private func asking<Value: Sendable>(
        _ corridor: () async throws(SignInError) -> Value
    ) async throws(RequestError) -> Value {
        do {
            return try await corridor()
        } catch {
            throw .signIn(error)
        }
    }
}
