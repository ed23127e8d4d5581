package import JOSE
package import Stores

extension FirebaseDirectory {
    /// Makes permanent, of accounts that are about to be swept, those whose users have got a way in at Firebase itself.
    ///
    /// Before the local directory sweeps: a uid that it has retired is nobody's ever after.
    package func keepUpgraded(_ uids: [String], at now: NumericDate) async throws(StoreError) {
        guard !uids.isEmpty else { return }
        let upgraded: [FirebaseUserRecord]
        do {
            upgraded = try await users.lookup(uids: uids).filter { !$0.waysIn.isEmpty }
        } catch {
            throw StoreError(error)
        }
        for user in upgraded {
            let bearer = Bearer(uid: user.uid, isAnonymous: false, email: nil, hasOtherWayIn: true)
            _ = try await local.account(of: bearer, at: now)
        }
    }

    /// Deletes the Firebase users of anonymous accounts that were swept from the local directory, but none that was
    /// upgraded natively a moment ago.
    ///
    /// - Returns: the uids of those that are left there.
    package func deleteSwept(_ uids: [String]) async throws(IdentityToolkitError) -> [String] {
        let upgraded = try await users.lookup(uids: uids).filter { !$0.waysIn.isEmpty }
        let anonymous = uids.filter { upgraded.user($0) == nil }
        return upgraded.map(\.uid) + (try await users.delete(anonymous))
    }
}
