internal import Accounts
internal import Firebase
internal import Flows
internal import Hummingbird
internal import Jansson
internal import Standards
internal import Verification

/// The endpoints that applications call, with responses in JSON.
struct ApplicationRoutes: Sendable {
    let limits: ServerLimits
    let rates: Rates
    let metrics: Metrics

    func metadata(_ incoming: IncomingRequest) -> EndpointResponse { .json(ServerMetadata.json(incoming.flows)) }

    func openAPI(_ incoming: IncomingRequest) -> EndpointResponse {
        EndpointResponse(response: .json(octets: OpenAPI.octets))
    }

    func exchange(_ incoming: IncomingRequest) async throws(Refusal) -> EndpointResponse {
        let body = try await JSONBody.read(incoming, limits: limits)
        // A second factor continues a sign-in; every other type of credential begins one.
        if SecondFactorMessages.isSecondFactor(body) { return try await proveSecondFactor(body, incoming) }
        let parsed = try ExchangeMessages.parse(body)
        try await incoming.checkApplication(parsed.client, parsed.provider)
        let outcome = try await incoming.call(
            await incoming.flows.direct.exchange(parsed))
        record(outcome, incoming)
        return .json(ExchangeMessages.json(outcome))
    }

    private func proveSecondFactor(
        _ body: JSON, _ incoming: IncomingRequest
    ) async throws(Refusal) -> EndpointResponse {
        let parsed = try SecondFactorMessages.request(body)
        try await incoming.checkApplication(parsed.client, parsed.provider)
        let outcome = try await incoming.call(
            await incoming.flows.direct.exchange(parsed))
        record(outcome, incoming)
        return .json(ExchangeMessages.json(outcome))
    }

    func signInAnonymously(_ incoming: IncomingRequest) async throws(Refusal) -> EndpointResponse {
        let client = try AccountMessages.anonymous(try await JSONBody.read(incoming, limits: limits))
        try await incoming.checkApplication(client)
        let outcome = try await incoming.call(
            await incoming.flows.direct.signInAnonymously(client: client))
        record(outcome, incoming)
        return .json(ExchangeMessages.json(outcome))
    }

    private func record(_ outcome: SignInOutcome, _ incoming: IncomingRequest) {
        metrics.recordSignIn(provider: outcome.account.identity?.provider.text ?? "anonymous")
    }

    func signIn(_ incoming: IncomingRequest) async throws(Refusal) -> EndpointResponse {
        let parsed = try SignInMessages.parse(try await JSONBody.read(incoming, limits: limits))
        try await incoming.checkApplication(parsed.client, parsed.provider)
        let user = try await user(of: incoming, for: parsed.purpose)
        return .json(
            SignInMessages.json(try await incoming.call(await incoming.flows.direct.begin(parsed, for: user))))
    }

    /// Returns the user of the account that a flow is for; `nil` for a flow that signs in.
    private func user(
        of incoming: IncomingRequest, for purpose: AccountIntent.Purpose?
    ) async throws(Refusal) -> FirebaseUser? {
        guard purpose != nil else { return nil }
        let user = try await incoming.call(
            await incoming.flows.accounts.user(BearerField.token(incoming.request)))
        incoming.notes.note(uid: user.uid)
        return user
    }

    func nonce(_ incoming: IncomingRequest) async throws(Refusal) -> EndpointResponse {
        let (client, provider) = try NonceMessages.parse(try await JSONBody.read(incoming, limits: limits))
        try await incoming.checkApplication(client, provider)
        return .json(
            NonceMessages.json(
                try await incoming.call(incoming.flows.direct.issueNonce(client: client, provider: provider))))
    }

    func push(_ incoming: IncomingRequest) async throws(Refusal) -> EndpointResponse {
        let form = try await form(of: incoming, repeatable: TokenMessages.repeatable)
        let user = try await user(of: incoming, for: form["intent"].flatMap(AccountIntent.Purpose.init))
        let pushed = try await incoming.call(
            await incoming.flows.browser.push(form, for: user))
        // RFC 9126 §2.2.
        return .json(
            .object([
                "request_uri": .string(pushed.requestURI.secretText), "expires_in": .integer(pushed.expiresIn),
            ]), status: .created)
    }

