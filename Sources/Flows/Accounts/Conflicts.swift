internal import Accounts
internal import JOSE
internal import Providers
internal import Standards
internal import Stores
internal import Verification

/// Conflicts of identities with accounts, sign-ins that wait for a second factor, and their pending credentials.
struct Conflicts: Sendable {
    let registrations: Registrations
    let linker: AccountLinker
    let rules: AccountRules
    let pendingCredentials: any PendingCredentials
    let identities: IdentitySeal
    let time: TimeSource
    let random: RandomSource

    private static let pendingLifetime = Duration.seconds(600)
    private static let challengeLifetime = Duration.seconds(300)

    /// Stores the identity of a first sign-in whose verified address belongs to other accounts, as a pending credential.
    func refusal(
        of identity: VerifiedIdentity, for client: RegisteredClient, meeting accounts: [StoredAccount]
    ) async throws -> Refusal {
        .accountExists(
            PendingSignIn(
                .accountExists(email: identity.profile.email, providers: Self.providers(of: accounts)),
                try await pending(
                    identity, for: client, uses: [.link], uids: accounts.map(\.uid), holder: nil, endingAt: nil)))
    }

    /// Stores the identity of a first sign-in for a page on which its person settles the conflict.
    ///
    /// - Parameter accounts: The accounts that have the verified address. Those with another identity of the same
    ///   provider cannot get this one.
    /// - Throws: `StoreError`. The identity came through the provider, which has spent its code.
    func open(
        _ identity: VerifiedIdentity, for client: RegisteredClient, meeting accounts: [StoredAccount]
    ) async throws -> OpenConflict {
        let able = accounts.filter { !$0.has(provider: identity.provider) }
        let handle = try await pending(
            identity, for: client, uses: [.settle], uids: able.map(\.uid), holder: nil, endingAt: nil)
        return OpenConflict(
            handle: handle, provider: identity.provider, person: identity.profile.email,
            signInMethods: Self.providers(of: able.isEmpty ? accounts : able), isFull: able.isEmpty)
    }

    /// Stores the identity of a sign-in whose account has a second factor.
    ///
    /// - Parameters:
    ///   - isLinked: Whether the person has linked it to the account during this flow.
    ///   - uid: The account that has the identity.
    /// - Returns: The handle, with which the sign-in continues for five minutes.
    /// - Throws: `StoreError`.
    func keep(
        _ identity: VerifiedIdentity, isLinked: Bool, for client: RegisteredClient, waitingFor uid: UID
    ) async throws -> Secret {
        try await pending(
            identity, isLinked: isLinked, for: client, uses: [.secondFactor], uids: [], holder: uid,
            endingAt: time.now() + Self.challengeLifetime)
    }

    /// Returns the account and the provider of a sign-in that waits for a second factor, and the record of its handle.
    ///
    /// Nothing is spent: a wrong code leaves the handle valid.
    ///
    /// - Parameter provider: The provider in the request; `nil` if it names none.
    /// - Throws: The refusal of the handle, or `StoreError`.
    func waiting(
        _ handle: Secret, of provider: ProviderID?, client: RegisteredClient
    ) async throws -> (uid: UID, provider: ProviderID, record: SpentRecord) {
        let claim = PendingCredentialClaim(
            record: pendingRecord(handle), client: client.id, provider: provider, use: .secondFactor,
            accounts: nil)
        let outcome = try await pendingCredentials.find(claim, at: time.now())
        let pending = try Self.redeemed(outcome)
        guard let uid = pending.holder else { throw Refusal.unknownPendingCredential }
        return (uid, pending.provider, claim.record)
    }

    /// The ways to sign in of the accounts that have an address, by Firebase's ids.
    ///
    /// The list is empty if none is known, as for an imported account that has only an address.
    private static func providers(of accounts: [StoredAccount]) -> [ProviderID] {
        SignInMethods(accounts.flatMap { $0.identities.map(\.identity.provider) + $0.signInMethods.names }).names
    }

