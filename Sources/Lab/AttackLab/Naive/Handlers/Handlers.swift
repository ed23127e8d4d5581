internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Jansson

/// The handlers of all endpoints, with the parts that they use.
struct Handlers: Sendable {
    let environment: BackendEnvironment
    let publicOrigin = PublicOrigin()
    let yahoo: Yahoo
    let x: X
    let flows: NaiveFlows
    let handoffs: Handoffs
    let nonces: NonceIssuer
    let accounts: AccountTable
    let tokens: CustomTokens
    private let registrations: Registrations

    init(
        environment: BackendEnvironment, peer: PeerClient, registrations: Registrations,
        surroundings: NaiveBackend.Surroundings
    ) throws {
        self.environment = environment
        self.registrations = registrations
        let used = try SpentStore(environment)
        let (yahoo, x) = (registrations.yahoo, registrations.x)
        self.yahoo = Yahoo(
            issuer: surroundings.yahoo, clientID: yahoo.clientID,
            codes: CodeGrant(
                endpoint: surroundings.yahoo + "/oauth2/get_token", clientID: yahoo.clientID,
                clientSecret: yahoo.clientSecret, provider: Yahoo.id, peer: peer, used: used, environment: environment),
            signatures: SignatureCheck(
                environment: environment, peer: peer,
                keys: KeySet(surroundings.yahoo + "/openid/v1/certs", peer: peer, environment: environment),
                clientSecret: yahoo.clientSecret),
            peer: peer, used: used, environment: environment)
        self.x = X(
            origin: surroundings.x, clientID: x.clientID, consumer: registrations.consumer,
            codes: CodeGrant(
                endpoint: surroundings.x + "/2/oauth2/token", clientID: x.clientID, clientSecret: x.clientSecret,
                provider: X.id, peer: peer, used: used, environment: environment),
            peer: peer, used: used, environment: environment)
        flows = NaiveFlows(environment)
        handoffs = Handoffs(environment, used: used)
        nonces = try NonceIssuer(environment)
        accounts = AccountTable(environment)
        tokens = try CustomTokens(file: surroundings.serviceAccount, environment: environment)
    }

    func answer(_ incoming: IncomingRequest, _ endpoint: Endpoint) async throws(Refusal) -> Response {
        switch endpoint {
        case .exchange: .json(try await exchange(incoming))
        case .nonce: .json(try await nonce(incoming))
        case .token: .json(try await token(incoming))
        case .metadata: .json(await metadata())
        case .health: .json(.object(["status": .string("ok")]))
        case .authorize:
            incoming.request.method == .get ? try await authorize(incoming) : try await choose(incoming)
        case .callback: try await callback(incoming)
        case .debug: .json(configuration)
        }
    }

    /// Finds the client, and checks that the provider exists.
    func admit(_ client: String, _ provider: String) throws(Refusal) -> Client {
        guard let found = Client.named(client, environment: environment) else {
            throw .unknownClient.with(input: client)
        }
        guard [Yahoo.id, X.id].contains(where: { same($0, provider) }) else {
            throw .unknownProvider.with(input: provider)
        }
        return found
    }

    /// The response of every successful sign-in.
    ///
    /// `uid` is the one that the request contains. It counts only because of a mistake.
    func members(of identity: Identity, asking uid: String?) async throws(Refusal) -> [String: JSON] {
        let (uid, isNew) = await accounts.uid(of: identity, asked: uid)
        return [
            "custom_token": .string(try tokens.mint(uid, for: identity)), "expires_in": .integer(tokens.lifetime),
            "uid": .string(uid), "is_new_user": .bool(isNew), "provider": .string(identity.provider),
            "provider_uid": .string(identity.subject), "audience_proof": .string(identity.proof),
            "profile": .object(identity.profile),
        ]
    }

    private func metadata() async -> JSON {
        let origin = await publicOrigin.origin
        func texts(_ values: String...) -> JSON { .array(values.map(JSON.string)) }
        return .object([
            "issuer": .string(origin), "token_endpoint": .string(origin + Endpoint.token.rawValue),
            "authorization_endpoint": .string(origin + Endpoint.authorize.rawValue),
            "token_endpoint_auth_methods_supported": texts("none"),
            "grant_types_supported": texts("authorization_code", TokenGrant.exchange),
            "response_types_supported": texts("code"), "response_modes_supported": texts("query"),
            "code_challenge_methods_supported": texts("S256"),
            "authorization_response_iss_parameter_supported": .bool(true),
        ])
    }

    /// The whole configuration with its secrets, for a debug endpoint that a developer forgot to remove.
    private var configuration: JSON {
        .object([
            "clients": .array(Client.all.map { .string($0.id) }),
            "yahoo": .object([
                "client_id": .string(registrations.yahoo.clientID),
                "client_secret": .string(registrations.yahoo.clientSecret),
            ]),
            "x": .object([
                "client_id": .string(registrations.x.clientID), "client_secret": .string(registrations.x.clientSecret),
                "consumer_key": .string(registrations.consumer.key),
                "consumer_secret": .string(registrations.consumer.secret),
            ]),
        ])
    }
}
