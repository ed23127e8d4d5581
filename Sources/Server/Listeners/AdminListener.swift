internal import HTTPTypes
package import Hummingbird
internal import Jansson
internal import NIOCore
internal import Standards

/// The admin listener: the state of the process, its readiness and its metrics.
package struct AdminListener: HTTPResponder {
    package typealias Context = ListenerContext

    private let health: HealthRoutes
    private let metrics: RecentValue<String>

    /// Creates the listener.
    ///
    /// - Parameters:
    ///   - readiness: The checks of `/readyz`.
    ///   - concurrencyLimit: Reports whether the server is shutting down.
    ///   - samples: Returns the values that are read only for `/metrics`. It must not wait for a component that may fail.
    package init(
        readiness: Readiness, concurrencyLimit: ConcurrencyLimit, metrics: Metrics,
        samples: @escaping @Sendable () async -> [MetricSample] = { [] },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        health = HealthRoutes(readiness, concurrencyLimit)
        self.metrics = RecentValue(now: now) { metrics.text(concurrencyLimit, await samples()) }
    }

    package func respond(to request: Request, context: ListenerContext) async throws -> Response {
        let requestID = RequestIdentifier.make()
        var response = await self.response(to: request, requestID)
        response.secure(requestID: requestID)
        // RFC 9110 §9.3.2: a response to HEAD has no body. The client would read one as the next response.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func response(to request: Request, _ requestID: String) async -> Response {
        do {
            try MessageRules.check(request)
        } catch {
            return .refusal(ErrorResponse(error), requestID: requestID)
        }
        let path = request.head.path ?? ""
        guard HealthRoutes.paths.contains(path) || path == "/metrics"
        else { return .refusal(ErrorResponse(.notFoundAtAdminListener), requestID: requestID) }
        guard request.method == .get
        else { return .refusal(ErrorResponse(.methodNotAllowed(allowed: ["GET"])), requestID: requestID) }
        guard path == "/metrics" else { return await health.response(at: path) }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: await metrics.value())))
    }
}

/// The responses of the paths that probes call: on the admin listener, or on the public one if there is no admin listener.
struct HealthRoutes: Sendable {
    static let paths = ["/healthz", "/readyz"]

    private let readiness: Readiness
    private let concurrencyLimit: ConcurrencyLimit

    init(_ readiness: Readiness, _ concurrencyLimit: ConcurrencyLimit) {
        self.readiness = readiness
        self.concurrencyLimit = concurrencyLimit
    }

    /// Responds with the state of the process, or with its readiness.
    ///
    /// - Parameters:
    ///   - path: One of ``paths``.
    ///   - isPublic: Whether anyone may read the response, which then has no warnings: they describe the deployment.
    func response(at path: String, isPublic: Bool = false) async -> Response {
        guard path == "/readyz" else { return .json(.object(["status": .string("ok")])) }
        var findings = concurrencyLimit.isEnding ? .failing("draining") : await readiness.findings()
        if isPublic { findings.warnings = [] }
        return Self.response(to: findings)
    }

    private static func response(to findings: Readiness.Findings) -> Response {
        let isReady = findings.failing.isEmpty
        var members: [String: JSON] = ["status": .string(isReady ? "ready" : "unavailable")]
        if !isReady { members["failing"] = .array(findings.failing.map(JSON.string)) }
        if !findings.warnings.isEmpty { members["warnings"] = .array(findings.warnings.map(JSON.string)) }
        return .json(.object(members), status: isReady ? .ok : .serviceUnavailable)
    }
}
