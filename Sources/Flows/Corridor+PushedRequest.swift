package import Firebase
internal import JOSE
internal import Jansson
package import OAuth
internal import Providers
internal import Sealing
internal import Stores

extension Corridor {
    static let pushedRequestLifetime = Duration.seconds(90)
    static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"

    /// Takes an authorization request beforehand (RFC 9126 §2); nothing is stored.
    ///
    /// - `user`: whose account it is for, where it has an `intent`; it then needs one.
    package func push(
        _ parameters: Parameters, for user: FirebaseUser? = nil
    ) async throws(SignInError) -> PushedRequest {
        let client = try client(parameters)
        // RFC 9126 §2.1.
        guard parameters["request_uri"] == nil else { throw .parameterNotAllowed("request_uri") }
        let address = try AuthorizationRequest.returnAddress(parameters, of: client)
        let request = try AuthorizationRequest(
            parameters, of: client, returningTo: address, known: parametersOfProviders(of: client),
            intent: try await intent(purpose(parameters), of: user, client: client))
        if let id = request.provider {
            let provider = try admit(client.id, id).1
            let flow = try flow(request.flow, for: request.intent?.purpose, at: provider)
            guard provider.allows(scopes: request.scopes, flow: flow) else { throw .scopeNotAllowed }
        }
        let sealed = try sealed(request, for: client)
        // It must fit into a request target, and its content into a cookie.
        guard sealed.utf8.count <= 3000 else { throw .requestTooLarge }
        return PushedRequest(
            requestURI: Secret(Self.requestURIPrefix + sealed),
            expiresIn: Self.pushedRequestLifetime.components.seconds)
    }

    private func purpose(_ parameters: Parameters) throws(SignInError) -> AccountIntent.Purpose? {
        guard let text = parameters["intent"] else { return nil }
        guard let purpose = AccountIntent.Purpose(rawValue: text) else { throw .parameterMalformed("intent") }
        return purpose
    }

    private func sealed(
        _ request: AuthorizationRequest, for client: RegisteredClient
    ) throws(SignInError) -> String {
        do {
            let content = JSON.object([
                "id": .string(try random.unguessableText()),
                "exp": .integer((time.now() + Self.pushedRequestLifetime).seconds), "request": request.json,
            ])
            return try seal.seal(content, as: .pushedRequest, for: client.id.text)
        } catch {
            throw .random(RandomFailure())
        }
    }

    /// The request behind a `request_uri`, for its one use (RFC 9126 §4).
    func pulled(_ requestURI: String, of client: RegisteredClient) async throws(SignInError) -> AuthorizationRequest {
        guard
            requestURI.utf8.starts(with: Self.requestURIPrefix.utf8),
            let content = seal.open(
                String(decoding: requestURI.utf8.dropFirst(Self.requestURIPrefix.utf8.count), as: UTF8.self),
                as: .pushedRequest, for: client.id.text),
            let id = content["id"]?.string, let expiry = content["exp"]?.integer,
            let request = content["request"].flatMap(AuthorizationRequest.init)
        else { throw .unknownRequestURI }
        guard time.now() < NumericDate(expiry) else { throw .requestURIExpired }
        do {
            try await spend(
                SpentRecord(
                    .pushedRequest, of: [Array(id.utf8)], issuedAt: NumericDate(expiry) - Self.pushedRequestLifetime,
                    expiresAt: NumericDate(expiry) + .seconds(60)))
        } catch .session(.replayed) {
            throw .requestURIReplayed
        }
        return request
    }

    /// The client of a form (RFC 6749 §3.2.1): public, so that its id is all there is.
    func client(_ parameters: Parameters) throws(SignInError) -> RegisteredClient {
        guard let id = parameters["client_id"] else { throw .parameterMissing("client_id") }
        guard let client = clients[ClientID(id)] else { throw .unknownClient }
        return client
    }
}
