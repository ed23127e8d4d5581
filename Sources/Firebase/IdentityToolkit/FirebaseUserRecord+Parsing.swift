internal import JOSE
internal import Jansson
internal import OAuth
internal import Stores

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
