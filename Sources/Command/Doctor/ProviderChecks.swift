internal import Exchange
internal import JOSE
internal import Logging
internal import Providers
internal import SQLiteStores
internal import Settings
internal import Standards
internal import Stores
internal import Transport
internal import Verification

/// Checks of the registration at each provider.
struct ProviderChecks {
    private let settings: Settings
    private let providers: [Provider]
    private let components: SignInComponents
    private let recorder = CallRecorder()

    init(_ settings: Settings, transport: HTTPTransport, time: TimeSource) throws {
        self.settings = settings
        let transport = recorder.observing(transport)
        providers = Composition.providers(
            settings, transport: transport, time: time,
            logger: Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() },
            keeping: (nil, [:]))
        components = SignInComponents(
            transport: transport, singleUse: SingleUse(store: try SQLiteStore.inMemory(), time: time), time: time)
    }

    func findings() async -> [Finding] {
        await withTaskGroup(of: (Int, [Finding]).self) { group in
            for (index, provider) in providers.enumerated() {
                group.addTask { (index, await findings(of: provider)) }
            }
            var all: [Int: [Finding]] = [:]
            for await (index, findings) in group { all[index] = findings }
            return providers.indices.flatMap { all[$0] ?? [] } + Self.clients(settings)
        }
    }

    /// The clients whose applications cannot be called back after a sign-in in the browser.
    static func clients(_ settings: Settings) -> [Finding] {
        settings.clients.filter { $0.grants.contains(.authorizationCode) && $0.redirectURIs.isEmpty }.map { client in
            Finding(
                "client.redirect_uris", of: client.id.text, .info,
                "This client has the grant authorization_code and no redirect_uris, so that /authorize refuses it. Write the "
                    + "redirect URI of the application, or leave the grant out.")
        }
    }

    private func findings(of provider: Provider) async -> [Finding] {
        var findings = [redirectURIs(of: provider)]
        for (name, signInProtocol) in provider.protocols.sorted(by: { $0.key < $1.key }) {
            let subject = provider.protocols.count > 1 ? "\(provider.id) \(name)" : "\(provider.id)"
            switch signInProtocol {
            case .openIDConnect(let openIDConnect):
                findings += await check(openIDConnect, of: provider, subject)
            case .oauth2(let oauth2):
                let client = await client(of: provider, subject) {
                    try await components.exchanger.checkClient(
                        oauth2.client, redirectURI: callback(of: provider), pkce: oauth2.pkce,
                        errorCodes: oauth2.errorCodes, of: provider)
                }
                findings += [client, proofKey(oauth2.pkce, of: provider, subject)]
                guard client.severity == .ok, provider.acceptedCredentials.contains(.accessToken) else { continue }
                let introspection = await introspection(subject) {
                    try await components.verifier.checkIntrospection(
                        oauth2.introspection, as: oauth2.client, of: provider)
                }
                findings += [introspection].compactMap(\.self)
            case .oauth1(let oauth1):
                findings.append(
                    await client(of: provider, subject, hasFurtherCalls: false) {
                        _ = try await components.exchanger.temporaryCredentials(
                            callback: callback(of: provider), with: oauth1, of: provider)
                    })
            }
        }
        // Without a fault no operator has to know which addresses were asked.
        let isWhole = findings.allSatisfy { $0.severity < .warning }
        return findings + (isWhole ? [] : [recorder.finding("provider.calls", at: provider.id, of: provider.id.text)])
    }

    private func check(_ openIDConnect: OpenIDConnect, of provider: Provider, _ subject: String) async -> [Finding] {
        let endpoints: OpenIDConnectEndpoints
        do throws(DocumentError) {
            endpoints = try await openIDConnect.endpoints()
        } catch {
            return [
                Finding(
                    "provider.metadata", of: subject, .error,
                    "The provider's metadata cannot be used: \(error.sentence)."
                        + SignInFindings.quotation(recorder.words(at: provider.id)),
                    remedy: error.remedy(otherwise: error.advice ?? "Run the command again."))
            ]
        }
        let client = await client(of: provider, subject) {
            try await components.exchanger.checkClient(
                openIDConnect.client(at: endpoints), redirectURI: callback(of: provider), pkce: openIDConnect.pkce,
                errorCodes: openIDConnect.errorCodes, of: provider)
        }
        // With credentials that are refused, introspection would be refused for the same reason.
        let introspection =
            client.severity == .ok
            ? await introspection(subject) {
                try await components.verifier.checkIntrospection(with: openIDConnect, of: provider)
            } : nil
        return [
            Self.finding(of: endpoints, of: subject),
            await keys(openIDConnect, subject), client, proofKey(openIDConnect.pkce, of: provider, subject),
        ] + [introspection].compactMap(\.self)
    }

    /// The finding about metadata that can be read.
    static func finding(of endpoints: OpenIDConnectEndpoints, of subject: String) -> Finding {
        let id = "provider.metadata"
        guard endpoints.unmetDemands.isEmpty else {
            return Finding(
                id, of: subject, .warning,
                "The provider's metadata has \(endpoints.unmetDemands.joined(separator: " and ")), and this server sends "
                    + "authorization requests only as parameters of a URL.",
                remedy:
                    "Switch this demand off for this client in the provider's settings, if the provider refuses sign-ins."
            )
        }
        return Finding(id, of: subject, .ok, "The endpoints of \(endpoints.issuers[0]) are known.")
    }

    /// Tells which setting of PKCE applies: only a sign-in shows whether the provider accepts it.
    private func proofKey(_ pkce: ProofKeyMethod, of provider: Provider, _ subject: String) -> Finding {
        Finding(
            "provider.pkce", of: subject, .info,
            "pkce: \(pkce.text). token-exchange doctor --sign-in \(provider.id) shows whether it is right."
        )
    }

    /// Asks the introspection endpoint about a token that does not exist; returns `nil` if none is configured.
    private func introspection(
        _ subject: String, _ check: () async throws -> Bool?
    ) async -> Finding? {
        let id = "provider.introspection"
        do {
            switch try await check() {
            case nil: return nil
            case true?: return Finding(id, of: subject, .ok, "Introspection calls an unknown token inactive.")
            case false?:
                return Finding(
                    id, of: subject, .error, "Introspection calls a token active that was never issued.",
                    remedy: "Do not accept access_token from this provider, whose responses prove nothing.")
            }
        } catch let failure as ProviderFailure {
            return SignInFindings.finding(id, of: subject, failure)
        } catch {
            return Finding(
                id, of: subject, .error, "The request cannot be made: \(Refusal(error).description)",
                remedy: "Compare client_key or client_secret with the file of the key.")
        }
    }

    private func keys(_ openIDConnect: OpenIDConnect, _ subject: String) async -> Finding {
        do throws(DocumentError) {
            let keys = try await openIDConnect.keys.value()
            let named = try await openIDConnect.endpoints().algorithms
            return Self.finding(of: keys, of: subject, named: named, accepted: openIDConnect.algorithms)
        } catch {
            return Finding(
                "provider.keys", of: subject, .error, "The provider's keys cannot be fetched: \(error.sentence).",
                remedy: error.remedy(
                    otherwise: error.mayBeOfAddress
                        ? "Compare endpoints.jwks with the provider's documentation." : error.advice ?? "")
                    + " Without keys no ID token can be verified.")
        }
    }

    /// Compares the keys of a provider with the algorithms of its ID tokens.
    ///
    /// - Parameters:
    ///   - subject: The provider.
    ///   - named: The supported ones of the algorithms in its metadata; `nil` if it names none.
    ///   - accepted: The algorithms that the configuration accepts.
    /// - Returns: An error if no key is usable, and otherwise also the keys for none of the named algorithms.
    static func finding(
        of keys: JWKSet, of subject: String, named: Set<Algorithm>?, accepted: Set<Algorithm>
    ) -> Finding {
        let allowed = named.map(accepted.intersection) ?? accepted
        let algorithms = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        let isEmpty = keys.keys.isEmpty && keys.refused.isEmpty
        let text =
            "The provider publishes \(isEmpty ? "an empty key set" : Counted.of(keys.keys.count, "usable key")); allowed algorithms: "
            + "\(algorithms.isEmpty ? "none" : algorithms).\(refusals(of: keys))"
        let others = keys.keys.filter { key in named.map(key.algorithms.isDisjoint) ?? false }
        let isUsable = keys.keys.contains { !$0.algorithms.isDisjoint(with: allowed) }
        if others.isEmpty {
            guard isUsable else {
                return Finding(
                    "provider.keys", of: subject, .error, text,
                    remedy: "No ID token can be verified. Choose \(supported) for ID tokens in the provider's "
                        + "settings of this client, or compare endpoints.jwks with its documentation.")
            }
            return Finding("provider.keys", of: subject, .ok, text)
        }
        let names = Set(others.flatMap(\.algorithms)).map(\.rawValue).sorted().joined(separator: ", ")
        let ids = others.prefix(8).map { $0.id?.text.shown ?? "one without kid" }.joined(separator: ", ")
        return Finding(
            "provider.keys", of: subject, isUsable ? .info : .error,
            "\(text) Keys for another algorithm than those in its metadata: \(ids) (\(names)).",
            remedy:
                "\(isUsable ? "If tokens with that kid are refused: choose" : "No ID token can be verified: choose") one algorithm for the "
                + "keys and the ID tokens of this client in the provider's settings, which its metadata names "
                + "(id_token_signing_alg_values_supported), or let the provider publish the key with the alg of its tokens."
        )
    }

    /// Why keys of a set are not used; the first ones, because a set may have hundreds.
    static func refusals(of keys: JWKSet) -> String {
        guard !keys.refused.isEmpty else { return "" }
        let reasons = keys.refused.prefix(8).map { key in
            let name = key.id.map { " (kid \($0.text.shown))" } ?? ""
            return "key \(key.position + 1)\(name), because \(key.reason.sentence)"
        }
        let rest = keys.refused.count - reasons.count
        return " Not used: \(reasons.joined(separator: "; "))\(rest > 0 ? "; and \(rest) more" : "")."
    }

    private static let supported = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")

    /// - Parameter hasFurtherCalls: Whether a sign-in begins otherwise than with the call of the check.
    private func client(
        of provider: Provider, _ subject: String, hasFurtherCalls: Bool = true, _ check: () async throws -> Void
    ) async -> Finding {
        let id = "provider.client"
        do {
            try await check()
            return Finding(
                id, of: subject, .ok,
                "The provider accepts the client credentials, as doctor has read them now; a running server has those of its "
                    + "start or last reload.")
        } catch {
            let failure = Refusal(error).cause as? ProviderFailure
            let says = SignInFindings.quotation(Refusal(error))
            if case .refusedClient(let refusal) = failure {
                return Finding(
                    id, of: subject, .error, "The provider refuses the registration: \(refusal.rawValue).\(says)",
                    remedy: refusal.advice)
            }
            if case .noAnswer(let error) = failure {
                return Finding(
                    id, of: subject, .error, "The provider gives no answer: \(error.sentence).",
                    remedy: failure?.advice ?? error.remedy)
            }
            switch failure {
            case .notTokenEndpoint?, .noTokens?, .tokensElsewhere?:
                return SignInFindings.finding(id, of: subject, Refusal(error))
            default: break
            }
            let walk =
                hasFurtherCalls
                ? "token-exchange doctor --sign-in \(provider.id) shows whether they are."
                : "Compare the answer with the documentation of the provider: each sign-in begins with this call."
            return Finding(
                id, of: subject, .warning,
                "Whether the credentials are accepted is not clear\(failure.map { ": \($0.sentence)" } ?? "").\(says)",
                remedy: failure?.isPassing == true
                    ? failure?.advice ?? "Try again later."
                    : [walk, failure?.advice].compactMap(\.self)
                        .joined(separator: " "))
        }
    }

    private func callback(of provider: Provider) -> String {
        settings.server.publicURL + "/callback/" + provider.id.text
    }

    private func redirectURIs(of provider: Provider) -> Finding {
        let clients = settings.clients.filter { $0.providers.contains(provider.id) }
        // A provider whose endpoints the configuration replaces, such as a stand-in, has rules of its own.
        let template = ProviderTemplate.named[provider.id]
        let loopbackHosts = settings.providers.uses(template, for: provider.id) ? template?.loopbackHosts : nil
        let uris = RegisteredURIs(
            provider: provider.id.text, others: providers.map(\.id.text), loopbackHosts: loopbackHosts)
        return Finding(
            "provider.redirect_uris", of: provider.id.text, .info,
            uris.sentence(callback: callback(of: provider), ofClients: clients.map(\.providerRedirectURIs)))
    }
}

