internal import Accounts
internal import Firebase
internal import Flows
internal import HTTPTypes
internal import Hummingbird
internal import Jansson
internal import OAuth
internal import Stores

/// What people do with their accounts; who they are is settled before a body is read.
struct AccountRoutes: Sendable {
    let limits: ServerLimits
    let rates: Rates

    func response(to incoming: IncomingRequest) async throws(RequestError) -> Response {
        try rates.exchanges?.admit(incoming.address)
        let user = try await incoming.asking { () async throws(SignInError) in
            try await incoming.flows.accounts.user(
                BearerField.token(incoming.request),
                isLeaving: incoming.endpoint == .account && incoming.request.method == .delete)
        }
        incoming.notes.note(uid: user.uid)
        return switch incoming.endpoint {
        case .account where incoming.request.method == .delete: .json(try await delete(incoming, user))
        case .account: .json(try await show(incoming, user))
        case .link: .json(try await link(incoming, user))
        case .unlink: .json(try await unlink(incoming, user))
        case .reauthenticate: .json(try await reauthenticate(incoming, user))
        case .merge: .json(try await merge(incoming, user))
        case .signOut: .json(try await signOut(incoming, user))
        default: throw .notFound
        }
    }

    private func show(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let client = try clientOfQuery(incoming)
        try await incoming.admit(client)
        return try await incoming.asking { () async throws(SignInError) in
            AccountJSON.account(try await incoming.flows.accounts.account(of: user, client: client))
        }
    }

    private func delete(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let client = try clientOfQuery(incoming)
        try await incoming.admit(client)
        let removal = try await incoming.asking { () async throws(SignInError) in
            try await incoming.flows.accounts.remove(user, client: client)
        }
        incoming.notes.done(.delete)
        return AccountJSON.deleted(removal)
    }

    private func link(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let proof = try await proof(incoming)
        let outcome = try await incoming.asking { () async throws(SignInError) in
            try await incoming.flows.accounts.link(user, proof)
        }
        incoming.notes.note(outcome.identity)
        incoming.notes.done(.link)
        return AccountJSON.linked(outcome)
    }

    private func reauthenticate(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let proof = try await proof(incoming)
        let outcome = try await incoming.asking { () async throws(SignInError) in
            try await incoming.flows.accounts.reauthenticate(user, proof)
        }
        incoming.notes.done(outcome)
        return ExchangeRoute.json(outcome)
    }

    private func proof(_ incoming: IncomingRequest) async throws(RequestError) -> AccountProof {
        let proof = try AccountBody.proof(try await JSONBody.read(incoming, limits: limits))
        if case .credential(let request) = proof {
            incoming.notes.note(client: request.client, provider: request.provider, in: incoming.flows)
        }
        try await incoming.admit(proof.client)
        return proof
    }

    private func unlink(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let (provider, client) = try AccountBody.unlink(try await JSONBody.read(incoming, limits: limits))
        try await incoming.admit(client, provider)
        let account = try await incoming.asking { () async throws(SignInError) in
            try await incoming.flows.accounts.unlink(provider, from: user, client: client)
        }
        incoming.notes.done(.unlink)
        return AccountJSON.unlinked(account)
    }

    private func merge(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let request = try AccountBody.merge(try await JSONBody.read(incoming, limits: limits))
        try await incoming.admit(request.client)
        let outcome = try await incoming.asking { () async throws(SignInError) in
            try await incoming.flows.accounts.merge(user, request)
        }
        incoming.notes.done(.merge, mergedUID: outcome.mergedUID)
        return AccountJSON.merged(outcome)
    }

    private func signOut(_ incoming: IncomingRequest, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let (client, token) = try AccountBody.signOut(try await JSONBody.read(incoming, limits: limits))
        try await incoming.admit(client, token?.provider)
        let outcome = try await incoming.asking { () async throws(SignInError) in
            try await incoming.flows.accounts.signOut(user, client: client, revoking: token)
        }
        incoming.notes.done(.signOut)
        return AccountJSON.signedOut(outcome)
    }

    /// `?client_id=my-app`, and nothing else, where there is no body to name it.
    private func clientOfQuery(_ incoming: IncomingRequest) throws(RequestError) -> ClientID? {
        guard let query = incoming.query, !query.isEmpty else { return nil }
        guard let parameters = try? OAuth.Parameters.parse(query), parameters.pairs.map(\.name) == ["client_id"],
            let client = parameters["client_id"]
        else { throw .unknownField(known: ["client_id"]) }
        return ClientID(client)
    }
}
