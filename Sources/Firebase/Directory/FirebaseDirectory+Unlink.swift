package import JOSE
internal import OAuth
package import Stores

extension FirebaseDirectory {
    /// Every way in that Identity Toolkit knows counts: other providers, a password, a telephone.
    package func unlink(
        provider: String, from uid: String, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision {
        guard isOneCall else { return try await oneCall.unlink(provider: provider, from: uid, at: now) }
        let id = ProviderID(provider)
        guard let user = try await lookup(uids: [uid]).user(uid), try await reconciled(user, at: now) != nil else {
            return .unknownAccount
        }
        guard providers.contains(id), let link = user.providers.first(where: { $0.id == id }) else {
            _ = try await remove(Placeholder.pendingProvider(provider), from: uid, at: now)
            return .notLinked
        }
        guard !user.waysIn.subtracting([id]).isEmpty else { return .lastIdentity }
        do {
            try await users.unlink(provider: provider, from: uid)
        } catch {
            throw StoreError(error)
        }
        do {
            return try await afterUnlinking(link, from: uid, at: now)
        } catch .unavailable(let fault) {
            throw .outcomeUnknown(fault)
        }
    }

    /// Somebody else may have taken the other way in since our look; of two who did, the later sees it here.
    private func afterUnlinking(
        _ link: FirebaseUserRecord.LinkedProvider, from uid: String, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision {
        let found = try await lookup(uids: [uid], identities: [link.identity].compactMap(\.self))
        guard let user = found.user(uid) else { return .unknownAccount }
        if user.waysIn.isEmpty, let identity = link.identity, found.holder(of: identity) == nil {
            let arrival = IncomingIdentity(identity: identity, details: link.details, email: nil)
            if try await attach(arrival, to: uid) != nil { return .lastIdentity }
        }
        guard let account = try await reconciled(user, at: now) else { return .unknownAccount }
        return .unlinked(account)
    }
}
