internal import AttackLab

/// Finished sign-ins that their applications have not fetched yet.
actor Handoffs {
    struct Handoff: Sendable {
        let person: Person
        let client: String
        let redirectURI: String
        let challenge: Challenge?
        let expiresAt: Int64
        var failures = 0
    }

    private static let lifetime: Int64 = 60
    private static let maximumFailures = 5

    private var handoffs: [String: Handoff] = [:]
    private let kit: Kit
    private let used: UsedOnce

    init(_ kit: Kit, used: UsedOnce) {
        self.kit = kit
        self.used = used
    }

    /// The code that fetches it.
    func keep(_ person: Person, for request: Flow.Request) throws(Refusal) -> String {
        let code = try kit.unguessable()
        handoffs[Self.name(code)] = Handoff(
            person: person, client: request.client.id, redirectURI: request.redirectURI,
            challenge: request.challenge, expiresAt: kit.now + Self.lifetime)
        return code
    }

    /// Spent only where all fits; a failure counts, and the fifth ends the code.
    func redeem(
        _ code: String, client: Client, redirectURI: String, verifier: String?
    ) async throws(Refusal) -> Person {
        let name = Self.name(code)
        guard let handoff = handoffs[name] else { throw await used.contains(name) ? .replayed : .codeRejected }
        guard kit.makes(.handoffForever) || kit.now < handoff.expiresAt else { throw .expired }
        guard isHolder(client, of: handoff), same(redirectURI, handoff.redirectURI) else {
            throw failed(name, .codeRejected)
        }
        if let challenge = handoff.challenge {
            // A challenge wants a verifier (RFC 9700 section 2.1.1).
            guard verifier != nil || kit.makes(.verifierOptional) else { throw .proofKeyRequired }
            guard verifier.map(challenge.isMet) ?? true else { throw failed(name, .proofKey) }
        }
        if kit.makes(.handoffReused) { return handoff.person }
        // The handoff goes only after its name is noted: a request that finds it gone finds the name.
        try await used.spend([name])
        handoffs[name] = nil
        return handoff.person
    }

    private func isHolder(_ client: Client, of handoff: Handoff) -> Bool {
        kit.makes(.handoffUnbound)
            || same(client.id, handoff.client) && client.mayReturn(to: handoff.redirectURI, kit: kit)
    }

    private func failed(_ name: String, _ refusal: Refusal) -> Refusal {
        handoffs[name]?.failures += 1
        if handoffs[name]?.failures == Self.maximumFailures { handoffs[name] = nil }
        return refusal
    }

    private static func name(_ code: String) -> String { Kit.digest("handoff", code) }
}
