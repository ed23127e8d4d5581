package import JOSE
internal import Jansson
internal import OAuth
package import Transport

/// Where Identity Toolkit is, and who asks it.
package struct IdentityToolkitEndpoint: Sendable {
    private let origin: String
    private let project: String
    private(set) var tenantID: String?
    /// When a call of several questions is over; nil for a question that stands by itself.
    private(set) var deadline: NumericDate?
    private let tokens: AccessTokenSource
    private let transport: HTTPTransport
    let time: TimeSource
    let patience: IdentityToolkitPatience

    /// - `origin`: `https://identitytoolkit.googleapis.com`, or an emulator's
    ///   `http://localhost:9099/identitytoolkit.googleapis.com`; without a slash at the end.
    /// - `tenantID`: nil for the users of the project itself.
    package init(
        origin: String, projectID: String, tenantID: String?, tokens: AccessTokenSource, transport: HTTPTransport,
        time: TimeSource, patience: IdentityToolkitPatience = IdentityToolkitPatience()
    ) {
        self.origin = origin
        project = PercentEncoding.encode(projectID)
        self.tenantID = tenantID
        self.tokens = tokens
        self.transport = transport
        self.time = time
        self.patience = patience
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

    /// Asks as an administrator of the project.
    func ask(_ method: String, _ body: JSON, _ effect: Effect) async throws(IdentityToolkitError) -> JSON {
        let tenant = tenantID.map { "/tenants/" + PercentEncoding.encode($0) } ?? ""
        let url = "\(origin)/v1/projects/\(project)\(tenant)/\(method)"
        var refused: Secret?
        while true {
            let token = try await accessToken(unless: refused)
            let authorization = HeaderField("Authorization", "Bearer " + token.secretText)
            do {
                return try await send(url, body, [authorization], effect)
            } catch .unauthenticated where refused == nil {
                // Nothing was done. Once, with another token.
                refused = token
            }
        }
    }

    /// Asks as a client of the project, who has an API key and no access token.
    ///
    /// A sign-in counts as reading: one whose answer is lost has given nothing to this server, and may be asked for
    /// again.
    func signIn(_ method: String, _ body: JSON, apiKey: Secret) async throws(IdentityToolkitError) -> JSON {
        let key = PercentEncoding.encode(apiKey.secretText)
        return try await send("\(origin)/v1/\(method)?key=\(key)", body, [], .reading)
    }

    private func accessToken(unless refused: Secret?) async throws(IdentityToolkitError) -> Secret {
        do {
            return try await tokens.token(refused)
        } catch {
            throw .accessToken(error)
        }
    }

    private func send(
        _ url: String, _ body: JSON, _ authorization: [HeaderField], _ effect: Effect
    ) async throws(IdentityToolkitError) -> JSON {
        let header = [HeaderField("Content-Type", "application/json"), HeaderField("Accept", "application/json")]
        var request = OutboundRequest(
            .post, url, header: header + authorization, body: body.serialized(), maximumBodyBytes: 2 * 1024 * 1024)
        var effort = IdentityToolkitEffort(patience, since: time.now(), until: deadline)
        guard effort.hasTime(at: time.now()) else {
            throw .unreachable(.timedOut(host: origin, requestSent: false))
        }
        while true {
            request.timeout = effort.timeout(of: effect, at: time.now())
            let failure: IdentityToolkitFailure
            do {
                return try await IdentityToolkitFailure.answer(to: request, from: transport, effect)
            } catch {
                failure = error
            }
            guard let pause = effort.pause(after: failure, effect, at: time.now()) else {
                throw effort.verdict(on: failure.error)
            }
            await patience.pause(pause)
        }
    }

    /// What a question does, and so whether it may be asked again.
    enum Effect: Sendable {
        case reading
        /// Asked twice it does no more than asked once.
        case repeatable
        /// Asked again only if it certainly did not arrive.
        case once
    }
}
