internal import Accounts
internal import Firebase
internal import Flows
internal import Hummingbird
internal import Jansson
internal import OAuth
internal import Verification

/// The endpoints that programs call.
struct ApplicationRoutes: Sendable {
    private let limits: ServerLimits
    private let rates: Rates
    private let metrics: Metrics
    private let accounts: AccountRoutes

    init(limits: ServerLimits, rates: Rates, metrics: Metrics) {
        self.limits = limits
        self.rates = rates
        self.metrics = metrics
        accounts = AccountRoutes(limits: limits, rates: rates)
    }

    func answer(_ visit: Visit) async throws(RequestError) -> Answer {
        if visit.endpoint == .openAPI || visit.endpoint == .metadata { try rates.pages?.admit(visit.address) }
        return switch visit.endpoint {
        case .openAPI: Answer(response: .json(text: OpenAPI.document))
        case .metadata: Answer(response: .json(MetadataRoute.json(visit.corridor)))
        case .exchange: Answer(response: .json(try await exchange(visit)))
        case .signIn: Answer(response: .json(try await signIn(visit)))
        case .nonce: Answer(response: .json(try await nonce(visit)))
        case .pushedRequest: Answer(response: .json(try await push(visit), status: .created))
        case .deviceAuthorization: Answer(response: .json(try await beginDevice(visit)))
        case .token: await token(visit)
        case .anonymous: Answer(response: .json(try await signInAnonymously(visit)))
        case .account, .link, .unlink, .reauthenticate, .merge, .signOut:
            Answer(response: try await accounts.answer(visit))
        case .authorize, .callback, .device: throw .notFound
        }
    }

    private func exchange(_ visit: Visit) async throws(RequestError) -> JSON {
        try rates.exchanges?.admit(visit.address)
        let parsed = try ExchangeRoute.parse(try await JSONBody.read(visit, limits: limits))
        try await visit.admit(parsed.client, parsed.provider)
        let outcome = try await visit.asking { () async throws(SignInError) in
            try await visit.corridor.exchange(parsed)
        }
        record(outcome, visit)
        return ExchangeRoute.json(outcome)
    }

    private func signInAnonymously(_ visit: Visit) async throws(RequestError) -> JSON {
        try rates.anonymous?.admit(visit.address)
        let client = try AccountBody.anonymous(try await JSONBody.read(visit, limits: limits))
        try await visit.admit(client)
        let outcome = try await visit.asking { () async throws(SignInError) in
            try await visit.corridor.signInAnonymously(client: client)
        }
        record(outcome, visit)
        return ExchangeRoute.json(outcome)
    }

    private func record(_ outcome: SignInOutcome, _ visit: Visit) {
        metrics.recordSignIn(provider: outcome.account.identity?.provider.text ?? "anonymous")
        visit.notes.done(outcome)
    }

    private func signIn(_ visit: Visit) async throws(RequestError) -> JSON {
        try rates.starts?.admit(visit.address)
        let parsed = try SignInRoute.parse(try await JSONBody.read(visit, limits: limits))
        try await visit.admit(parsed.client, parsed.provider)
        let user = try await user(of: visit, for: parsed.purpose)
        return SignInRoute.json(
            try await visit.asking { () async throws(SignInError) in
                try await visit.corridor.begin(parsed, for: user)
            })
    }

    /// The user of the account that a flow is for; nil for a flow that signs in.
    private func user(
        of visit: Visit, for purpose: AccountIntent.Purpose?
    ) async throws(RequestError) -> FirebaseUser? {
        guard purpose != nil else { return nil }
        let user = try await visit.asking { () async throws(SignInError) in
            try await visit.corridor.user(BearerField.token(visit.request))
        }
        visit.notes.note(uid: user.uid)
        return user
    }

    private func nonce(_ visit: Visit) async throws(RequestError) -> JSON {
        try rates.starts?.admit(visit.address)
        let (client, provider) = try NonceRoute.parse(try await JSONBody.read(visit, limits: limits))
        try await visit.admit(client, provider)
        return NonceRoute.json(
            try await visit.asking { () async throws(SignInError) in
                try visit.corridor.issueNonce(client: client, provider: provider)
            })
    }

