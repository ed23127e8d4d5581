internal import AttackLab
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Jansson

/// All parts together, and which of them answers what.
struct Desk: Sendable {
    let kit: Kit
    let place = Place()
    let yahoo: Yahoo
    let x: X
    let flows: Flows
    let handoffs: Handoffs
    let nonces: NonceDesk
    let people: People
    let tokens: CustomTokens
    private let registrations: Registrations

    init(
        kit: Kit, peer: Peer, registrations: Registrations, surroundings: NaiveBackend.Surroundings
    ) throws {
        self.kit = kit
        self.registrations = registrations
        let used = try UsedOnce(kit)
        let (yahoo, x) = (registrations.yahoo, registrations.x)
        self.yahoo = Yahoo(
            issuer: surroundings.yahoo, clientID: yahoo.clientID,
            codes: CodeGrant(
                endpoint: surroundings.yahoo + "/oauth2/get_token", clientID: yahoo.clientID,
                clientSecret: yahoo.clientSecret, provider: Yahoo.id, peer: peer, used: used, kit: kit),
            signatures: SignatureCheck(
                kit: kit, peer: peer, keys: KeySet(surroundings.yahoo + "/openid/v1/certs", peer: peer, kit: kit),
                clientSecret: yahoo.clientSecret),
            peer: peer, used: used, kit: kit)
        self.x = X(
            origin: surroundings.x, clientID: x.clientID, consumer: registrations.consumer,
            codes: CodeGrant(
                endpoint: surroundings.x + "/2/oauth2/token", clientID: x.clientID, clientSecret: x.clientSecret,
                provider: X.id, peer: peer, used: used, kit: kit),
            peer: peer, used: used, kit: kit)
        flows = Flows(kit)
        handoffs = Handoffs(kit, used: used)
        nonces = try NonceDesk(kit)
        people = People(kit)
        tokens = try CustomTokens(file: surroundings.serviceAccount, kit: kit)
    }

    func answer(_ visit: Visit, _ endpoint: Endpoint) async throws(Refusal) -> Response {
        switch endpoint {
        case .exchange: .json(try await exchange(visit))
        case .nonce: .json(try await nonce(visit))
        case .token: .json(try await token(visit))
        case .metadata: .json(await metadata())
        case .health: .json(.object(["status": .string("ok")]))
        case .authorize:
            visit.request.method == .get ? try await authorize(visit) : try await choose(visit)
        case .callback: try await callback(visit)
        case .debug: .json(configuration)
        }
    }

    /// Who may ask for what.
    func admit(_ client: String, _ provider: String) throws(Refusal) -> Client {
        guard let found = Client.named(client, kit: kit) else { throw .unknownClient.with(input: client) }
        guard [Yahoo.id, X.id].contains(where: { same($0, provider) }) else {
            throw .unknownProvider.with(input: provider)
        }
        return found
    }

    /// Every successful sign-in ends in this object.
    ///
    /// - `uid`: that the request asked for, which it has no business to.
    func members(of person: Person, asking uid: String?) async throws(Refusal) -> [String: JSON] {
        let (uid, isNew) = await people.uid(of: person, asked: uid)
        return [
            "custom_token": .string(try tokens.mint(uid, for: person)), "expires_in": .integer(tokens.lifetime),
            "uid": .string(uid), "is_new_user": .bool(isNew), "provider": .string(person.provider),
            "provider_uid": .string(person.subject), "audience_proof": .string(person.proof),
            "profile": .object(person.profile),
        ]
    }

    private func metadata() async -> JSON {
        let origin = await place.origin
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

    /// All of it, secrets and all: for a developer's eyes, and forgotten.
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
