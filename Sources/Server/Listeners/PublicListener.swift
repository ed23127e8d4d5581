internal import Firebase
package import Flows
internal import HTTPTypes
package import Hummingbird
package import JOSE
internal import Logging
internal import Minting
internal import Providers
internal import Standards
package import Stores
internal import Transport

/// The public listener: finds the endpoint of a request, calls its route, and adds the header fields of every response.
///
/// It also writes metrics, the request log and the audit trail for all endpoints.
package struct PublicListener: HTTPResponder {
    package typealias Context = ListenerContext

    private let flows: @Sendable () -> FlowSet
    private let limits: ServerLimits
    private let concurrencyLimit: ConcurrencyLimit
    private let rates: Rates
    private let metrics: Metrics
    private let applications: ApplicationRoutes
    private let accounts: AccountRoutes
    private let events: EventRoutes
    private let pageRoutes: PageRoutes
    private let auditTrail: AuditTrail
    private let time: TimeSource
    private let strictTransportSecurity: String?
    private let health: HealthRoutes?
    private let notices: ForwardingNotices
    private let storeAdvice: @Sendable (StoreError) -> String?

    /// Creates the listener.
    ///
    /// - Parameters:
    ///   - flows: Returns the flows of the current configuration. The listener calls it once per request, because a
    ///     reload replaces them.
    ///   - addresses: Finds the network that a request counts against.
    ///   - metrics: Receives the endpoint, status and duration of each request.
    ///   - audit: Receives what was done, and the refusals that are audited.
    ///   - strictTransportSecurity: How long browsers remember to use only TLS (RFC 6797), in whole seconds. It must be
    ///     `nil` if the listener has no TLS.
    ///   - readiness: The checks of `/readyz` if there is no admin listener; `nil` if there is one.
    ///   - storeAdvice: Returns what the operator of the store can do about an error that names no remedy itself.
    package init(
        flows: @escaping @Sendable () -> FlowSet, limits: ServerLimits, addresses: ClientAddress,
        concurrencyLimit: ConcurrencyLimit, metrics: Metrics, audit: AuditTrail, pages: PageRenderer, time: TimeSource,
        strictTransportSecurity: Duration?, readiness: Readiness?,
        storeAdvice: @escaping @Sendable (StoreError) -> String?
    ) {
        self.flows = flows
        self.storeAdvice = storeAdvice
        self.limits = limits
        notices = ForwardingNotices(addresses)
        self.concurrencyLimit = concurrencyLimit
        self.metrics = metrics
        auditTrail = audit
        self.time = time
        self.strictTransportSecurity = strictTransportSecurity.map { "max-age=\($0.components.seconds)" }
        health = readiness.map { HealthRoutes($0, concurrencyLimit) }
        rates = Rates(limits, time: time)
        applications = ApplicationRoutes(limits: limits, rates: rates, metrics: metrics)
        accounts = AccountRoutes(limits: limits, rates: rates)
        events = EventRoutes(limits: limits, rates: rates, metrics: metrics)
        pageRoutes = PageRoutes(limits: limits, rates: rates, pages: pages)
    }

    package func respond(to request: Request, context: ListenerContext) async throws -> Response {
        if let response = await probeResponse(to: request) { return response }
        let trace = TraceContext(
            parents: request.values("traceparent"), states: request.values("tracestate"),
            cloudTraces: request.values("x-cloud-trace-context"))
        return await TraceContext.$current.withValue(trace) {
            await LastCall.$current.withValue(LastCall()) { await respondAndRecord(request, context) }
        }
    }

    /// Responds to a probe.
    ///
    /// It has no place among the requests in flight, no rate, no fields of CORS and no line in the log, as on the admin
    /// listener: a platform would restart a server whose probes are refused because it is busy.
    ///
    /// - Returns: `nil` for any other request, and for all requests if there is an admin listener.
    private func probeResponse(to request: Request) async -> Response? {
        guard let health, let path = request.head.path, HealthRoutes.paths.contains(path) else { return nil }
        let requestID = RequestIdentifier.make()
        var response: Response
        do throws(Refusal) {
            try MessageRules.check(request)
            try HeaderLimits.check(request, limits)
            guard [.get, .head].contains(request.method) else { throw .methodNotAllowed(allowed: ["GET", "HEAD"]) }
            response = await health.response(at: path, isPublic: true)
        } catch {
            response = .refusal(ErrorResponse(error), requestID: requestID)
        }
        return finished(&response, of: request, requestID)
    }

    /// Adds the header fields of every response.
    private func finished(_ response: inout Response, of request: Request, _ requestID: String) -> Response {
        response.secure(requestID: requestID, strictTransportSecurity: strictTransportSecurity)
        // RFC 9110 §7.8: an offer to upgrade is ignored. But NIO's decoder reads no further request after one, so that the
        // next request of a client, such as Java's, which offers h2c, would never be answered.
        if request.headers[.upgrade] != nil { response.headers[.connection] = "close" }
        // RFC 9110 §9.3.2: a response to HEAD has no body. The client would read one as the next response.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func respondAndRecord(_ request: Request, _ context: ListenerContext) async -> Response {
        let began = ContinuousClock.now
        let flows = flows()
        let requestID = RequestIdentifier.make()
        let endpoint = Endpoint.of(path: IncomingRequest.path(of: request))
        let place = concurrencyLimit.enter()
        var response = await respondOrRefuse(request, endpoint, flows, requestID, context, refusal: place.refusal)
        if endpoint?.isForApplications != false, response.reason != .originNotAllowed,
            let origin = CORS.grantedOrigin(request, flows.clients.values)
        {
            CORS.grant(origin, to: &response.response)
        }
        let label = endpoint?.label ?? "other"
        let status = response.response.status.code
        let took = ContinuousClock.now - began
        metrics.record(endpoint: label, status: status, reason: response.reason, took: took)
        log(
            request, context, requestID, label, status, took, response,
            CORS.finding(request, endpoint, flows.clients.values))
        context.channel.triggerUserOutboundEvent(place, promise: nil)
        return finished(&response.response, of: request, requestID)
    }

    private func respondOrRefuse(
        _ request: Request, _ endpoint: Endpoint?, _ flows: FlowSet, _ requestID: String,
        _ context: ListenerContext, refusal: Refusal?
    ) async -> EndpointResponse {
        do throws(Refusal) {
            let address = notices.address(of: request, peer: context.peerAddress, context.logger)
            if let endpoint, endpoint.isForPeople, request.method == .get {
                notices.compareHost(of: request, with: flows.issuer, context.logger)
            }
            let network = address.map(ClientNetwork.init(of:)) ?? .unknown
            if let response = try early(request, endpoint, flows, network) { return response }
            guard let endpoint, let operation = endpoint.operation(for: request.method) else { throw .notFound }
            // Checked first, so that no credential is spent for a token that cannot be signed.
            guard !(operation.mints && flows.isOverloaded) else {
                throw .overloaded.with(finding: "the signer of custom tokens has as many calls as it may have")
            }
            if let refusal { throw refusal }
            let incoming = IncomingRequest(
                request: request, endpoint: endpoint, operation: operation, requestID: requestID, flows: flows,
                address: network, concurrencyLimit: concurrencyLimit, logger: context.logger)
            let origin = RequestOrigin(address: address.map(IPAddressText.write), requestID: requestID)
            var response = await RequestOrigin.$current.withValue(origin) {
                await AuditJournal.$current.withValue(incoming.notes.journal) { await handle(incoming) }
            }
            audit(response, of: incoming)
            response.client = incoming.notes.subject.client
            response.provider = incoming.notes.subject.provider
            return response
        } catch {
            let isForPeople =
                (endpoint ?? Endpoint.similar(to: IncomingRequest.path(of: request)))?.isForPeople
                ?? (request.values("sec-fetch-mode") == ["navigate"])
            return isForPeople
                ? pageRoutes.refusal(error, request, requestID, issuer: flows.issuer)
                : .refusal(error, requestID: requestID)
        }
    }

    /// Responds to a preflight, and refuses what no endpoint accepts.
    ///
    /// - Returns: `nil` for a request that an endpoint accepts, which has the limits of that endpoint.
    /// - Throws: The refusal, or ``Refusal/rateLimited(retryAfter:)`` if the network has had too many of these responses.
    private func early(
        _ request: Request, _ endpoint: Endpoint?, _ flows: FlowSet, _ network: ClientNetwork
    ) throws(Refusal) -> EndpointResponse? {
        do throws(Refusal) {
            try MessageRules.check(request)
            try HeaderLimits.check(request, limits)
            guard let endpoint else {
                let (path, query) = IncomingRequest.halves(of: request)
                throw .notFound(at: path, query: query)
            }
            guard request.method == .options, endpoint.isForApplications, CORS.isPreflight(request) else {
                guard endpoint.operation(for: request.method) != nil
                else {
                    throw .methodNotAllowed(
                        allowed: endpoint.methods.map(\.rawValue), isGET: request.method == .get)
                }
                return nil
            }
        } catch {
            try rates.pages?.take(network)
            throw error
        }
        try rates.pages?.take(network)
        return endpoint.map {
            EndpointResponse(response: CORS.preflight(request, $0, flows.clients.values))
        }
    }

    /// Runs the handler of an operation, after what its kind checks before.
    private func handle(_ incoming: IncomingRequest) async -> EndpointResponse {
        do throws(Refusal) {
            switch incoming.operation.handler {
            case .page(let handler):
                return await pageRoutes.response(to: incoming, by: handler)
            case .provider(let handler):
                return await handler(events)(incoming)
            case .application(let handler):
                try incoming.count(in: rates)
                return try await handler(applications)(incoming)
            case .account(let isChange, let handler):
                try incoming.count(in: rates)
                // The Firebase ID token is verified before the body is read.
                let user = try await incoming.call(
                    await incoming.flows.accounts.user(BearerField.token(incoming.request), isForChange: isChange))
                incoming.notes.note(uid: user.uid)
                return .json(try await handler(accounts)(incoming, user))
            }
        } catch {
            return .refusal(BearerField.explained(error, incoming.request), requestID: incoming.requestID)
        }
    }

    private func audit(_ response: EndpointResponse, of incoming: IncomingRequest) {
        // What was committed is audited also if the request failed afterwards.
        if let completed = incoming.notes.completed { record(.completed(completed), of: incoming) }
        if let reason = response.reason, isAuditable(reason, incoming.address) {
            record(.refusal, of: incoming, because: reason)
        }
    }

    private func record(_ kind: AuditEvent.Kind, of incoming: IncomingRequest, because reason: Reason? = nil) {
        auditTrail.record(
            AuditEvent(
                kind: kind, time: Timestamp(milliseconds: time.milliseconds()), requestID: incoming.requestID,
                endpoint: incoming.endpoint.label, subject: incoming.notes.subject, reason: reason?.rawValue))
    }

    /// Whether a refusal is audited: only some reasons are, at a rate for each network.
    private func isAuditable(_ reason: Reason, _ address: ClientNetwork) -> Bool {
        guard reason.isAudited else { return false }
        do {
            try rates.auditedRefusals?.take(address)
            return true
        } catch {
            return false
        }
    }

    private static let loggedMethods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch,
    ]

    private func log(
        _ request: Request, _ context: ListenerContext, _ requestID: String, _ endpoint: String, _ status: Int,
        _ took: Duration, _ response: EndpointResponse, _ scriptFinding: String?
    ) {
        let logger = context.logger
        let failure = response.failure
        // Errors contain names, times and statuses, never tokens, so that they may be logged.
        let isOurs = (failure?.reason.status ?? 0) >= 500
        let level = isOurs ? Logger.Level.error : failure?.concernsOperator == true ? .warning : .info
        guard logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "request_id": "\(requestID)", "endpoint": "\(endpoint)", "status": "\(status)",
            "duration_ms": "\(took.millisecondsText)",
            // A stream of HTTP/2 is below its connection, which is below the listener.
            "protocol": context.channel.parent?.parent == nil
                ? "\(MessageRules.oldVersion(of: request) ?? "HTTP/1.1")" : "HTTP/2",
        ]
        // A client may send any word as the method.
        metadata["method"] = Self.loggedMethods.contains(request.method) ? "\(request.method.rawValue)" : nil
        metadata["response_bytes"] = response.response.body.contentLength.map { "\($0)" }
        metadata["reason"] = response.reason.map { "\($0.rawValue)" }
        metadata["client"] = failure == nil ? nil : response.client.map { "\($0)" }
        metadata["provider"] = failure == nil ? nil : response.provider.map { "\($0)" }
        // A script that cannot read any response needs that first, except if the server failed, or has the origins of the client. The
        // description of a refusal is a constant; a finding says more.
        let ofScript = isOurs || failure?.reason == .originNotAllowed ? nil : scriptFinding
        let finding = ofScript ?? failure?.finding ?? scriptFinding ?? failure?.description
        if let finding {
            let isOfTime = [.notYetValid, .expired].contains(failure?.reason)
            let clock = isOfTime ? LastCall.current?.clock : nil
            metadata[isOurs ? "error" : "finding"] = "\(finding)\(clock.map { "; \($0)" } ?? "")"
        }
        if let cause = failure?.cause as? ProviderFailure, case .refusedClient(let refusal) = cause {
            metadata["cause"] = "\(refusal.rawValue)"
        }
        if let failure, let call = LastCall.current {
            let refused = call.refused
            if failure.cause is ProviderFailure || refused != nil {
                metadata["provider_call"] = call.text.map { "\($0)" }
            }
            let words = failure.words ?? refused.flatMap { ProviderWords.of($0.response, to: $0.request) }
            metadata["provider_says"] = words.map { "\($0)" }
        }
        let advice =
            (failure?.cause as? any AdvisingCause)?.advice ?? (failure?.cause as? StoreError).flatMap(storeAdvice)
        metadata["advice"] = advice.map { "\($0)" }
        logger.log(level: level, "request", metadata: metadata)
    }
}

extension Duration {
    /// The duration in milliseconds with three decimals: `12.345`.
    var millisecondsText: String {
        let microseconds = Int64(self / .microseconds(1))
        let digits = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
