package import Flows
internal import HTTPTypes
package import Hummingbird
package import JOSE
internal import Logging
package import Pages
internal import Providers
internal import Synchronization

/// The public listener: finds the endpoint, lets its route answer, and signs the answer.
///
/// It decides nothing.
package struct PublicListener: HTTPResponder {
    package typealias Context = ListenerContext

    private let corridor: @Sendable () -> Corridor
    private let limits: ServerLimits
    private let addresses: ClientAddress
    private let admission: Admission
    private let rates: Rates
    private let metrics: Metrics
    private let applications: ApplicationRoutes
    private let people: PageRoutes
    private let audit: AuditTrail
    private let time: TimeSource
    private let forwardingNotice = FirstTime()

    /// - `corridor`: asked at each request, since a reload makes another one.
    package init(
        corridor: @escaping @Sendable () -> Corridor, limits: ServerLimits, addresses: ClientAddress,
        admission: Admission, metrics: Metrics, audit: AuditTrail, pages: PageRenderer, time: TimeSource
    ) {
        self.corridor = corridor
        self.limits = limits
        self.addresses = addresses
        self.admission = admission
        self.metrics = metrics
        self.audit = audit
        self.time = time
        rates = Rates(limits, time: time)
        applications = ApplicationRoutes(limits: limits, rates: rates, metrics: metrics)
        people = PageRoutes(limits: limits, rates: rates, pages: pages)
    }

    package func respond(to request: Request, context: ListenerContext) async throws -> Response {
        let began = ContinuousClock.now
        let corridor = corridor()
        let requestID = RequestIdentifier.make()
        let endpoint = Endpoint(path: IncomingRequest.path(of: request))
        var answer = await answer(request, endpoint, corridor, requestID, context)
        answer.response.secure(requestID: requestID)
        if endpoint?.audience != .person, answer.reason != .originNotAllowed,
            let origin = CORS.grantedOrigin(request, corridor.clients.values)
        {
            CORS.grant(origin, to: &answer.response)
        }
        let label = endpoint?.label ?? "other"
        let status = answer.response.status.code
        let took = ContinuousClock.now - began
        metrics.record(endpoint: label, status: status, reason: answer.reason, took: took)
        log(context.logger, requestID, label, status, took, answer.reason, answer.failure)
        // RFC 9110 §9.3.2: what follows the header of an answer to HEAD is the next answer.
        return request.method == .head ? answer.response.createHeadResponse() : answer.response
    }

    private func answer(
        _ request: Request, _ endpoint: Endpoint?, _ corridor: Corridor, _ requestID: String, _ context: ListenerContext
    ) async -> EndpointResponse {
        do throws(RequestError) {
            try MessageRules.check(request)
            try HeaderLimits.check(request, limits)
            guard let endpoint else { throw .notFound }
            if request.method == .options, endpoint.audience == .application, CORS.isPreflight(request) {
                return EndpointResponse(response: CORS.preflight(request, endpoint, corridor.clients.values))
            }
            guard endpoint.methods.contains(request.method)
            else { throw .methodNotAllowed(allowed: endpoint.methods.map(\.rawValue)) }
            // Before anything is verified or spent for a token that could not be signed.
            guard !(endpoint.mints && corridor.isOverloaded) else { throw .overloaded }
            try admission.enter()
            defer { admission.leave() }
            let incoming = IncomingRequest(
                request: request, endpoint: endpoint, requestID: requestID, corridor: corridor,
                address: address(of: request, context), admission: admission, logger: context.logger)
            return record(incoming, await answer(incoming))
        } catch {
            return endpoint?.audience == .person
                ? people.refusal(error, request, requestID, issuer: corridor.issuer)
                : .refusal(error, requestID: requestID)
        }
    }

    private func answer(_ incoming: IncomingRequest) async -> EndpointResponse {
        switch incoming.endpoint.audience {
        case .person: return await people.answer(incoming)
        case .application:
            do {
                return try await applications.answer(incoming)
            } catch {
                return .refusal(error, requestID: incoming.requestID)
            }
        }
    }

    private func record(_ incoming: IncomingRequest, _ answer: EndpointResponse) -> EndpointResponse {
        if let kind = answer.reason == nil ? incoming.notes.done : .refusal, isTold(answer.reason, incoming.address) {
            audit.record(
                AuditEvent(
                    kind: kind, time: Timestamp(milliseconds: time.milliseconds()), requestID: incoming.requestID,
                    endpoint: incoming.endpoint.label,
                    subject: incoming.notes.subject, reason: answer.reason?.rawValue))
        }
        return answer
    }

    /// Successes are always audited; refusals only if the reason is audited, and rate-limited per network.
    private func isTold(_ reason: Reason?, _ address: ClientNetwork) -> Bool {
        guard let reason else { return true }
        guard reason.isAudited else { return false }
        do {
            try rates.auditedRefusals?.admit(address)
            return true
        } catch {
            return false
        }
    }

    private func address(of request: Request, _ context: ListenerContext) -> ClientNetwork {
        let forwardedFor = request.headers.filter { $0.name.canonicalName == "x-forwarded-for" }.map(\.value)
        if addresses.ignores(forwardedFor, of: context.peerAddress), forwardingNotice.isFirst() {
            context.logger.warning(
                "X-Forwarded-For is ignored; later ones are not reported",
                metadata: [
                    "address": "\(context.peerAddress ?? "unknown")",
                    "advice": """
                    if this is your proxy, name it in server.trusted_proxies: until then all of its clients share the \
                    limits of one address
                    """,
                ])
        }
        return addresses.network(peer: context.peerAddress, forwardedFor: forwardedFor)
    }

    private func log(
        _ logger: Logger, _ requestID: String, _ endpoint: String, _ status: Int, _ took: Duration, _ reason: Reason?,
        _ failure: RequestError?
    ) {
        // Errors hold names, times and statuses; what failed on our side the operator has to see.
        let isOurs = failure.map { ErrorTable.response(to: $0).status >= 500 } ?? false
        let level = isOurs ? Logger.Level.error : .info
        guard logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "request_id": "\(requestID)", "endpoint": "\(endpoint)", "status": "\(status)",
            "duration_ms": "\(took.millisecondsText)",
        ]
        metadata["reason"] = reason.map { "\($0.rawValue)" }
        if isOurs { metadata["error"] = failure.map { "\($0)" } }
        if case .signIn(let error) = failure, let refusal = error.clientRefusal {
            metadata["cause"] = "\(refusal.rawValue)"
            metadata["advice"] = "\(refusal.advice)"
        }
        logger.log(level: level, "request", metadata: metadata)
    }
}

extension Duration {
    /// Milliseconds with three decimals: `12.345`.
    var millisecondsText: String {
        let microseconds = Int64(self / .microseconds(1))
        let digits = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}

/// Something that is reported once in the life of the process, so that a client cannot fill the log with it.
final class FirstTime: Sendable {
    private let hasHappened = Atomic(false)

    /// Returns true to the first caller only.
    func isFirst() -> Bool {
        !hasHappened.exchange(true, ordering: .relaxed)
    }
}
