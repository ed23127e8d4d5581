package import JOSE
internal import OAuth
package import Stores

extension FirebaseDirectory {
    package func link(
        _ arrival: IncomingIdentity, to uid: String, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision {
        guard isOneCall else { return try await oneCall.link(arrival, to: uid, at: now) }
        for _ in 0..<Self.rounds {
            let found = try await lookup(uids: [uid], identities: [arrival.identity])
            guard let user = found.user(uid) else { return .unknownAccount }
            if user.isDisabled { return .refused(.disabled) }
            let decision: LinkDecision?
            if user.holds(arrival.identity) {
                decision = try await finish(arrival, user, at: now)
            } else if let holder = found.holder(of: arrival.identity) {
                decision = try await refuse(arrival, of: holder, at: now)
            } else if user.providers.contains(where: { $0.id == ProviderID(arrival.identity.provider) }) {
                decision = .providerTaken
            } else {
                decision = try await begin(arrival, user, at: now)
            }
            if let decision { return decision }
        }
        throw .unavailable(.directoryBusy)
    }

    /// Reserves an identity that no user has, and links it; nil if another caller was quicker.
    private func begin(
        _ arrival: IncomingIdentity, _ user: FirebaseUserRecord, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision? {
        guard try await reconciled(user, at: now) != nil else { return .unknownAccount }
        let identity = arrival.identity
        let pending = IncomingIdentity(identity: Placeholder.pending(identity), details: IdentityDetails(), email: nil)
        switch try await local.link(pending, to: user.uid, at: now) {
        case .linked:
            break
        case .identityTaken(let other):
            return .identityTaken(by: intended(other))
        case .providerTaken:
            // Another one of this provider was to be linked, and was not.
            try await release(identity, from: user.uid, at: now)
            return nil
        case .unknownAccount:
            return nil
        case .refused(let refusal):
            return .refused(refusal)
        }
        // Who had the row before us may have come to the end since our first look.
        guard try await lookup(identities: [identity]).holder(of: identity) == nil else {
            try await release(identity, from: user.uid, at: now)
            return nil
        }
        guard let linked = try await attach(arrival, to: user.uid) else {
            try await release(identity, from: user.uid, at: now)
            return nil
        }
        return try await finish(arrival, linked, at: now)
    }

    /// Writes the row of a link that is there.
    private func finish(
        _ arrival: IncomingIdentity, _ user: FirebaseUserRecord, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision {
        switch try await confirm(arrival, of: user, at: now) {
        case .confirmed: break
        case .retired: return .unknownAccount
        case .refused(let refusal): return .refused(refusal)
        }
        try await release(arrival.identity, from: user.uid, at: now)
        guard let account = try await reconciled(user, at: now) else { return .unknownAccount }
        return .linked(account)
    }

    /// Nil if no person is behind the user who has the identity.
    private func refuse(
        _ arrival: IncomingIdentity, of holder: FirebaseUserRecord, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision? {
        guard let account = try await reconciled(holder, at: now) else {
            try await free(arrival.identity, from: holder)
            return nil
        }
        return .identityTaken(by: account)
    }
}
