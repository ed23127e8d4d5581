internal import Jansson
internal import OpenSSL

/// Credentials that applications post.
extension JSON {
    static func idToken(_ token: String, nonce: String) -> JSON {
        ["type": "id_token", "id_token": .string(token), "nonce": .string(nonce)]
    }

    static func accessToken(_ token: String, nonce: String) -> JSON {
        ["type": "access_token", "access_token": .string(token), "nonce": .string(nonce)]
    }

    /// A pending credential, or the handle of a challenge.
    static func pending(_ handle: String) -> JSON {
        ["type": "pending", "pending_credential": .string(handle)]
    }
}

/// The steps of `POST /v1/exchange`.
extension AttackContext {
    /// Returns a nonce for the provider, and the verifier that is posted with the credential.
    func nonce(
        clientID: String? = nil, provider: String? = nil, at wire: Wire? = nil
    ) async throws -> (nonce: String, verifier: String) {
        let answer = try await honest(
            .json(
                "/v1/nonce",
                [
                    "client_id": .string(clientID ?? lab.application.clientID),
                    "provider": .string(provider ?? lab.application.provider),
                ]), at: wire)
        guard let nonce = answer["nonce"], let verifier = answer["nonce_verifier"] else {
            throw Inconclusive("POST /v1/nonce gave no nonce.")
        }
        await secret(verifier)
        return (nonce, verifier)
    }

    func exchange(
        _ credential: JSON, provider: String? = nil, clientID: String? = nil, further: [String: JSON] = [:]
    ) -> Request {
        var body: [String: JSON] = [
            "client_id": .string(clientID ?? lab.application.clientID),
            "provider": .string(provider ?? lab.application.provider), "credential": credential,
        ]
        body.merge(further) { $1 }
        return .json("/v1/exchange", .object(body))
    }

    func exchange(idToken: String, nonce: String, accessToken: String? = nil, clientID: String? = nil) -> Request {
        let credential = JSON.idToken(idToken, nonce: nonce)
        let whole = accessToken.map { credential.setting(["access_token"], to: .string($0)) }
        return exchange(whole ?? credential, clientID: clientID)
    }

    /// Returns the draft of a valid token for `subject`, with the server's audience and a fresh nonce.
    func draft(
        subject: String = "ATTACKERWJNWVNQD4GXZ5NGMZU", nonce: String?
    ) async throws -> TokenDraft {
        let standIns = try standIns
        let keys = try await standIns.keys()
        guard let keyID = keys["own_kid"]?.string, let issuer = keys["issuer"]?.string else {
            throw Inconclusive("Yahoo's stand-in told no keys.")
        }
        var draft = TokenDraft(
            keyID: keyID, issuer: issuer, audience: try await audience, subject: subject, nonce: nonce, now: lab.now)
        // Two tokens of one second differ, so that one is not a replay of the other.
        draft.claims["jti"] = .text(Base64.urlEncode(try SecureRandom.bytes(12)))
        return draft
    }

    /// Returns a token that `change` has altered, and the request that posts it with its verifier.
    func forged(
        subject: String = "ATTACKERWJNWVNQD4GXZ5NGMZU", accessToken: String? = nil,
        _ change: (inout TokenDraft) async throws -> Void
    ) async throws -> Request {
        let (nonce, verifier) = try await nonce()
        var draft = try await draft(subject: subject, nonce: nonce)
        try await change(&draft)
        return exchange(idToken: try await draft.token(by: standIns), nonce: verifier, accessToken: accessToken)
    }

    /// Posts a token and expects a refusal.
    func fire(
        forged reasons: Set<String>, _ change: (inout TokenDraft) async throws -> Void
    ) async throws {
        let request = try await forged(change)
        await fire(request, expecting: Expectation(statuses: [400], errors: ["invalid_grant"], reasons: reasons))
    }

    /// Returns a genuine ID token of `user` for `application`, and the request that posts it.
    func genuine(user: String = "alice", application: String = "ours") async throws -> (request: Request, issued: JSON)
    {
        let (nonce, verifier) = try await nonce()
        let issued = try await standIns.issue([
            "provider": "yahoo.com", "user": .string(user), "nonce": .string(nonce),
            "application": .string(application),
        ])
        guard let token = issued["id_token"]?.string else { throw Inconclusive("The stand-in issued no token.") }
        return (exchange(idToken: token, nonce: verifier), issued)
    }

    /// The client id of the application `ours` at Yahoo's stand-in, which is the audience of valid ID tokens.
    var audience: String {
        get async throws {
            let applications = try await standIns.applications()
            guard let id = applications["ours"]?["yahoo.com"]?["client_id"]?.string else {
                throw Inconclusive("The stand-ins know no application.")
            }
            return id
        }
    }

    var standIns: StandIns {
        get throws { try lab.needed(lab.standIns, "stand-ins") }
    }

    var testBed: TestBed {
        get throws { try lab.needed(lab.testBed, "processes") }
    }
}

extension AttackContext {
    /// Returns the current position in the stand-ins' log of requests.
    func mark() async throws -> Int64 { try await standIns.mark() }

    /// Waits until the stand-ins have recorded slow calls, because they record a call when it ends.
    func awaitCalls(of endpoint: String, count: Int = 1, since mark: Int64) async throws {
        for _ in 0..<500 {
            if try await standIns.calls(since: mark)[endpoint, default: 0] >= count { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Inconclusive("The stand-ins did not end \(count) calls of \(endpoint).")
    }

    /// Checks how often endpoints of the stand-ins (such as `yahoo.token`) were called after a mark.
    ///
    /// Endpoints that are not named are not checked.
    func expectCalls(_ expected: [String: Int], since mark: Int64) async throws {
        let calls = try await standIns.calls(since: mark)
        for (endpoint, count) in expected.sorted(by: { $0.key < $1.key }) where calls[endpoint, default: 0] != count {
            await found(
                .sideEffect, "\(endpoint) was called \(calls[endpoint, default: 0]) times, where \(count) is right.")
        }
    }
}

/// Servers that one attack starts.
extension AttackContext {
    /// Starts another server, and stops it after `work`, also if that fails.
    func withServer(_ plan: ServerPlan, _ work: (TestServer) async throws -> Void) async throws {
        let bed = try testBed
        let server = try await bed.server(plan)
        do {
            try await work(server)
        } catch {
            await bed.stop(server)
            throw error
        }
        await bed.stop(server)
    }

    /// Waits until `/readyz` responds with `status`, because its response may be a second old.
    @discardableResult func expectReadiness(_ status: Int, of server: TestServer) async -> Answer? {
        for _ in 0..<100 {
            let answer = await server.admin.send(.get("/readyz"), within: .seconds(5)).answer
            if let answer, answer.status == status { return answer }
            try? await Task.sleep(for: .milliseconds(100))
        }
        await found(.wrongAnswer, "/readyz never says \(status).")
        return nil
    }

    /// Starts a second process on the store of the attacked server.
    func withTwin(_ work: (TestServer) async throws -> Void) async throws {
        var plan = ServerPlan("twin-\(attack.id)")
        plan.sharesStore = true
        try await withServer(plan, work)
    }
}
