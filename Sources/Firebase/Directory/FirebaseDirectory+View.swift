internal import JOSE
internal import OAuth
internal import Stores

/// What others are shown of an account.
extension FirebaseDirectory {
    /// A local account with what its user says.
    func visible(_ stored: StoredAccount, of user: FirebaseUserRecord) -> StoredAccount {
        var account = stored
        account.identities = stored.realIdentities
        account.waysIn = WaysIn(otherWaysIn(of: user).map(\.text))
        account.hasOtherWayIn = !account.waysIn.isEmpty
        account.isDisabled = stored.isDisabled || user.isDisabled
        // A link that was begun has already made it permanent here, whether or not it came to anything.
        let isBeingLinked = stored.identities.contains { Placeholder.isPending($0.identity) }
        account.isAnonymous = (stored.isAnonymous || isBeingLinked) && !user.hasIdentity && account.identities.isEmpty
        return account
    }

    /// A user of whom nothing is known here, with all their ways in for identities, to say by what they sign in.
    func foreign(_ user: FirebaseUserRecord) -> StoredAccount {
        let createdAt = user.createdAt ?? NumericDate(0)
        var account = StoredAccount(uid: user.uid, createdAt: createdAt)
        account.email = user.verifiedEmail
        account.isDisabled = user.isDisabled
        account.waysIn = WaysIn(otherWaysIn(of: user).map(\.text))
        account.hasOtherWayIn = !account.waysIn.isEmpty
        account.identities = WaysIn(user.waysIn.map(\.text)).names.map { way in
            let provider = user.providers.first { $0.id == ProviderID(way) }
            return StoredIdentity(
                identity: provider?.identity ?? ExternalIdentity(provider: way, subject: user.uid),
                details: provider?.details ?? IdentityDetails(), linkedAt: createdAt, lastUsedAt: createdAt)
        }
        return account
    }

    /// An account whose first sign-in was begun and not ended, as if it had been.
    func intended(_ stored: StoredAccount) -> StoredAccount {
        var account = stored
        account.identities = stored.identities.compactMap { row in
            let intended = Placeholder.intended(row.identity)
            guard intended != nil || !Placeholder.isOne(row.identity) else { return nil }
            return StoredIdentity(
                identity: intended ?? row.identity, details: row.details, linkedAt: row.linkedAt,
                lastUsedAt: row.lastUsedAt)
        }
        return account
    }

    /// All but our providers' identities.
    func otherWaysIn(of user: FirebaseUserRecord) -> Set<ProviderID> { user.waysIn.subtracting(providers) }
}

extension FirebaseUserRecord {
    /// Why nobody may come in as this user by a custom token.
    var refusal: AccountRefusal? {
        if isDisabled { return .disabled }
        return hasSecondFactor ? .secondFactorEnrolled : nil
    }
}
