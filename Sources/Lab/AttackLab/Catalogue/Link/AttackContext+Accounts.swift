internal import Jansson
internal import OpenSSL

/// Requests to `/v1/account`.
extension AttackContext {
    func account(_ bearer: String?) -> Request { .get("/v1/account").bearing(bearer) }

    func deleteAccount(_ bearer: String?) -> Request { Request("DELETE", "/v1/account").bearing(bearer) }

    func link(
        _ bearer: String?, _ credential: JSON, provider: String = "yahoo.com", clientID: String? = nil,
        further: [String: JSON] = [:]
    ) -> Request {
        asking("link", bearer, credential, provider, clientID, further)
    }

    func reauthenticate(_ bearer: String?, _ credential: JSON, provider: String = "yahoo.com") -> Request {
        asking("reauthenticate", bearer, credential, provider, nil, [:])
    }

    /// Posts the handoff code of a flow with an intent, which implies the provider.
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

    /// - `proof`: `from_id_token`, `pending_credential`, or any other members.
    func merge(_ bearer: String?, _ proof: [String: JSON], clientID: String? = nil) -> Request {
        let body = proof.merging(["client_id": .string(clientID ?? lab.application.clientID)]) { first, _ in first }
        return .json("/v1/account/merge", .object(body), bearer: bearer)
    }

    func signOut(_ bearer: String?, _ members: [String: JSON] = [:]) -> Request {
        .json("/v1/account/signout", .object(members), bearer: bearer)
    }

    /// Returns the subjects of an account by provider, as `GET /v1/account` reports them.
    func identities(_ bearer: String, at wire: Wire? = nil) async throws -> [String: String] {
        let answer = try await honest(account(bearer), at: wire)
        var subjects: [String: String] = [:]
        for identity in answer.json?["identities"]?.array ?? [] where identity["managed_by"] != "firebase" {
            if let provider = identity["provider"]?.string { subjects[provider] = identity["provider_uid"]?.string }
        }
        return subjects
    }

    /// Expects that an account has exactly these identities.
    func expectIdentities(_ member: Member, _ expected: [String: String], at wire: Wire? = nil) async throws {
        let found = try await identities(member.bearer, at: wire)
        await expect(
            found == expected, .minted,
            "The account has identities of \(found.keys.sorted()); \(expected.keys.sorted()) is correct.")
    }

    /// Returns a pending credential: `caller` tries to link an identity that belongs to `holder`.
    func conflict(_ caller: Member, with holder: Member, wire: Wire? = nil) async throws -> JSON {
        let proof = try await proof(of: holder.subject, at: holder.provider, wire: wire)
        let answer = try await honest(link(caller.bearer, proof, provider: holder.provider), status: 409, at: wire)
        guard let pending = answer["pending_credential"] else { throw Inconclusive("There was no conflict.") }
        await secret(pending)
        return .pending(pending)
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
    /// Returns the request with `Authorization: Bearer`; `nil` leaves it unchanged.
    func bearing(_ token: String?) -> Request { token.map { with("Authorization", "Bearer " + $0) } ?? self }
}

/// Users that exist only for one attack, and their sign-ins.
extension AttackContext {
    /// A second provider besides `yahoo.com`, which accepts any subject.
    static let secondProvider = "op.example"

    func freshSubject() throws -> String { "S" + Base16.encode(try SecureRandom.bytes(12)).uppercased() }

    /// Returns a fresh ID token with its nonce verifier, a valid credential.
    ///
    /// - `provider`: `yahoo.com` or `op.example`, two names of one issuer.
    /// - `change`: Changes the token before it is signed.
    func proof(
        of subject: String, at provider: String = "yahoo.com", clientID: String? = nil, wire: Wire? = nil,
        _ change: (inout TokenDraft) -> Void = { _ in }
    ) async throws -> JSON {
        let (nonce, verifier) = try await nonce(clientID: clientID, provider: provider, at: wire)
        var draft = try await draft(subject: subject, nonce: nonce)
        change(&draft)
        let token = try await draft.token(by: standIns)
        await secret(token)
        return .idToken(token, nonce: verifier)
    }

    /// Signs a user in and exchanges the custom token at Firebase.
    func enter(
        _ subject: String? = nil, at provider: String = "yahoo.com", clientID: String? = nil, wire: Wire? = nil,
        _ change: (inout TokenDraft) -> Void = { _ in }
    ) async throws -> Member {
        let subject = try subject ?? freshSubject()
        let proof = try await proof(of: subject, at: provider, clientID: clientID, wire: wire, change)
        let answer = try await honest(exchange(proof, provider: provider, clientID: clientID), at: wire)
        return try await member(answer, provider, subject)
    }

    /// Creates an anonymous account.
    func enterAnonymously() async throws -> Member {
        let body: JSON = ["client_id": .string(lab.application.clientID)]
        return try await member(try await honest(.json("/v1/anonymous", body)), "anonymous", "")
    }

    /// Creates a user that exists only at Firebase.
    func stranger(_ uid: String? = nil) async throws -> Member {
        let uid = try uid ?? freshSubject()
        try await changeUser(uid, [:])
        return Member(
            uid: uid, bearer: try await bearer(of: uid, ["sign_in_provider": "password"]), provider: "password",
            subject: "", customToken: "")
    }

    /// Exchanges the custom token of a response at Firebase.
    func member(_ answer: Answer, _ provider: String, _ subject: String) async throws -> Member {
        guard let token = answer["custom_token"], let uid = answer["uid"] else {
            throw Inconclusive("The sign-in returned no custom token.")
        }
        await secret(token)
        let bearer = try await tradeIn(token)
        await secret(bearer)
        return Member(uid: uid, bearer: bearer, provider: provider, subject: subject, customToken: token)
    }

    /// Calls `accounts:signInWithCustomToken` of Identity Toolkit.
    func tradeIn(_ customToken: String) async throws -> String {
        let request = Request.json(
            "/v1/accounts:signInWithCustomToken?key=sandbox-api-key",
            ["token": .string(customToken), "returnSecureToken": true])
        let answer = await Wire(base: try standIns.addresses.google).send(request).answer
        guard let answer, answer.status == 200, let token = answer["idToken"] else {
            throw Inconclusive("Firebase refused the custom token: \(answer?.text.prefix(200) ?? "no response").")
        }
        return token
    }

    /// Returns a Firebase ID token, valid or changed as `order` describes.
    func bearer(of uid: String, _ order: [String: JSON] = [:]) async throws -> String {
        let answer = try await standIns.google(
            "POST", "/id-token", .object(order.merging(["uid": .string(uid)]) { $1 }))
        guard let token = answer["id_token"]?.string else { throw Inconclusive("Firebase issued no ID token.") }
        await secret(token)
        return token
    }

    /// Changes a user at Firebase.
    func changeUser(_ uid: String, _ members: [String: JSON]) async throws {
        _ = try await standIns.google(
            "PUT", "/users", .object(members.merging(["uid": .string(uid)]) { $1 }))
    }
}

/// A user with an account who is signed in to Firebase.
struct Member: Sendable {
    let uid: String
    let bearer: String
    let provider: String
    let subject: String
    /// The custom token as minted.
    let customToken: String
}
