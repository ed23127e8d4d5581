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

    func answer(_ visit: Visit) async throws(RequestError) -> Response {
        try rates.exchanges?.admit(visit.address)
        let user = try await visit.asking { () async throws(SignInError) in
            try await visit.corridor.user(
                BearerField.token(visit.request),
                isLeaving: visit.endpoint == .account && visit.request.method == .delete)
        }
        visit.notes.note(uid: user.uid)
        return switch visit.endpoint {
        case .account where visit.request.method == .delete: .json(try await delete(visit, user))
        case .account: .json(try await show(visit, user))
        case .link: .json(try await link(visit, user))
        case .unlink: .json(try await unlink(visit, user))
        case .reauthenticate: .json(try await reauthenticate(visit, user))
        case .merge: .json(try await merge(visit, user))
        case .signOut: .json(try await signOut(visit, user))
        default: throw .notFound
        }
    }

    private func show(_ visit: Visit, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let client = try clientOfQuery(visit)
        try await visit.admit(client)
        return try await visit.asking { () async throws(SignInError) in
            AccountJSON.account(try await visit.corridor.caller(user, client: client).account)
        }
    }

    private func delete(_ visit: Visit, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let client = try clientOfQuery(visit)
        try await visit.admit(client)
        let removal = try await visit.asking { () async throws(SignInError) in
            try await visit.corridor.remove(user, client: client)
        }
        visit.notes.done(.delete)
        return AccountJSON.deleted(removal)
    }

    private func link(_ visit: Visit, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let proof = try await proof(visit)
        let outcome = try await visit.asking { () async throws(SignInError) in
            try await visit.corridor.link(user, proof)
        }
        visit.notes.note(outcome.identity)
        visit.notes.done(.link)
        return AccountJSON.linked(outcome)
    }

    private func reauthenticate(_ visit: Visit, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let proof = try await proof(visit)
        let outcome = try await visit.asking { () async throws(SignInError) in
            try await visit.corridor.reauthenticate(user, proof)
        }
        visit.notes.done(outcome)
        return ExchangeRoute.json(outcome)
    }

    private func proof(_ visit: Visit) async throws(RequestError) -> AccountProof {
        let proof = try AccountBody.proof(try await JSONBody.read(visit, limits: limits))
        if case .credential(let request) = proof {
            visit.notes.note(client: request.client, provider: request.provider, in: visit.corridor)
        }
        try await visit.admit(proof.client)
        return proof
    }

    private func unlink(_ visit: Visit, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let (provider, client) = try AccountBody.unlink(try await JSONBody.read(visit, limits: limits))
        try await visit.admit(client, provider)
        let account = try await visit.asking { () async throws(SignInError) in
            try await visit.corridor.unlink(provider, from: user, client: client)
        }
        visit.notes.done(.unlink)
        return AccountJSON.unlinked(account)
    }

    private func merge(_ visit: Visit, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let request = try AccountBody.merge(try await JSONBody.read(visit, limits: limits))
        try await visit.admit(request.client)
        let outcome = try await visit.asking { () async throws(SignInError) in
            try await visit.corridor.merge(user, request)
        }
        visit.notes.done(.merge, mergedUID: outcome.mergedUID)
        return AccountJSON.merged(outcome)
    }

    private func signOut(_ visit: Visit, _ user: FirebaseUser) async throws(RequestError) -> JSON {
        let (client, token) = try AccountBody.signOut(try await JSONBody.read(visit, limits: limits))
        try await visit.admit(client, token?.provider)
        let outcome = try await visit.asking { () async throws(SignInError) in
            try await visit.corridor.signOut(user, client: client, revoking: token)
        }
        visit.notes.done(.signOut)
        return AccountJSON.signedOut(outcome)
    }

    /// `?client_id=my-app`, and nothing else, where there is no body to name it.
    private func clientOfQuery(_ visit: Visit) throws(RequestError) -> ClientID? {
        guard let query = visit.query, !query.isEmpty else { return nil }
        guard let parameters = try? OAuth.Parameters.parse(query), parameters.pairs.map(\.name) == ["client_id"],
            let client = parameters["client_id"]
        else { throw .unknownField(known: ["client_id"]) }
        return ClientID(client)
    }
}
