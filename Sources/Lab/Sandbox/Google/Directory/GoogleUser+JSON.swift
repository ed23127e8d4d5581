import FoundationEssentials
import Jansson

extension GoogleUser {
    /// An entry of `users`; every int64 is a string.
    var json: JSON {
        var members: [String: JSON] = [
            "localId": .string(localID), "emailVerified": .bool(isEmailVerified), "disabled": .bool(isDisabled),
            "validSince": .string(String(validSince)), "createdAt": .string(Self.milliseconds(createdAt)),
        ]
        members["tenantId"] = tenantID.map { .string($0) }
        members["email"] = email.map { .string($0) }
        members["displayName"] = displayName.map { .string($0) }
        members["photoUrl"] = photoURL.map { .string($0) }
        members["phoneNumber"] = phoneNumber.map { .string($0) }
        members["customAttributes"] = customAttributes.map { .string($0) }
        members["lastLoginAt"] = lastLoginAt.map { .string(Self.milliseconds($0)) }
        members["lastRefreshAt"] = lastRefreshAt.map { .string(Self.timestamp($0)) }
        if isCustom { members["customAuth"] = .bool(true) }
        if !secondFactors.isEmpty { members["mfaInfo"] = .array(secondFactors) }
        if let password {
            members["passwordHash"] = .string(Base64.encode(password.hash))
            members["passwordUpdatedAt"] = .integer(password.updatedAt * 1000)
        }
        let providers = providerUserInfo
        if !providers.isEmpty { members["providerUserInfo"] = .array(providers) }
        return .object(members)
    }

    /// Federated identities, then password and phone.
    var providerUserInfo: [JSON] {
        var all = links.map(\.json)
        if password != nil, let email {
            var entry: [String: JSON] = [
                "providerId": .string("password"), "rawId": .string(email), "federatedId": .string(email),
                "email": .string(email),
            ]
            entry["displayName"] = displayName.map { .string($0) }
            entry["photoUrl"] = photoURL.map { .string($0) }
            all.append(.object(entry))
        }
        if let phoneNumber {
            all.append(
                .object([
                    "providerId": .string("phone"), "rawId": .string(phoneNumber), "phoneNumber": .string(phoneNumber),
                ]))
        }
        return all
    }

    /// What an ID token says of the user (protocol's `firebase.identities`): raw ids by provider, and addresses.
    var identities: JSON {
        var identities: [String: JSON] = [:]
        for link in links { identities[link.providerID] = .array([.string(link.rawID)]) }
        if let email { identities["email"] = .array([.string(email)]) }
        if let phoneNumber { identities["phone"] = .array([.string(phoneNumber)]) }
        return .object(identities)
    }

    private static func milliseconds(_ seconds: Int64) -> String { String(seconds * 1000) }

    /// RFC 3339 in UTC.
    private static func timestamp(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }
}
