package import JOSE
package import Standards
package import Stores

extension FirebaseDirectory {
    /// Signs in the user who has an identity, or creates one.
    ///
    /// A known user usually costs one request to Identity Toolkit and one call of the store, a new one five requests.
    package func signIn(
        _ incoming: IncomingIdentity, candidates: [UID], emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> SignInDecision {
        guard isOneCall else {
            return try await oneCall.signIn(incoming, candidates: candidates, emails: emails, at: now)
        }
        for _ in 0..<Self.rounds {
            let found = try await lookup(
                uids: candidates, identities: [incoming.identity], emails: [incoming.email].compactMap(\.self))
            let decision: SignInDecision?
            if let user = found.holder(of: incoming.identity) {
                decision = try await enter(user, incoming, isNew: false, emails, found, at: now)
            } else {
                decision = try await signInNew(incoming, candidates, emails, found, at: now)
            }
            if let decision { return decision }
        }
        throw .unavailable(.directoryBusy)
    }

    /// Signs in the user who has the identity at Identity Toolkit.
    ///
    /// - Returns: The decision; `nil` if the uid of that user was retired, so that the identity was unlinked from it.
    private func enter(
        _ user: FirebaseUserRecord, _ incoming: IncomingIdentity, isNew: Bool, _ emails: EmailRule,
        _ found: [FirebaseUserRecord], at now: NumericDate
    ) async throws(StoreError) -> SignInDecision? {
        if let refusal = user.refusal { return .refused(refusal) }
        switch try await confirm(storable(incoming, for: user, among: found), of: user, at: now) {
        case .confirmed(let holders):
            if syncsProfile { await syncProfile(of: user, incoming) }
            return .signedIn(
                uid: user.uid, isNew: isNew,
                emailHeldBy: emails == .shared
                    ? []
                    : owners(of: incoming.email, besides: user, among: found)
                        + (try await standing(holders, email: incoming.email)))
        case .refused(let refusal):
            return .refused(refusal)
        case .retired:
            try await free(incoming.identity, from: user)
            return nil
        }
    }

    /// Returns an identity without its verified address, if its user or another one has one at Firebase.
    ///
    /// The account then stores no address: the one at Firebase is not changed.
    func storable(
        _ incoming: IncomingIdentity, for user: FirebaseUserRecord, among found: [FirebaseUserRecord]
    ) -> IncomingIdentity {
        let isFree =
            user.verifiedEmail == nil && owners(of: incoming.email, besides: user, among: found).isEmpty
        return IncomingIdentity(
            identity: incoming.identity, details: incoming.details, email: isFree ? incoming.email : nil)
    }

    /// Returns the other users who have the verified address of a sign-in, if its user has no verified address.
    private func owners(
        of email: EmailAddress?, besides user: FirebaseUserRecord, among found: [FirebaseUserRecord]
    ) -> [UID] {
        guard let email, user.verifiedEmail == nil else { return [] }
        return found.filter { $0.verifiedEmail == email && $0.uid != user.uid }.map(\.uid)
    }

    /// Returns those of the accounts that still have the address at Firebase.
    private func standing(_ uids: [UID], email: EmailAddress?) async throws(StoreError) -> [UID] {
        guard !uids.isEmpty else { return [] }
        let found = try await lookup(uids: uids)
        return found.filter { $0.keeps(email) }.map(\.uid)
    }

    /// Signs in a person whose identity no user had at the last lookup.
    ///
    /// - Returns: The decision; `nil` if another user may have the identity now.
    private func signInNew(
        _ incoming: IncomingIdentity, _ candidates: [UID], _ emails: EmailRule, _ found: [FirebaseUserRecord],
        at now: NumericDate
    ) async throws(StoreError) -> SignInDecision? {
        let identity = incoming.identity
        if let stale = try await local.account(of: identity) {
            if stale.isDisabled { return .refused(.disabled) }
            // Rows are written after links: if this row was written after the lookup, the link is visible now.
            if try await lookup(identities: [identity]).holder(of: identity) != nil { return nil }
            guard try await detach(identity, from: stale.uid, at: now) else { return .refused(.disabled) }
        }
        let begun = try await local.account(of: Placeholder.pending(identity))
        let free = candidates.filter { found.user($0) == nil }
        let reservation = try await reserve(
            incoming, free, begun == nil ? emails : .shared, found, at: now)
        guard case .signedIn(let uid, _, _, _) = reservation else { return reservation }
        return try await complete(incoming, uid: uid, emails, at: now)
    }

    /// Reserves the uid for an identity: that of an unfinished attempt, or a new one.
    private func reserve(
        _ incoming: IncomingIdentity, _ candidates: [UID], _ emails: EmailRule, _ found: [FirebaseUserRecord],
        at now: NumericDate
    ) async throws(StoreError) -> SignInDecision {
        if emails == .oneAccountEach, let email = incoming.email,
            let owner = found.first(where: { $0.verifiedEmail == email })
        {
            return .emailTaken(by: [foreign(owner)])
        }
        let pending = IncomingIdentity(
            identity: Placeholder.pending(incoming.identity), details: IdentityDetails(), email: incoming.email)
        let decision = try await local.signIn(pending, candidates: candidates, emails: emails, at: now)
        guard case .emailTaken(let holders) = decision else { return decision }
        let standing = try await standing(holders, email: incoming.email)
        guard standing.isEmpty else { return .emailTaken(by: standing) }
        return try await local.signIn(pending, candidates: candidates, emails: .shared, at: now)
    }

    /// Returns those of the local accounts that still have the address.
    ///
    /// An account has lost it if its user has another address at Identity Toolkit, or no way to sign in.
    private func standing(
        _ holders: [StoredAccount], email: EmailAddress?
    ) async throws(StoreError) -> [StoredAccount] {
        let found = try await lookup(uids: holders.map(\.uid))
        return holders.compactMap { holder in
            // The pending row shows that another call is creating or linking the account.
            if holder.identities.contains(where: { Placeholder.isPending($0.identity) }) { return intended(holder) }
            return found.user(holder.uid).flatMap { $0.keeps(email) ? foreign($0) : nil }
        }
    }

    /// Creates the user and the link for a reserved uid.
    ///
    /// - Returns: The decision; `nil` if another call was faster.
    private func complete(
        _ incoming: IncomingIdentity, uid: UID, _ emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> SignInDecision? {
        let identity = incoming.identity
        // An earlier attempt may have finished since the first lookup.
        let found = try await lookup(uids: [uid], identities: [identity])
        guard let account = try await local.account(uid: uid), account.holds(Placeholder.pending(identity)) else {
            return nil
        }
        let wasMade = account.wasMade(for: Placeholder.pending(identity))
        if let holder = found.holder(of: identity) {
            let isOurs = holder.uid == uid
            let decision = try await enter(holder, incoming, isNew: isOurs && wasMade, emails, found, at: now)
            if !isOurs, wasMade, found.user(uid) == nil {
                // The reservation came too late, and no user has this uid.
                _ = try await local.retire(uid: uid, at: now)
            } else if case .signedIn = decision {
                try await release(identity, from: uid, at: now)
            }
            return decision
        }
        if let user = found.user(uid) {
            if let refusal = user.refusal { return .refused(refusal) }
            guard !wasMade || user.isBare else {
                // Another person got this uid between the first lookup and the reservation.
                try await release(identity, from: uid, at: now)
                return nil
            }
        } else if wasMade {
            guard try await create(uid) else { return nil }
        } else {
            // The user was deleted natively before the link.
            try await release(identity, from: uid, at: now)
            return nil
        }
        guard let user = try await attach(incoming, to: uid) else { return nil }
        let decision = try await enter(user, incoming, isNew: wasMade, emails, found, at: now)
        if case .signedIn = decision { try await release(identity, from: uid, at: now) }
        return decision
    }

    /// Creates a user without identities.
    ///
    /// - Returns: `false` if the user exists by now.
    private func create(_ uid: UID) async throws(StoreError) -> Bool {
        do {
            try await users.create(uid: uid)
            return true
        } catch .duplicateLocalID {
            return false
        } catch {
            throw StoreError(error)
        }
    }
}

extension FirebaseUserRecord {
    /// Whether no person has signed in as this user yet: an unfinished attempt of this server created it.
    var isBare: Bool { !hasIdentity && !isCustom }

    /// Whether the user still has an address that the local account has.
    ///
    /// A user without a way to sign in, or with another verified address, has lost it.
    func keeps(_ email: EmailAddress?) -> Bool {
        !signInMethods.isEmpty && (verifiedEmail == nil || verifiedEmail == email)
    }
}
