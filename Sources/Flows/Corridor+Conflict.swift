internal import Accounts
internal import JOSE
internal import OAuth
internal import Providers
internal import Stores
internal import Verification

extension Corridor {
    private static let pendingLifetime = Duration.seconds(600)

    /// A first sign-in has met the accounts of its verified address.
    func conflict(
        _ identity: VerifiedIdentity, for client: RegisteredClient, meeting accounts: [StoredAccount],
        givingBack: () async -> Bool
    ) async throws(SignInError) -> AccountConflict {
        let waysIn = WaysIn(accounts.flatMap { $0.identities.map(\.identity.provider) + $0.waysIn.names })
        // An account that was imported with a way in, and not with its name: it is one of Firebase's own.
        let providers = waysIn.isEmpty ? ["firebase"] : waysIn.names
        return AccountConflict(
            kind: .accountExists(email: identity.profile.email, providers: providers),
            pendingCredential: try await pending(
                identity, for: client, uses: [.link], uids: accounts.map(\.uid), holder: nil, endingAt: nil,
                givingBack: givingBack))
    }

    /// Linking has met the account that holds the identity.
    ///
    /// - `uid`: the account that provoked the conflict.
    func conflict(
        _ proven: ProvenIdentity, for client: RegisteredClient, provokedBy uid: String, heldBy holder: StoredAccount
    ) async throws(SignInError) -> AccountConflict {
        AccountConflict(
            kind: .credentialAlreadyInUse,
            pendingCredential: try await pending(
                proven.identity, for: client, uses: proven.usesOfConflict, uids: [uid], holder: holder.uid,
                endingAt: proven.expiresAt, givingBack: proven.giveBack))
    }

    /// Keeps the identity in the store; the client gets a handle of 256 bits, of which the store knows the digest.
    private func pending(
        _ identity: VerifiedIdentity, for client: RegisteredClient, uses: Set<PendingCredential.Use>, uids: [String],
        holder: String?, endingAt end: NumericDate?, givingBack: () async -> Bool
    ) async throws(SignInError) -> Secret {
        let handle: Secret
        let pending: PendingCredential
        do {
            handle = Secret(try random.unguessableText())
            let record = pendingRecord(handle)
            pending = PendingCredential(
                record: record, client: client.id.text, provider: identity.provider.text, uses: uses, uids: uids,
                holder: holder,
                payload: try identities.seal(
                    identity, keepsTokens: client.returnsProviderTokens, for: Self.holder(client.id, record)),
                expiresAt: end ?? time.now() + Self.pendingLifetime)
        } catch {
            throw .random(RandomFailure())
        }
        do {
            try await pendingCredentials.keep(pending)
        } catch {
            // The conflict has not been told, so that the credential behind it is as good as before.
            throw .account(.store(error), givenBack: error.nothingWasWritten ? await givingBack() : false)
        }
        return handle
    }

    /// Redeems a pending credential for the identity that it stands for.
    ///
    /// It is ``PendingCredentialError/expired`` if the identity is not at the account of the conflict any more: what
    /// was agreed on then concerned another account.
    ///
    /// - `provider`: nil if the request names none.
    /// - `uid`: the account that links or merges; nil to sign in.
    func proven(
        _ handle: Secret, for use: PendingCredential.Use, of provider: ProviderID?, by uid: String?,
        client: RegisteredClient
    ) async throws(SignInError) -> ProvenIdentity {
        let claim = PendingCredentialClaim(
            record: pendingRecord(handle), client: client.id.text, provider: provider?.text, use: use, uid: uid)
        let outcome = try await storing { () async throws(StoreError) in
            try await pendingCredentials.redeem(claim, at: time.now())
        }
        switch outcome {
        case .redeemed(let pending): return try await opened(pending, for: client)
        case .unknown: throw .pendingCredential(.unknown)
        case .replayed: throw .pendingCredential(.replayed)
        case .expired: throw .pendingCredential(.expired)
        case .otherUse: throw .pendingCredential(.otherUse)
        }
    }

    private func opened(
        _ pending: PendingCredential, for client: RegisteredClient
    ) async throws(SignInError) -> ProvenIdentity {
        let giveBack: @Sendable () async -> Bool = { [pendingCredentials] in
            (try? await pendingCredentials.giveBack(pending)) != nil
        }
        // A store key that was taken out of the configuration opens nothing any more.
        guard let identity = identities.open(pending.payload, for: Self.holder(client.id, pending.record))
        else { throw .pendingCredential(.unknown) }
        do {
            _ = try admit(client.id, identity.provider)
        } catch {
            _ = await giveBack()
            throw error
        }
        let holder: StoredAccount?
        do {
            holder = try await linker.holder(of: identity)
        } catch {
            throw .account(error, givenBack: error.nothingWasWritten ? await giveBack() : false)
        }
        guard holder.map({ Array($0.uid.utf8) }) == pending.holder.map({ Array($0.utf8) }) else {
            // It says so as often as it is asked.
            _ = await giveBack()
            throw .pendingCredential(.expired)
        }
        return ProvenIdentity(identity, of: pending, heldBy: holder, givingBack: giveBack)
    }

    private func pendingRecord(_ handle: Secret) -> SpentRecord {
        SpentRecord(
            .pendingCredential, of: [Array(handle.secretText.utf8)], issuedAt: nil,
            expiresAt: time.now() + Self.memory)
    }
}
