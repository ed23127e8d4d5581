internal import JOSE
internal import OAuth
internal import Providers
internal import Sealing
internal import Stores
internal import Verification

extension Corridor {
    /// Longer texts do not fit into a body, which may hold one beside a URL.
    private static let pendingLimit = 48 * 1024

    /// A first sign-in has met the accounts of its verified address.
    func conflict(
        _ identity: VerifiedIdentity, for client: RegisteredClient, meeting accounts: [StoredAccount]
    ) throws(SignInError) -> AccountConflict {
        let waysIn = WaysIn(accounts.flatMap { $0.identities.map(\.identity.provider) + $0.waysIn.names })
        // An account that was imported with a way in, and not with its name: it is one of Firebase's own.
        let providers = waysIn.isEmpty ? ["firebase"] : waysIn.names
        return AccountConflict(
            kind: .accountExists(email: identity.profile.email, providers: providers),
            pendingCredential: try pending(identity, for: client, .signIn(meeting: accounts.map(\.uid)), endingAt: nil))
    }

    /// Linking has met the account that holds the identity.
    ///
    /// - `endingAt`: of the pending credential that ran into it, so that none is prolonged; nil for any other credential.
    func conflict(
        _ identity: VerifiedIdentity, for client: RegisteredClient, provokedBy uid: String, endingAt end: NumericDate?
    ) throws(SignInError) -> AccountConflict {
        AccountConflict(
            kind: .credentialAlreadyInUse,
            pendingCredential: try pending(identity, for: client, .link(by: uid), endingAt: end))
    }

    private func pending(
        _ identity: VerifiedIdentity, for client: RegisteredClient, _ origin: PendingCredential.Origin,
        endingAt end: NumericDate?
    ) throws(SignInError) -> Secret {
        func sealed(keepsTokens: Bool) throws -> String {
            let id = try random.unguessableText()
            let expiry = end ?? time.now() + PendingCredential.lifetime
            let record = PendingCredential.record(id: id, expiresAt: expiry)
            let content = PendingCredential(
                id: id, expiresAt: expiry, origin: origin,
                sealedIdentity: try identities.seal(
                    identity, keepsTokens: keepsTokens, for: Self.holder(client.id, record)))
            return try seal.seal(content.json, as: .pendingCredential, for: client.id.text)
        }
        do {
            let text = try sealed(keepsTokens: client.returnsProviderTokens)
            // The provider's own tokens are of any length; without them the person can still be told apart.
            return Secret(text.utf8.count <= Self.pendingLimit ? text : try sealed(keepsTokens: false))
        } catch {
            throw .random(RandomFailure())
        }
    }

    /// Spends a pending credential and opens the identity that it stands for.
    ///
    /// - `suits`: whether it may be used here, given the conflict that it comes from.
    func proven(
        _ pending: Secret, of provider: ProviderID?, for client: RegisteredClient,
        suits: (PendingCredential.Origin) -> Bool
    ) async throws(SignInError) -> ProvenIdentity {
        guard
            let content = seal.open(
                pending.secretText, as: .pendingCredential, for: client.id.text, upTo: Self.pendingLimit
            ).flatMap(PendingCredential.init),
            time.now() < content.expiresAt,
            let identity = identities.open(content.sealedIdentity, for: Self.holder(client.id, content.record)),
            provider.map({ $0 == identity.provider }) ?? true, suits(content.origin)
        else { throw .pendingCredentialUnknown }
        _ = try admit(client.id, identity.provider)
        try await spend(content.record)
        return ProvenIdentity(identity, expiresAt: content.expiresAt) { await self.giveBack([content.record]) }
    }
}
