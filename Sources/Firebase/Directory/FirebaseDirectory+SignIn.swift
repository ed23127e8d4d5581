package import JOSE
internal import OAuth
package import Stores

extension FirebaseDirectory {
    /// A user whom Identity Toolkit has is asked for once, and their row written once; a new one takes five requests.
    package func signIn(
        _ arrival: IncomingIdentity, candidates: [String], emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> SignInDecision {
        guard isOneCall else {
            return try await oneCall.signIn(arrival, candidates: candidates, emails: emails, at: now)
        }
        for _ in 0..<Self.rounds {
            let found = try await lookup(
                uids: candidates, identities: [arrival.identity], emails: [arrival.email].compactMap(\.self))
            let decision: SignInDecision?
            if let user = found.holder(of: arrival.identity) {
                decision = try await enter(user, arrival, isNew: false, emails, found, at: now)
            } else {
                decision = try await signInNew(arrival, candidates, emails, found, at: now)
            }
            if let decision { return decision }
        }
        throw .unavailable(.directoryBusy)
    }

    /// Signs in the user who has the identity at Identity Toolkit; nil if the identity had to be freed first.
    private func enter(
        _ user: FirebaseUserRecord, _ arrival: IncomingIdentity, isNew: Bool, _ emails: EmailRule,
        _ found: [FirebaseUserRecord], at now: NumericDate
    ) async throws(StoreError) -> SignInDecision? {
        if let refusal = user.refusal { return .refused(refusal) }
        let owners = self.owners(of: arrival.email, besides: user, among: found)
        // The address that the user has at Firebase stays the account's, and so does that of another user theirs.
        let keepsEmail = user.verifiedEmail != nil || !owners.isEmpty
        let confirmed = IncomingIdentity(
            identity: arrival.identity, details: arrival.details, email: keepsEmail ? nil : arrival.email)
        switch try await confirm(confirmed, of: user, at: now) {
        case .confirmed(let holders):
            if syncsProfile { await syncProfile(of: user, arrival) }
            return .signedIn(
                uid: user.uid, isNew: isNew,
                emailHeldBy: emails == .shared
                    ? [] : owners + (try await standing(holders, email: arrival.email)))
        case .refused(let refusal):
            return .refused(refusal)
        case .retired:
            try await free(arrival.identity, from: user)
            return nil
        }
    }

    /// The other users who have the verified address that a sign-in brings to a user without one.
    private func owners(
        of email: EmailAddress?, besides user: FirebaseUserRecord, among found: [FirebaseUserRecord]
    ) -> [String] {
        guard let email, user.verifiedEmail == nil else { return [] }
        return found.filter { $0.verifiedEmail == email && !$0.hasUID(user.uid) }.map(\.uid)
    }

    /// Those of some accounts whose address is still theirs at Firebase.
    private func standing(_ uids: [String], email: EmailAddress?) async throws(StoreError) -> [String] {
        guard !uids.isEmpty else { return [] }
        let found = try await lookup(uids: uids)
        return found.filter { $0.keeps(email) }.map(\.uid)
    }

    /// Signs in a person whose identity Identity Toolkit did not know a moment ago; nil if that may have changed.
    private func signInNew(
        _ arrival: IncomingIdentity, _ candidates: [String], _ emails: EmailRule, _ found: [FirebaseUserRecord],
        at now: NumericDate
    ) async throws(StoreError) -> SignInDecision? {
        let identity = arrival.identity
        if let stale = try await local.account(of: identity) {
            if stale.isDisabled { return .refused(.disabled) }
            // Rows follow the links: if this one was written after our look, the link shows by now.
            if try await lookup(identities: [identity]).holder(of: identity) != nil { return nil }
            guard try await detach(identity, from: stale.uid, at: now) else { return .refused(.disabled) }
        }
        let begun = try await local.account(of: Placeholder.pending(identity))
        let free = candidates.filter { found.user($0) == nil }
        let reservation = try await reserve(
            arrival, free, begun == nil ? emails : .shared, found, at: now)
        guard case .signedIn(let uid, _, _) = reservation else { return reservation }
        return try await complete(arrival, uid: uid, emails, at: now)
    }

    /// The uid that the identity is to have: the one of an attempt that did not come to its end, or a new one.
    private func reserve(
        _ arrival: IncomingIdentity, _ candidates: [String], _ emails: EmailRule, _ found: [FirebaseUserRecord],
        at now: NumericDate
    ) async throws(StoreError) -> SignInDecision {
        if emails == .oneAccountEach, let email = arrival.email,
            let owner = found.first(where: { $0.verifiedEmail == email })
        {
            return .emailTaken(by: [foreign(owner)])
        }
        let pending = IncomingIdentity(
            identity: Placeholder.pending(arrival.identity), details: IdentityDetails(), email: arrival.email)
        let decision = try await local.signIn(pending, candidates: candidates, emails: emails, at: now)
        guard case .emailTaken(let holders) = decision else { return decision }
        let standing = try await standing(holders, email: arrival.email)
        guard standing.isEmpty else { return .emailTaken(by: standing) }
        return try await local.signIn(pending, candidates: candidates, emails: .shared, at: now)
    }

    /// Those of some local accounts whose address is still theirs: whoever has another one at Identity Toolkit, or
    /// cannot be entered any more, has lost it.
    private func standing(
        _ holders: [StoredAccount], email: EmailAddress?
    ) async throws(StoreError) -> [StoredAccount] {
        let found = try await lookup(uids: holders.map(\.uid))
        return holders.compactMap { holder in
            // It is being made right now.
            if holder.identities.contains(where: { Placeholder.isPending($0.identity) }) { return intended(holder) }
            return found.user(holder.uid).flatMap { $0.keeps(email) ? foreign($0) : nil }
        }
    }

    /// Brings user and link into being for a reserved uid; nil if another caller was quicker.
    private func complete(
        _ arrival: IncomingIdentity, uid: String, _ emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> SignInDecision? {
        let identity = arrival.identity
        // An earlier attempt may have come to its end since our first look.
        let found = try await lookup(uids: [uid], identities: [identity])
        guard let account = try await local.account(uid: uid), account.holds(Placeholder.pending(identity)) else {
            return nil
        }
        let wasMade = account.wasMade(for: Placeholder.pending(identity))
        if let holder = found.holder(of: identity) {
            let isOurs = holder.hasUID(uid)
            let decision = try await enter(holder, arrival, isNew: isOurs && wasMade, emails, found, at: now)
            if !isOurs, wasMade, found.user(uid) == nil {
                // Reserved too late, and no user has this uid yet.
                _ = try await local.retire(uid: uid, at: now)
            } else if case .signedIn = decision {
                try await release(identity, from: uid, at: now)
            }
            return decision
        }
        if let user = found.user(uid) {
            if let refusal = user.refusal { return .refused(refusal) }
            guard !wasMade || user.isBare else {
                // A stranger's, who came between our first look and the reservation.
                try await release(identity, from: uid, at: now)
                return nil
            }
        } else if wasMade {
            guard try await create(uid) else { return nil }
        } else {
            // An account that was to be linked, and was deleted natively since.
            try await release(identity, from: uid, at: now)
            return nil
        }
        guard let user = try await attach(arrival, to: uid) else { return nil }
        let decision = try await enter(user, arrival, isNew: wasMade, emails, found, at: now)
        if case .signedIn = decision { try await release(identity, from: uid, at: now) }
        return decision
    }

    /// - Returns: false where there is such a user by now.
    private func create(_ uid: String) async throws(StoreError) -> Bool {
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
    /// No person has come in as this user yet; only an attempt of ours that did not come to its end has made it.
    var isBare: Bool { !hasIdentity && !isCustom }

    /// Whether an address that a local account has is still theirs: a user who cannot be entered any more, or who has
    /// another one by now, has lost it.
    func keeps(_ email: EmailAddress?) -> Bool {
        !waysIn.isEmpty && (verifiedEmail == nil || verifiedEmail == email)
    }
}

extension FirebaseDirectory {
    /// Writes what the provider says to the user, where it differs.
    ///
    /// A failure keeps no person out: the next sign-in writes it.
    func syncProfile(of user: FirebaseUserRecord, _ arrival: IncomingIdentity) async {
        let says = UserProfile(name: arrival.details.name, picture: arrival.details.picture, email: arrival.email)
        var profile = UserProfile()
        if let name = says.name, name != user.name { profile.name = name }
        if let picture = says.picture, picture != user.picture { profile.picture = picture }
        if let email = says.email, email != user.verifiedEmail, mayReplaceEmail(of: user, arrival) {
            profile.email = email
        }
        do {
            try await users.setProfile(profile, of: user.uid)
        } catch .emailExists {
            profile.email = nil
            try? await users.setProfile(profile, of: user.uid)
        } catch {
            return
        }
    }

    /// Never the one that goes with a password: it is the name by which its person signs in.
    ///
    /// The first of several providers that brought a verified address has the say, or the address would change with
    /// each sign-in.
    private func mayReplaceEmail(of user: FirebaseUserRecord, _ arrival: IncomingIdentity) -> Bool {
        if user.waysIn.contains(.password) { return false }
        return user.verifiedEmail == nil || user.waysIn == [ProviderID(arrival.identity.provider)]
    }
}