    func beginDevice(_ incoming: IncomingRequest) async throws(Refusal) -> EndpointResponse {
        let form = try await form(of: incoming)
        // RFC 8628 §3.1 requires client_id. If it is missing, the flow refuses the request.
        if let client = form["client_id"] { try await incoming.checkApplication(ClientID(client)) }
        let begun = try await incoming.call(
            await incoming.flows.device.begin(form))
        return .json(DeviceAuthorizationMessages.json(begun, issuer: incoming.flows.issuer))
    }

    /// Responds at `/token`, with errors in the form of RFC 6749 §5.2, RFC 8693 §2.2.2 and RFC 8628 §3.5.
    func token(_ incoming: IncomingRequest) async -> EndpointResponse {
        var grant: GrantType?
        do throws(Refusal) {
            let limit = rateRefusal(incoming)
            let request = try await tokenRequest(incoming, refusedFor: limit)
            grant = request.grant
            if let limit {
                // RFC 8628 §3.5: a device that polls too often gets slow_down and no other error.
                throw request.grant == .deviceCode ? .slowDown : limit
            }
            try await incoming.checkApplication(request.client, request.provider)
            let outcome = try await incoming.call(
                await Self.redeem(request, in: incoming.flows))
            record(outcome, incoming)
            return .json(TokenMessages.json(outcome, for: request.grant))
        } catch {
            return EndpointResponse(
                response: .refusal(
                    ErrorResponse(error).atTokenEndpoint(of: grant), requestID: incoming.requestID),
                reason: error.reason, failure: error)
        }
    }

    private static func redeem(_ request: TokenMessages.Request, in flows: FlowSet) async throws -> SignInOutcome {
        switch request {
        case .handoff(let code, let redirectURI, let codeVerifier, let client):
            try await flows.browser.redeem(
                handoffCode: code, redirectURI: redirectURI, codeVerifier: codeVerifier, client: client)
        case .subjectToken(let request):
            try await flows.direct.exchangeSubjectToken(request)
        case .device(let code, let client):
            try await flows.device.redeem(deviceCode: code, client: client)
        }
    }

    /// The maximum length in bytes of a body from an address over its rate; the poll of a device needs less than half.
    private static let pollBytes = 1024

    /// Reads the body of `/token`.
    ///
    /// The rate of the address is checked before the body is read, and reported afterwards, because only the body tells
    /// whether the request is the poll of a device. If the address is over its rate, a longer body than that of a poll
    /// is not read: otherwise a refused client could still send 64 KiB with each request.
    ///
    /// - Parameter limit: The refusal of an address over its rate; `nil` for any other address.
    /// - Returns: The request of a grant, also if `limit` refuses it.
    /// - Throws: `limit` if it is not `nil`, and otherwise the error of the body.
    private func tokenRequest(
        _ incoming: IncomingRequest, refusedFor limit: Refusal?
    ) async throws(Refusal) -> TokenMessages.Request {
        var limits = limits
        if limit != nil { limits.bodyBytes = min(limits.bodyBytes, Self.pollBytes) }
        do throws(Refusal) {
            return try TokenMessages.parse(
                try await form(of: incoming, limits: limits, repeatable: TokenMessages.repeatable))
        } catch {
            throw limit ?? error
        }
    }

    private func rateRefusal(_ incoming: IncomingRequest) -> Refusal? {
        do throws(Refusal) {
            try rates.exchanges?.take(incoming.address)
            return nil
        } catch {
            return error
        }
    }

    private func form(
        of incoming: IncomingRequest, limits: ServerLimits? = nil, repeatable: Set<String> = []
    ) async throws(Refusal) -> Standards.Parameters {
        let body = try await FormBody.read(incoming, limits: limits ?? self.limits, repeatable: repeatable)
        let form = try PublicClient.identify(incoming.request, body)
        if let client = form["client_id"] {
            incoming.notes.note(
                client: ClientID(client), provider: form["provider"].map { ProviderID($0) }, in: incoming.flows)
        }
        try CORS.check(incoming.request, client: form["client_id"].flatMap { incoming.flows.clients[ClientID($0)] })
        return form
    }
}
