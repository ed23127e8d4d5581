internal import Documents
internal import Exchange
internal import Firebase
internal import JOSE
internal import Logging
internal import OAuth
internal import Providers
internal import SQLiteStores
internal import Settings
internal import Stores
internal import Transport
internal import Verification

/// Checks of the registration at each provider.
struct ProviderChecks {
    private let settings: Settings
    private let providers: [Provider]
    private let components: SignInComponents

    init(_ settings: Settings, transport: HTTPTransport, time: TimeSource) throws {
        self.settings = settings
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
            return providers.indices.flatMap { all[$0] ?? [] }
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
                findings.append(
                    await client(subject) { () async throws(ExchangeError) in
                        try await components.exchanger.checkClient(
                            at: oauth2.tokenEndpoint, clientID: oauth2.clientID,
                            authentication: oauth2.clientAuthentication, redirectURI: callback(of: provider),
                            errorCodes: oauth2.errorCodes, of: provider)
                    })
            case .oauth1(let oauth1):
                findings.append(
                    await client(subject) { () async throws(ExchangeError) in
                        do throws(ExchangeFailure) {
                            _ = try await components.exchanger.temporaryCredentials(
                                callback: callback(of: provider), with: oauth1, of: provider)
                        } catch {
                            throw error.reason
                        }
                    })
            }
        }
        return findings
    }

    private func check(_ openIDConnect: OpenIDConnect, of provider: Provider, _ subject: String) async -> [Finding] {
        let endpoints: OpenIDConnectEndpoints
        do throws(DocumentError) {
            endpoints = try await openIDConnect.endpoints()
        } catch {
            return [
                Finding(
                    "provider.metadata", of: subject, .error,
                    "The provider's metadata cannot be used: \(error.sentence).",
                    remedy:
                        "Compare issuer with the provider's documentation, character for character, or write endpoints."
                )
            ]
        }
        let client = await client(subject) { () async throws(ExchangeError) in
            try await components.exchanger.checkClient(
                at: endpoints.token, clientID: openIDConnect.clientID,
                authentication: openIDConnect.clientAuthentication, redirectURI: callback(of: provider),
                errorCodes: .none, of: provider)
        }
        // With credentials that are refused, introspection would be refused for the same reason.
        let introspection = client.severity == .ok ? await introspection(openIDConnect, of: provider, subject) : nil
        return [
            Finding("provider.metadata", of: subject, .ok, "The endpoints of \(endpoints.issuers[0]) are known."),
            await keys(openIDConnect, subject), client, proofKey(openIDConnect, of: provider, subject),
        ] + [introspection].compactMap(\.self)
    }

    /// Tells which setting of PKCE applies: only a sign-in shows whether the provider accepts it.
    private func proofKey(_ openIDConnect: OpenIDConnect, of provider: Provider, _ subject: String) -> Finding {
        Finding(
            "provider.pkce", of: subject, .info,
            "pkce: \(openIDConnect.pkce.text). token-exchange doctor --sign-in \(provider.id) shows whether it is right."
        )
    }

    /// Asks the introspection endpoint about a token that does not exist; returns `nil` if none is configured.
    private func introspection(
        _ openIDConnect: OpenIDConnect, of provider: Provider, _ subject: String
    ) async -> Finding? {
        let id = "provider.introspection"
        do throws(ProviderFailure) {
            switch try await components.verifier.checkIntrospection(with: openIDConnect, of: provider) {
            case nil: return nil
            case true?: return Finding(id, of: subject, .ok, "Introspection calls an unknown token inactive.")
            case false?:
                return Finding(
                    id, of: subject, .error, "Introspection calls a token active that was never issued.",
                    remedy: "Do not accept access_token from this provider, whose responses prove nothing.")
            }
        } catch {
            return SignInFindings.finding(id, of: subject, error)
        }
    }

    private func keys(_ openIDConnect: OpenIDConnect, _ subject: String) async -> Finding {
        do throws(DocumentError) {
            let keys = try await openIDConnect.keys.value()
            let algorithms = openIDConnect.algorithms.map(\.rawValue).sorted().joined(separator: ", ")
            return Finding(
                "provider.keys", of: subject, .ok,
                "The provider publishes \(keys.keys.count) usable keys; allowed algorithms: \(algorithms).")
        } catch .status(404) {
            return Finding(
                "provider.keys", of: subject, .error,
                "There is nothing at the address of the provider's keys (status 404).",
                remedy: "Compare issuer, or endpoints.jwks, with the provider's documentation.")
        } catch {
            return Finding(
                "provider.keys", of: subject, .error, "The provider's keys cannot be fetched: \(error.sentence).",
                remedy: "Let this machine reach the provider by https. Without keys no ID token can be verified.")
        }
    }

    private func client(
        _ subject: String, _ check: () async throws(ExchangeError) -> Void
    ) async -> Finding {
        let id = "provider.client"
        do throws(ExchangeError) {
            try await check()
            return Finding(id, of: subject, .ok, "The provider accepts the client credentials.")
        } catch .provider(.refusedClient(let refusal)) {
            return Finding(
                id, of: subject, .error, "The provider refuses the registration: \(refusal.rawValue).",
                remedy: refusal.advice)
        } catch .provider(.noAnswer(let error)) {
            return Finding(
                id, of: subject, .error, "The provider gives no answer: \(error.sentence).",
                remedy: "Let this machine reach the provider by https.")
        } catch .provider(let failure) {
            return Finding(
                id, of: subject, .warning, "Whether the credentials are accepted is not clear: \(failure.sentence).",
                remedy: "Try again later, and then sign in once.")
        } catch {
            return Finding(
                id, of: subject, .warning, "Whether the credentials are accepted is not clear.",
                remedy: "Try again later, and then sign in once.")
        }
    }

    private func callback(of provider: Provider) -> String {
        settings.server.publicURL + "/callback/" + provider.id.text
    }

    private func redirectURIs(of provider: Provider) -> Finding {
        let clients = settings.clients.filter { $0.providers.contains(provider.id.text) }
        let all = [callback(of: provider)] + clients.flatMap(\.providerRedirectURIs)
        let unique = all.enumerated().filter { index, uri in !all[..<index].contains(uri) }.map(\.element)
        return Finding(
            "provider.redirect_uris", of: provider.id.text, .info,
            "Register exactly these redirect URIs: \(unique.joined(separator: " "))")
    }
}
