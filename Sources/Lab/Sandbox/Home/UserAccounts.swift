import Jansson
import Transport

/// The accounts of the stand-ins' users at the server.
///
/// Its requests belong to no run, unless a caller records them.
struct UserAccounts: Sendable {
    let server: HomeServer
    /// The origin of the home page.
    let origin: String
    let store: RunStore

    // MARK: - Removal

    /// Removes the accounts of a user, and forgets the authenticator application that ``addFactor(to:)`` gave one of them.
    ///
    /// An account that has identities of other providers than Yahoo and X only is found if its user has signed in on the home
    /// page, or at Firebase's stand-in.
    ///
    /// - Returns: The uids of the removed accounts.
    @discardableResult
    func remove(of user: SandboxUser) async -> [String] {
        await store.forgetAuthenticator(of: user)
        return await removeByLinking(user) + removeKnown(user)
    }

    /// Removes the accounts with an identity of Yahoo or X.
    ///
    /// Linking the identity to another account tells which account has it.
    private func removeByLinking(_ user: SandboxUser) async -> [String] {
        guard let name = try? RandomText.make(22), let other = await idToken(of: "sandbox-" + name) else { return [] }
        var removed: [String] = []
        for (provider, name) in [("yahoo.com", nil), ("twitter.com", "oauth1")] {
            guard let proof = await proof(of: user, at: provider, protocol: name),
                case .answer(let response)? = await send(request("/v1/account/link", proof, by: other)),
                let uid = (try? JSON.parse(response.body))?["existing_uid"]?.string,
                let bearer = await idToken(of: uid),
                await send(deletion(by: bearer))?.success != nil
            else { continue }
            removed.append(uid)
        }
        _ = await send(deletion(by: other))
        return removed
    }

    /// Removes the accounts of the runs and of Firebase's users that have an identity of the user.
    private func removeKnown(_ user: SandboxUser) async -> [String] {
        var removed: [String] = []
        let users = await send(.get(origin + "/google/users"))?.success?.array ?? []
        for uid in await store.uids.union(users.compactMap { $0["localId"]?.string }) {
            guard let bearer = await idToken(of: uid),
                let account = await send(
                    RecordedRequest(
                        method: .get, url: server.publicURL + "/v1/account", header: [Self.authorization(bearer)]))?
                    .success,
                account["identities"]?.array?.contains(where: { user.has($0["provider_uid"]?.string ?? "") }) == true,
                await send(deletion(by: bearer))?.success != nil
            else { continue }
            removed.append(uid)
        }
        return removed
    }

    // MARK: - Second factors

    /// Gives a user an account if there is none, and adds an authenticator application to it.
    ///
    /// - Returns: `false` if the server refused, for example because the account has a factor of another application.
    func addFactor(to user: SandboxUser) async -> Bool {
        guard let proof = await proof(of: user, at: "yahoo.com", protocol: nil),
            let answer = await send(.json(server.publicURL + "/v1/exchange", .object(proof)))?.success,
            let uid = answer["uid"]?.string, let bearer = await idToken(of: uid)
        else { return false }
        return await addFactor(to: user, by: bearer) { _, request, _ in await send(request)?.success }
    }

    /// Adds an authenticator application to the account of a Firebase ID token, and confirms it.
    ///
    /// - Parameters:
    ///   - bearer: The Firebase ID token.
    ///   - send: Sends a request with a note, and returns the JSON of a successful answer.
    /// - Returns: `false` if the server refused.
    func addFactor(
        to user: SandboxUser, by bearer: String, send: (StepKind, RecordedRequest, String) async -> JSON?
    ) async -> Bool {
        let client = ["client_id": JSON.string(HomeClient.id)]
        let enrolment = request(
            "/v1/account/factors",
            client.merging(["type": .string("totp"), "name": .string("Sandbox")]) { $1 }, by: bearer)
        guard
            let factor = await send(
                .factor, enrolment,
                "The application shows the otpauth_uri as a QR code, which an authenticator application reads."),
            let id = factor["factor_id"]?.string,
            let authenticator = factor["secret"]?.string.flatMap(SandboxAuthenticator.init)
        else { return false }
        // The first code is that of the step before, so that the present one still signs in.
        let code = authenticator.code(at: await store.now - SandboxAuthenticator.period)
        let confirmation = request(
            "/v1/account/factors/confirm",
            client.merging(["factor_id": .string(id), "totp": .string(code)]) { $1 }, by: bearer)
        guard
            await send(
                .confirmation, confirmation,
                "The first code confirms that the authenticator application has the secret.") != nil
        else { return false }
        await store.keep(authenticator, of: user)
        return true
    }

