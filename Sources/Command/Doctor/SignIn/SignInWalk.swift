internal import Exchange
internal import Flows
internal import JOSE
internal import Providers
internal import Standards
internal import Stores
internal import Transport
internal import Verification

/// One sign-in through the operator's browser, by the components of the server.
///
/// It ends before accounts: nothing is written to the store, and no custom token is minted.
struct SignInWalk {
    let provider: Provider
    /// What the findings are about.
    let subject: String
    let redirectURI: String
    let components: SignInComponents
    let inbox: RedirectInbox
    /// Shows a text to the operator.
    let say: @Sendable (String) -> Void

    /// Walks once.
    ///
    /// - Parameters:
    ///   - signInProtocol: The protocol, and the registration of this deployment.
    ///   - sendsOwnVerifier: Whether the code verifier is that of the code challenge (RFC 7636 §4.5).
    /// - Returns: What the provider did at each step.
    /// - Throws: ``WalkStop`` at the first step that fails.
    func walk(
        _ signInProtocol: SignInProtocol, sendsOwnVerifier: Bool
    ) async throws(WalkStop) -> [Finding] {
        let wantsLoginTime = provider.allows(parameter: "max_age") && signInProtocol.hasIDTokens
        let request = SignInRequest(
            client: ClientID("token-exchange-doctor"), provider: provider.id, redirectURI: redirectURI, scopes: [],
            // A day: long enough that the provider need not ask for a login, and it must send auth_time.
            parameters: wantsLoginTime ? ["max_age": "86400"] : [:], flow: nil)
        let (url, binding) = try await begin(request, signInProtocol)
        let (response, parameters) = try await answer(to: url, binding)
        let returned = try await accept(response, parameters, signInProtocol)
        func grant(_ code: Secret, _ verifier: String?) -> AuthorizationGrant {
            let verifier = sendsOwnVerifier ? verifier : verifier.map { String($0.reversed()) }
            return AuthorizationGrant(
                code: code, redirectURI: redirectURI, codeVerifier: verifier.flatMap { CodeVerifier($0) })
        }
        do throws(ExchangeOrVerification) {
            let results: [Finding]
            switch (signInProtocol, response, binding) {
            case (.openIDConnect(let it), .code(let code), .authorizationCode(_, let nonce?, let verifier, _)):
                results = try await redeem(
                    grant(code, verifier), nonce: nonce, it, wantsLoginTime: wantsLoginTime)
            case (.oauth2(let it), .code(let code), .authorizationCode(_, _, let verifier, _)):
                results = try await redeem(grant(code, verifier), it)
            case (.oauth1(let it), .verifier(let verifier), .temporaryCredentials(let identifier, let secret)):
                results = try await redeem(
                    verifier, TemporaryCredentials(identifier: Secret(identifier), sharedSecret: Secret(secret)), it)
            default: preconditionFailure("A response has the protocol of its binding.")
            }
            return [returned] + results
        } catch {
            throw error.stop(of: subject)
        }
    }

    // MARK: - The authorization request

    private func begin(
        _ request: SignInRequest, _ signInProtocol: SignInProtocol
    ) async throws(WalkStop) -> (url: String, binding: FlowBinding) {
        do {
            return try await components.requests.begin(request, with: signInProtocol, at: provider)
        } catch {
            let refusal = Refusal(error)
            if let failure = refusal.cause as? ProviderFailure {
                throw WalkStop(.request, SignInFindings.finding("sign_in.request", of: subject, failure))
            }
            throw WalkStop(
                .request,
                Finding(
                    "sign_in.request", of: subject, .error,
                    "No authorization request can be made: \(refusal.description)",
                    remedy: "Run token-exchange doctor without --sign-in."))
        }
    }

    /// Shows the URL, and waits for the redirect that belongs to it.
    private func answer(
        to url: String, _ binding: FlowBinding
    ) async throws(WalkStop) -> (CallbackResponse, Parameters) {
        say("Open this address in a browser, and sign in at the provider:\n\n\(url)\n")
        let wrongAddress =
            "This is not the address of the redirect of the last sign-in, which begins with \(redirectURI) and has a question mark. "
            + "Enter that one; or an empty line, if the browser stays at the provider, or has the answer only after #."
        while let event = await inbox.next() {
            guard case .address(let address) = event else {
                throw WalkStop(.authorization, noRedirect, isAboutRequest: true)
            }
            guard let parameters = RedirectInbox.parameters(of: address) else {
                say(wrongAddress)
                continue
            }
            do throws(Refusal) {
                return (try CallbackResponse.parse(parameters, bound: binding, isSilent: false), parameters)
            } catch  where error.reason == .stateMismatch {
                say(wrongAddress)
            } catch {
                throw WalkStop(
                    .authorization,
                    Finding(
                        "sign_in.authorization", of: subject, .error,
                        "The redirect is not one response of the protocol: \(error.finding ?? error.description).",
                        remedy: ["Copy the whole address.", (error.cause as? any AdvisingCause)?.advice]
                            .compactMap(\.self).joined(separator: " ")))
            }
        }
        throw WalkStop(
            .ended,
            Finding(
                "sign_in.authorization", of: subject, .error, "The input ended before the address of a redirect.",
                remedy: "Run the command in a terminal, and enter the address there."))
    }

