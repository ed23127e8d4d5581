internal import Firebase
internal import JOSE
internal import Jansson
internal import Providers
internal import Settings
internal import Standards
internal import Stores

/// The subjects that persons have here whom Firebase knows by other claims of the same provider.
///
/// At Microsoft, Firebase has only the object id of a person (`oid`), and a sign-in here also has the tenant (`tid:oid`).
struct FirebaseSubjects {
    /// The tenant of each provider with such subjects; a `nil` within it means that the tenant is not known.
    private let tenants: [ProviderID: String?]

    init(_ providers: [Settings.OpenIDConnectProvider]) {
        tenants = providers.reduce(into: [:]) { tenants, provider in
            let registration = provider.registration
            let (here, atFirebase) = (registration.verifiedSubjectClaims, registration.claimsAtFirebase)
            guard here != atFirebase else { return }
            var template: OpenIDConnectRegistration?
            if case .openIDConnect(let known)? = ProviderTemplate.named[provider.id] { template = known }
            let tenant = here == ["tid"] + atFirebase ? registration.onlyTenant(unlike: template) : nil
            tenants.updateValue(tenant, forKey: provider.id)
        }
    }

    /// Returns the subject here of a person whom Firebase knows by another one; `nil` if it cannot be told.
    func subject(_ subject: Subject, at provider: ProviderID) -> Subject? {
        // A subject with a colon already has both parts.
        guard let tenant = tenants[provider], !subject.text.contains(":") else { return subject }
        return tenant.flatMap { Subject($0 + ":" + subject.text) }
    }

    /// The notes about the providers among `linked` whose persons cannot be told.
    func notes(of linked: Set<ProviderID>) -> [String] {
        linked.filter { tenants[$0] == .some(nil) }.map(\.text).sorted().map {
            "links of \(VisibleText.of($0)) were imported as another sign-in method, because Firebase's export has no tenants, "
                + "and a sign-in here is known by its tenant and its id: write exactly one tenant as tenants, or "
                + "firebase.directory: firebase"
        }
    }
}

/// Converts a user of `firebase auth:export` to an account.
struct ExportedUser {
    let names: ProviderNames
    let subjects: FirebaseSubjects
    let now: NumericDate

    /// Returns the account for a user.
    ///
    /// Returns `nil` if the user has no identity of a configured provider, and lacks a verified address or another
    /// sign-in method.
    ///
    /// An account with only an address would refuse every sign-in with that address, and its owner could not sign in
    /// either. A password hash is not read: its presence shows that the user has a password.
    ///
    /// - Parameters:
    ///   - user: The user as exported.
    ///   - records: The users at Identity Toolkit; empty if the command did not call it.
    /// - Throws: An error for a malformed user, and for a user with a second factor, which a custom token would bypass.
    func account(_ user: JSON, describedBy records: [FirebaseUserRecord]) throws(ImportFault) -> StoredAccount? {
        let uid = try UIDText.checked(user["localId"], "localId")
        guard Self.hasReadableLinks(user) else {
            throw .member("providerUserInfo (a list of objects with providerId and rawId)")
        }
        let record = records.first { $0.uid == uid }
        // What stands there in another form than that of an export must not let in whom Firebase keeps out.
        guard user["mfaInfo"].map({ $0.array?.isEmpty == true }) ?? true, record?.hasSecondFactor != true else {
            throw .secondFactor
        }
        guard user["disabled"].map({ $0.bool != nil }) ?? true else { throw .member("disabled (true or false)") }
        let createdAt = milliseconds(user["createdAt"]) ?? now
        var account = StoredAccount(uid: uid, createdAt: createdAt)
        account.isAdopted = true
        account.isDisabled = user["disabled"]?.bool ?? false
        account.email = user["emailVerified"]?.bool == true ? user["email"]?.string.flatMap(EmailAddress.init) : nil
        if user["passwordHash"]?.string?.isEmpty == false { account.signInMethods.insert(.password) }
        if user["phoneNumber"]?.string?.isEmpty == false { account.signInMethods.insert(.phone) }
        let lastUsedAt = milliseconds(user["lastSignedInAt"]) ?? createdAt
        var identities: [StoredIdentity] = []
        for link in Self.links(of: user) + (record.map(Self.links) ?? []) {
            guard let provider = names.provider(of: link.provider.text),
                let subject = link.subject.flatMap({ subjects.subject($0, at: provider) })
            else {
                account.signInMethods.insert(link.provider)
                continue
            }
            let identity = ExternalIdentity(provider: provider, subject: subject)
            identities.append(
                StoredIdentity(identity: identity, details: link.details, linkedAt: createdAt, lastUsedAt: lastUsedAt))
        }
        account.hasOtherSignInMethod = !account.signInMethods.isEmpty
        if let identity = identityInName(of: uid) {
            let details = IdentityDetails(
                email: user["email"]?.string, name: user["displayName"]?.string, picture: user["photoUrl"]?.string)
            identities.append(
                StoredIdentity(identity: identity, details: details, linkedAt: createdAt, lastUsedAt: lastUsedAt))
        }
        account.identities = try OneOfEachProvider.sorted(identities)
        return account.identities.isEmpty && (account.email == nil || account.signInMethods.isEmpty) ? nil : account
    }