    // MARK: - Credentials and requests

    /// The members of a request that proves an identity of a user; `nil` if the server or the stand-in refuses.
    private func proof(of user: SandboxUser, at provider: String, protocol: String?) async -> [String: JSON]? {
        let members: [String: JSON] = ["client_id": .string(HomeClient.id), "provider": .string(provider)]
        guard let nonce = await send(.json(server.publicURL + "/v1/nonce", .object(members)))?.success else {
            return nil
        }
        let command = Self.command(user, protocol: `protocol`, nonce: nonce["nonce"] ?? .null)
            .merging(["provider": .string(provider)]) { $1 }
        guard let issued = await send(.json(origin + "/issue", .object(command)))?.success else { return nil }
        return Self.proof(issued, at: provider, nonce: nonce["nonce_verifier"] ?? .null)
    }

    /// The members of a `POST /issue` request.
    ///
    /// A token pair of OAuth 1.0a contains no nonce.
    static func command(_ user: SandboxUser, protocol: String?, nonce: JSON) -> [String: JSON] {
        let last = `protocol`.map { ["protocol": JSON.string($0)] } ?? ["nonce": nonce]
        return last.merging(["user": .string(user.key)]) { $1 }
    }

    static func proof(_ issued: JSON, at provider: String, nonce: JSON) -> [String: JSON] {
        let isPair = issued["oauth_token"] != nil
        var credential: [String: JSON] = [
            "type": .string(isPair ? "oauth1_token" : "id_token"), "nonce": nonce,
        ]
        for name in isPair ? ["oauth_token", "oauth_token_secret"] : ["id_token", "access_token"] {
            credential[name] = issued[name]
        }
        return [
            "client_id": .string(HomeClient.id), "provider": .string(provider), "credential": .object(credential),
        ]
    }

    /// Returns a Firebase ID token of a session that has proven a second factor.
    ///
    /// Google's stand-in signs it, and creates the user if there is none, because a user whom Firebase does not know may
    /// not change an account. A real application gets one from Firebase after a sign-in.
    func idToken(of uid: String) async -> String? {
        let claims: [String: JSON] = [
            "second_factor": .string("totp"), "second_factor_time": .integer(await store.now),
        ]
        return await send(
            .json(
                origin + "/google/id-token",
                .object(["uid": .string(uid), "create": .bool(true), "claims": .object(claims)])))?
            .success?["id_token"]?.string
    }

    func request(_ path: String, _ members: [String: JSON], by bearer: String) -> RecordedRequest {
        var request = RecordedRequest.json(server.publicURL + path, .object(members))
        request.header.append(Self.authorization(bearer))
        return request
    }

    func deletion(by bearer: String) -> RecordedRequest {
        RecordedRequest(method: .delete, url: server.publicURL + "/v1/account", header: [Self.authorization(bearer)])
    }

    static func authorization(_ bearer: String) -> HeaderField { HeaderField("Authorization", "Bearer " + bearer) }

    private func send(_ request: RecordedRequest) async -> Outcome? {
        await RunClient.outcome(of: request, by: server.transport)
    }
}

extension SandboxUser {
    /// Whether an id at a provider is one of this user.
    ///
    /// It contains the letters of the user, or is the number, with the prefix of Slack or Facebook. A part of a number would
    /// be that of another user: Mallory's is 1666.
    package func has(_ subject: String) -> Bool {
        subject.contains(yahooSubject) || [xID, digits, "U" + digits, "10" + digits].contains(subject)
    }
}