    private var noRedirect: Finding {
        Finding(
            "sign_in.authorization", of: subject, .error,
            "The provider did not send the browser back to \(redirectURI).",
            remedy:
                "Read the provider's page. If the browser has the answer after #, the provider must write it into the query. Usual "
                + "causes otherwise: the redirect URI is not registered character for character, the "
                + "client id is another application's, or a scope is not among the permissions of the registration. Some "
                + "providers refuse PKCE (pkce: off) or, with protocol: oauth2, separate scopes by commas (scope_separator: "
                + "comma).")
    }

    /// Judges what the redirect says, before its code is redeemed.
    private func accept(
        _ response: CallbackResponse, _ parameters: Parameters, _ signInProtocol: SignInProtocol
    ) async throws(WalkStop) -> Finding {
        if case .refusal(let refusal) = response {
            let words = ProviderWords.of(parameters, without: [])
            let finding =
                if refusal == .invalidScope {
                    await SignInFindings.refusedScopes(signInProtocol, words, of: subject)
                } else {
                    SignInFindings.finding(refusal, words, of: subject)
                }
            throw WalkStop(
                .authorization, finding,
                isAboutRequest: parameters["error"] == "invalid_request")
        }
        do {
            try await components.requests.check(issuer: parameters["iss"], provider: provider)
        } catch {
            let refusal = Refusal(error)
            throw WalkStop(
                .authorization,
                Finding(
                    "sign_in.authorization", of: subject, .error,
                    "The redirect is refused (RFC 9207): \(refusal.finding ?? refusal.description)",
                    remedy: (refusal.cause as? any AdvisingCause)?.advice
                        ?? "Compare issuer with the provider's metadata."))
        }
        let issuer = provider.openIDConnect == nil ? "" : parameters["iss"] == nil ? ", without iss" : ", with iss"
        return Finding(
            "sign_in.authorization", of: subject, .ok, "The provider sent the browser back with a response\(issuer).")
    }

    // MARK: - The redemption, for each protocol

    private func redeem(
        _ grant: consuming AuthorizationGrant, nonce: String, _ openIDConnect: OpenIDConnect, wantsLoginTime: Bool
    ) async throws(ExchangeOrVerification) -> [Finding] {
        let tokens: ProviderTokens
        do {
            tokens = try await components.exchanger.exchange(grant, with: openIDConnect, of: provider)
        } catch {
            throw .exchange(error)
        }
        let evidence = IDTokenEvidence(tokens.idToken)
        do {
            let identity = try await components.verifier.verify(
                tokens, with: openIDConnect, of: provider, nonce: ExpectedNonce(values: [nonce]),
                // Its absence is a finding and no error, because only reauthentication needs it.
                maximumAuthenticationAge: nil)
            let whole = try await completed(identity)
            let issuers = (try? await openIDConnect.endpoints().issuers) ?? []
            let builtIn = issuers.compactMap(ProviderTemplate.withOpenIDConnect(issuer:)).first
            return [
                SignInFindings.redeemed(
                    openIDConnect.pkce == .off ? "without PKCE" : "with PKCE",
                    withAccessToken: tokens.accessToken != nil, of: subject),
                evidence.valid(of: subject), evidence.accessTokenHash(of: subject),
            ]
                + (wantsLoginTime ? [openIDConnect.freshLogin].compactMap(\.self) : [])
                .map { evidence.loginTime($0.evidence, of: subject) }
                + SignInFindings.scopes(tokens.scope, requested: openIDConnect.scopes, of: subject)
                + SignInFindings.profile(
                    of: whole,
                    email: SignInFindings.Email(
                        scopes: openIDConnect.scopes, parameters: openIDConnect.authorizationParameters),
                    builtIn: builtIn == provider.id ? nil : builtIn, subject)
        } catch {
            throw .verification(error, evidence)
        }
    }

