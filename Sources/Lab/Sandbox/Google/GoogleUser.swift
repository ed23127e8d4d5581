import FoundationEssentials
import Jansson
import OpenSSL

/// A user of the project or of one of its tenants.
struct GoogleUser: Sendable {
    let localID: String
    let tenantID: String?
    /// Seconds since 1970-01-01T00:00:00Z, like all times of this type.
    let createdAt: Int64
    /// The e-mail address in lower case.
    var email: String?
    var isEmailVerified = false
    var displayName: String?
    var photoURL: String?
    /// E.164.
    var phoneNumber: String?
    var isDisabled = false
    /// The federated identities, at most one per provider.
    var links: [GoogleProviderLink] = []
    private(set) var password: Password?
    /// The earliest start of a valid session.
    var validSince: Int64
    var lastLoginAt: Int64?
    var lastRefreshAt: Int64?
    /// The custom claims, a JSON object as text.
    var customAttributes: String?
    /// Whether a custom token created the user.
    var isCustom = false
    /// The entries of `mfaInfo` as they were sent, each with an `mfaEnrollmentId`.
    var secondFactors: [JSON] = []

    struct Password: Sendable {
        let hash: [UInt8]
        let updatedAt: Int64
    }

    init(localID: String, tenantID: String?, now: Int64) {
        self.localID = localID
        self.tenantID = tenantID
        createdAt = now
        validSince = now
    }

    /// Sets the password and ends all sessions.
    mutating func setPassword(_ text: String, now: Int64) {
        password = Password(hash: Self.hash(text, localID), updatedAt: now)
        validSince = now
    }

    mutating func removePassword() {
        password = nil
    }

    func isPassword(_ text: String) -> Bool {
        password.map { constantTimeEqual($0.hash, Self.hash(text, localID)) } ?? false
    }

    mutating func remove(provider: String) {
        links.removeAll { $0.providerID == provider }
        switch provider {
        case "password":
            password = nil
            email = nil
            isEmailVerified = false
        case "phone":
            phoneNumber = nil
        default:
            break
        }
    }

    /// Adds a federated identity, replacing an earlier one of the same provider.
    mutating func add(_ link: GoogleProviderLink) {
        links.removeAll { $0.providerID == link.providerID }
        links.append(link)
    }

    private static func hash(_ password: String, _ salt: String) -> [UInt8] {
        HMACSHA256.authenticationCode(for: Array(password.utf8), key: Array(salt.utf8))
    }
}

extension GoogleUser {
    /// The user as an entry of `users`.
    ///
    /// Every int64 is a string.
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

    /// The federated identities, then password and phone.
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

    /// The claim `firebase.identities` of an ID token: raw ids by provider, and addresses.
    var identities: JSON {
        var identities: [String: JSON] = [:]
        for link in links { identities[link.providerID] = .array([.string(link.rawID)]) }
        if let email { identities["email"] = .array([.string(email)]) }
        if let phoneNumber { identities["phone"] = .array([.string(phoneNumber)]) }
        return .object(identities)
    }

    private static func milliseconds(_ seconds: Int64) -> String { String(seconds * 1000) }

    /// A time in UTC by RFC 3339.
    private static func timestamp(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }
}

/// A federated identity of a user in Identity Toolkit.
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
    /// If provider id or raw id are missing, they are empty, and the caller reports MISSING_PROVIDER_ID or
    /// MISSING_RAW_ID.
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
