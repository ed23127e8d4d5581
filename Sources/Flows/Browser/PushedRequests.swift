internal import Firebase
internal import JOSE
internal import Jansson
internal import Providers
package import Standards

/// The response to a pushed authorization request (RFC 9126 §2.2).
package struct PushedRequest: Sendable {
    package let requestURI: Secret
    /// The lifetime in seconds.
    package let expiresIn: Int64

    static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"

    /// Returns the sealed content of a `request_uri`; `nil` if it has another form.
    static func sealedContent(of requestURI: String) -> String? {
        guard requestURI.utf8.starts(with: requestURIPrefix.utf8) else { return nil }
        return String(decoding: requestURI.utf8.dropFirst(requestURIPrefix.utf8.count), as: UTF8.self)
    }
}

/// Pushed authorization requests (RFC 9126), which are sealed into their `request_uri` and not stored.
struct PushedRequests: Sendable {
    let registrations: Registrations
    let callers: Callers
    let freshLogin: FreshLoginCheck
    let seal: Seal
    let time: TimeSource
    let random: RandomSource

    /// Accepts a request.
    ///
    /// - Parameters:
    ///   - parameters: The form.
    ///   - user: The user whose account a request with an `intent` is for. Such a request requires one.
    /// - Throws: The error of the first parameter that is wrong.
    func push(_ parameters: Parameters, for user: FirebaseUser?) async throws -> PushedRequest {
        let client = try registrations.client(parameters)
        // RFC 9126 §2.1: "The request_uri authorization request parameter […] MUST NOT be provided".
        guard parameters["request_uri"] == nil else { throw Refusal.parameterNotAllowed("request_uri") }
        let address = try AuthorizationRequest.returnAddress(parameters, of: client)
        let request = try AuthorizationRequest(
            parameters, of: client, returningTo: address, known: registrations.parametersOfProviders(of: client),
            intent: try await callers.intent(purpose(parameters), of: user, client: client))
        if let id = request.provider {
            let provider = try registrations.authorize(client.id, id).provider
            let flow = try freshLogin.flow(request.flow, for: request.intent?.purpose, at: provider)
            guard provider.allows(scopes: request.scopes, flow: flow) else { throw Refusal.scopeNotAllowed }
        }
        let sealed = try sealed(request, for: client)
        // The sealed text must fit into a request target, and its content into a cookie.
        guard sealed.utf8.count <= 3000 else { throw Refusal.requestTooLarge }
        return PushedRequest(
            requestURI: Secret(PushedRequest.requestURIPrefix + sealed),
            expiresIn: AuthorizationRequest.Pushed.lifetime.components.seconds)
    }

    private func purpose(_ parameters: Parameters) throws -> AccountIntent.Purpose? {
        guard let text = parameters["intent"] else { return nil }
        guard let purpose = AccountIntent.Purpose(rawValue: text) else {
            throw Refusal.parameterMalformed("intent", "is neither link nor reauthenticate")
        }
        return purpose
    }

    private func sealed(
        _ request: AuthorizationRequest, for client: RegisteredClient
    ) throws -> String {
        let content = JSON.object([
            "id": .string(try random.unguessableText()),
            "exp": .integer((time.now() + AuthorizationRequest.Pushed.lifetime).seconds), "request": request.json,
        ])
        return try seal.seal(content, as: .pushedRequest, for: client.id.text)
    }

    /// Returns the content of a `request_uri`, which may be expired or spent.
    ///
    /// - Throws: ``Refusal/unknownRequestURI`` if it was not made for this client.
    func opened(_ requestURI: String, of client: RegisteredClient) throws -> AuthorizationRequest {
        guard let sealed = PushedRequest.sealedContent(of: requestURI) else {
            throw Refusal.unknownRequestURI.with(
                finding: "request_uri is not one that /par returns, which begins with "
                    + "\(PushedRequest.requestURIPrefix): request objects (RFC 9101) are not supported")
        }
        guard
            let content = seal.open(sealed, as: .pushedRequest, for: client.id.text),
            let id = content["id"]?.string, let expiry = content["exp"]?.integer,
            let request = content["request"].flatMap(AuthorizationRequest.init)
        else { throw Refusal.unknownRequestURI }
        return request.with(AuthorizationRequest.Pushed(id: id, expiry: NumericDate(expiry)))
    }

    /// Checks that a request may still be opened (RFC 9126 §2.2).
    ///
    /// Opening it spends nothing: previews and scanners open a link as well, before its person does.
    ///
    /// - Throws: A refusal for ``Reason/expired``.
    func checkLifetime(of request: AuthorizationRequest) throws {
        guard let pushed = request.pushed, time.now() < pushed.expiry else {
            throw Refusal(.expired, "The request_uri is older than 90 seconds. Push the request again at /par.")
        }
    }
}
