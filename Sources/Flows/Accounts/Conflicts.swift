internal import Accounts
internal import JOSE
internal import Providers
internal import SecondFactors
package import Standards
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
    func conflict(
        _ identity: VerifiedIdentity, for client: RegisteredClient, meeting accounts: [StoredAccount],
        givingBack: () async -> Bool
    ) async throws(SignInError) -> AccountConflict {
        AccountConflict(
            kind: .accountExists(email: identity.profile.email, providers: Self.providers(of: accounts)),
            pendingCredential: try await pending(
                identity, for: client, uses: [.link], uids: accounts.map(\.uid), holder: nil, endingAt: nil,
                givingBack: givingBack))
    }

    /// Stores the identity of a first sign-in for a page on which its person settles the conflict.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - client: The client of the flow.
    ///   - accounts: The accounts that have the verified address. Those with another identity of the same provider cannot
    ///     get this one.
    /// - Returns: The conflict for the cookie of the flow.
    /// - Throws: ``SignInError/account(_:)`` if the store fails.
    func open(
        _ identity: VerifiedIdentity, for client: RegisteredClient, meeting accounts: [StoredAccount]
    ) async throws(SignInError) -> OpenConflict {
        let able = accounts.filter { !$0.has(provider: identity.provider.text) }
        let handle = try await pending(
            identity, for: client, uses: [.settle], uids: able.map(\.uid), holder: nil, endingAt: nil
        ) { false }
        return OpenConflict(
            handle: handle, provider: identity.provider, person: identity.profile.email,
            waysIn: Self.providers(of: able.isEmpty ? accounts : able), isFull: able.isEmpty)
    }

    /// Stores the identity of a sign-in whose account has a second factor.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - isLinked: Whether the person has linked it to the account during this flow.
    ///   - client: The client of the request.
    ///   - uid: The account that has the identity.
    ///   - givingBack: Makes the credential usable again if nothing was stored, and returns whether that succeeded.
    /// - Returns: The handle, with which the sign-in continues for five minutes.
    /// - Throws: ``SignInError/account(_:)`` if the store fails.
    func keep(
        _ identity: VerifiedIdentity, isLinked: Bool, for client: RegisteredClient, waitingFor uid: UID,
        givingBack: () async -> Bool
    ) async throws(SignInError) -> Secret {
        try await pending(
            identity, isLinked: isLinked, for: client, uses: [.secondFactor], uids: [], holder: uid.text,
            endingAt: time.now() + Self.challengeLifetime, givingBack: givingBack)
    }

    /// Returns the account and the provider of a sign-in that waits for a second factor, and the record of its handle.
    ///
    /// Nothing is spent: a wrong code leaves the handle valid.
    ///
    /// - Parameters:
    ///   - handle: The handle.
    ///   - provider: The provider in the request; `nil` if it names none.
    ///   - client: The client of the request.
    /// - Returns: The uid of the account, the provider, and the record.
    /// - Throws: ``SignInError/pendingCredential(_:)`` with the reason.
    func waiting(
        _ handle: Secret, of provider: ProviderID?, client: RegisteredClient
    ) async throws(SignInError) -> (uid: String, provider: ProviderID, record: SpentRecord) {
        let claim = PendingCredentialClaim(
            record: pendingRecord(handle), client: client.id.text, provider: provider?.text, use: .secondFactor,
            uid: nil)
        let outcome = try await wrapping(SignInError.store, await pendingCredentials.find(claim, at: time.now()))
        let pending = try Self.redeemed(outcome)
        guard let uid = pending.holder else { throw .pendingCredential(.unknown) }
        return (uid, ProviderID(pending.provider), claim.record)
    }

    /// The ways to sign in of the accounts that have an address, by Firebase's ids.
    ///
    /// The list is empty if none is known, as for an imported account that has only an address.
    private static func providers(of accounts: [StoredAccount]) -> [String] {
        WaysIn(accounts.flatMap { $0.identities.map(\.identity.provider) + $0.waysIn.names }).names
    }

    /// Stores an identity that could not be linked, because it belongs to another account, as a pending credential.
    ///
    /// - Parameters:
    ///   - proven: The identity.
    ///   - client: The client of the request.
    ///   - uid: The uid of the account to which the identity should be linked.
    ///   - holder: The account that has the identity.
    /// - Returns: The conflict, with the pending credential for the client.
    /// - Throws: ``SignInError/account(_:)`` if the store fails.
    func conflict(
        _ proven: ProvenIdentity, for client: RegisteredClient, provokedBy uid: String, heldBy holder: StoredAccount
    ) async throws(SignInError) -> AccountConflict {
        AccountConflict(
            kind: .credentialAlreadyInUse(by: holder.uid),
            pendingCredential: try await pending(
                proven.identity, for: client, uses: proven.usesOfConflict, uids: [uid], holder: holder.uid,
                endingAt: proven.expiresAt, givingBack: proven.giveBack))
    }

    /// Stores the sealed identity.
    ///
    /// - Returns: The handle for the client: 256 random bits, of which the store knows only the digest.
    private func pending(
        _ identity: VerifiedIdentity, isLinked: Bool = false, for client: RegisteredClient,
        uses: Set<PendingCredential.Use>, uids: [String], holder: String?, endingAt end: NumericDate?,
        givingBack: () async -> Bool
    ) async throws(SignInError) -> Secret {
        let handle = Secret(try wrappingNow(SignInError.random, random.unguessableText()))
        let record = pendingRecord(handle)
        let payload = try wrappingNow(
            SignInError.sealing,
            identities.seal(
                identity, keepsTokens: client.returnsProviderTokens, keepsProfile: client.returnsProviderProfile,
                isLinked: isLinked, for: HandoffCodes.holder(client.id, record)))
        let pending = PendingCredential(
            record: record, client: client.id.text, provider: identity.provider.text, uses: uses, uids: uids,
            holder: holder, payload: payload, expiresAt: end ?? time.now() + Self.pendingLifetime)
        do {
            try await pendingCredentials.keep(pending)
        } catch {
            // The client has not received the conflict, so the credential may be used again.
            throw await .account(.store(error), givingBack: givingBack)
        }
        return handle
    }

    /// Redeems a pending credential for its identity.
    ///
    /// The credential counts as expired if the identity was linked to another account after the conflict, because the
    /// person has not agreed to that account.
    ///
    /// - Parameters:
    ///   - handle: The handle that the client posts.
    ///   - use: The purpose of the request.
    ///   - provider: The provider in the request; `nil` if it names none.
    ///   - uid: The uid of the account that links or merges; `nil` to sign in.
    ///   - client: The client of the request.
    /// - Returns: The identity, and the account that holds it.
    /// - Throws: ``SignInError/pendingCredential(_:)`` with the reason.
    func identity(
        ofPending handle: Secret, for use: PendingCredential.Use, of provider: ProviderID?, by uid: String?,
        client: RegisteredClient
    ) async throws(SignInError) -> ProvenIdentity {
        let claim = PendingCredentialClaim(
            record: pendingRecord(handle), client: client.id.text, provider: provider?.text, use: use, uid: uid)
        let outcome = try await wrapping(SignInError.store, await pendingCredentials.redeem(claim, at: time.now()))
        return try await opened(try Self.redeemed(outcome), for: client)
    }

    private static func redeemed(_ outcome: PendingCredentialOutcome) throws(SignInError) -> PendingCredential {
        switch outcome {
        case .redeemed(let pending): return pending
        case .unknown: throw .pendingCredential(.unknown)
        case .replayed: throw .singleUse(.replayed(.pendingCredential))
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
        // A payload that was sealed with a removed store key cannot be opened.
        guard
            let kept = identities.open(pending.payload, for: HandoffCodes.holder(client.id, pending.record))
        else { throw .pendingCredential(.unknown) }
        let identity = kept.identity
        do {
            _ = try registrations.admit(client.id, identity.provider)
        } catch {
            _ = await giveBack()
            throw error
        }
        let holder: StoredAccount?
        do {
            holder = try await linker.holder(of: identity, in: rules.tenantID(of: client))
        } catch {
            throw await .account(error, givingBack: giveBack)
        }
        guard holder.map({ Array($0.uid.utf8) }) == pending.holder.map({ Array($0.utf8) }) else {
            // The credential is given back, so that each further request gets the same error.
            _ = await giveBack()
            throw .pendingCredential(.expired)
        }
        var proven = ProvenIdentity(identity, of: pending, heldBy: holder, givingBack: giveBack)
        proven.isLinked = kept.isLinked
        return proven
    }

    private func pendingRecord(_ handle: Secret) -> SpentRecord {
        SpentRecord(
            .pendingCredential, of: [Array(handle.secretText.utf8)], issuedAt: nil,
            expiresAt: time.now() + SingleUse.replayRetention)
    }
}

