internal import Jansson

/// The calls of `/v1/account`.
extension Strike {
    func account(_ bearer: String?) -> Request { .get("/v1/account").bearing(bearer) }

    func deleteAccount(_ bearer: String?) -> Request { Request("DELETE", "/v1/account").bearing(bearer) }

    func link(
        _ bearer: String?, _ credential: JSON, provider: String = "yahoo.com", clientID: String? = nil,
        further: [String: JSON] = [:]
    ) -> Request {
        asking("link", bearer, credential, provider, clientID, further)
    }

    func reauthenticate(
        _ bearer: String?, _ credential: JSON, provider: String = "yahoo.com", clientID: String? = nil
    ) -> Request {
        asking("reauthenticate", bearer, credential, provider, clientID, [:])
    }

    /// With the handoff code of a flow that has an intent, which knows its provider by itself.
    func link(_ bearer: String?, handoff code: String, _ flow: Flow, verifier: String? = nil) -> Request {
        let credential: JSON = [
            "type": "handoff", "code": .string(code), "redirect_uri": .string(flow.redirectURI),
            "code_verifier": .string(verifier ?? flow.codeVerifier),
        ]
        return .json(
            "/v1/account/link", ["client_id": .string(flow.clientID), "credential": credential], bearer: bearer)
    }

    func unlink(_ bearer: String?, _ provider: String) -> Request {
        .json("/v1/account/unlink", ["provider": .string(provider)], bearer: bearer)
    }

    /// - `proof`: `from_id_token` or `pending_credential`, or whatever else.
    func merge(_ bearer: String?, _ proof: [String: JSON], clientID: String? = nil) -> Request {
        let body = proof.merging(["client_id": .string(clientID ?? lab.application.clientID)]) { first, _ in first }
        return .json("/v1/account/merge", .object(body), bearer: bearer)
    }

    func signOut(_ bearer: String?, _ members: [String: JSON] = [:]) -> Request {
        .json("/v1/account/signout", .object(members), bearer: bearer)
    }

    /// The subjects of an account by provider, as the account itself says.
    func identities(_ bearer: String, at wire: Wire? = nil) async throws -> [String: String] {
        let answer = try await honest(account(bearer), at: wire)
        var subjects: [String: String] = [:]
        for identity in answer.json?["identities"]?.array ?? [] {
            if let provider = identity["provider"]?.string { subjects[provider] = identity["provider_uid"]?.string }
        }
        return subjects
    }

    /// Holds an account's identities against what they must be.
    func expectIdentities(_ member: Member, _ expected: [String: String], at wire: Wire? = nil) async throws {
        let found = try await identities(member.bearer, at: wire)
        await expect(
            found == expected, .minted,
            "The account has identities of \(found.keys.sorted()), where \(expected.keys.sorted()) is right.")
    }

    /// A pending credential: `caller` tries to link an identity that `holder` has.
    func conflict(
        _ caller: Member, with holder: Member, clientID: String? = nil, wire: Wire? = nil
    ) async throws -> JSON {
        let proof = try await proof(of: holder.subject, at: holder.provider, clientID: clientID, wire: wire)
        let answer = try await honest(
            link(caller.bearer, proof, provider: holder.provider, clientID: clientID), status: 409, at: wire)
        guard let pending = answer["pending_credential"] else { throw Inconclusive("There was no conflict.") }
        await secret(pending)
        return ["type": "pending", "pending_credential": .string(pending)]
    }

    private func asking(
        _ call: String, _ bearer: String?, _ credential: JSON, _ provider: String, _ clientID: String?,
        _ further: [String: JSON]
    ) -> Request {
        var request = exchange(credential, provider: provider, clientID: clientID, further: further)
        request.target = "/v1/account/" + call
        return request.bearing(bearer)
    }
}

extension Request {
    /// The same with `Authorization: Bearer`; nil leaves it as it is.
    func bearing(_ token: String?) -> Request { token.map { with("Authorization", "Bearer " + $0) } ?? self }
}

extension Expectation {
    /// 401 `invalid_token` with this reason.
    static func unauthorized(_ reasons: String...) -> Self {
        Self(statuses: [401], errors: ["invalid_token"], reasons: Set(reasons))
    }

    /// 403 `access_denied` with this reason.
    static func denied(_ reasons: String...) -> Self {
        Self(statuses: [403], errors: ["access_denied"], reasons: Set(reasons))
    }

    /// 409 with this reason.
    static func conflict(_ reasons: String...) -> Self {
        Self(statuses: [409], errors: ["invalid_request"], reasons: Set(reasons))
    }
}
