internal import Accounts
internal import Exchange
package import Firebase
internal import JOSE
internal import Jansson
internal import OAuth
internal import Providers
internal import Sealing
internal import Stores

extension Corridor {
    /// Begins a flow for an application that owns its redirect.
    ///
    /// All that binds the callback is sealed into the session.
    ///
    /// - `user`: whose account a request with a purpose is for; it then needs one.
    package func begin(
        _ request: SignInRequest, for user: FirebaseUser? = nil
    ) async throws(SignInError) -> BegunSignIn {
        let (client, provider) = try admit(request.client, request.provider)
        guard RedirectURI.isRegistered(request.redirectURI, among: client.providerRedirectURIs)
        else { throw .redirectURINotAllowed }
        // In a fixed order, so that the same request is refused for the same parameter.
        for name in request.parameters.keys.sorted() {
            guard !ReservedParameters.contains(name) else { throw .reservedParameter(name) }
            guard provider.allows(parameter: name) else { throw .parameterNotAllowed(name) }
        }
        let intent = try await intent(request.purpose, of: user, client: client)
        let begun = try await begin(request, at: provider)
        var url = begun.url
        // At the provider, what another person began to link looks like a sign-in: our page says what it is.
        if let intent { url = try await page(before: begun, of: request, at: provider, for: intent) }
        return try session(request, url: url, binding: begun.binding, intent: intent?.0)
    }

    /// The account that a flow is for, and how a page names it; nil for a flow that signs in.
    func intent(
        _ purpose: AccountIntent.Purpose?, of user: FirebaseUser?, client: RegisteredClient
    ) async throws(SignInError) -> (AccountIntent, account: AccountName)? {
        guard let purpose else { return nil }
        guard let user else { throw .bearer(.missing) }
        let account = try await caller(user, client: client.id).account
        return (AccountIntent(purpose, of: account.uid), AccountName(account))
    }

    /// Where to send the person, and what their answer will be held to.
    func begin(
        _ request: SignInRequest, at provider: Provider
    ) async throws(SignInError) -> (url: String, binding: SealedSession.Binding) {
        let flow = try flow(request.flow, for: request.purpose, at: provider)
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
        _ request: SignInRequest, url: String, binding: SealedSession.Binding, intent: AccountIntent?
    ) throws(SignInError) -> BegunSignIn {
        do {
            let content = SealedSession(
                id: try random.unguessableText(), provider: request.provider.text,
                redirectURI: request.redirectURI, expiresAt: time.now() + SealedSession.lifetime, binding: binding,
                isSilent: Self.isSilent(request.parameters) && intent?.purpose != .reauthenticate, intent: intent)
            return BegunSignIn(
                authorizationURL: Secret(url),
                session: Secret(try seal.seal(content.json, as: .session, for: request.client.text)),
                expiresIn: SealedSession.lifetime.components.seconds)
        } catch {
            throw .random(RandomFailure())
        }
    }

    private func begin(
        _ request: SignInRequest, _ openIDConnect: OpenIDConnect, _ provider: Provider
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
            endpoints.authorization, clientID: openIDConnect.clientID, redirectURI: request.redirectURI,
            scopes: scopes,
            further: parameters(of: request, fresh: openIDConnect.freshLogin), state: state, nonce: nonce,
            verifier: verifier)
        let binding = SealedSession.Binding.authorizationCode(
            state: state, nonce: nonce, codeVerifier: verifier?.secret.secretText,
            maximumAge: request.purpose == .reauthenticate ? nil : try maximumAge(request))
        return (url, binding)
    }

    /// What `auth_time` will be held to; a `max_age` that cannot be read would be sent, and then checked by nobody.
    private func maximumAge(_ request: SignInRequest) throws(SignInError) -> Int64? {
        guard let text = request.parameters["max_age"] else { return nil }
        guard let seconds = Int64(text), seconds >= 0 else { throw .parameterMalformed("max_age") }
        return seconds
    }

    private func begin(
        _ request: SignInRequest, _ oauth2: OAuth2, _ provider: Provider
    ) throws -> (String, SealedSession.Binding) {
        let scopes = try scopes(oauth2.scopes, adding: request.scopes, provider)
        let state = try random.unguessableText()
        let verifier = try CodeVerifier(random: random)
        let url = authorizationURL(
            oauth2.authorizationEndpoint, clientID: oauth2.clientID, redirectURI: request.redirectURI,
            scopes: scopes,
            further: parameters(of: request, fresh: oauth2.freshLogin), state: state, nonce: nil,
            verifier: verifier)
        let binding = SealedSession.Binding.authorizationCode(
            state: state, nonce: nil, codeVerifier: verifier.secret.secretText, maximumAge: nil)
        return (url, binding)
    }

    private func begin(
        _ request: SignInRequest, _ oauth1: OAuth1, _ provider: Provider
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
        let query = Parameters(
            [("oauth_token", temporary.identifier.secretText)]
                + parameters(of: request, fresh: oauth1.freshLogin).pairs)
        let binding = SealedSession.Binding.temporaryCredentials(
            identifier: temporary.identifier.secretText, sharedSecret: temporary.sharedSecret.secretText)
        return (appending(query, to: oauth1.authorizationEndpoint), binding)
    }

    private func authorizationURL(
        _ endpoint: String, clientID: String, redirectURI: String, scopes: [String], further: Parameters, state: String,
        nonce: String?, verifier: CodeVerifier?
    ) -> String {
        var parameters: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI),
            ("scope", scopes.joined(separator: " ")), ("state", state),
        ]
        if let nonce {
            parameters.append(("nonce", nonce))
        }
        if let verifier {
            // RFC 7636 §4.3.
            parameters += [("code_challenge", verifier.challenge), ("code_challenge_method", "S256")]
        }
        return appending(Parameters(parameters + further.pairs), to: endpoint)
    }

    private func scopes(
        _ configured: [String], adding further: [String], _ provider: Provider
    ) throws(SignInError) -> [String] {
        let added = further.filter { !configured.containsExactly($0) }
        guard added.allSatisfy(provider.allowedScopes.containsExactly) else { throw .scopeNotAllowed }
        return configured + added
    }

    func appending(_ parameters: Parameters, to endpoint: String) -> String {
        appending(parameters.encoded, to: endpoint)
    }

    func appending(_ query: String, to endpoint: String) -> String {
        endpoint + (endpoint.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }

    /// `true` if the parameters forbid the provider to show a page (OpenID Connect Core §3.1.2.1).
    static func isSilent(_ parameters: [String: String]) -> Bool {
        parameters["prompt"]?.utf8.split(separator: UInt8(ascii: " ")).contains { $0.elementsEqual("none".utf8) }
            ?? false
    }

    /// What the application asks for, and over it what makes a login fresh if the person is to prove once more who
    /// they are (OpenID Connect Core §3.1.2.1).
    private func parameters(of request: SignInRequest, fresh: FreshLogin?) -> Parameters {
        let all =
            request.purpose == .reauthenticate
            ? request.parameters.merging(fresh?.parameters ?? [:]) { $1 } : request.parameters
        return Parameters(all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}
