internal import Accounts
internal import JOSE
internal import SecondFactors
internal import Standards
internal import Stores
internal import Verification

/// Handoff codes: RFC 6749's authorization codes, with which an application fetches the result of a browser flow.
struct HandoffCodes: Sendable {
    let registrations: Registrations
    let handoffs: any Handoffs
    let identities: IdentitySeal
    let secondFactors: SecondFactors
    let time: TimeSource
    let random: RandomSource

    private static let handoffLifetime = Duration.seconds(60)

    /// Stores the identity of a browser sign-in for the application that began it.
    ///
    /// - Parameters:
    ///   - isLinked: Whether the person has linked it to an existing account during this flow.
    ///   - isRefused: Whether the code may only report the conflict of the identity, and not sign in.
    /// - Returns: The code with which this client fetches the identity within 60 seconds, with the same redirect URI and
    ///   the code verifier.
    /// - Throws: `StoreError`.
    func code(
        for identity: VerifiedIdentity, isLinked: Bool = false, isRefused: Bool = false,
        proving factor: ProvenFactor? = nil, of request: AuthorizationRequest
    ) async throws -> Secret {
        let code = Secret(try random.unguessableText())
        let record = Self.handoffRecord(code, expiresAt: time.now() + SingleUse.replayRetention)
        let sealedFactor = try secondFactors.sealed(factor)
        let client = registrations.clients[request.client]
        let payload = try identities.seal(
            identity, keepsTokens: client?.returnsProviderTokens ?? false,
            keepsProfile: client?.returnsProviderProfile ?? false, isLinked: isLinked, isRefused: isRefused,
            factor: sealedFactor, for: Self.sealContext(request.client, record))
        let handoff = Handoff(
            record: record, client: Self.addressee(request.client, request.intent), redirectURI: request.redirectURI,
            codeChallenge: request.codeChallenge, payload: payload, expiresAt: time.now() + Self.handoffLifetime)
        try await handoffs.keep(handoff)
        return code
    }

    /// Redeems a handoff code for its identity (RFC 6749 §4.1.3, RFC 7636 §4.5).
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI that the authorization request had.
    ///   - intent: The purpose and the account for which the flow must have begun; `nil` to sign in.
    /// - Throws: The refusal of the code, or `StoreError`.
    func identity(
        ofHandoff handoffCode: Secret, redirectURI: String, codeVerifier: Secret, client: RegisteredClient,
        intent: AccountIntent?
    ) async throws -> ProvenIdentity {
        guard let verifier = CodeVerifier(codeVerifier.secretText) else { throw Refusal.codeVerifierMalformed }
        // The redirect URI may have been removed from the configuration after the flow began.
        guard RedirectURI.isRegistered(redirectURI, among: client.redirectURIs) else {
            throw Refusal.handoffRejected.with(finding: client.refusal(of: redirectURI).finding)
        }
        let claim = HandoffClaim(
            record: Self.handoffRecord(handoffCode, expiresAt: time.now() + SingleUse.replayRetention),
            client: Self.addressee(client.id, intent), redirectURI: redirectURI, codeChallenge: verifier.challenge)
        switch try await handoffs.redeem(claim, at: time.now()) {
        case .redeemed(let handoff):
            guard let kept = identities.open(handoff.payload, for: Self.sealContext(client.id, handoff.record))
            else { throw Refusal.handoffRejected.unopened(.ofStore, "the identity of the code") }
            return ProvenIdentity(
                kept, proving: kept.factor.flatMap(secondFactors.open),
                spending: SpentHandoff(handoff: handoff, store: handoffs))
        case .unknown: throw Self.refusal(ofUnknown: handoffCode)
        case .expired: throw Refusal(.expired, "The code is older than 60 seconds. Sign in again.")
        case .replayed: throw Refusal.replayed(.handoff)
        case .otherAddressee(let addressee): throw Self.refusal(of: addressee, to: client.id, intent)
        case .otherRedirectURI(let asked): throw Refusal.otherRedirectURI(redirectURI, than: asked)
        case .otherCodeChallenge:
            throw Refusal(
                .proofKeyMismatch,
                "The code_verifier does not match the code_challenge of this sign-in. Send the matching "
                    + "code_verifier.")
        }
    }

    /// The column `client` of a handoff: the client's id and, unless the flow signs in, its purpose and account.
    ///
    /// A code of one purpose therefore belongs to another addressee for every other purpose. The parts are separated by a
    /// control character, which no client id contains.
    private static func addressee(_ client: ClientID, _ intent: AccountIntent?) -> String {
        guard let intent else { return client.text }
        return "\(client.text)\0\(intent.purpose.rawValue)\0\(intent.uid)"
    }

    /// Returns the error for a code that belongs to another client or intent.
    ///
    /// - Parameter addressee: The addressee of the code; `nil` if the caller has not proven possession of its verifier.
    private static func refusal(
        of addressee: String?, to client: ClientID, _ intent: AccountIntent?
    ) -> Refusal {
        let parts = addressee?.utf8.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false) ?? []
        guard let owner = parts.first, owner.elementsEqual(client.text.utf8) else {
            return .handoffRejected.with(
                finding: parts.first.map { "the code was issued to the client \(String(decoding: $0, as: UTF8.self))" }
                    ?? "at least two of client_id, redirect_uri, code_verifier and intent are not those of the code")
        }
        let name = parts.count == 3 ? String(decoding: parts[1], as: UTF8.self) : ""
        let purpose = AccountIntent.Purpose(rawValue: name)
        return purpose == intent?.purpose ? .userMismatch.spent : .otherPurpose(purpose, than: intent?.purpose)
    }

    /// Returns the error for a code that the store does not have, whose length tells a code that a program has changed.
    private static func refusal(ofUnknown code: Secret) -> Refusal {
        let octets = code.secretText.utf8.count
        return .handoffRejected.with(
            finding: octets == 43
                ? "the store has no such code: it was altered, was issued by a server with another store, failed too often, or "
                    + "is older than an hour"
                : "the code has \(octets) octets, and one of this server has 43: the application has to send the parameter "
                    + "code of the redirect, decoded once and without anything else")
    }

    /// The context for which an identity is sealed, so that it opens only with this record and for this client.
    static func sealContext(_ client: ClientID, _ record: SpentRecord) -> String {
        client.text + "\0" + Base64URL.encode(record.digest)
    }

    private static func handoffRecord(_ code: Secret, expiresAt: NumericDate) -> SpentRecord {
        SpentRecord(.handoff, of: [Array(code.secretText.utf8)], issuedAt: nil, expiresAt: expiresAt)
    }
}

private struct SpentHandoff: SpentCredential {
    let handoff: Handoff
    let store: any Handoffs

    func giveBack() async -> Bool { (try? await store.giveBack(handoff)) != nil }
}

extension SecondFactors {
    /// Seals a proof for the store; `nil` if there is none.
    func sealed(_ factor: ProvenFactor?) throws -> String? {
        try factor.map(seal)
    }
}
