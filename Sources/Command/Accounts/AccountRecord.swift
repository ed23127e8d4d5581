internal import JOSE
internal import Jansson
internal import Standards
internal import Stores

/// The form of an account as one line of JSON, for listing, export and import.
///
/// Times are seconds since 1970. Missing values are left out.
enum AccountRecord {
    static func line(_ account: StoredAccount) -> String {
        String(decoding: json(account).serialized(), as: UTF8.self)
    }

    static func json(_ account: StoredAccount) -> JSON {
        var members: [String: JSON] = [
            "uid": .string(account.uid.text), "created_at": .integer(account.createdAt.seconds),
            "anonymous": .bool(account.isAnonymous), "adopted": .bool(account.isAdopted),
            "other_way_in": .bool(account.hasOtherSignInMethod), "disabled": .bool(account.isDisabled),
            "identities": .array(account.identities.map(json)),
        ]
        members["delete_after"] = account.deleteAfter.map { .integer($0.seconds) }
        members["email"] = account.email.map { .string($0.text) }
        if !account.signInMethods.isEmpty {
            members["ways_in"] = .array(account.signInMethods.names.map { .string($0.text) })
        }
        return .object(members)
    }

    private static func json(_ identity: StoredIdentity) -> JSON {
        var members: [String: JSON] = [
            "provider": .string(identity.identity.provider.text),
            "provider_uid": .string(identity.identity.subject.text),
            "linked_at": .integer(identity.linkedAt.seconds), "last_used_at": .integer(identity.lastUsedAt.seconds),
        ]
        members["email"] = identity.details.email.map(JSON.string)
        members["name"] = identity.details.name.map(JSON.string)
        members["picture"] = identity.details.picture.map(JSON.string)
        return .object(members)
    }

    /// Reads the output of ``line(_:)`` and ignores unknown members.
    ///
    /// - Parameters:
    ///   - names: The configured providers, and other names for them.
    ///   - now: The time of creation if the JSON has none.
    static func account(
        _ json: JSON, names: ProviderNames, at now: NumericDate
    ) throws(ImportFault) -> StoredAccount {
        let createdAt = try date(json, "created_at") ?? now
        var account = StoredAccount(uid: try UIDText.checked(json["uid"]), createdAt: createdAt)
        account.isAnonymous = try flag(json, "anonymous")
        account.isAdopted = try flag(json, "adopted")
        account.hasOtherSignInMethod = try flag(json, "other_way_in")
        account.isDisabled = try flag(json, "disabled")
        if let names = json["ways_in"] {
            guard let names = names.array?.compactMap(\.string), names.count == json["ways_in"]?.array?.count
            else { throw .member("ways_in") }
            account.signInMethods = SignInMethods(names.map { ProviderID($0) })
        }
        account.deleteAfter = try date(json, "delete_after")
        if let text = json["email"] {
            guard let email = text.string.flatMap(EmailAddress.init) else { throw .member("email") }
            account.email = email
        }
        let list = json["identities"] ?? .null
        guard list == .null || list.array != nil else {
            throw .member("identities (a list of objects with provider and provider_uid)")
        }
        for entry in list.array ?? [] {
            account.identities.append(try identity(entry, names, createdAt))
        }
        account.identities = try OneOfEachProvider.sorted(account.identities)
        return account
    }

    private static func identity(
        _ json: JSON, _ names: ProviderNames, _ createdAt: NumericDate
    ) throws(ImportFault) -> StoredIdentity {
        guard let name = json["provider"]?.string, !name.isEmpty else { throw .member("provider") }
        guard let subject = json["provider_uid"]?.string.flatMap({ Subject($0) }) else { throw .member("provider_uid") }
        guard let provider = names.provider(of: name) else { throw names.unknown(name) }
        let linkedAt = try date(json, "linked_at") ?? createdAt
        return StoredIdentity(
            identity: ExternalIdentity(provider: provider, subject: subject),
            details: IdentityDetails(
                email: json["email"]?.string, name: json["name"]?.string, picture: json["picture"]?.string),
            linkedAt: linkedAt, lastUsedAt: try date(json, "last_used_at") ?? linkedAt)
    }

    private static func flag(_ json: JSON, _ name: String) throws(ImportFault) -> Bool {
        guard let member = json[name] else { return false }
        guard let flag = member.bool else { throw .member(name) }
        return flag
    }

    private static func date(_ json: JSON, _ name: String) throws(ImportFault) -> NumericDate? {
        guard let member = json[name] else { return nil }
        // Milliseconds would be a time of tens of thousands of years ahead.
        guard let seconds = member.integer, seconds < 100_000_000_000 else {
            throw .member("\(name) (seconds since 1970)")
        }
        return NumericDate(seconds)
    }
}

/// Reads the uid of an entry in a file.
enum UIDText {
    /// - Parameter member: The name of the member.
    static func checked(_ json: JSON?, _ member: String = "uid") throws(ImportFault) -> UID {
        guard let text = json?.string else { throw .member("the \(member)") }
        guard let uid = UID(text) else { throw .uidLength }
        return uid
    }
}

/// The rule that an account has at most one identity of each provider.
enum OneOfEachProvider {
    /// Sorts identities by the octets of their providers, and removes duplicates.
    static func sorted(_ identities: [StoredIdentity]) throws(ImportFault) -> [StoredIdentity] {
        var kept: [StoredIdentity] = []
        for identity in identities where !kept.contains(where: { $0.identity == identity.identity }) {
            let provider = identity.identity.provider
            if let other = kept.first(where: { $0.identity.provider == provider }) {
                throw .twoIdentities(other.identity, identity.identity)
            }
            kept.append(identity)
        }
        return kept.sorted { $0.identity.provider < $1.identity.provider }
    }
}

/// The reason why an entry of a file cannot be imported.
enum ImportFault: Error, Equatable {
    /// A member is missing or invalid.
    case member(String)
    /// The uid does not have 1 to 128 characters.
    case uidLength
    /// They are of one provider.
    case twoIdentities(ExternalIdentity, ExternalIdentity)
    case unknownProvider(String, configured: [ProviderID])
    /// The user has a second factor, which a custom token would bypass.
    case secondFactor

    var message: String {
        switch self {
        case .member(let name): "\(name) is missing or invalid"
        case .uidLength: "the uid does not have 1 to 128 characters"
        case .twoIdentities(let one, let other):
            "has two identities of \(VisibleText.of(one.provider)), \(VisibleText.of(one.subject)) and "
                + "\(VisibleText.of(other.subject)), and can have only one: remove one of them from the file"
        case .unknownProvider(let name, let configured):
            "the provider \(VisibleText.of(name)) is not configured (\(configured.map(\.text).joined(separator: ", "))); configure it, or "
                + "name the one that is meant with --map \(VisibleText.of(name))=PROVIDER"
        case .secondFactor: "has a second factor, which a custom token would bypass"
        }
    }
}