    private func push(_ visit: Visit) async throws(RequestError) -> JSON {
        try rates.starts?.admit(visit.address)
        let form = try await form(of: visit, allowsBearer: true)
        let user = try await user(of: visit, for: form["intent"].flatMap(AccountIntent.Purpose.init))
        let pushed = try await visit.asking { () async throws(SignInError) in
            try await visit.corridor.push(form, for: user)
        }
        // RFC 9126 §2.2.
        return .object([
            "request_uri": .string(pushed.requestURI.secretText), "expires_in": .integer(pushed.expiresIn),
        ])
    }

    private func beginDevice(_ visit: Visit) async throws(RequestError) -> JSON {
        try rates.starts?.admit(visit.address)
        let form = try await form(of: visit)
        // RFC 8628 §3.1 requires client_id: without it, the corridor refuses.
        if let client = form["client_id"] { try await visit.admit(ClientID(client)) }
        let begun = try await visit.asking { () async throws(SignInError) in
            try await visit.corridor.beginDevice(form)
        }
        return DeviceAuthorizationRoute.json(begun, issuer: visit.corridor.issuer)
    }

    /// Its errors follow RFC 6749 §5.2, RFC 8693 §2.2.2 and RFC 8628 §3.5, whatever the cause.
    private func token(_ visit: Visit) async -> Answer {
        var grant: GrantType?
        do throws(RequestError) {
            let limit = rateRefusal(visit)
            let request = try await tokenRequest(visit, refusedFor: limit)
            grant = request.grant
            if let limit {
                // RFC 8628 §3.5: a device that polls too often is told so, and nothing else.
                throw request.grant == .deviceCode ? .signIn(.device(.slowDown)) : limit
            }
            try await visit.admit(request.client, request.provider)
            let outcome = try await visit.asking { () async throws(SignInError) in
                try await TokenRoute.ask(visit.corridor, request)
            }
            record(outcome, visit)
            return Answer(response: .json(TokenRoute.json(outcome, for: request.grant)))
        } catch {
            let refusal = ErrorTable.answer(to: error).atTokenEndpoint(of: grant)
            return Answer(
                response: .refusal(refusal, requestID: visit.requestID), reason: refusal.reason, failure: error)
        }
    }

    /// The longest body that is read for an address over its rate: the poll of a device takes less than half of it.
    private static let pollBytes = 1024

    /// Reads the body of `/token`.
    ///
    /// An address is counted before its body has come, and is told afterwards, since the body says if it is the poll of
    /// a device. If the address is over its rate, a body that is too long for a poll is not read: otherwise a client
    /// that is refused could go on sending 64 KiB with each request.
    ///
    /// - Parameters:
    ///   - visit: The request.
    ///   - limit: The refusal of an address over its rate; nil for any other.
    /// - Returns: The request of a grant, also if `limit` refuses it.
    /// - Throws: `limit` in place of what is wrong with the body.
    private func tokenRequest(
        _ visit: Visit, refusedFor limit: RequestError?
    ) async throws(RequestError) -> TokenRoute.Request {
        var limits = limits
        if limit != nil { limits.bodyBytes = min(limits.bodyBytes, Self.pollBytes) }
        do throws(RequestError) {
            return try TokenRoute.parse(
                try await form(of: visit, limits: limits, repeatable: TokenRoute.repeatable))
        } catch {
            throw limit ?? error
        }
    }

    private func rateRefusal(_ visit: Visit) -> RequestError? {
        do throws(RequestError) {
            try rates.exchanges?.admit(visit.address)
            return nil
        } catch {
            return error
        }
    }

    private func form(
        of visit: Visit, limits: ServerLimits? = nil, repeatable: Set<String> = [], allowsBearer: Bool = false
    ) async throws(RequestError) -> OAuth.Parameters {
        let form = try await FormBody.read(visit, limits: limits ?? self.limits, repeatable: repeatable)
        // A bearer of /par speaks for a user, and for no client.
        let isUsers = allowsBearer && form["intent"] != nil && BearerField.token(visit.request) != nil
        try PublicClient.check(visit.request, form, allowsHeader: isUsers)
        if let client = form["client_id"] {
            visit.notes.note(
                client: ClientID(client), provider: form["provider"].map { ProviderID($0) }, in: visit.corridor)
        }
        try CORS.check(visit.request, client: form["client_id"].flatMap { visit.corridor.clients[ClientID($0)] })
        return form
    }
}
