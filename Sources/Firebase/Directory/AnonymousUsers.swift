package import JOSE
package import Stores

/// The Firebase users of anonymous accounts that are being deleted because their retention is over.
package struct AnonymousUsers: Sendable {
    private let users: [IdentityToolkit]
    private let local: any AccountDirectory
    private let isRequired: Bool

    /// Makes a value that sends nothing before the first call.
    ///
    /// - Parameters:
    ///   - users: A client for each tenant whose users have accounts here, and one for users outside any tenant.
    ///   - local: The store, which records that an account is no longer anonymous.
    ///   - isRequired: Whether the configuration uses Identity Toolkit. If not, a service account without its
    ///     permissions is no error, and only the records of the store decide.
    package init(users: [IdentityToolkit], local: any AccountDirectory, isRequired: Bool) {
        self.users = users
        self.local = local
        self.isRequired = isRequired
    }

    /// Makes accounts permanent whose users have an identity by now, before the accounts are deleted.
    ///
    /// A deleted uid is never assigned again, so a person who still uses it would lose the account. If the person has
    /// added a password at Firebase, this server otherwise learns of it only at their next call.
    ///
    /// - Parameters:
    ///   - uids: The accounts that are about to be deleted.
    ///   - now: The current time.
    /// - Throws: The error of Identity Toolkit or of the store. No account may be deleted then.
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
            for user in found where user.hasIdentity { _ = try await local.account(of: user.caller, at: now) }
        }
    }

    /// Deletes the users of deleted accounts, except those that have gained an identity at Firebase in the meantime.
    ///
    /// - Parameters:
    ///   - uids: The accounts that were deleted.
    ///   - now: The current time.
    /// - Returns: The uids of users that stay at Firebase. If the service account may change users but not delete them,
    ///   the sessions of the users without an identity are revoked.
    /// - Throws: ``IdentityToolkitError``.
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
