package import JOSE
package import Stores

extension FirebaseDirectory {
    /// Moves the links one by one, and deletes the emptied user.
    ///
    /// It is not one step at Identity Toolkit: where it fails in the middle, each identity is at one of the two, and
    /// the merge may be asked for again.
    ///
    /// - Throws: ``StoreError/outcomeUnknown(_:)`` from the first move on.
    package func merge(
        _ uid: String, into other: String, at now: NumericDate
    ) async throws(StoreError) -> MergeDecision {
        guard isOneCall else { return try await oneCall.merge(uid, into: other, at: now) }
        let found = try await lookup(uids: [uid, other])
        guard let leaving = found.user(uid), let staying = found.user(other), !leaving.hasUID(staying.uid),
            let emptied = try await reconciled(leaving, at: now),
            let kept = try await reconciled(staying, at: now)
        else { return .unknownAccount }
        if emptied.isDisabled || kept.isDisabled { return .refused(.disabled) }
        if leaving.hasSecondFactor { return .refused(.secondFactorEnrolled) }
        guard otherWaysIn(of: leaving).isEmpty else { return .otherWayIn }
        guard leaving.waysIn.isDisjoint(with: staying.waysIn) else { return .providerTaken }

        do throws(StoreError) {
            for link in leaving.providers {
                guard let identity = link.identity else { throw StoreError.unavailable(.directoryUnreachable) }
                let arrival = IncomingIdentity(identity: identity, details: link.details, email: nil)
                try await move(arrival, from: uid, to: other, at: now)
            }
            return .merged(try await removeEmptied(uid, into: other, at: now))
        } catch .unavailable(let fault) {
            throw .outcomeUnknown(fault)
        }
    }

    /// One identity; the pending row says where it goes while nobody has it.
    private func move(
        _ arrival: IncomingIdentity, from uid: String, to other: String, at now: NumericDate
    ) async throws(StoreError) {
        let identity = arrival.identity
        try await intend(identity, for: other, at: now)
        do {
            try await users.unlink(provider: identity.provider, from: uid)
        } catch {
            throw StoreError(error)
        }
        guard let user = try await attach(arrival, to: other),
            case .confirmed = try await confirm(arrival, of: user, at: now)
        else { throw .outcomeUnknown(.directoryBusy) }
        try await release(identity, from: other, at: now)
    }

    /// Writes down that an account is to get an identity.
    ///
    /// Who else was about to get it had no luck: its account has it.
    private func intend(
        _ identity: ExternalIdentity, for uid: String, at now: NumericDate
    ) async throws(StoreError) {
        let pending = IncomingIdentity(identity: Placeholder.pending(identity), details: IdentityDetails(), email: nil)
        for _ in 0..<Self.rounds {
            switch try await local.link(pending, to: uid, at: now) {
            case .linked: return
            case .identityTaken(let rival): try await release(identity, from: rival.uid, at: now)
            case .providerTaken: try await release(identity, from: uid, at: now)
            case .unknownAccount, .refused: throw .unavailable(.directoryBusy)
            }
        }
        throw .unavailable(.directoryBusy)
    }

    /// - Throws: ``StoreError/outcomeUnknown(_:)`` where one of the two has changed meanwhile, since identities have
    ///   moved.
    private func removeEmptied(
        _ uid: String, into other: String, at now: NumericDate
    ) async throws(StoreError) -> StoredAccount {
        let found = try await lookup(uids: [uid, other])
        // It may have got another way in meanwhile: then it stays.
        guard let staying = found.user(other), found.user(uid)?.waysIn.isEmpty ?? true
        else { throw .outcomeUnknown(.directoryBusy) }
        _ = try await retire(uid: uid, at: now)
        guard let account = try await reconciled(staying, at: now) else { throw .outcomeUnknown(.directoryBusy) }
        return account
    }
}
