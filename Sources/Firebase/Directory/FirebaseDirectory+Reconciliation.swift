internal import JOSE
internal import Standards
internal import Stores

/// Updates of the local rows by the records of Identity Toolkit.
extension FirebaseDirectory {
    /// The outcome of writing the local row of a link that Identity Toolkit has.
    enum Confirmation {
        /// The row exists. `emailHeldBy` are the local accounts that have the address of the sign-in.
        case confirmed(emailHeldBy: [UID])
        /// The user's uid was retired and is never assigned again.
        case retired
        case refused(AccountRefusal)
    }

    /// Updates the local rows of a user's account by the links of Identity Toolkit.
    ///
    /// - Parameter caller: The claims of the user's ID token; `nil` if there is none. An account is anonymous only if
    ///   both Identity Toolkit and the token say so.
    /// - Returns: The account; `nil` if its uid was retired.
    func reconciled(
        _ user: FirebaseUserRecord, _ caller: FirebaseCaller? = nil, at now: NumericDate
    ) async throws(StoreError) -> StoredAccount? {
        let hasOwnSignInMethod =
            !otherSignInMethods(of: user).isEmpty || user.signInMethods.isEmpty && user.email != nil
        let seen = FirebaseCaller(
            uid: user.uid, isAnonymous: (caller?.isAnonymous ?? !user.isCustom) && !user.hasIdentity,
            email: user.verifiedEmail, signInMethods: SignInMethods(otherSignInMethods(of: user)),
            hasIdentity: hasOwnSignInMethod || caller?.hasIdentity == true)
        guard var stored = try await known(seen, at: now) else { return nil }
        var wasChanged = false
        for provider in user.providers where providers.contains(provider.id) {
            guard let identity = provider.identity, !stored.holds(identity) else { continue }
            let incoming = IncomingIdentity(identity: identity, details: provider.details, email: nil)
            _ = try await joinLocally(incoming, to: user, at: now)
            wasChanged = true
        }
        for row in stored.realIdentities where !user.holds(row.identity) {
            guard user.providers.allSatisfy({ $0.id != row.identity.provider || $0.identity == nil }) else {
                continue
            }
            _ = try await detach(row.identity, from: user.uid, at: now)
            wasChanged = true
        }
        if wasChanged { stored = try await known(seen, at: now) ?? stored }
        return visible(stored, of: user)
    }

    /// Writes the row of an identity that the user has at Identity Toolkit, and removes contradicting rows.
    func confirm(
        _ incoming: IncomingIdentity, of user: FirebaseUserRecord, at now: NumericDate
    ) async throws(StoreError) -> Confirmation {
        do {
            // One step is enough for known users, and for users that were created natively.
            switch try await local.signIn(incoming, candidates: [user.uid], emails: .oneAccountEach, at: now) {
            case .signedIn(let uid, _, let holders, _) where user.uid == uid: return .confirmed(emailHeldBy: holders)
            case .refused(let refusal): return .refused(refusal)
            case .signedIn, .emailTaken: break
            }
        } catch .noFreeUID {
            // The account exists without this identity, or was retired.
        }
        return try await joinLocally(incoming, to: user, at: now)
    }

    /// Removes an identity, and its pending row, from a local account that has lost it at Identity Toolkit.
    ///
    /// - Returns: `false` if the account must not be changed.
    func detach(
        _ identity: ExternalIdentity, from uid: UID, at now: NumericDate
    ) async throws(StoreError) -> Bool {
        let isPendingDetached = try await remove(Placeholder.pendingProvider(identity.provider), from: uid, at: now)
        let isDetached = try await remove(identity.provider, from: uid, at: now)
        return isPendingDetached && isDetached
    }

    /// Removes a row of an account, even the last one.
    ///
    /// A placeholder then keeps the account, because Identity Toolkit still has its user.
    ///
    /// - Returns: `false` if the account must not be changed.
    func remove(_ provider: ProviderID, from uid: UID, at now: NumericDate) async throws(StoreError) -> Bool {
        guard case .lastIdentity = try await local.unlink(provider: provider, from: uid, at: now) else { return true }
        let marker = IncomingIdentity(identity: Placeholder.user(uid), details: IdentityDetails(), email: nil)
        guard case .linked = try await local.link(marker, to: uid, at: now) else { return false }
        _ = try await local.unlink(provider: provider, from: uid, at: now)
        return true
    }