/// The conflict of a verified identity with another account.
///
/// It is the only error with a secret for the client. ``Secret`` does not print its text.
package struct AccountConflict: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The identity is linked to another account, which has this uid.
        ///
        /// The client receives the uid, because it has just proven the identity.
        case credentialAlreadyInUse(by: String)
        /// The verified address of the identity belongs to another account.
        case accountExists(email: String?, providers: [String])
    }

    package let kind: Kind
    /// The handle of the verified identity.
    ///
    /// It replaces the credential, which is spent.
    ///
    /// It is valid for ten minutes, once, for this client.
    package let pendingCredential: Secret

    package init(kind: Kind, pendingCredential: Secret) {
        self.kind = kind
        self.pendingCredential = pendingCredential
    }

    /// Compares the pending credentials as well.
    package static func == (one: Self, other: Self) -> Bool {
        one.kind == other.kind && one.pendingCredential.matches(other.pendingCredential)
    }
}

/// A verified identity, with the way to make its credential usable again.
struct ProvenIdentity: Sendable {
    let identity: VerifiedIdentity
    /// The permitted uses of the pending credential if this identity cannot be linked.
    ///
    /// Only a credential that the application posted itself may be used to sign in afterwards. In a flow that was begun
    /// to link, the person who signs in at the provider may differ from the one who began the flow.
    let usesOfConflict: Set<PendingCredential.Use>
    /// The end of the pending credential, which a second conflict does not extend; `nil` for a new identity.
    let expiresAt: NumericDate?
    /// The account of the conflict, to which the identity is linked; `nil` for a new identity.
    let holder: StoredAccount?
    /// Whether the person has linked the identity to an existing account during this flow.
    var isLinked = false
    /// Whether the identity may only report its conflict, and not sign in.
    var isRefused = false
    /// The second factor that the person has proven during this flow.
    var factor: ProvenFactor?
    /// Makes the credential usable again if nothing was issued for it, and returns whether that succeeded.
    private(set) var giveBack: @Sendable () async -> Bool

