package import JOSE
package import Standards
package import Stores

extension FirebaseDirectory {
    package func link(
        _ incoming: IncomingIdentity, to uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision {
        guard isOneCall else { return try await oneCall.link(incoming, to: uid, expecting: expectation, at: now) }
        for _ in 0..<Self.rounds {
            let found = try await lookup(
                uids: [uid], identities: [incoming.identity], emails: [incoming.email].compactMap(\.self))
            guard let user = found.user(uid) else { return .unknownAccount }
            let incoming = storable(incoming, for: user, among: found)
            if user.isDisabled { return .refused(.disabled) }
            if let refusal = try await refusal(of: expectation) { return .refused(refusal) }
            let decision: LinkDecision?
            if user.holds(incoming.identity) {
                decision = try await finish(incoming, user, at: now)
            } else if let holder = found.holder(of: incoming.identity) {
                decision = try await refuse(incoming, of: holder, at: now)
            } else if user.providers.contains(where: { $0.id == incoming.identity.provider }) {
                decision = .providerTaken
            } else {
                decision = try await begin(incoming, user, expecting: expectation, at: now)
            }
            if let decision { return decision }
        }
        throw .unavailable(.directoryBusy)
    }

    /// Reserves an identity that no user has, and links it.
    ///
    /// - Returns: The decision; `nil` if another call was faster.
    private func begin(
        _ incoming: IncomingIdentity, _ user: FirebaseUserRecord, expecting expectation: AccountExpectation?,
        at now: NumericDate
    ) async throws(StoreError) -> LinkDecision? {
        guard try await reconciled(user, at: now) != nil else { return .unknownAccount }
        let identity = incoming.identity
        let pending = IncomingIdentity(identity: Placeholder.pending(identity), details: IdentityDetails(), email: nil)
        switch try await local.link(pending, to: user.uid, expecting: expectation, at: now) {
        case .linked:
            break
        case .identityTaken(let other):
            return .identityTaken(by: intended(other))
        case .providerTaken:
            // The account has a pending row for another identity of this provider, whose link was not completed.
            try await release(identity, from: user.uid, at: now)
            return nil
        case .unknownAccount:
            return nil
        case .refused(let refusal):
            return .refused(refusal)
        }
        // An earlier call with the same pending row may have finished since the first lookup.
        guard try await lookup(identities: [identity]).holder(of: identity) == nil else {
            try await release(identity, from: user.uid, at: now)
            return nil
        }
        guard let linked = try await attach(incoming, to: user.uid) else {
            try await release(identity, from: user.uid, at: now)
            return nil
        }
        return try await finish(incoming, linked, at: now)
    }

    /// Writes the local row of a link that Identity Toolkit has.
    private func finish(
        _ incoming: IncomingIdentity, _ user: FirebaseUserRecord, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision {
        switch try await confirm(incoming, of: user, at: now) {
        case .confirmed: break
        case .retired: return .unknownAccount
        case .refused(let refusal): return .refused(refusal)
        }
        try await release(incoming.identity, from: user.uid, at: now)
        guard let account = try await reconciled(user, at: now) else { return .unknownAccount }
        return .linked(account)
    }

    /// Refuses an identity that another user has.
    ///
    /// - Returns: The refusal; `nil` if the account of that user was retired, so that the identity was unlinked from
    ///   it.
    private func refuse(
        _ incoming: IncomingIdentity, of holder: FirebaseUserRecord, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision? {
        guard let account = try await reconciled(holder, at: now) else {
            try await free(incoming.identity, from: holder)
            return nil
        }
        return .identityTaken(by: account)
    }
}

extension FirebaseDirectory {
    /// Unlinks a provider, unless it is the user's last way to sign in.
    ///
    /// All ways that Identity Toolkit knows count: other providers, a password, a telephone number. If sign-ins write the
    /// profile, the name, the picture and the address of the provider leave with it.
    package func unlink(
        provider: ProviderID, from uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision {
        guard isOneCall
        else { return try await oneCall.unlink(provider: provider, from: uid, expecting: expectation, at: now) }
        guard let user = try await lookup(uids: [uid]).user(uid), let account = try await reconciled(user, at: now)
        else { return .unknownAccount }
        guard providers.contains(provider), let link = user.providers.first(where: { $0.id == provider }) else {
            _ = try await remove(Placeholder.pendingProvider(provider), from: uid, at: now)
            return .notLinked
        }
        guard !user.signInMethods.subtracting([provider]).isEmpty else { return .lastIdentity }
        if let refusal = try await refusal(of: expectation) { return .refused(refusal) }
        try await wrapping(
            { StoreError($0) },
            await users.unlink(provider: provider, from: uid, profileChange(of: user, without: link, account)))
        do {
            return try await afterUnlinking(link, from: uid, at: now)
        } catch .unavailable(let fault, _) {
            throw .outcomeUnknown(fault)
        }
    }

    /// Checks after unlinking that a way to sign in is left, and otherwise links the identity again.
    ///
    /// Two simultaneous calls may unlink the last two ways. The later one notices it here.
    private func afterUnlinking(
        _ link: FirebaseUserRecord.LinkedProvider, from uid: UID, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision {
        let found = try await lookup(uids: [uid], identities: [link.identity].compactMap(\.self))
        guard let user = found.user(uid) else { return .unknownAccount }
        if user.signInMethods.isEmpty, let identity = link.identity, found.holder(of: identity) == nil {
            let incoming = IncomingIdentity(identity: identity, details: link.details, email: nil)
            if try await attach(incoming, to: uid) != nil { return .lastIdentity }
        }
        guard let account = try await reconciled(user, at: now) else { return .unknownAccount }
        return .unlinked(account)
    }
}

/// Links that are recorded as pending.
extension FirebaseDirectory {
    /// Links an identity, which no user has at Identity Toolkit, to the user that its pending row names.
    ///
    /// - Returns: The user with the identity; `nil` if another user has it by now, or the user does not exist.
    func attach(_ incoming: IncomingIdentity, to uid: UID) async throws(StoreError) -> FirebaseUserRecord? {
        do {
            try await users.link(incoming.identity, details: incoming.details, to: uid)
        } catch .federatedIDTaken {
            return nil
        } catch .userNotFound {
            return nil
        } catch {
            throw StoreError(error)
        }
        // A link that Firebase made for another user in the meantime is visible now.
        let found = try await lookup(uids: [uid], identities: [incoming.identity])
        guard let user = found.user(uid), user.holds(incoming.identity) else { return nil }
        return user
    }

    /// Deletes a pending row that is no longer needed.
    func release(_ identity: ExternalIdentity, from uid: UID, at now: NumericDate) async throws(StoreError) {
        _ = try await remove(Placeholder.pendingProvider(identity.provider), from: uid, at: now)
    }
}
