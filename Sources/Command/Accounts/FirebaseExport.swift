internal import Accounts
internal import Firebase
internal import JOSE
internal import Jansson
internal import OAuth
internal import Stores

/// A user as `firebase auth:export` writes it, made an account of ours.
struct FirebaseUser {
    /// Ids of the configuration.
    let providers: Set<ProviderID>
    let names: ProviderNames
    let now: NumericDate

    /// What there is to keep of a user; nil for one that has neither an identity of a configured provider nor a
    /// verified address with a way in that can be named.
    ///
    /// An account that is kept by its address only would refuse every sign-in with that address, and could itself never
    /// be entered. Hashes of passwords are not looked at beyond that they are there.
    ///
    /// - `records`: what Identity Toolkit says of users; empty if it was not asked.
    /// - Throws: also for a user with a second factor, which a custom token would pass by.
    func account(_ user: JSON, describedBy records: [FirebaseUserRecord]) throws(ImportFault) -> StoredAccount? {
        let uid = try UIDText.checked(user["localId"])
        let record = records.first { UID($0.uid) == UID(uid) }
        guard (user["mfaInfo"]?.array ?? []).isEmpty, record?.hasSecondFactor != true else { throw .secondFactor }
        let createdAt = milliseconds(user["createdAt"]) ?? now
        var account = StoredAccount(uid: uid, createdAt: createdAt)
        account.isAdopted = true
        account.isDisabled = user["disabled"]?.bool ?? false
        account.email = user["emailVerified"]?.bool == true ? user["email"]?.string.flatMap(EmailAddress.init) : nil
        if user["passwordHash"]?.string?.isEmpty == false { account.waysIn.insert("password") }
        if user["phoneNumber"]?.string?.isEmpty == false { account.waysIn.insert("phone") }
        let lastUsedAt = milliseconds(user["lastSignedInAt"]) ?? createdAt
        var identities: [StoredIdentity] = []
        for link in Self.links(of: user) + (record.map(Self.links) ?? []) {
            guard let subject = link.subject, !subject.isEmpty,
                providers.contains(ProviderID(names.provider(of: link.provider)))
            else {
                account.waysIn.insert(link.provider)
                continue
            }
            let identity = ExternalIdentity(provider: names.provider(of: link.provider), subject: subject)
            identities.append(
                StoredIdentity(identity: identity, details: link.details, linkedAt: createdAt, lastUsedAt: lastUsedAt))
        }
        account.hasOtherWayIn = !account.waysIn.isEmpty
        if let identity = identityInName(of: uid) {
            let details = IdentityDetails(
                email: user["email"]?.string, name: user["displayName"]?.string, picture: user["photoUrl"]?.string)
            identities.append(
                StoredIdentity(identity: identity, details: details, linkedAt: createdAt, lastUsedAt: lastUsedAt))
        }
        account.identities = try OneOfEachProvider.sorted(identities)
        return account.identities.isEmpty && (account.email == nil || account.waysIn.isEmpty) ? nil : account
    }

    private struct Link {
        let provider: String
        let subject: String?
        let details: IdentityDetails
    }

    private static func links(of user: JSON) -> [Link] {
        (user["providerUserInfo"]?.array ?? []).compactMap { info in
            guard let provider = info["providerId"]?.string, !provider.isEmpty else { return nil }
            let details = IdentityDetails(
                email: info["email"]?.string, name: info["displayName"]?.string, picture: info["photoUrl"]?.string)
            return Link(provider: provider, subject: info["rawId"]?.string, details: details)
        }
    }

    /// The ways in that Identity Toolkit knows, a password and a telephone among them.
    private static func links(of record: FirebaseUserRecord) -> [Link] {
        record.waysIn.map { way in
            let provider = record.providers.first { $0.id == way }
            return Link(
                provider: way.text, subject: provider?.rawID, details: provider?.details ?? IdentityDetails())
        }
    }

    /// The published samples name their users `provider:id`.
    ///
    /// Firebase's own uids hold no colon, so that only the project's own code can have made such a name.
    private func identityInName(of uid: String) -> ExternalIdentity? {
        let parts = uid.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        let provider = names.provider(of: parts[0])
        return providers.contains(ProviderID(provider)) ? ExternalIdentity(provider: provider, subject: parts[1]) : nil
    }

    /// Firebase writes such numbers as text.
    private func milliseconds(_ json: JSON?) -> NumericDate? {
        (json?.integer ?? json?.string.flatMap { Int64($0) }).map { NumericDate($0 / 1000) }
    }
}