    private func joinLocally(
        _ incoming: IncomingIdentity, to user: FirebaseUserRecord, at now: NumericDate
    ) async throws(StoreError) -> Confirmation {
        for _ in 0..<Self.rounds {
            let seen = FirebaseCaller(uid: user.uid, isAnonymous: false, email: user.verifiedEmail)
            guard try await known(seen, at: now) != nil else { return .retired }
            switch try await local.link(incoming, to: user.uid, at: now) {
            case .linked:
                return .confirmed(emailHeldBy: [])
            case .refused(let refusal):
                return .refused(refusal)
            case .identityTaken(let other):
                guard try await detach(incoming.identity, from: other.uid, at: now) else { return .refused(.disabled) }
            case .providerTaken:
                // A user has at most one identity of a provider at Identity Toolkit too, so the local row is outdated.
                _ = try await remove(incoming.identity.provider, from: user.uid, at: now)
            case .unknownAccount:
                break
            }
        }
        throw .unavailable(.directoryBusy)
    }

    private func known(_ caller: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> StoredAccount? {
        guard case .account(let stored) = try await local.account(of: caller, at: now) else { return nil }
        return stored
    }
}

/// Accounts as callers see them.
extension FirebaseDirectory {
    /// Returns a local account without placeholders, and with the sign-in methods and the state of its user.
    func visible(_ stored: StoredAccount, of user: FirebaseUserRecord) -> StoredAccount {
        var account = stored
        account.identities = stored.realIdentities
        account.signInMethods = SignInMethods(otherSignInMethods(of: user))
        account.hasOtherSignInMethod = !account.signInMethods.isEmpty
        account.isDisabled = stored.isDisabled || user.isDisabled
        // A pending link has already made the account permanent here, whether or not it was completed.
        let isBeingLinked = stored.identities.contains { Placeholder.isPending($0.identity) }
        account.isAnonymous = (stored.isAnonymous || isBeingLinked) && !user.hasIdentity && account.identities.isEmpty
        return account
    }

    /// Returns the account of a user without local rows.
    ///
    /// All ways to sign in become its identities, so that a conflict can name them.
    func foreign(_ user: FirebaseUserRecord) -> StoredAccount {
        let createdAt = user.createdAt ?? NumericDate(0)
        var account = StoredAccount(uid: user.uid, createdAt: createdAt)
        account.email = user.verifiedEmail
        account.isDisabled = user.isDisabled
        account.signInMethods = SignInMethods(otherSignInMethods(of: user))
        account.hasOtherSignInMethod = !account.signInMethods.isEmpty
        account.identities = SignInMethods(user.signInMethods).names.map { way in
            let provider = user.providers.first { $0.id == way }
            return StoredIdentity(
                identity: provider?.identity ?? ExternalIdentity(provider: way, subject: Subject(user.uid)),
                details: provider?.details ?? IdentityDetails(), linkedAt: createdAt, lastUsedAt: createdAt)
        }
        return account
    }

    /// Returns an account with its pending identities as if they were linked.
    func intended(_ stored: StoredAccount) -> StoredAccount {
        var account = stored
        account.identities = stored.identities.compactMap { row in
            let intended = Placeholder.intended(row.identity)
            guard intended != nil || !Placeholder.isOne(row.identity) else { return nil }
            return StoredIdentity(
                identity: intended ?? row.identity, details: row.details, linkedAt: row.linkedAt,
                lastUsedAt: row.lastUsedAt)
        }
        return account
    }

    /// Returns the ways to sign in that are not identities of this server's providers.
    func otherSignInMethods(of user: FirebaseUserRecord) -> Set<ProviderID> {
        user.signInMethods.subtracting(providers)
    }
}

extension FirebaseUserRecord {
    /// The reason why no custom token may be minted for this user; `nil` if one may be.
    var refusal: AccountRefusal? {
        if isDisabled { return .disabled }
        return hasSecondFactor ? .secondFactorEnrolled : nil
    }
}
