package import JOSE
internal import Jansson
package import OAuth
package import Stores

/// A user, as Identity Toolkit describes them.
package struct FirebaseUserRecord: Sendable, Equatable {
    package let uid: String
    package let email: String?
    package let isEmailVerified: Bool
    package let name: String?
    package let picture: String?
    package let isDisabled: Bool
    package let providers: [LinkedProvider]
    /// Sessions that began before it are over.
    package let validSince: NumericDate?
    package let createdAt: NumericDate?
    package let hasSecondFactor: Bool
    package let hasPassword: Bool
    package let hasPhone: Bool
    /// They came in by a custom token at some time.
    package let isCustom: Bool

    /// One of the ways in, a provider of identities for the most part; `password` and `phone` stand here too.
    package struct LinkedProvider: Sendable, Equatable {
        package let id: ProviderID
        /// The provider's subject.
        package let rawID: String?
        package let details: IdentityDetails

        /// Nil where Firebase does not say whose it is.
        var identity: ExternalIdentity? {
            guard let rawID, !rawID.isEmpty, !id.text.isEmpty else { return nil }
            return ExternalIdentity(provider: id.text, subject: rawID)
        }
    }

    package var verifiedEmail: EmailAddress? { isEmailVerified ? email.flatMap { EmailAddress($0) } : nil }

    /// All by which this user can come in; none for an anonymous one.
    package var waysIn: Set<ProviderID> {
        var ways = Set(providers.map(\.id))
        if hasPassword { ways.insert(.password) }
        if hasPhone { ways.insert(ProviderID("phone")) }
        return ways
    }

    /// Whether anything is known by which this person could be told from others; false for an anonymous user.
    ///
    /// An address counts without a password: a link that is sent there is a way in.
    package var hasIdentity: Bool { !waysIn.isEmpty || email != nil }

    /// The user as a directory is told of them: Identity Toolkit's word, and not a token's.
    package var bearer: FirebaseCaller {
        FirebaseCaller(
            uid: uid, isAnonymous: !hasIdentity && !isCustom, email: verifiedEmail,
            waysIn: WaysIn(waysIn.map(\.text)), hasIdentity: hasIdentity)
    }

    /// Swift's own equality would take two uids for one.
    func hasUID(_ uid: String) -> Bool { self.uid.utf8.elementsEqual(uid.utf8) }

    func holds(_ identity: ExternalIdentity) -> Bool { providers.contains { $0.identity == identity } }
}

extension ProviderID {
    /// What Firebase calls a sign-in with an address and a password, or with a link that was sent to the address.
    static let password = ProviderID("password")
}

extension FirebaseUserRecord {
    /// Reads a member of `users`; what is not named here, a password's hash above all, is not kept.
    ///
    /// - Throws: ``IdentityToolkitError/malformedAnswer``, also for a member of the wrong type: a second factor that
    ///   cannot be read must not pass for none, nor a disabled user for one who may come in, nor a user with an address
    ///   for an anonymous one, who is deleted.
    init(_ user: JSON) throws(IdentityToolkitError) {
        guard let uid = user["localId"]?.string, !uid.isEmpty else { throw .malformedAnswer }
        var providers: [LinkedProvider] = []
        for provider in try user.list("providerUserInfo") {
            guard let id = provider["providerId"]?.string, !id.isEmpty else { throw .malformedAnswer }
            let details = IdentityDetails(
                email: provider["email"]?.string, name: provider["displayName"]?.string,
                picture: provider["photoUrl"]?.string)
            providers.append(LinkedProvider(id: ProviderID(id), rawID: provider["rawId"]?.string, details: details))
        }
        self.init(
            uid: uid, email: try user.text("email"), isEmailVerified: try user.flag("emailVerified"),
            name: user["displayName"]?.string, picture: user["photoUrl"]?.string,
            isDisabled: try user.flag("disabled"), providers: providers,
            validSince: try Self.moment(user["validSince"], unitsPerSecond: 1),
            createdAt: try Self.moment(user["createdAt"], unitsPerSecond: 1000),
            hasSecondFactor: !(try user.list("mfaInfo")).isEmpty,
            hasPassword: !(try user.text("passwordHash") ?? "").isEmpty,
            hasPhone: !(try user.text("phoneNumber") ?? "").isEmpty, isCustom: try user.flag("customAuth"))
    }

    /// A moment that cannot be read must not pass for none: `validSince` shuts sessions out.
    private static func moment(
        _ value: JSON?, unitsPerSecond: Int64
    ) throws(IdentityToolkitError) -> NumericDate? {
        guard let value else { return nil }
        guard let number = value.wholeNumber else { throw .malformedAnswer }
        return NumericDate(number / unitsPerSecond)
    }
}

extension JSON {
    /// Google writes 64-bit integers as strings.
    var wholeNumber: Int64? { integer ?? string.flatMap { Int64($0) } }

    /// The elements of a member; none if there is no such member, which is how Google writes an empty list.
    ///
    /// - Throws: ``IdentityToolkitError/malformedAnswer`` for a member that is no list.
    func list(_ name: String) throws(IdentityToolkitError) -> [JSON] {
        guard let member = self[name] else { return [] }
        guard let elements = member.array else { throw .malformedAnswer }
        return elements
    }

    /// A member that is nil if it is not there.
    ///
    /// - Throws: ``IdentityToolkitError/malformedAnswer`` for a member that is no text.
    func text(_ name: String) throws(IdentityToolkitError) -> String? {
        guard let member = self[name] else { return nil }
        guard let text = member.string else { throw .malformedAnswer }
        return text
    }

    /// A member that is false if it is not there.
    ///
    /// - Throws: ``IdentityToolkitError/malformedAnswer`` for a member that is neither true nor false.
    func flag(_ name: String) throws(IdentityToolkitError) -> Bool {
        guard let member = self[name] else { return false }
        guard let flag = member.bool else { throw .malformedAnswer }
        return flag
    }
}

/// What is written to a user; nil leaves it as it is.
package struct UserProfile: Sendable, Equatable {
    /// At most 256 characters of it are kept.
    package var name: String?
    /// A longer one than 2048 characters is left out.
    package var picture: String?
    /// As a verified one.
    package var email: EmailAddress?

    package init(name: String? = nil, picture: String? = nil, email: EmailAddress? = nil) {
        self.name = name.map { Self.cut($0, to: 256) }
        self.picture = picture.flatMap { $0.utf16.count <= 2048 ? $0 : nil }
        self.email = email
    }

    var members: [String: JSON] {
        var members: [String: JSON] = [:]
        if let name, !name.isEmpty { members["displayName"] = .string(name) }
        if let picture, !picture.isEmpty { members["photoUrl"] = .string(picture) }
        if let email {
            members["email"] = .string(email.text)
            // An address that is changed is unverified unless both are sent.
            members["emailVerified"] = .bool(true)
        }
        return members
    }

    /// Never in the middle of a character.
    private static func cut(_ text: String, to limit: Int) -> String {
        var cut = text.prefix(limit)
        while cut.utf16.count > limit { cut.removeLast() }
        return String(cut)
    }
}