    /// Stores an identity that could not be linked, because it belongs to another account, as a pending credential.
    ///
    /// - Parameters:
    ///   - uid: The uid of the account to which the identity should be linked.
    ///   - holder: The account that has the identity.
    /// - Throws: `StoreError`.
    func refusal(
        of proven: ProvenIdentity, for client: RegisteredClient, provokedBy uid: UID, heldBy holder: StoredAccount
    ) async throws -> Refusal {
        .credentialAlreadyInUse(
            PendingSignIn(
                .credentialAlreadyInUse(by: holder.uid),
                try await pending(
                    proven.identity, for: client, uses: proven.usesOfConflict, uids: [uid], holder: holder.uid,
                    endingAt: proven.expiresAt)),
            canSignIn: proven.usesOfConflict.contains(.exchange))
    }

    /// Stores the sealed identity.
    ///
    /// - Returns: The handle for the client: 256 random bits, of which the store knows only the digest.
    private func pending(
        _ identity: VerifiedIdentity, isLinked: Bool = false, for client: RegisteredClient,
        uses: Set<PendingCredential.Use>, uids: [UID], holder: UID?, endingAt end: NumericDate?
    ) async throws -> Secret {
        let handle = Secret(try random.unguessableText())
        let record = pendingRecord(handle)
        let payload = try identities.seal(
            identity, keepsTokens: client.returnsProviderTokens, keepsProfile: client.returnsProviderProfile,
            isLinked: isLinked, for: HandoffCodes.sealContext(client.id, record))
        let pending = PendingCredential(
            record: record, client: client.id, provider: identity.provider, uses: uses, uids: uids,
            holder: holder, payload: payload, expiresAt: end ?? time.now() + Self.pendingLifetime)
        try await pendingCredentials.keep(pending)
        return handle
    }

    /// Redeems a pending credential for its identity.
    ///
    /// The credential counts as expired if the identity was linked to another account after the conflict, because the
    /// person has not agreed to that account.
    ///
    /// - Parameters:
    ///   - provider: The provider in the request; `nil` if it names none.
    ///   - accounts: The accounts of the caller, one of which must be able to link or merge; `nil` if any may.
    /// - Returns: The identity, and the account that holds it.
    /// - Throws: The refusal of the handle, or `StoreError`.
    func identity(
        ofPending handle: Secret, for use: PendingCredential.Use, of provider: ProviderID?, by accounts: Set<UID>?,
        client: RegisteredClient
    ) async throws -> ProvenIdentity {
        let claim = PendingCredentialClaim(
            record: pendingRecord(handle), client: client.id, provider: provider, use: use,
            accounts: accounts)
        let outcome = try await pendingCredentials.redeem(claim, at: time.now())
        return try await opened(try Self.redeemed(outcome), for: client)
    }

    private static func redeemed(_ outcome: PendingCredentialOutcome) throws -> PendingCredential {
        switch outcome {
        case .redeemed(let pending): return pending
        case .unknown: throw Refusal.unknownPendingCredential
        case .replayed: throw Refusal.replayed(.pendingCredential)
        case .expired: throw Refusal.pendingCredentialExpired
        case .otherUse: throw Refusal.otherUse
        }
    }

    private func opened(
        _ pending: PendingCredential, for client: RegisteredClient
    ) async throws -> ProvenIdentity {
        let credential = SpentPendingCredential(pending: pending, store: pendingCredentials)
        guard
            let kept = identities.open(pending.payload, for: HandoffCodes.sealContext(client.id, pending.record))
        else { throw Refusal.unknownPendingCredential.unopened(.ofStore, "the identity of the pending_credential") }
        return try await credential.keepSpent {
            do {
                _ = try registrations.authorize(client.id, kept.identity.provider)
            } catch {
                throw Refusal(error).unspent
            }
            let holder = try await linker.holder(of: kept.identity, in: rules.tenantID(of: client))
            guard holder?.uid == pending.holder else {
                // The credential is given back, so that each further request gets the same error.
                throw Refusal.pendingCredentialExpired.unspent
            }
            return ProvenIdentity(kept, of: pending, heldBy: holder, spending: credential)
        }
    }

    private func pendingRecord(_ handle: Secret) -> SpentRecord {
        SpentRecord(
            .pendingCredential, of: [Array(handle.secretText.utf8)], issuedAt: nil,
            expiresAt: time.now() + SingleUse.replayRetention)
    }
}

private struct SpentPendingCredential: SpentCredential {
    let pending: PendingCredential
    let store: any PendingCredentials

    func giveBack() async -> Bool { (try? await store.giveBack(pending)) != nil }
}
