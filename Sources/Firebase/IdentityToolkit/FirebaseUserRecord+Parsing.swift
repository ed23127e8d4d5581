internal import JOSE
internal import Jansson
internal import Stores

extension FirebaseUserRecord {
    /// Reads a member of `users`; what is not named here, a password's hash above all, is not kept.
    init(_ user: JSON) throws(IdentityToolkitError) {
        guard let uid = user["localId"]?.string, !uid.isEmpty else { throw .malformedAnswer }
        var providers: [LinkedProvider] = []
        for provider in user["providerUserInfo"]?.array ?? [] {
            guard let id = provider["providerId"]?.string, !id.isEmpty else { throw .malformedAnswer }
            let details = IdentityDetails(
                email: provider["email"]?.string, name: provider["displayName"]?.string,
                picture: provider["photoUrl"]?.string)
            providers.append(LinkedProvider(id: id, rawID: provider["rawId"]?.string, details: details))
        }
        self.init(
            uid: uid, email: user["email"]?.string, isEmailVerified: user["emailVerified"]?.bool ?? false,
            name: user["displayName"]?.string, picture: user["photoUrl"]?.string,
            isDisabled: user["disabled"]?.bool ?? false, providers: providers,
            validSince: try Self.moment(user["validSince"], unitsPerSecond: 1),
            createdAt: try Self.moment(user["createdAt"], unitsPerSecond: 1000),
            hasSecondFactor: !(user["mfaInfo"]?.array ?? []).isEmpty,
            hasPassword: !(user["passwordHash"]?.string ?? "").isEmpty,
            hasPhone: !(user["phoneNumber"]?.string ?? "").isEmpty, isCustom: user["customAuth"]?.bool ?? false)
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
}