/// The redirect URIs that can be registered at one provider.
///
/// If a client has one list for all of its providers, a URI whose path ends with the name of another provider is left out. So
/// is, in either case, one with a scheme that the provider does not register.
struct RegisteredURIs {
    let provider: String
    /// The ids of all providers.
    let others: [String]
    /// `ProviderTemplate.loopbackHosts`.
    let loopbackHosts: [String]?

    func sentence(callback: String, ofClients clients: [ProviderRedirectURIs]) -> String {
        let uris = clients.flatMap { client in
            switch client {
            case .shared(let uris): uris.filter { !namesAnother($0) }
            case .separate: client.uris(at: ProviderID(provider))
            }
        }
        let own = uris.reduce(into: [String]()) { found, uri in
            if uri != callback, !found.contains(uri), isRegistrable(uri) { found.append(uri) }
        }
        let clients =
            own.isEmpty
            ? ""
            : " Also register each of these at which an application itself receives the response of the provider: "
                + own.joined(separator: " ")
        guard isRegistrable(callback) else {
            let hosts = (loopbackHosts ?? []).map { "http://\($0)" }.joined(separator: " and ")
            return hosts.isEmpty
                ? "This provider registers only redirect URIs with https, and \(callback) is none.\(clients)"
                : "This provider registers only redirect URIs with https, or with \(hosts), and \(callback) is none: write another "
                    + "host in server.public_url.\(clients)"
        }
        return "Register exactly this redirect URI: \(callback)\(clients)"
    }

    private func isRegistrable(_ uri: String) -> Bool {
        guard let loopbackHosts, !uri.hasPrefix("https://") else { return true }
        // A provider that registers loopback also registers private schemes.
        guard uri.hasPrefix("http://") else { return !loopbackHosts.isEmpty }
        return loopbackHosts.contains { host in
            let rest = uri.dropFirst("http://".count)
            return rest.hasPrefix(host) && [nil, ":", "/"].contains(rest.dropFirst(host.count).first)
        }
    }

    private func namesAnother(_ uri: String) -> Bool {
        guard let last = uri.split(separator: "/").last?.lowercased(), uri.contains("/") else { return false }
        return !Self.names(of: provider).contains(last) && others.contains { Self.names(of: $0).contains(last) }
    }

    /// The id, and the words by which people call the provider.
    private static func names(of id: String) -> Set<String> {
        var names: Set = [id.lowercased()]
        if let word = id.split(separator: ".").first { names.insert(word.lowercased()) }
        if id == "twitter.com" { names.insert("x") }
        return names
    }
}
