internal import Jansson
internal import OpenSSL

/// People who exist for one attack alone, and how they sign in.
extension Strike {
    /// A provider that knows whomever the attack needs: a second one beside `yahoo.com`.
    static let secondProvider = "op.example"

    func freshSubject() throws -> String { "S" + Base16.encode(try SecureRandom.bytes(12)).uppercased() }

    /// A fresh ID token with the verifier of its nonce: a valid credential.
    ///
    /// - `provider`: `yahoo.com` or `op.example`, which are one issuer under two names.
    /// - `change`: of the token, before it is signed.
    func proof(
        of subject: String, at provider: String = "yahoo.com", clientID: String? = nil, wire: Wire? = nil,
        _ change: (inout TokenDraft) -> Void = { _ in }
    ) async throws -> JSON {
        let clientID = clientID ?? lab.application.clientID
        let begun = try await honest(
            .json("/v1/nonce", ["client_id": .string(clientID), "provider": .string(provider)]), at: wire)
        guard let nonce = begun["nonce"], let verifier = begun["nonce_verifier"] else {
            throw Inconclusive("POST /v1/nonce gave no nonce.")
        }
        var draft = try await draft(subject: subject, nonce: nonce)
        change(&draft)
        let token = try await draft.token(by: standIns)
        await secret(token)
        await secret(verifier)
        return ["type": "id_token", "id_token": .string(token), "nonce": .string(verifier)]
    }

    /// Signs a person in and exchanges the custom token at Firebase.
    func enter(
        _ subject: String? = nil, at provider: String = "yahoo.com", clientID: String? = nil, wire: Wire? = nil,
        _ change: (inout TokenDraft) -> Void = { _ in }
    ) async throws -> Member {
        let subject = try subject ?? freshSubject()
        let proof = try await proof(of: subject, at: provider, clientID: clientID, wire: wire, change)
        let answer = try await honest(exchange(proof, provider: provider, clientID: clientID), at: wire)
        return try await member(answer, provider, subject)
    }

    /// A fresh anonymous account.
    func enterAnonymously(clientID: String? = nil, wire: Wire? = nil) async throws -> Member {
        let body: JSON = ["client_id": .string(clientID ?? lab.application.clientID)]
        return try await member(try await honest(.json("/v1/anonymous", body), at: wire), "anonymous", "")
    }

    /// A user whom only Firebase knows.
    func stranger(_ uid: String? = nil, provider: String = "password") async throws -> Member {
        let uid = try uid ?? freshSubject()
        _ = try await standIns.google("PUT", "/users", ["uid": .string(uid)])
        return Member(
            uid: uid, bearer: try await bearer(of: uid, ["sign_in_provider": .string(provider)]), provider: provider,
            subject: "", customToken: "")
    }

    /// What Firebase makes of a custom token.
    func member(_ answer: Answer, _ provider: String, _ subject: String) async throws -> Member {
        guard let token = answer["custom_token"], let uid = answer["uid"] else {
            throw Inconclusive("The sign-in gave no custom token.")
        }
        await secret(token)
        let bearer = try await tradeIn(token)
        await secret(bearer)
        return Member(uid: uid, bearer: bearer, provider: provider, subject: subject, customToken: token)
    }

    /// `accounts:signInWithCustomToken` of Identity Toolkit.
    func tradeIn(_ customToken: String) async throws -> String {
        let request = Request.json(
            "/v1/accounts:signInWithCustomToken?key=sandbox-api-key",
            ["token": .string(customToken), "returnSecureToken": true])
        let answer = await Wire(base: try standIns.addresses.google).send(request).answer
        guard let answer, answer.status == 200, let token = answer["idToken"] else {
            throw Inconclusive("Firebase did not take the custom token: \(answer?.text.prefix(200) ?? "no answer").")
        }
        return token
    }

    /// A Firebase ID token, valid or changed as `order` says.
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
