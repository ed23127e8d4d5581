package import Providers
package import Standards

/// The clients and providers of the configuration in force, and the issuer of this server.
package struct Registrations: Sendable {
    package let clients: [ClientID: RegisteredClient]
    package let providers: [ProviderID: Provider]
    /// The issuer in metadata and in every response to an application (RFC 8414 §2, RFC 9207 §2).
    package let issuer: String

    /// A client and a provider that it may use.
    struct Registered {
        let client: RegisteredClient
        let provider: Provider
    }

    /// Admits the client and the provider of a request.
    ///
    /// A flow that resumes authorizes them again, since the configuration may have changed meanwhile.
    ///
    /// - Throws: ``Refusal/unknownClient``, ``Refusal/unknownProvider``, or ``Refusal/providerDisabled(_:of:)`` if the
    ///   client may not use the provider.
    func authorize(_ clientID: ClientID, _ providerID: ProviderID) throws -> Registered {
        let client = try client(clientID)
        let provider = try provider(providerID)
        guard client.providers?.contains(providerID) ?? true else {
            throw Refusal.providerDisabled(providerID, of: client)
        }
        return Registered(client: client, provider: provider)
    }

    /// Returns a provider of the configuration.
    ///
    /// - Throws: ``Refusal/unknownProvider``. Its finding has no text of the caller, which may be a secret.
    package func provider(_ id: ProviderID) throws(Refusal) -> Provider {
        if let provider = providers[id] { return provider }
        let configured = providers.keys.map(\.text).sorted()
        let alike = configured.first { $0.lowercased() == id.text.lowercased() }
        throw .unknownProvider.with(
            finding: "the provider of the request "
                + (alike.map { "differs from \($0) in upper and lower case" }
                    ?? "is none of the configuration, which has \(configured.joined(separator: ", "))"))
    }

    /// Admits the client and the provider of a credential that does not stand for its provider.
    func authorize(_ request: ExchangeRequest) throws -> Registered {
        guard let provider = request.provider else { throw Refusal.parameterMissing("provider") }
        return try authorize(request.client, provider)
    }

    /// Returns the client of a request, and authorizes the provider if the request names one.
    func client(_ id: ClientID, naming provider: ProviderID?) throws -> RegisteredClient {
        guard let provider else { return try client(id) }
        return try authorize(id, provider).client
    }

    func client(_ id: ClientID) throws -> RegisteredClient {
        guard let client = clients[id] else {
            throw Refusal.unknownClient(among: clients.keys.map(\.self))
        }
        return client
    }

    /// - Throws: ``Refusal/grantNotAllowed(_:of:)`` if the client's configuration does not list the grant.
    func client(_ id: ClientID, for grant: GrantType) throws -> RegisteredClient {
        let client = try client(id)
        guard client.grants.contains(grant) else { throw Refusal.grantNotAllowed(grant, of: client) }
        return client
    }

    /// The client of a form.
    ///
    /// It is public, so its id is the only thing that it sends (RFC 6749 §3.2.1).
    func client(_ parameters: Parameters) throws -> RegisteredClient {
        guard let id = parameters["client_id"] else { throw Refusal.parameterMissing("client_id", in: parameters) }
        return try client(ClientID(id))
    }

    /// The providers that a client may use, in the order in which pages show them.
    func providers(of client: RegisteredClient) -> [Provider] {
        guard let ids = client.providers else { return providers.values.sorted { $0.id < $1.id } }
        return ids.compactMap { providers[$0] }
    }

    /// The names of parameters that a provider of the client accepts in an authorization request.
    func parametersOfProviders(of client: RegisteredClient) -> Set<String> {
        providers(of: client).reduce(into: []) { $0.formUnion($1.allowedParameters) }
    }

    /// The redirect URI of this server at a provider, for browser and device flows.
    func callbackURI(of provider: ProviderID) -> String { issuer + "/callback/" + provider.text }

    /// An account name as a page shows it, with the name of its provider.
    func shown(_ account: AccountName) -> (name: AccountName, provider: String?) {
        (account, account.provider.map(name))
    }

    /// Returns the name of a provider for a page: that of the configuration, or of a provider that Firebase has itself.
    ///
    /// - Parameter provider: The id of the provider, or of a sign-in method of Firebase.
    /// - Returns: The name; the id of a method that is no provider, such as `password`.
    func name(of provider: ProviderID) -> String {
        providers[provider]?.name ?? Self.namesAtFirebase[provider] ?? provider.text
    }

    /// The names of the providers that Firebase Authentication can be configured with.
    private static let namesAtFirebase: [ProviderID: String] = [
        "apple.com": "Apple", "facebook.com": "Facebook", "gc.apple.com": "Game Center", "github.com": "GitHub",
        "google.com": "Google", "microsoft.com": "Microsoft", "playgames.google.com": "Google Play Games",
        "twitter.com": "X", "yahoo.com": "Yahoo",
    ].reduce(into: [:]) { $0[ProviderID($1.key)] = $1.value }
}

extension Refusal {
    package static let unknownClient = Refusal(
        .unknownClient, "No client with this client_id is configured. Check the client_id.")

    /// The refusal of an id that is none of the configured ones, which the operator reads; the id of the request is not shown.
    package static func unknownClient(among known: [ClientID]) -> Refusal {
        let names = known.map(\.text).sorted().prefix(8).joined(separator: ", ")
        return unknownClient.with(
            finding: "the client_id is none of clients in the configuration, which has \(names)"
                + (known.count > 8 ? " and others" : ""))
    }

    /// - Parameter provider: A provider of the configuration.
    package static func providerDisabled(_ provider: ProviderID, of client: RegisteredClient) -> Refusal {
        Refusal(
            .providerDisabled,
            "This client may not use this provider. Use another provider, or add this one to the providers of the "
                + "client.",
            finding: "the provider is \(provider.text), and clients.\(client.id.text).providers has "
                + listed((client.providers ?? []).map(\.text)))
    }
}