    private func redeem(
        _ grant: consuming AuthorizationGrant, _ oauth2: OAuth2
    ) async throws(ExchangeOrVerification) -> [Finding] {
        let tokens: ProviderTokens
        do {
            tokens = try await components.exchanger.exchange(grant, with: oauth2, of: provider)
        } catch {
            throw .exchange(error)
        }
        do {
            let whole = try await completed(
                try await components.verifier.verify(tokens, with: oauth2, of: provider))
            let scopes = SignInFindings.scopes(tokens.scope, requested: oauth2.scopes, of: subject)
            // Without the scope there is no address, which is one finding and not two.
            let isGranted = !scopes.contains { $0.severity == .warning }
            let readsEmail = oauth2.user.mapping.email != nil || oauth2.emails != nil
            let requested: SignInFindings.Email = oauth2.emails == nil ? .requested : .listed
            return [SignInFindings.redeemed(oauth2.pkce == .off ? "without PKCE" : "with PKCE", of: subject)] + scopes
                + SignInFindings.members(of: whole.profile, by: oauth2.user.mapping, in: whole.userInfo, subject)
                + SignInFindings.profile(
                    of: whole, email: readsEmail && isGranted ? requested : .notRequested, subject)
        } catch {
            throw .verification(error, nil)
        }
    }

    private func redeem(
        _ verifier: Secret, _ temporary: TemporaryCredentials, _ oauth1: OAuth1
    ) async throws(ExchangeOrVerification) -> [Finding] {
        let tokens: ProviderTokens
        do {
            tokens = try await components.exchanger.exchange(
                verifier: verifier, for: temporary, with: oauth1, of: provider)
        } catch {
            throw .exchange(error)
        }
        do {
            let whole = try await completed(
                try await components.verifier.verify(tokens, with: oauth1, of: provider))
            return [
                SignInFindings.redeemed("with the request token", of: subject),
                SignInFindings.userID(isPresent: tokens.userID != nil, of: subject),
            ]
                + SignInFindings.profile(
                    of: whole, email: oauth1.credentialsCheck.mapping.email != nil ? .requested : .notRequested, subject
                )
        } catch {
            throw .verification(error, nil)
        }
    }

    private func completed(_ identity: VerifiedIdentity) async throws -> VerifiedIdentity {
        try await components.verifier.completed(identity)
    }
}

/// The components of a sign-in that `doctor` uses.
struct SignInComponents {
    let requests: ProviderRequests
    let exchanger: Exchanger
    let verifier: Verifier

    /// - Parameter singleUse: Spends credentials in a store of its own, so that nothing is written to the server's.
    init(transport: HTTPTransport, singleUse: SingleUse, time: TimeSource) {
        exchanger = Exchanger(transport: transport, singleUse: singleUse, time: time, random: .system)
        verifier = Verifier(
            transport: transport, singleUse: singleUse, findsAccounts: false, time: time, random: .system)
        requests = ProviderRequests(exchanger: exchanger, random: .system)
    }
}

/// Why a walk ended before its last step.
struct WalkStop: Error {
    enum Step {
        case request, authorization, redemption, verification
        /// The operator's input ended.
        case ended
    }

    let step: Step
    let finding: Finding
    /// Whether the provider refused the request or its code, as it may for another setting of PKCE only.
    let isAboutRequest: Bool

    init(_ step: Step, _ finding: Finding, isAboutRequest: Bool = false) {
        self.step = step
        self.finding = finding
        self.isAboutRequest = isAboutRequest
    }
}

/// The error of the component that refused the provider's response.
enum ExchangeOrVerification: Error {
    case exchange(any Error)
    case verification(any Error, IDTokenEvidence?)

    func stop(of subject: String) -> WalkStop {
        switch self {
        case .exchange(let error):
            let refusal = Refusal(error)
            let isRefused = (refusal.cause as? ProviderFailure)?.isRefusalOfRequest == true
            return WalkStop(
                .redemption, SignInFindings.finding("sign_in.token", of: subject, refusal),
                isAboutRequest: refusal.reason == .codeRejected || isRefused)
        case .verification(let error, let evidence):
            return WalkStop(.verification, SignInFindings.finding(Refusal(error), evidence, of: subject))
        }
    }
}

extension ProviderFailure {
    /// Whether a token endpoint has refused the request for a reason that may be its code verifier: some providers answer
    /// `invalid_request` in place of the code `invalid_grant` of RFC 7636 §4.6, and others no code.
    fileprivate var isRefusalOfRequest: Bool {
        switch self {
        case .refused(status: 400, let error): error.hasPrefix("invalid_request")
        case .refusedWithoutCode(let status): status == 400
        default: false
        }
    }
}

extension SignInProtocol {
    fileprivate var hasIDTokens: Bool {
        if case .openIDConnect = self { true } else { false }
    }
}
