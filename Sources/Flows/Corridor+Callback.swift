internal import Accounts
internal import Documents
internal import Exchange
internal import JOSE
internal import OAuth
internal import Providers
internal import Sealing
internal import Stores
internal import Verification

extension Corridor {
    /// Ends a flow that ``begin(_:)`` began.
    ///
    /// What does not belong to the session is refused before the session is spent, so that a forged callback does not
    /// burn it. (Whoever has seen the code itself can still waste it, by posting it as a credential.) From there on it
    /// is one attempt, given back where the provider heard nothing of it.
    func finish(
        _ session: Secret, _ callbackURL: Secret, client: RegisteredClient, provider: Provider, intent: AccountIntent?
    ) async throws(SignInError) -> VerifiedIdentity {
        let session = try opened(session, client: client, provider: provider)
        try check(session.intent, against: intent)
        let answer: CallbackAnswer
        let issuer: String?
        do {
            let parameters = try CallbackURL.parameters(of: callbackURL, redirectURI: session.redirectURI)
            answer = try CallbackAnswer.parse(parameters, bound: session.binding, isSilent: session.isSilent)
            issuer = parameters["iss"]
        } catch {
            throw .session(error)
        }
        try await check(issuer: issuer, provider: provider)
        try await prepare(for: answer, of: provider)
        try await spend(session.record)
        let identity: VerifiedIdentity
        do {
            identity = try await redeemed(
                answer, bound: session.binding, redirectURI: session.redirectURI, at: provider)
        } catch {
            throw await givingBack(session, after: error)
        }
        try checkFreshness(
            of: identity, for: intent, since: session.beganAt, bound: session.binding, at: provider)
        return identity
    }

    /// What was begun for one account and one purpose ends there and nowhere else.
    private func check(_ begun: AccountIntent?, against wanted: AccountIntent?) throws(SignInError) {
        guard begun?.purpose == wanted?.purpose else { throw .otherPurpose }
        guard begun == wanted else { throw .account(.userMismatch, givenBack: false) }
    }

    private func opened(
        _ session: Secret, client: RegisteredClient, provider: Provider
    ) throws(SignInError) -> SealedSession {
        guard
            let content = seal.open(session.secretText, as: .session, for: client.id.text)
                .flatMap(SealedSession.init),
            ProviderID(content.provider) == provider.id
        else { throw .session(.malformed) }
        guard time.now() < content.expiresAt else { throw .session(.expired) }
        return content
    }

    /// RFC 9207 §2.4: an answer that names its issuer has to come from the provider that was asked.
    func check(issuer: String?, provider: Provider) async throws(SignInError) {
        guard let openIDConnect = provider.openIDConnect else { return }
        let endpoints: OpenIDConnectEndpoints
        do {
            endpoints = try await openIDConnect.endpoints()
        } catch {
            throw .exchange(.provider(.document(error), givenBack: true))
        }
        guard let issuer else {
            guard !endpoints.sendsIssuer else { throw .session(.issuerMismatch) }
            return
        }
        guard endpoints.issuers.contains(where: { $0.utf8.elementsEqual(issuer.utf8) }) else {
            throw .session(.issuerMismatch)
        }
    }

    /// Asks for the keys that verify what a code brings, before the flow and its code are spent: without them the
    /// sign-in fails.
    ///
    /// A refusal needs no keys. What the person decided is told although the provider's keys cannot be had.
    func prepare(for answer: CallbackAnswer, of provider: Provider) async throws(SignInError) {
        guard case .code = answer, let openIDConnect = provider.openIDConnect else { return }
        do {
            _ = try await openIDConnect.keys.value()
        } catch {
            throw .exchange(.provider(.document(error), givenBack: true))
        }
    }

    /// One attempt, before the provider is asked anything.
    func spend(_ record: SpentRecord) async throws(SignInError) {
        let outcome: SpendOutcome
        do {
            outcome = try await spent.spend([record], at: time.now())
        } catch {
            throw .store(error)
        }
        switch outcome {
        case .first: return
        case .unwatched: throw .session(.unwatched)
        case .replayed, .expired: throw .session(.replayed)
        }
    }

    func redeemed(
        _ answer: CallbackAnswer, bound binding: SealedSession.Binding, redirectURI: String, at provider: Provider
    ) async throws(SignInError) -> VerifiedIdentity {
        switch (answer, binding) {
        case (.refusal(let error), _):
            throw .session(error)
        case (.code(let code), .authorizationCode(_, let nonce, let codeVerifier, let maximumAge)):
            let grant = AuthorizationGrant(
                code: code, redirectURI: redirectURI, codeVerifier: codeVerifier.flatMap { CodeVerifier($0) })
            return try await redeemed(
                grant, nonce: nonce.map { ExpectedNonce(values: [$0]) },
                maximumAge: maximumAge.map { .seconds($0) }, at: provider)
        case (.verifier(let oauthVerifier), .temporaryCredentials(let identifier, let sharedSecret)):
            guard let oauth1 = provider.oauth1 else { throw .session(.malformed) }
            let tokens: ProviderTokens
            do {
                tokens = try await exchanger.exchange(
                    verifier: oauthVerifier,
                    for: TemporaryCredentials(identifier: Secret(identifier), sharedSecret: Secret(sharedSecret)),
                    with: oauth1, of: provider)
            } catch {
                throw .exchange(error)
            }
            return try await verifying(at: provider) { () async throws(VerificationError) in
                try await verifier.verify(tokens, with: oauth1, of: provider)
            }
        case (.code, .temporaryCredentials), (.verifier, .authorizationCode):
            // The answer was read by the rules of this very binding.
            preconditionFailure("An answer is of its binding's protocol.")
        }
    }

    /// A session is as good as before where the code in it is.
    private func givingBack(_ session: SealedSession, after error: SignInError) async -> SignInError {
        switch error {
        case .exchange(.provider(let failure, givenBack: true)):
            return .exchange(.provider(failure, givenBack: await giveBack([session.record])))
        case .exchange(.store(let failure, givenBack: true)):
            // The code was not spent, and the provider has not heard of it.
            return .exchange(.store(failure, givenBack: await giveBack([session.record])))
        default:
            return error
        }
    }
}
