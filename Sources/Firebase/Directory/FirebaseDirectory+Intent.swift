internal import JOSE
internal import Stores

/// Links that were written down as pending.
extension FirebaseDirectory {
    /// Links an identity there that nobody has, by the word of a pending row.
    ///
    /// - Returns: the user with it; nil where somebody else has it by now, or the user is no more.
    func attach(_ arrival: IncomingIdentity, to uid: String) async throws(StoreError) -> FirebaseUserRecord? {
        do {
            try await users.link(arrival.identity, details: arrival.details, to: uid)
        } catch .federatedIDTaken {
            return nil
        } catch .userNotFound {
            return nil
        } catch {
            throw StoreError(error)
        }
        // What a stranger's hand did meanwhile shows here at the latest.
        let found = try await lookup(uids: [uid], identities: [arrival.identity])
        guard let user = found.user(uid), user.holds(arrival.identity) else { return nil }
        return user
    }

    /// The pending row has done its duty, or is no good.
    func release(_ identity: ExternalIdentity, from uid: String, at now: NumericDate) async throws(StoreError) {
        _ = try await remove(Placeholder.pendingProvider(identity.provider), from: uid, at: now)
    }
}
