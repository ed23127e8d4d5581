internal import JOSE
internal import Jansson
internal import Stores

/// A user as `firebase auth:export` writes it, made an account of ours.
struct FirebaseUser {
    /// Ids of the configuration.
    let providers: Set<String>
    let names: ProviderNames
    let now: NumericDate

    /// What there is to keep of a user; nil for one that has no identity of a configured provider and no verified address.
    ///
    /// Hashes of passwords are not looked at beyond that they are there.
    ///
    /// - Throws: also for a user with a second factor, which a custom token would pass by.
    func account(_ user: JSON) throws(ImportFault) -> StoredAccount? {
        let uid = try UIDText.checked(user["localId"])
        guard (user["mfaInfo"]?.array ?? []).isEmpty else { throw .secondFactor }
        let createdAt = milliseconds(user["createdAt"]) ?? now
        var account = StoredAccount(uid: uid, createdAt: createdAt)
        account.isAdopted = true
        account.isDisabled = user["disabled"]?.bool ?? false
        account.email = user["emailVerified"]?.bool == true ? user["email"]?.string.flatMap(EmailAddress.init) : nil
        account.hasOtherWayIn =
            user["passwordHash"]?.string?.isEmpty == false || user["phoneNumber"]?.string?.isEmpty == false
        let lastUsedAt = milliseconds(user["lastSignedInAt"]) ?? createdAt
        var identities: [StoredIdentity] = []
        for info in user["providerUserInfo"]?.array ?? [] {
            guard let name = info["providerId"]?.string, let subject = info["rawId"]?.string, !subject.isEmpty,
                providers.contains(names.provider(of: name))
            else {
                account.hasOtherWayIn = true
                continue
            }
            let identity = ExternalIdentity(provider: names.provider(of: name), subject: subject)
            let details = IdentityDetails(
                email: info["email"]?.string, name: info["displayName"]?.string, picture: info["photoUrl"]?.string)
            identities.append(
                StoredIdentity(identity: identity, details: details, linkedAt: createdAt, lastUsedAt: lastUsedAt))
        }
        if let identity = identityInName(of: uid) {
            let details = IdentityDetails(
                email: user["email"]?.string, name: user["displayName"]?.string, picture: user["photoUrl"]?.string)
            identities.append(
                StoredIdentity(identity: identity, details: details, linkedAt: createdAt, lastUsedAt: lastUsedAt))
        }
        account.identities = try OneOfEachProvider.sorted(identities)
        return account.identities.isEmpty && account.email == nil ? nil : account
    }

    /// The published samples name their users `provider:id`.
    ///
    /// Firebase's own uids hold no colon, so nobody but the project's own code can have made such a name.
    private func identityInName(of uid: String) -> ExternalIdentity? {
        let parts = uid.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        let provider = names.provider(of: parts[0])
        return providers.contains(provider) ? ExternalIdentity(provider: provider, subject: parts[1]) : nil
    }

    /// Firebase writes such numbers as text.
    private func milliseconds(_ json: JSON?) -> NumericDate? {
        (json?.integer ?? json?.string.flatMap { Int64($0) }).map { NumericDate($0 / 1000) }
    }
}
