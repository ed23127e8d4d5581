internal import Accounts
internal import HTTPTypes
package import Hummingbird
package import JOSE
internal import Jansson
internal import Logging
internal import OAuth
package import SignIn
internal import Verification

/// The public listener: finds the endpoint, reads the body, asks the corridor, writes the answer.
///
/// It decides nothing.
///
/// Paths are compared as they are sent: `//v1/exchange`, `/v1/exchange/` and `/v1/%65xchange` are not found, so that no
/// proxy in front of us and we can disagree on what a path is.
package struct PublicDoor: HTTPResponder {
    package typealias Context = DoorContext

    private let corridor: @Sendable () -> Corridor
    private let limits: ServerLimits
    private let addresses: ClientAddress
    private let admission: Admission
    private let metrics: Metrics
    private let rates: RateLimiter?

    /// - `corridor`: asked at each request, since a reload makes another one.
    package init(
        corridor: @escaping @Sendable () -> Corridor, limits: ServerLimits, addresses: ClientAddress,
        admission: Admission, metrics: Metrics, time: TimeSource
    ) {
        self.corridor = corridor
        self.limits = limits
        self.addresses = addresses
        self.admission = admission
        self.metrics = metrics
        rates = limits.callsPerAddress.map { RateLimiter($0, time: time) }
    }

    private enum Endpoint: String, CaseIterable {
        case exchange = "/v1/exchange"
        case signIn = "/v1/signin"
        case nonce = "/v1/nonce"
        case openAPI = "/openapi.json"

        var method: HTTPRequest.Method { self == .openAPI ? .get : .post }
    }

    package func respond(to request: Request, context: DoorContext) async throws -> Response {
        let began = ContinuousClock.now
        let requestID = RequestIdentifier.make()
        let corridor = corridor()
        var response: Response
        var reason: Reason?
        var failure: RequestError?
        do throws(RequestError) {
            response = try await answer(request, corridor, context)
        } catch {
            let refusal = ErrorTable.answer(to: error)
            reason = refusal.reason
            failure = error
            response = .refusal(refusal, requestID: requestID)
        }
        response.secure(requestID: requestID)
        if let origin = CORS.grantedOrigin(request, corridor.clients.values), reason != .originNotAllowed {
            CORS.grant(origin, to: &response)
        }
        let endpoint = Endpoint(rawValue: Self.path(of: request))?.rawValue ?? "other"
        metrics.record(endpoint: endpoint, status: response.status.code, reason: reason, took: .now - began)
        log(context.logger, requestID, endpoint, response.status.code, reason, failure)
        // RFC 9110 §9.3.2: what follows the header of an answer to HEAD is the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(
        _ request: Request, _ corridor: Corridor, _ context: DoorContext
    ) async throws(RequestError) -> Response {
        try HeaderLimits.check(request, limits)
        guard let endpoint = Endpoint(rawValue: Self.path(of: request)) else { throw .notFound }
        if request.method == .options, endpoint != .openAPI, CORS.isPreflight(request) {
            return CORS.preflight(request, corridor.clients.values)
        }
        guard request.method == endpoint.method else { throw .methodNotAllowed(allowed: [endpoint.method.rawValue]) }
        if endpoint == .openAPI { return .json(text: OpenAPI.document) }
        try admission.enter()
        defer { admission.leave() }
        try rates?.admit(address(of: request, context))
        let body = try await JSONBody.read(request, limits: limits)
        switch endpoint {
        case .exchange:
            let parsed = try ExchangeRoute.parse(body)
            try CORS.check(request, client: corridor.clients[parsed.client])
            let outcome = try await asking { () async throws(SignInError) in try await corridor.exchange(parsed) }
            metrics.recordSignIn(provider: outcome.account.identity.provider.text)
            return .json(ExchangeRoute.json(outcome))
        case .signIn:
            let parsed = try SignInRoute.parse(body)
            try CORS.check(request, client: corridor.clients[parsed.client])
            return .json(
                SignInRoute.json(try await asking { () async throws(SignInError) in try await corridor.begin(parsed) }))
        case .nonce:
            let (client, provider) = try NonceRoute.parse(body)
            try CORS.check(request, client: corridor.clients[client])
            return .json(
                NonceRoute.json(
                    try await asking { () async throws(SignInError) in
                        try corridor.issueNonce(client: client, provider: provider)
                    }))
        case .openAPI:
            return .json(text: OpenAPI.document)
        }
    }

    private func address(of request: Request, _ context: DoorContext) -> String {
        let forwardedFor = request.headers.filter { $0.name.canonicalName == "x-forwarded-for" }.map(\.value)
        return addresses.key(peer: context.peerAddress, forwardedFor: forwardedFor)
    }

    /// The path of the request target, not decoded and not normalized.
    private static func path(of request: Request) -> String {
        let target = request.head.path ?? ""
        return String(target.prefix { $0 != "?" })
    }

    private func asking<Answer: Sendable>(
        _ corridor: () async throws(SignInError) -> Answer
    ) async throws(RequestError) -> Answer {
        do {
            return try await corridor()
        } catch {
            throw .signIn(error)
        }
    }

    private func log(
        _ logger: Logger, _ requestID: String, _ endpoint: String, _ status: Int, _ reason: Reason?,
        _ failure: RequestError?
    ) {
        var metadata: Logger.Metadata = [
            "request_id": "\(requestID)", "endpoint": "\(endpoint)", "status": "\(status)",
        ]
        metadata["reason"] = reason.map { "\($0.rawValue)" }
        // Errors hold names, times and statuses; what failed on our side the operator has to see.
        if status >= 500 { metadata["error"] = failure.map { "\($0)" } }
        logger.log(level: status >= 500 ? .error : .info, "request", metadata: metadata)
    }
}
