import Jansson

/// A federated identity of a user, as Identity Toolkit keeps it.
struct GoogleProviderLink: Sendable, Equatable {
    let providerID: String
    let rawID: String
    let federatedID: String?
    let email: String?
    let displayName: String?
    let photoURL: String?
    let screenName: String?
    let phoneNumber: String?

    /// `linkProviderUserInfo` of `accounts:update`.
    ///
    /// - Throws: MISSING_PROVIDER_ID and MISSING_RAW_ID are the caller's to find: both are empty then.
    init(_ input: ControlInput) throws(ControlError) {
        var input = input
        providerID = try input.string("providerId") ?? ""
        rawID = try input.string("rawId") ?? ""
        federatedID = try input.string("federatedId")
        email = try input.string("email")
        displayName = try input.string("displayName")
        photoURL = try input.string("photoUrl")
        screenName = try input.string("screenName")
        phoneNumber = try input.string("phoneNumber")
        try input.finish()
    }

    /// An entry of `providerUserInfo`.
    var json: JSON {
        var members: [String: JSON] = ["providerId": .string(providerID), "rawId": .string(rawID)]
        members["federatedId"] = federatedID.map { .string($0) }
        members["email"] = email.map { .string($0) }
        members["displayName"] = displayName.map { .string($0) }
        members["photoUrl"] = photoURL.map { .string($0) }
        members["screenName"] = screenName.map { .string($0) }
        members["phoneNumber"] = phoneNumber.map { .string($0) }
        return .object(members)
    }
}
