package import JOSE
package import Standards
package import Stores

/// The Firebase users of anonymous accounts that are being deleted because their retention is over.
package struct AnonymousUsers: Sendable {
    private let tenants: Tenants
    private let local: any AccountDirectory
    private let isRequired: Bool

    /// The Firebase users that belong to the accounts of the store.
    package enum Tenants: Sendable {
        /// Any account may have a user in each of these tenants.
        case shared([IdentityToolkit])
        /// The name of an account in the store contains its tenant, as ``TenantName`` describes it.
        ///
        /// - Parameters:
        ///   - own: The client for the deployment's own tenant.
        ///   - configured: The tenants of all clients. A further one may have been deleted at Google since.
        case separate(own: IdentityToolkit, configured: [String?])
    }

    /// Makes a value that sends nothing before the first call.
    ///
    /// - Parameters:
    ///   - local: The store, which records that an account is no longer anonymous.
    ///   - isRequired: Whether the configuration uses Identity Toolkit. If not, a service account without its
    ///     permissions is no error, and only the records of the store decide.
    package init(tenants: Tenants, local: any AccountDirectory, isRequired: Bool) {
        self.tenants = tenants
        self.local = local
        self.isRequired = isRequired
    }

    /// Makes accounts permanent whose users have an identity by now, before the accounts are deleted.
    ///
    /// A deleted uid is never assigned again, so a person who still uses it would lose the account. If the person has
    /// added a password at Firebase, this server otherwise learns of it only at their next call.
    ///
    /// - Throws: The error of Identity Toolkit or of the store. No account may be deleted then.
    package func keepUpgraded(_ uids: [UID], at now: NumericDate) async throws(StoreError) {
        for group in groups(of: uids) {
            let found: [FirebaseUserRecord]
            do {
                found = try await group.users.lookup(uids: group.uids)
            } catch .permissionDenied where !isRequired {
                return
            } catch .notConfigured where group.mayBeGone {
                continue
            } catch {
                throw StoreError(ofLookup: error)
            }
            for user in found where user.hasIdentity {
                _ = try await local.find(user.caller.renamed(group.stored(user.uid)), at: now)
            }
        }
    }

    /// Deletes the users of deleted accounts, except those that have gained an identity at Firebase in the meantime.
    ///
    /// - Returns: The uids of users that stay at Firebase. If the service account may change users but not delete them,
    ///   the sessions of the users without an identity are revoked.
    package func deleteSwept(_ uids: [UID], at now: NumericDate) async throws(IdentityToolkitError) -> [UID] {
        var kept: [UID] = []
        for group in groups(of: uids) {
            do {
                let found = try await group.users.lookup(uids: group.uids)
                let upgraded = found.filter(\.hasIdentity).map(\.uid)
                let left = try await delete(found.filter { !$0.hasIdentity }.map(\.uid), of: group.users, at: now)
                kept += (upgraded + left).map(group.stored)
            } catch .permissionDenied where !isRequired {
                return uids
            } catch .notConfigured where group.mayBeGone {
                continue
            }
        }
        return kept
    }

    /// The accounts whose users are in one tenant.
    private struct Group {
        let users: IdentityToolkit
        /// The uids at Firebase.
        let uids: [UID]
        /// Returns the uid of an account in the store.
        let stored: (UID) -> UID
        /// Whether the tenant may not exist any more.
        let mayBeGone: Bool
    }

    private func groups(of uids: [UID]) -> [Group] {
        guard !uids.isEmpty else { return [] }
        switch tenants {
        case .shared(let clients):
            return clients.map { Group(users: $0, uids: uids, stored: { $0 }, mayBeGone: false) }
        case .separate(let own, let configured):
            var groups: [(tenant: TenantName, uids: [UID])] = []
            for stored in uids {
                let tenant = TenantName.split(stored.text).tenant
                guard let uid = tenant.name(stored) else { continue }
                if let index = groups.firstIndex(where: { $0.tenant == tenant }) {
                    groups[index].uids.append(uid)
                } else {
                    groups.append((tenant, [uid]))
                }
            }
            let ownID = own.endpoint.tenantID
            let known = configured.map { TenantName($0, besides: ownID) } + [TenantName(nil)]
            return groups.map { tenant, uids in
                Group(
                    users: own.of(tenantID: tenant.tenantID(besides: ownID)), uids: uids, stored: tenant.stored,
                    mayBeGone: !known.contains(tenant))
            }
        }
    }

    private func delete(
        _ uids: [UID], of users: IdentityToolkit, at now: NumericDate
    ) async throws(IdentityToolkitError) -> [UID] {
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

extension FirebaseCaller {
    /// Returns the same caller with another uid.
    fileprivate func renamed(_ uid: UID) -> FirebaseCaller {
        FirebaseCaller(
            uid: uid, isAnonymous: isAnonymous, email: email, signInMethods: signInMethods, hasIdentity: hasIdentity)
    }
}
