internal import Jansson
package import Standards
internal import Stores

/// The name of an account on a page.
///
/// It consists of the provider's name, and of the address or name that the person has there. A person can choose the
/// name of another person. A page that shows this name therefore also asks whether the account belongs to the reader.
package struct AccountName: Sendable, Equatable {
    /// Whether it is a guest account of the application: anonymous, without an identity.
    package let isGuest: Bool
    /// The provider with which the person signs in; `nil` if no identity is known.
    package let provider: ProviderID?
    /// The address or the name that the provider shows; `nil` if it shows neither.
    package let person: String?
    /// The last six characters of the uid.
    package let uidEnd: String

    init(_ account: StoredAccount) {
        isGuest = account.isAnonymous
        uidEnd = String(account.uid.text.suffix(6))
        // A verified address identifies a person better than another address, and an address better than a name.
        let shown =
            account.identities.first { identity in
                identity.details.email.flatMap { EmailAddress($0) }.map { $0 == account.email } ?? false
            } ?? account.identities.first { $0.details.email != nil }
            ?? account.identities.first { $0.details.name != nil } ?? account.identities.first
        provider = shown?.identity.provider
        person = shown.map { $0.details.email ?? $0.details.name } ?? account.email?.text
    }

    var json: JSON {
        var members: [String: JSON] = ["guest": .bool(isGuest), "uid_end": .string(uidEnd)]
        members["provider"] = provider.map { .string($0.text) }
        // The name has to fit into a cookie.
        members["person"] = person.map { .string(String($0.unicodeScalars.prefix(120))) }
        return .object(members)
    }

    init?(_ content: JSON) {
        guard let isGuest = content["guest"]?.bool, let uidEnd = content["uid_end"]?.string else { return nil }
        self.isGuest = isGuest
        self.uidEnd = uidEnd
        provider = content["provider"]?.string.map { ProviderID($0) }
        person = content["person"]?.string
    }
}
