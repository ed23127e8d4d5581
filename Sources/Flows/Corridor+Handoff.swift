internal import Accounts
internal import JOSE
package import OAuth
internal import Sealing
internal import Stores
internal import Verification

extension Corridor {
    private static let handoffLifetime = Duration.seconds(60)
    /// Longer than anybody retries, so that a second use is called by its name.
    static let memory = Duration.seconds(3600)

    /// Keeps a finished sign-in for the application that began it, and only for it.
    ///
    /// - Returns: the code that fetches it: for 60 seconds, by this client, redirect URI and code verifier.
    func handOff(_ identity: VerifiedIdentity, to request: AuthorizationRequest) async throws(SignInError) -> Secret {
        let code: Secret
        let record: SpentRecord
        let payload: String
        do {
            code = Secret(try random.unguessableText())
            record = Self.handoffRecord(code, expiresAt: time.now() + Self.memory)
            payload = try identities.seal(
                identity, keepsTokens: clients[request.client]?.returnsProviderTokens ?? false,
                for: Self.holder(request.client, record))
        } catch {
            throw .random(RandomFailure())
        }
        do {
            try await handoffs.keep(
                Handoff(
                    record: record, client: Self.addressee(request.client, request.intent),
                    redirectURI: request.redirectURI,
                    codeChallenge: request.codeChallenge, payload: payload,
                    expiresAt: time.now() + Self.handoffLifetime))
        } catch {
            throw .store(error)
        }
        return code
    }

    /// Redeems a handoff code (RFC 6749 §4.1.3, RFC 7636 §4.5).
    ///
    /// The account is found only here, so that what became of it in between counts.
    package func redeem(
        handoffCode: Secret, redirectURI: String, codeVerifier: Secret, client clientID: ClientID
    ) async throws(SignInError) -> SignInOutcome {
        let client = try client(clientID, for: .authorizationCode)
        let proven = try await proven(
            handoffCode: handoffCode, redirectURI: redirectURI, codeVerifier: codeVerifier, client: client, intent: nil)
        return try await finished(proven.identity, for: client, givingBack: proven.giveBack)
    }

    /// The identity that waits for this client and this purpose.
    func proven(
        handoffCode: Secret, redirectURI: String, codeVerifier: Secret, client: RegisteredClient, intent: AccountIntent?
    ) async throws(SignInError) -> ProvenIdentity {
        guard let verifier = CodeVerifier(codeVerifier.secretText) else { throw .codeVerifierMalformed }
        // It may have been taken off the list since the flow began.
        guard RedirectURI.isRegistered(redirectURI, among: client.redirectURIs) else { throw .handoff(.otherHolder) }
        let claim = HandoffClaim(
            record: Self.handoffRecord(handoffCode, expiresAt: time.now() + Self.memory),
            client: Self.addressee(client.id, intent), redirectURI: redirectURI, codeChallenge: verifier.challenge)
        let outcome: HandoffOutcome
        do {
            outcome = try await handoffs.redeem(claim, at: time.now())
        } catch {
            throw .store(error)
        }
        switch outcome {
        case .redeemed(let handoff):
            guard let identity = identities.open(handoff.payload, for: Self.holder(client.id, handoff.record))
            else { throw .handoff(.unknown) }
            return ProvenIdentity(identity, usesOfConflict: [.link, .merge]) { [handoffs] in
                (try? await handoffs.giveBack(handoff)) != nil
            }
        case .unknown: throw .handoff(.unknown)
        case .expired: throw .handoff(.expired)
        case .replayed: throw .handoff(.replayed)
        case .otherHolder(let holder): throw Self.refusal(of: holder, to: client.id, intent)
        case .otherCodeChallenge: throw .handoff(.verifierMismatch)
        }
    }

    /// The `client` that a handoff is kept for: the client's id and, unless the flow signs in, its purpose and account.
    ///
    /// A code of one purpose is therefore another holder's for every other purpose. A client's id has no control
    /// characters.
    private static func addressee(_ client: ClientID, _ intent: AccountIntent?) -> String {
        guard let intent else { return client.text }
        return "\(client.text)\0\(intent.purpose.rawValue)\0\(intent.uid)"
    }

    /// Why a code is not for this client and intent.
    ///
    /// `addressee` is the one that it is kept for, and nil if the caller has not proven that the code is the caller's.
    private static func refusal(
        of addressee: String?, to client: ClientID, _ intent: AccountIntent?
    ) -> SignInError {
        let parts = addressee?.utf8.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false) ?? []
        guard let holder = parts.first, holder.elementsEqual(client.text.utf8) else { return .handoff(.otherHolder) }
        let name = parts.count == 3 ? String(decoding: parts[1], as: UTF8.self) : ""
        let purpose = AccountIntent.Purpose(rawValue: name)
        return purpose == intent?.purpose ? .account(.userMismatch, givenBack: false) : .otherPurpose
    }

    /// A client that may use a grant.
    func client(_ id: ClientID, for grant: GrantType) throws(SignInError) -> RegisteredClient {
        guard let client = clients[id] else { throw .unknownClient }
        guard client.grants.contains(grant) else { throw .grantNotAllowed }
        return client
    }

    /// Whom an identity is sealed for: nobody else's record opens it.
    static func holder(_ client: ClientID, _ record: SpentRecord) -> String {
        client.text + "\0" + Base64URL.encode(record.digest)
    }

    private static func handoffRecord(_ code: Secret, expiresAt: NumericDate) -> SpentRecord {
        SpentRecord(.handoff, of: [Array(code.secretText.utf8)], issuedAt: nil, expiresAt: expiresAt)
    }
}