    /// Whether `providerUserInfo` is absent, or a list of objects with `providerId` and, for a provider of identities, `rawId`.
    private static func hasReadableLinks(_ user: JSON) -> Bool {
        guard let links = user["providerUserInfo"], links != .null else { return true }
        return links.array?.allSatisfy { info in
            guard let provider = info["providerId"]?.string else { return false }
            return ["password", "phone", "emailLink"].contains(provider) || info["rawId"]?.string?.isEmpty == false
        } ?? false
    }

    private struct Link {
        let provider: ProviderID
        let subject: Subject?
        let details: IdentityDetails
    }

    private static func links(of user: JSON) -> [Link] {
        (user["providerUserInfo"]?.array ?? []).compactMap { info in
            guard let provider = info["providerId"]?.string, !provider.isEmpty else { return nil }
            let details = IdentityDetails(
                email: info["email"]?.string, name: info["displayName"]?.string, picture: info["photoUrl"]?.string)
            return Link(
                provider: ProviderID(provider), subject: info["rawId"]?.string.flatMap { Subject($0) }, details: details
            )
        }
    }

    /// The sign-in methods at Identity Toolkit, including password and telephone.
    private static func links(of record: FirebaseUserRecord) -> [Link] {
        record.signInMethods.map { way in
            let provider = record.providers.first { $0.id == way }
            return Link(provider: way, subject: provider?.rawID, details: provider?.details ?? IdentityDetails())
        }
    }

    private func identityInName(of uid: UID) -> ExternalIdentity? {
        guard let parts = Self.nameAndSubject(in: uid.text), let provider = names.provider(of: parts.name),
            let subject = subjects.subject(parts.subject, at: provider)
        else { return nil }
        return ExternalIdentity(provider: provider, subject: subject)
    }

    /// The parts of a uid of the form `provider:id`, as in the published samples.
    ///
    /// Firebase's own uids contain no colon, so only the project's own code can have created such a uid.
    static func nameAndSubject(in uid: String) -> (name: String, subject: Subject)? {
        let parts = uid.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, let subject = Subject(parts[1]) else { return nil }
        return (parts[0], subject)
    }

    /// Reads a time in milliseconds; `nil` for one that has not come, such as a number of microseconds.
    ///
    /// Firebase writes such numbers as text.
    private func milliseconds(_ json: JSON?) -> NumericDate? {
        let time = (json?.integer ?? json?.string.flatMap { Int64($0) }).map { NumericDate($0 / 1000) }
        return time.flatMap { $0 > now ? nil : $0 }
    }
}
