internal import JOSE
internal import OAuth
internal import Stores

/// The local rows follow Identity Toolkit.
extension FirebaseDirectory {
    /// What became of the local row of a link that Identity Toolkit has.
    enum Confirmation {
        /// - emailHeldBy: the local accounts that have the address which the arrival brought.
        case confirmed(emailHeldBy: [String])
        /// The user's uid was retired, and is never given again.
        case retired
        case refused(AccountRefusal)
    }

    /// The account of a user, its local rows as Identity Toolkit has the links; nil where its uid was retired.
    ///
    /// - `bearer`: what the user's ID token says; nil if there is none. An account is anonymous only if Identity
    ///   Toolkit and the token agree that it is.
    func reconciled(
        _ user: FirebaseUserRecord, _ bearer: FirebaseCaller? = nil, at now: NumericDate
    ) async throws(StoreError) -> StoredAccount? {
        let hasOwnWayIn = !otherWaysIn(of: user).isEmpty || user.waysIn.isEmpty && user.email != nil
        let seen = FirebaseCaller(
            uid: user.uid, isAnonymous: (bearer?.isAnonymous ?? !user.isCustom) && !user.hasIdentity,
            email: user.verifiedEmail, hasIdentity: hasOwnWayIn || bearer?.hasIdentity == true)
        guard var stored = try await known(seen, at: now) else { return nil }
        var wasChanged = false
        for provider in user.providers where providers.contains(provider.id) {
            guard let identity = provider.identity, !stored.holds(identity) else { continue }
            let arrival = IncomingIdentity(identity: identity, details: provider.details, email: nil)
            _ = try await joinLocally(arrival, to: user, at: now)
            wasChanged = true
        }
        for row in stored.realIdentities where !user.holds(row.identity) {
            guard user.providers.allSatisfy({ $0.id != ProviderID(row.identity.provider) || $0.identity == nil }) else {
                continue
            }
            _ = try await detach(row.identity, from: user.uid, at: now)
            wasChanged = true
        }
        if wasChanged { stored = try await known(seen, at: now) ?? stored }
        return visible(stored, of: user)
    }

    /// Writes the row of an identity that the user has at Identity Toolkit, whatever was said of it here before.
    func confirm(
        _ arrival: IncomingIdentity, of user: FirebaseUserRecord, at now: NumericDate
    ) async throws(StoreError) -> Confirmation {
        do {
            // One step for those who are known, and for those who were made natively.
            switch try await local.signIn(arrival, candidates: [user.uid], emails: .oneAccountEach, at: now) {
            case .signedIn(let uid, _, let holders) where user.hasUID(uid): return .confirmed(emailHeldBy: holders)
            case .refused(let refusal): return .refused(refusal)
            case .signedIn, .emailTaken: break
            }
        } catch .noFreeUID {
            // The account is there without this identity; or it was, once.
        }
        return try await joinLocally(arrival, to: user, at: now)
    }

    /// Takes an identity that Identity Toolkit does not have there any more from a local account, with its pending row.
    ///
    /// - Returns: false where the account is not to be touched.
    func detach(
        _ identity: ExternalIdentity, from uid: String, at now: NumericDate
    ) async throws(StoreError) -> Bool {
        let isPendingDetached = try await remove(Placeholder.pendingProvider(identity.provider), from: uid, at: now)
        let isDetached = try await remove(identity.provider, from: uid, at: now)
        return isPendingDetached && isDetached
    }

    /// Takes away a row, be it the last; the account stays.
    func remove(_ provider: String, from uid: String, at now: NumericDate) async throws(StoreError) -> Bool {
        guard case .lastIdentity = try await local.unlink(provider: provider, from: uid, at: now) else { return true }
        let marker = IncomingIdentity(identity: Placeholder.user(uid), details: IdentityDetails(), email: nil)
        guard case .linked = try await local.link(marker, to: uid, at: now) else { return false }
        _ = try await local.unlink(provider: provider, from: uid, at: now)
        return true
    }

    private func joinLocally(
        _ arrival: IncomingIdentity, to user: FirebaseUserRecord, at now: NumericDate
    ) async throws(StoreError) -> Confirmation {
        for _ in 0..<Self.rounds {
            let seen = FirebaseCaller(uid: user.uid, isAnonymous: false, email: user.verifiedEmail)
            guard try await known(seen, at: now) != nil else { return .retired }
            switch try await local.link(arrival, to: user.uid, at: now) {
            case .linked:
                return .confirmed(emailHeldBy: [])
            case .refused(let refusal):
                return .refused(refusal)
            case .identityTaken(let other):
                guard try await detach(arrival.identity, from: other.uid, at: now) else { return .refused(.disabled) }
            case .providerTaken:
                // A user has one identity of a provider there as well.
                _ = try await remove(arrival.identity.provider, from: user.uid, at: now)
            case .unknownAccount:
                break
            }
        }
        throw .unavailable(.directoryBusy)
    }

    private func known(_ bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> StoredAccount? {
        guard case .account(let stored) = try await local.account(of: bearer, at: now) else { return nil }
        return stored
    }
}

/// What others are shown of an account.
extension FirebaseDirectory {
    /// A local account with what its user says.
    func visible(_ stored: StoredAccount, of user: FirebaseUserRecord) -> StoredAccount {
        var account = stored
        account.identities = stored.realIdentities
        account.waysIn = WaysIn(otherWaysIn(of: user).map(\.text))
        account.hasOtherWayIn = !account.waysIn.isEmpty
        account.isDisabled = stored.isDisabled || user.isDisabled
        // A link that was begun has already made it permanent here, whether or not it came to anything.
        let isBeingLinked = stored.identities.contains { Placeholder.isPending($0.identity) }
        account.isAnonymous = (stored.isAnonymous || isBeingLinked) && !user.hasIdentity && account.identities.isEmpty
        return account
    }

    /// A user of whom nothing is known here, with all their ways in for identities, to say by what they sign in.
    func foreign(_ user: FirebaseUserRecord) -> StoredAccount {
        let createdAt = user.createdAt ?? NumericDate(0)
        var account = StoredAccount(uid: user.uid, createdAt: createdAt)
        account.email = user.verifiedEmail
        account.isDisabled = user.isDisabled
        account.waysIn = WaysIn(otherWaysIn(of: user).map(\.text))
        account.hasOtherWayIn = !account.waysIn.isEmpty
        account.identities = WaysIn(user.waysIn.map(\.text)).names.map { way in
            let provider = user.providers.first { $0.id == ProviderID(way) }
            return StoredIdentity(
                identity: provider?.identity ?? ExternalIdentity(provider: way, subject: user.uid),
                details: provider?.details ?? IdentityDetails(), linkedAt: createdAt, lastUsedAt: createdAt)
        }
        return account
    }

    /// An account whose first sign-in was begun and not ended, as if it had been.
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

    /// All but our providers' identities.
    func otherWaysIn(of user: FirebaseUserRecord) -> Set<ProviderID> { user.waysIn.subtracting(providers) }
}

extension FirebaseUserRecord {
    /// Why nobody may come in as this user by a custom token.
    var refusal: AccountRefusal? {
        if isDisabled { return .disabled }
        return hasSecondFactor ? .secondFactorEnrolled : nil
    }
}
