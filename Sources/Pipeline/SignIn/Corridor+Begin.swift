internal import Exchange
internal import JOSE
internal import Jansson
internal import OAuth
internal import Providers
internal import Sealing

extension Corridor {
    /// Begins a flow for an application that owns its redirect.
    ///
    /// All that binds the callback is sealed into the session.
    package func begin(_ request: BeginRequest) async throws(SignInError) -> BegunSignIn {
        let (client, provider) = try admit(request.client, request.provider)
        guard RedirectURI.isRegistered(request.redirectURI, among: client.providerRedirectURIs)
        else { throw .redirectURINotAllowed }
        for name in request.parameters.keys {
            guard !ReservedParameters.contains(name) else { throw .reservedParameter }
            guard provider.allowedParameters.contains(name) else { throw .parameterNotAllowed }
        }
        let begun = try await begin(request, at: provider)
        return try session(request, url: begun.url, binding: begun.binding)
    }

    /// Where to send the person, and what their answer will be held to.
    func begin(
        _ request: BeginRequest, at provider: Provider
    ) async throws(SignInError) -> (url: String, binding: SealedSession.Binding) {
        let flow = request.flow ?? provider.defaultFlow
        guard let signInProtocol = provider.protocols[flow] else { throw .unknownFlow }
        do {
            return switch signInProtocol {
            case .openIDConnect(let openIDConnect): try await begin(request, openIDConnect, provider)
            case .oauth2(let oauth2): try begin(request, oauth2, provider)
            case .oauth1(let oauth1): try await begin(request, oauth1, provider)
            }
        } catch let error as SignInError {
            throw error
        } catch {
            throw .random(RandomFailure())
        }
    }

    private func session(
        _ request: BeginRequest, url: String, binding: SealedSession.Binding
    ) throws(SignInError) -> BegunSignIn {
        do {
            let content = SealedSession(
                id: try random.unguessableText(), provider: request.provider.text,
                redirectURI: request.redirectURI, expiresAt: time.now() + SealedSession.lifetime, binding: binding)
            return BegunSignIn(
                authorizationURL: Secret(url),
                session: Secret(try seal.seal(content.json, as: .session, for: request.client.text)),
                expiresIn: SealedSession.lifetime.components.seconds)
        } catch {
            throw .random(RandomFailure())
        }
    }

    private func begin(
        _ request: BeginRequest, _ openIDConnect: OpenIDConnect, _ provider: Provider
    ) async throws -> (String, SealedSession.Binding) {
        let endpoints: OpenIDConnectEndpoints
        do {
            endpoints = try await openIDConnect.endpoints()
        } catch {
            throw SignInError.exchange(.provider(.document(error), givenBack: true))
        }
        let scopes = try scopes(openIDConnect.scopes, adding: request.scopes, provider)
        let (state, nonce) = (try random.unguessableText(), try random.unguessableText())
        let verifier = openIDConnect.pkce == .off ? nil : try CodeVerifier(random: random)
        let url = authorizationURL(
            endpoints.authorization, clientID: openIDConnect.clientID, scopes: scopes, request: request, state: state,
            nonce: nonce, verifier: verifier)
        let binding = SealedSession.Binding.authorizationCode(
            state: state, nonce: nonce, codeVerifier: verifier?.secret.secretText,
            maximumAge: try maximumAge(request))
        return (url, binding)
    }

    /// What `auth_time` will be held to; a `max_age` that cannot be read would be sent, and then checked by nobody.
    private func maximumAge(_ request: BeginRequest) throws(SignInError) -> Int64? {
        guard let text = request.parameters["max_age"] else { return nil }
        guard let seconds = Int64(text), seconds >= 0 else { throw .parameterNotAllowed }
        return seconds
    }

    private func begin(
        _ request: BeginRequest, _ oauth2: OAuth2, _ provider: Provider
    ) throws -> (String, SealedSession.Binding) {
        let scopes = try scopes(oauth2.scopes, adding: request.scopes, provider)
        let state = try random.unguessableText()
        let verifier = try CodeVerifier(random: random)
        let url = authorizationURL(
            oauth2.authorizationEndpoint, clientID: oauth2.clientID, scopes: scopes, request: request, state: state,
            nonce: nil, verifier: verifier)
        let binding = SealedSession.Binding.authorizationCode(
            state: state, nonce: nil, codeVerifier: verifier.secret.secretText, maximumAge: nil)
        return (url, binding)
    }

    private func begin(
        _ request: BeginRequest, _ oauth1: OAuth1, _ provider: Provider
    ) async throws -> (String, SealedSession.Binding) {
        // OAuth 1.0a has no scopes: what a token may do is the application's setting at the provider.
        guard request.scopes.isEmpty else { throw SignInError.scopeNotAllowed }
        let temporary: TemporaryCredentials
        do {
            temporary = try await exchanger.temporaryCredentials(
                callback: request.redirectURI, with: oauth1, of: provider)
        } catch {
            throw SignInError.exchange(error)
        }
        let parameters = Parameters([("oauth_token", temporary.identifier.secretText)] + sorted(request.parameters))
        let binding = SealedSession.Binding.temporaryCredentials(
            identifier: temporary.identifier.secretText, sharedSecret: temporary.sharedSecret.secretText)
        return (appending(parameters, to: oauth1.authorizationEndpoint), binding)
    }

    private func authorizationURL(
        _ endpoint: String, clientID: String, scopes: [String], request: BeginRequest, state: String, nonce: String?,
        verifier: CodeVerifier?
    ) -> String {
        var parameters: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", request.redirectURI),
            ("scope", scopes.joined(separator: " ")), ("state", state),
        ]
        if let nonce {
            parameters.append(("nonce", nonce))
        }
        if let verifier {
            // RFC 7636 §4.3.
            parameters += [("code_challenge", verifier.challenge), ("code_challenge_method", "S256")]
        }
        return appending(Parameters(parameters + sorted(request.parameters)), to: endpoint)
    }

    private func scopes(
        _ configured: [String], adding further: [String], _ provider: Provider
    ) throws(SignInError) -> [String] {
        let added = further.filter { !configured.contains($0) }
        guard added.allSatisfy(provider.allowedScopes.contains) else { throw .scopeNotAllowed }
        return configured + added
    }

    private func appending(_ parameters: Parameters, to endpoint: String) -> String {
        endpoint + (endpoint.contains("?") ? "&" : "?") + parameters.encoded
    }

    private func sorted(_ parameters: [String: String]) -> [(name: String, value: String)] {
        parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
