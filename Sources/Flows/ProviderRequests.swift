package import Exchange
internal import JOSE
package import Providers
package import Standards

/// Makes authorization requests at providers.
///
/// It has no state of a flow: the binding that belongs to a request is returned with it.
package struct ProviderRequests: Sendable {
    private let exchanger: Exchanger
    private let random: RandomSource
    private let makeNonce: @Sendable () throws -> String

    /// Creates the requests of a command, which no server has to recognise.
    package init(exchanger: Exchanger, random: RandomSource) {
        self.init(exchanger: exchanger, random: random) { () throws in
            try random.unguessableText()
        }
    }

    /// - Parameters:
    ///   - exchanger: Finds the endpoints of providers.
    ///   - random: The source of states and verifiers.
    ///   - makeNonce: Makes the `nonce` of each request to an OpenID Provider.
    init(exchanger: Exchanger, random: RandomSource, makeNonce: @escaping @Sendable () throws -> String) {
        self.exchanger = exchanger
        self.random = random
        self.makeNonce = makeNonce
    }

    /// Makes an authorization request.
    ///
    /// - Parameters:
    ///   - request: The request. Its member `flow` is not read.
    ///   - signInProtocol: The protocol, and the registration of this deployment.
    /// - Returns: The URL to send the person to, and the binding that the provider's response will be checked against.
    /// - Throws: The refusal of the request, or the error of the provider.
    package func begin(
        _ request: SignInRequest, with signInProtocol: SignInProtocol, at provider: Provider
    ) async throws -> (url: String, binding: FlowBinding) {
        switch signInProtocol {
        case .openIDConnect(let openIDConnect): try await begin(request, openIDConnect, provider)
        case .oauth2(let oauth2): try begin(request, oauth2, provider)
        case .oauth1(let oauth1): try await begin(request, oauth1, provider)
        }
    }

    /// Returns the endpoints of an OpenID Provider, which discovery may have to fetch.
    func endpoints(of openIDConnect: OpenIDConnect) async throws -> OpenIDConnectEndpoints {
        try await openIDConnect.endpoints()
    }

    /// Checks the `iss` of a response (RFC 9207 §2.4): a response that names its issuer has to come from the provider that
    /// was asked, and a provider that announces `iss` has to send it.
    package func check(issuer: String?, provider: Provider) async throws {
        guard let openIDConnect = provider.openIDConnect else {
            guard let issuer, let oauth2 = provider.oauth2 else { return }
            guard oauth2.accepts(issuer: issuer) else {
                throw Refusal.callbackOfOtherIssuer(
                    CallbackIssuer(
                        found: issuer, expected: [oauth2.issuer].compactMap(\.self), key: "endpoints.issuer"))
            }
            return
        }
        let endpoints = try await endpoints(of: openIDConnect)
        guard let issuer else {
            guard !endpoints.sendsIssuer else {
                throw Refusal.callbackOfOtherIssuer(CallbackIssuer(found: nil, expected: endpoints.issuers))
            }
            return
        }
        guard openIDConnect.accepts(issuer: issuer, of: endpoints.issuers) else {
            throw Refusal.callbackOfOtherIssuer(CallbackIssuer(found: issuer, expected: endpoints.issuers))
        }
    }

    private func begin(
        _ request: SignInRequest, _ openIDConnect: OpenIDConnect, _ provider: Provider
    ) async throws -> (String, FlowBinding) {
        let endpoints = try await endpoints(of: openIDConnect)
        let scopes = try scopes(openIDConnect.scopes, adding: request.scopes, provider)
        let (state, nonce) = (try unguessableText(), try makeNonce())
        let verifier = openIDConnect.pkce == .off ? nil : try codeVerifier()
        let url = authorizationURL(
            endpoints.authorization, clientID: openIDConnect.clientID, redirectURI: request.redirectURI,
            scopes: scopes.joined(separator: " "),
            further: parameters(
                of: request, fresh: openIDConnect.freshLogin, fixed: openIDConnect.authorizationParameters),
            state: state, nonce: nonce,
            verifier: verifier, mode: provider.responseMode)
        let binding = FlowBinding.authorizationCode(
            state: state, nonce: nonce, codeVerifier: verifier?.secret.secretText,
            maximumAge: request.purpose == .reauthenticate ? nil : try maximumAge(request))
        return (url, binding)
    }

    private func unguessableText() throws -> String {
        try random.unguessableText()
    }

    private func codeVerifier() throws -> CodeVerifier {
        try CodeVerifier(random: random)
    }

    /// Returns the age that `auth_time` is checked against.
    ///
    /// A `max_age` that is no number is refused: otherwise it would be sent and never checked.
    private func maximumAge(_ request: SignInRequest) throws -> Int64? {
        guard let text = request.parameters["max_age"] else { return nil }
        guard let seconds = Int64(text), seconds >= 0 else {
            throw Refusal.parameterMalformed("max_age", "is not a number of seconds from 0 to \(Int64.max)")
        }
        return seconds
    }

    private func begin(
        _ request: SignInRequest, _ oauth2: OAuth2, _ provider: Provider
    ) throws -> (String, FlowBinding) {
        let scopes = try scopes(oauth2.scopes, adding: request.scopes, provider)
        let state = try unguessableText()
        let verifier = oauth2.pkce == .off ? nil : try codeVerifier()
        let url = authorizationURL(
            oauth2.authorizationEndpoint, clientID: oauth2.clientID, redirectURI: request.redirectURI,
            scopes: oauth2.scopeSeparator.join(scopes),
            further: parameters(of: request, fresh: oauth2.freshLogin, fixed: oauth2.authorizationParameters),
            state: state, nonce: nil,
            verifier: verifier, mode: provider.responseMode)
        let binding = FlowBinding.authorizationCode(
            state: state, nonce: nil, codeVerifier: verifier?.secret.secretText, maximumAge: nil)
        return (url, binding)
    }

    private func begin(
        _ request: SignInRequest, _ oauth1: OAuth1, _ provider: Provider
    ) async throws -> (String, FlowBinding) {
        // OAuth 1.0a has no scopes: the registration at the provider decides what a token may do.
        guard request.scopes.isEmpty else { throw Refusal.scopeNotAllowed }
        let temporary = try await exchanger.temporaryCredentials(
            callback: request.redirectURI, with: oauth1, of: provider)
        let query = Parameters(
            [("oauth_token", temporary.identifier.secretText)]
                + parameters(of: request, fresh: oauth1.freshLogin).pairs)
        let binding = FlowBinding.temporaryCredentials(
            identifier: temporary.identifier.secretText, sharedSecret: temporary.sharedSecret.secretText)
        return (query.appended(to: oauth1.authorizationEndpoint), binding)
    }

    private func authorizationURL(
        _ endpoint: String, clientID: String, redirectURI: String, scopes: String, further: Parameters, state: String,
        nonce: String?, verifier: CodeVerifier?, mode: ProviderResponseMode
    ) -> String {
        var parameters: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI),
        ]
        if !scopes.isEmpty { parameters.append(("scope", scopes)) }
        parameters.append(("state", state))
        if let nonce {
            parameters.append(("nonce", nonce))
        }
        if let verifier {
            // RFC 7636 §4.3.
            parameters += [("code_challenge", verifier.challenge), ("code_challenge_method", "S256")]
        }
        // Providers that do not know the parameter may refuse it, so that the default mode is not sent.
        if mode != .query { parameters.append(("response_mode", mode.rawValue)) }
        return Parameters(parameters + further.pairs).appended(to: endpoint)
    }

    private func scopes(
        _ configured: [String], adding further: [String], _ provider: Provider
    ) throws -> [String] {
        let added = further.filter { !configured.containsExactly($0) }
        guard added.allSatisfy(provider.allowedScopes.containsExactly) else {
            throw Refusal.scopeNotAllowed(at: provider, beside: configured)
        }
        return configured + added
    }

    /// Returns the parameters of the application, those of every request to this provider and, to reauthenticate, those that
    /// request a fresh login (OpenID Connect Core §3.1.2.1); the later ones take precedence.
    private func parameters(
        of request: SignInRequest, fresh: FreshLogin?, fixed: [String: String] = [:]
    ) -> Parameters {
        var all = request.parameters.merging(fixed) { $1 }
        if request.purpose == .reauthenticate { all.merge(fresh?.parameters ?? [:]) { $1 } }
        return Parameters(all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}

/// The `iss` of a callback that does not belong to the provider (RFC 9207 §2.4).
package struct CallbackIssuer: AdvisingCause, Equatable {
    /// The value; `nil` if there is none although the provider announces it.
    package let found: String?
    /// The issuers of the provider; none if the registration of an OAuth 2.0 provider names none.
    package let expected: [String]
    /// The key of the configuration that names the issuer.
    let key: String

    package init(found: String?, expected: [String], key: String = "issuer") {
        self.found = found
        self.expected = expected
        self.key = key
    }

    var sentence: String {
        let names = expected.joined(separator: " or ")
        guard let found else { return "the callback has no iss, which the provider announces; its issuer is \(names)" }
        return "iss of the callback is \(found.shown), and "
            + (expected.isEmpty
                ? "endpoints.authorization is at another host" : "the issuer of this provider is \(names)")
    }

    package var advice: String? {
        guard let found else {
            return
                "authorization_response_iss_parameter_supported in the provider's metadata says that each callback has iss. The "
                + "provider has to send it, or to correct its metadata."
        }
        let change =
            key == "issuer"
            ? "; while a provider changes its issuer, write both below endpoints.issuer, that of its metadata first"
            : ""
        return
            (IssuerSpelling.objection(to: found)
            ?? "If the provider's documentation confirms that value, character for character, write it as \(key)\(change).")
            + " Otherwise the provider has to send the issuer of its metadata, or the callback came from another provider."
    }
}
