import Jansson

/// Scenarios about an account: a conflict, and a second factor.
///
/// Each has a person of its own, whose account is removed when the scenario begins, so that it can be repeated.
struct AccountFlow {
    let client: RunClient

    var accounts: UserAccounts { UserAccounts(server: client.server, origin: client.origin, store: client.store) }

    /// Signs Dana in with Yahoo, and returns the URL of a browser sign-in with X.
    ///
    /// X sends the same verified address. Returns `nil` if the run has ended.
    func beginConflict() async throws(Refusal) -> String? {
        await accounts.remove(of: client.scenario.user)
        guard await signIn(client.scenario.user, at: "yahoo.com") != nil else { return nil }
        return try await BrowserFlow(client: client).begin()
    }

    /// Signs Erin in with Yahoo, and adds an authenticator application to her account.
    ///
    /// A panel then shows its codes and leads to a browser sign-in.
    func beginSecondFactor() async throws(Refusal) {
        await accounts.remove(of: client.scenario.user)
        guard let answer = await signIn(client.scenario.user, at: "yahoo.com"), let uid = answer["uid"]?.string,
            let bearer = await accounts.idToken(of: uid),
            await accounts.addFactor(
                to: client.scenario.user, by: bearer, send: { await client.success($0, $1, note: $2) })
        else { return }
        _ = try await BrowserFlow(client: client).begin()
    }

    /// Signs a person in by a credential of a provider; returns `nil` if the run has ended.
    func signIn(
        _ user: SandboxUser, at provider: String, protocol: String? = nil, note: String? = nil
    ) async -> JSON? {
        guard let proof = await proof(of: user, at: provider, protocol: `protocol`) else { return nil }
        return await client.success(
            .exchange, .json(client.server.publicURL + "/v1/exchange", .object(proof)),
            note: note
                ?? """
                With the access token the server reads the profile, and so the verified address. \(user.name) has an account \
                now.
                """)
    }

    /// Requests a nonce and has a stand-in issue a credential for it.
    ///
    /// - Parameter protocol: X's protocol; `nil` for an ID token.
    /// - Returns: The members of a request that proves the identity; `nil` if the run has ended.
    func proof(of user: SandboxUser, at provider: String, protocol: String? = nil) async -> [String: JSON]? {
        let flow = LibraryFlow(client: client)
        guard let nonce = await flow.nonce(.nonce, at: provider) else { return nil }
        guard
            let issued = await flow.issue(
                .library, UserAccounts.command(user, protocol: `protocol`, nonce: .string(nonce.value)), at: provider,
                note: "POST /issue replaces the library here: the stand-in answers as if \(user.name) had consented.")
        else { return nil }
        return UserAccounts.proof(issued, at: provider, nonce: .string(nonce.verifier))
    }
}
