internal import Firebase
internal import Flows
internal import Jansson
internal import Standards
internal import Stores

/// The endpoints of `/v1/account` and `/v1/provider-token`, for signed-in users.
struct AccountRoutes: Sendable {
    let limits: ServerLimits
    let rates: Rates

    func show(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(Refusal) -> JSON {
        let client = try clientOfQuery(incoming)
        try await incoming.checkApplication(client)
        return AccountMessages.account(
            try await incoming.call(await incoming.flows.accounts.account(of: user, client: client)))
    }

    func delete(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(Refusal) -> JSON {
        let client = try clientOfQuery(incoming)
        try await incoming.checkApplication(client)
        return AccountMessages.deleted(
            try await incoming.call(await incoming.flows.accounts.remove(user, client: client)).removal)
    }

    func link(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(Refusal) -> JSON {
        let proof = try await proof(incoming)
        let outcome = try await incoming.call(
            await incoming.flows.accounts.link(user, proof))
        return AccountMessages.linked(outcome)
    }

    func reauthenticate(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(Refusal) -> JSON {
        let proof = try await proof(incoming)
        let outcome = try await incoming.call(
            await incoming.flows.accounts.reauthenticate(user, proof))
        return ExchangeMessages.json(outcome)
    }

    private func proof(_ incoming: IncomingRequest) async throws(Refusal) -> AccountProof {
        let proof = try AccountMessages.proof(try await JSONBody.read(incoming, limits: limits))
        if case .credential(let request) = proof {
            incoming.notes.note(client: request.client, provider: request.provider, in: incoming.flows)
        }
        try await incoming.checkApplication(proof.client)
        return proof
    }

    func unlink(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(Refusal) -> JSON {
        let (provider, client) = try AccountMessages.unlink(try await JSONBody.read(incoming, limits: limits))
        try await incoming.checkApplication(client, provider)
        return AccountMessages.unlinked(
            try await incoming.call(await incoming.flows.accounts.unlink(provider, from: user, client: client)))
    }

    func merge(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(Refusal) -> JSON {
        let request = try AccountMessages.merge(try await JSONBody.read(incoming, limits: limits))
        try await incoming.checkApplication(request.client)
        let outcome = try await incoming.call(
            await incoming.flows.accounts.merge(user, request))
        return AccountMessages.merged(outcome)
    }

    func signOut(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(Refusal) -> JSON {
        let (client, token) = try AccountMessages.signOut(try await JSONBody.read(incoming, limits: limits))
        try await incoming.checkApplication(client, token?.provider)
        let outcome = try await incoming.call(
            await incoming.flows.accounts.signOut(user, client: client, revoking: token))
        return AccountMessages.signedOut(outcome)
    }

    func refresh(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(Refusal) -> JSON {
        try rates.refreshes?.take(user.uid.text)
        let request = try AccountMessages.refresh(try await JSONBody.read(incoming, limits: limits))
        incoming.notes.note(client: request.client, provider: request.provider, in: incoming.flows)
        try await incoming.checkApplication(request.client, request.provider)
        let outcome = try await incoming.call(await incoming.flows.accounts.refresh(user, request))
        return .object(["oauth": ExchangeMessages.oauth(outcome.tokens)])
    }

    func revoke(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(Refusal) -> JSON {
        try rates.refreshes?.take(user.uid.text)
        let request = try AccountMessages.revocation(try await JSONBody.read(incoming, limits: limits))
        incoming.notes.note(client: request.client, provider: request.provider, in: incoming.flows)
        try await incoming.checkApplication(request.client, request.provider)
        _ = try await incoming.call(await incoming.flows.accounts.revoke(user, request))
        return .object([:])
    }

    func factors(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(Refusal) -> JSON {
        let client = try clientOfQuery(incoming)
        try await incoming.checkApplication(client)
        return SecondFactorMessages.json(
            try await incoming.call(await incoming.flows.accounts.factors(of: user, client: client)))
    }

    func enroll(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(Refusal) -> JSON {
        let (client, name) = try SecondFactorMessages.enrollment(try await JSONBody.read(incoming, limits: limits))
        try await incoming.checkApplication(client)
        return SecondFactorMessages.json(
            try await incoming.call(await incoming.flows.accounts.enroll(user, client: client, named: name)))
    }

    func confirmFactor(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(Refusal) -> JSON {
        let (client, factor, code) = try SecondFactorMessages.confirmation(
            try await JSONBody.read(incoming, limits: limits))
        try await incoming.checkApplication(client)
        return SecondFactorMessages.json(
            try await incoming.call(
                await incoming.flows.accounts.confirm(factor, of: user, client: client, by: code)))
    }

    func removeFactor(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(Refusal) -> JSON {
        let (client, factor, code) = try SecondFactorMessages.removal(
            try await JSONBody.read(incoming, limits: limits))
        try await incoming.checkApplication(client)
        _ = try await incoming.call(
            await incoming.flows.accounts.remove(factor, of: user, client: client, by: code))
        return .object([:])
    }

    /// Returns the client of a request without a body, which its query names: `?client_id=my-app`.
    ///
    /// - Returns: The client; `nil` if there is no query.
    /// - Throws: ``Refusal/unknownField(known:among:)`` for any other parameter.
    private func clientOfQuery(_ incoming: IncomingRequest) throws(Refusal) -> ClientID? {
        guard let query = incoming.query, !query.isEmpty else { return nil }
        let parameters = try? Standards.Parameters.parse(query)
        let names = parameters?.pairs.map(\.name) ?? []
        guard names == ["client_id"], let client = parameters?["client_id"]
        else { throw .unknownField(known: ["client_id"], among: names) }
        return ClientID(client)
    }
}