    init(
        _ identity: VerifiedIdentity, usesOfConflict: Set<PendingCredential.Use>,
        givingBack: @escaping @Sendable () async -> Bool
    ) {
        self.identity = identity
        self.usesOfConflict = usesOfConflict
        expiresAt = nil
        holder = nil
        giveBack = givingBack
    }

    init(
        _ identity: VerifiedIdentity, of pending: PendingCredential, heldBy holder: StoredAccount?,
        givingBack: @escaping @Sendable () async -> Bool
    ) {
        self.identity = identity
        usesOfConflict = pending.uses
        expiresAt = pending.expiresAt
        self.holder = holder
        giveBack = givingBack
    }

    /// Returns the same identity after its person has proven a second factor.
    ///
    /// - Parameters:
    ///   - factor: The proof.
    ///   - givingBack: Makes the credential and the code usable again, and returns whether that succeeded.
    /// - Returns: The identity.
    func proving(_ factor: ProvenFactor, givingBack: @escaping @Sendable () async -> Bool) -> Self {
        var proven = self
        proven.factor = factor
        proven.giveBack = givingBack
        return proven
    }
}

/// Why a pending credential is not redeemed.
package enum PendingCredentialRefusal: Equatable, Sendable {
    /// This server did not issue it, or it belongs to another client, provider or account.
    case unknown
    /// It is older than ten minutes, or its identity is no longer linked to the account of the conflict.
    case expired
    /// It may not be used at this endpoint.
    case otherUse
}
