package import JOSE
internal import Jansson
package import Standards
package import Stores

/// A user record of Identity Toolkit.
package struct FirebaseUserRecord: Sendable, Equatable {
    package let uid: UID
    package let email: String?
    package let isEmailVerified: Bool
    package let name: String?
    package let picture: String?
    package let isDisabled: Bool
    package let providers: [LinkedProvider]
    /// The time of the last revocation, before which all sessions are revoked.
    package let validSince: NumericDate?
    package let createdAt: NumericDate?
    package let hasSecondFactor: Bool
    package let hasPassword: Bool
    package let hasPhone: Bool
    /// Whether the user has ever signed in with a custom token.
    package let isCustom: Bool

    /// A linked provider.
    ///
    /// `password` and `phone` are also in this list.
    package struct LinkedProvider: Sendable, Equatable {
        package let id: ProviderID
        /// The subject by which the provider identifies the person.
        package let rawID: Subject?
        package let details: IdentityDetails

        package init(id: ProviderID, rawID: Subject?, details: IdentityDetails) {
            self.id = id
            self.rawID = rawID
            self.details = details
        }

        /// The linked identity; `nil` if the record has no subject.
        var identity: ExternalIdentity? {
            guard let rawID, !id.text.isEmpty else { return nil }
            return ExternalIdentity(provider: id, subject: rawID)
        }
    }

    package var verifiedEmail: EmailAddress? { isEmailVerified ? email.flatMap { EmailAddress($0) } : nil }

    /// All ways by which the user can sign in; empty for an anonymous user.
    package var signInMethods: Set<ProviderID> {
        var ways = Set(providers.map(\.id))
        if hasPassword { ways.insert(.password) }
        if hasPhone { ways.insert(.phone) }
        return ways
    }

    /// Whether the record contains an identity of the person; `false` for an anonymous user.
    ///
    /// An e-mail address counts also without a password, because Firebase can send a sign-in link to it.
    package var hasIdentity: Bool { !signInMethods.isEmpty || email != nil }

    /// The user as the caller of a directory, with the data of this record and not of a token.
    package var caller: FirebaseCaller {
        FirebaseCaller(
            uid: uid, isAnonymous: !hasIdentity && !isCustom, email: verifiedEmail,
            signInMethods: SignInMethods(signInMethods), hasIdentity: hasIdentity)
    }

    func holds(_ identity: ExternalIdentity) -> Bool { providers.contains { $0.identity == identity } }
}

extension ProviderID {
    /// Firebase's name of a sign-in with an e-mail address and a password, or with a link that is sent to the address.
    package static let password = ProviderID("password")
    package static let phone = ProviderID("phone")
    /// Firebase's name of a sign-in with a custom token.
    package static let custom = ProviderID("custom")
}

extension FirebaseUserRecord {
    /// Reads an element of `users`.
    ///
    /// Members that are not named here are dropped, in particular the hash of the password.
    ///
    /// - Throws: ``IdentityToolkitError/malformedAnswer``, also for a member of the wrong type. If it were ignored, a
    ///   user with a second factor would pass as one without, a disabled user as an enabled one, and a user with an
    ///   address as an anonymous one, who is deleted.
    init(_ user: JSON) throws(IdentityToolkitError) {
        guard let uid = user["localId"]?.string.flatMap({ UID($0) }) else { throw .malformedAnswer }
        var providers: [LinkedProvider] = []
        for provider in try user.list("providerUserInfo") {
            guard let id = provider["providerId"]?.string, !id.isEmpty else { throw .malformedAnswer }
            let details = IdentityDetails(
                email: provider["email"]?.string, name: provider["displayName"]?.string,
                picture: provider["photoUrl"]?.string)
            providers.append(
                LinkedProvider(
                    id: ProviderID(id), rawID: provider["rawId"]?.string.flatMap { Subject($0) },
                    details: details))
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

    /// Reads a time.
    ///
    /// A malformed time is an error: without `validSince` a revoked session would pass as a valid one.
    private static func moment(
        _ value: JSON?, unitsPerSecond: Int64
    ) throws(IdentityToolkitError) -> NumericDate? {
        guard let value else { return nil }
        guard let number = value.wholeNumber else { throw .malformedAnswer }
        return NumericDate(number / unitsPerSecond)
    }
}

extension JSON {
    /// The value as a whole number; `nil` if it is not one.
    ///
    /// Google writes 64-bit integers as strings.
    var wholeNumber: Int64? { integer ?? string.flatMap { Int64($0) } }

    /// Returns the elements of an array; none if the member is missing, because Google omits empty arrays.
    ///
    /// - Throws: ``IdentityToolkitError/malformedAnswer`` if the member is not an array.
    func list(_ name: String) throws(IdentityToolkitError) -> [JSON] {
        guard let member = self[name] else { return [] }
        guard let elements = member.array else { throw .malformedAnswer }
        return elements
    }

    /// Returns a string; `nil` if the member is missing.
    ///
    /// - Throws: ``IdentityToolkitError/malformedAnswer`` if the member is not a string.
    func text(_ name: String) throws(IdentityToolkitError) -> String? {
        guard let member = self[name] else { return nil }
        guard let text = member.string else { throw .malformedAnswer }
        return text
    }

    /// Returns a Boolean; `false` if the member is missing.
    ///
    /// - Throws: ``IdentityToolkitError/malformedAnswer`` if the member is not a Boolean.
    func flag(_ name: String) throws(IdentityToolkitError) -> Bool {
        guard let member = self[name] else { return false }
        guard let flag = member.bool else { throw .malformedAnswer }
        return flag
    }
}

/// The profile that is written to a user.
///
/// `nil` leaves a value unchanged.
package struct UserProfile: Sendable, Equatable {
    /// The display name, cut to 256 UTF-16 code units.
    package var name: String?
    /// The URL of the picture, left out if it has more than 2048 UTF-16 code units.
    package var picture: String?
    /// A verified e-mail address.
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
            // Firebase marks a changed address as unverified unless both members are sent.
            members["emailVerified"] = .bool(true)
        }
        return members
    }

    /// Cuts a text between two characters.
    private static func cut(_ text: String, to limit: Int) -> String {
        var cut = text.prefix(limit)
        while cut.utf16.count > limit { cut.removeLast() }
        return String(cut)
    }
}

/// Values of a profile that are written, and values that are deleted.
package struct ProfileChange: Sendable, Equatable {
    /// A value that Identity Toolkit can delete, by its name there.
    package enum Attribute: String, Sendable {
        case name = "DISPLAY_NAME"
        case picture = "PHOTO_URL"
        case email = "EMAIL"
    }

    package var profile = UserProfile()
    package var deleted: [Attribute] = []

    package init() {}
}
