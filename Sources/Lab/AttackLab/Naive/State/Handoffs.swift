internal import OpenSSL

/// Finished sign-ins that the applications have not redeemed yet.
actor Handoffs {
    struct Handoff: Sendable {
        let identity: Identity
        let client: String
        let redirectURI: String
        let challenge: Challenge?
        let expiresAt: Int64
        var failures = 0
    }

    private static let lifetime: Int64 = 60
    private static let maximumFailures = 5

    private var handoffs: [String: Handoff] = [:]
    private let environment: BackendEnvironment
    private let used: SpentStore

    init(_ environment: BackendEnvironment, used: SpentStore) {
        self.environment = environment
        self.used = used
    }

    /// Stores an identity and returns its code.
    func keep(_ identity: Identity, for request: NaiveFlow.Request) throws(Refusal) -> String {
        let code = try environment.unguessable()
        handoffs[Self.name(code)] = Handoff(
            identity: identity, client: request.client.id, redirectURI: request.redirectURI,
            challenge: request.challenge, expiresAt: environment.now + Self.lifetime)
        return code
    }

    /// Redeems a code.
    ///
    /// It is used up only if everything matches; the fifth failure invalidates it.
    func redeem(
        _ code: String, client: Client, redirectURI: String, verifier: String?
    ) async throws(Refusal) -> Identity {
        let name = Self.name(code)
        guard let handoff = handoffs[name] else { throw await used.contains(name) ? .replayed : .codeRejected }
        guard environment.makes(.handoffForever) || environment.now < handoff.expiresAt else { throw .expired }
        guard isHolder(client, of: handoff), same(redirectURI, handoff.redirectURI) else {
            throw failed(name, .codeRejected)
        }
        if let challenge = handoff.challenge {
            // A challenge requires a verifier (RFC 9700 section 2.1.1).
            guard verifier != nil || environment.makes(.verifierOptional) else { throw .proofKeyRequired }
            guard verifier.map(challenge.isMet) ?? true else { throw failed(name, .proofKey) }
        }
        if environment.makes(.handoffReused) { return handoff.identity }
        // The handoff is removed after its name is recorded, so that a parallel request finds one or the other.
        try await used.spend([name])
        handoffs[name] = nil
        return handoff.identity
    }

    private func isHolder(_ client: Client, of handoff: Handoff) -> Bool {
        environment.makes(.handoffUnbound)
            || same(client.id, handoff.client) && client.mayReturn(to: handoff.redirectURI, environment: environment)
    }

    private func failed(_ name: String, _ refusal: Refusal) -> Refusal {
        handoffs[name]?.failures += 1
        if handoffs[name]?.failures == Self.maximumFailures { handoffs[name] = nil }
        return refusal
    }

    private static func name(_ code: String) -> String { BackendEnvironment.digest("handoff", code) }
}

/// The PKCE challenge, which binds a code to the application that requested it (RFC 7636 section 4.2).
struct Challenge: Sendable {
    let text: String
    /// Whether the challenge is the verifier itself instead of its hash, which is possible only because of a mistake.
    let isPlain: Bool

    func isMet(by verifier: String) -> Bool {
        same(text, isPlain ? verifier : Base64Text.encode(SHA256.hash(Array(verifier.utf8))))
    }

    /// Whether the text has the form of a verifier (RFC 7636 section 4.1).
    static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && text.utf8.allSatisfy(Percent.isUnreserved)
    }
}
