package import JOSE
package import Stores

/// The Firebase users of anonymous accounts that are about to be swept, or were.
package struct AnonymousUsers: Sendable {
    private let users: [IdentityToolkit]
    private let local: any AccountDirectory
    private let isRequired: Bool

    /// - Parameters:
    ///   - users: one for each tenant whose users have accounts here, and one for those of none.
    ///   - local: where it is written down that an account is not anonymous any more.
    ///   - isRequired: whether the configuration counts on Identity Toolkit. If not, a service account that may only
    ///     sign asks for nothing, and the sweep goes by what the store knows.
    package init(users: [IdentityToolkit], local: any AccountDirectory, isRequired: Bool) {
        self.users = users
        self.local = local
        self.isRequired = isRequired
    }

    /// Makes permanent, of accounts that are about to be swept, those whose users can be told from others by now.
    ///
    /// A uid that is swept is never given again, so that a person would lose the account for good. A session that began
    /// with our custom token says nothing of a password that came later, until it is used here.
    ///
    /// - Throws: if Identity Toolkit does not answer. Nothing may be swept then.
    package func keepUpgraded(_ uids: [String], at now: NumericDate) async throws(StoreError) {
        guard !uids.isEmpty else { return }
        for users in users {
            let found: [FirebaseUserRecord]
            do {
                found = try await users.lookup(uids: uids)
            } catch .permissionDenied where !isRequired {
                return
            } catch {
                throw StoreError(ofLookup: error)
            }
            for user in found where user.hasIdentity { _ = try await local.account(of: user.bearer, at: now) }
        }
    }

    /// Deletes the users of accounts that were swept, but none that can be told from others: that one was upgraded
    /// natively a moment ago.
    ///
    /// - Returns: the uids of users that stay at Firebase, with their sessions ended if the service account may do
    ///   that.
    package func deleteSwept(_ uids: [String], at now: NumericDate) async throws(IdentityToolkitError) -> [String] {
        guard !uids.isEmpty else { return [] }
        var kept: [String] = []
        for users in users {
            do {
                let found = try await users.lookup(uids: uids)
                let upgraded = found.filter(\.hasIdentity).map(\.uid)
                kept += upgraded
                kept += try await delete(found.filter { !$0.hasIdentity }.map(\.uid), of: users, at: now)
            } catch .permissionDenied where !isRequired {
                return uids
            }
        }
        return kept
    }

    private func delete(
        _ uids: [String], of users: IdentityToolkit, at now: NumericDate
    ) async throws(IdentityToolkitError) -> [String] {
        do {
            return try await users.delete(uids)
        } catch .permissionDenied {
            for uid in uids {
                do {
                    try await users.revokeSessions(of: uid, at: now)
                } catch .permissionDenied {
                    break
                } catch .userNotFound {
                    continue
                }
            }
            return uids
        }
    }
}
