package import JOSE
internal import Jansson
internal import Standards
package import Transport

/// The URL of Identity Toolkit, the project, and the access tokens of the calls.
package struct IdentityToolkitEndpoint: Sendable {
    private let origin: String
    private let project: String
    private(set) var tenantID: String?
    /// The deadline of an operation that makes several calls; `nil` for a single call.
    private(set) var deadline: NumericDate?
    private let tokens: AccessTokenSource
    private let transport: HTTPTransport
    let time: TimeSource
    let retries: IdentityToolkitRetryPolicy

    /// Makes an endpoint for single calls, without a common deadline.
    ///
    /// - Parameters:
    ///   - origin: `https://identitytoolkit.googleapis.com`, or an emulator's
    ///     `http://localhost:9099/identitytoolkit.googleapis.com`, without a slash at the end.
    ///   - tenantID: The tenant of the users; `nil` for users outside any tenant.
    package init(
        origin: String, projectID: String, tenantID: String?, tokens: AccessTokenSource, transport: HTTPTransport,
        time: TimeSource, retries: IdentityToolkitRetryPolicy
    ) {
        self.origin = origin
        project = PercentEncoding.encode(projectID)
        self.tenantID = tenantID
        self.tokens = tokens
        self.transport = transport
        self.time = time
        self.retries = retries
    }

    func of(tenantID: String?) -> Self {
        var endpoint = self
        endpoint.tenantID = tenantID
        return endpoint
    }

    func until(_ deadline: NumericDate) -> Self {
        var endpoint = self
        endpoint.deadline = deadline
        return endpoint
    }

    /// Calls a method as an administrator of the project.
    func call(_ method: String, _ body: JSON, _ effect: Effect) async throws(IdentityToolkitError) -> JSON {
        try await call(.post, method, body.serialized(), effect)
    }

    /// Gets the result of a method, with a query, as an administrator of the project.
    func get(_ method: String, _ query: [(String, String)]) async throws(IdentityToolkitError) -> JSON {
        let query = query.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        return try await call(.get, "\(method)?\(query)", [], .reading)
    }

    private func call(
        _ verb: OutboundRequest.Method, _ method: String, _ body: [UInt8], _ effect: Effect
    ) async throws(IdentityToolkitError) -> JSON {
        let tenant = tenantID.map { "/tenants/" + PercentEncoding.encode($0) } ?? ""
        let url = "\(origin)/v1/projects/\(project)\(tenant)/\(method)"
        var refused: Secret?
        var words: String?
        while true {
            let token: Secret
            do throws(AccessTokenError) {
                token = try await tokens.token(refused)
            } catch {
                throw error == .noOther ? .unauthenticated(says: words) : .accessToken(error)
            }
            let authorization = HeaderField("Authorization", "Bearer " + token.secretText)
            do {
                return try await send(verb, url, body, [authorization], effect)
            } catch .unauthenticated(let said) where refused == nil {
                // Nothing was written. Repeat the call once, with another token.
                (refused, words) = (token, said)
            }
        }
    }

    /// Calls a method as a client of the project, with an API key and without an access token.
    ///
    /// A sign-in is treated as a call that only reads: if its response is lost, it may be repeated.
    func callAsClient(_ method: String, _ body: JSON, apiKey: Secret) async throws(IdentityToolkitError) -> JSON {
        let key = PercentEncoding.encode(apiKey.secretText)
        return try await send(
            .post, "\(origin)/v1/\(method)?key=\(key)", body.serialized(), [], .reading, hiding: apiKey)
    }

    private func send(
        _ verb: OutboundRequest.Method, _ url: String, _ body: [UInt8], _ authorization: [HeaderField],
        _ effect: Effect, hiding apiKey: Secret? = nil
    ) async throws(IdentityToolkitError) -> JSON {
        let header = [HeaderField("Content-Type", "application/json"), HeaderField("Accept", "application/json")]
        var request = OutboundRequest(
            verb, url, header: header + authorization, body: body, maximumBodyBytes: 2 * 1024 * 1024)
        var attempts = IdentityToolkitAttempts(retries, since: time.now(), until: deadline)
        guard attempts.haveTime(at: time.now()) else {
            throw .unreachable(.timedOut(host: origin, requestSent: false))
        }
        while true {
            request.timeout = attempts.timeout(of: effect, at: time.now())
            switch await Attempt.send(request, over: transport, effect, hiding: apiKey) {
            case .success(let body):
                attempts.succeed()
                return body
            case .failure(let failure):
                guard let pause = attempts.pause(after: failure, effect, at: time.now()) else {
                    throw attempts.error(after: failure.error)
                }
                await retries.pause(pause)
            }
        }
    }

    /// The effect of a call, which decides whether it may be repeated.
    enum Effect: Sendable {
        /// The call writes nothing.
        case reading
        /// The call writes, but may be repeated, because a second time has no further effect.
        case repeatable
        /// The call is repeated only if it certainly was not received.
        case once
    }
}
