import Jansson

/// The body of `accounts:update`.
struct AccountUpdate: Sendable {
    enum Attribute: String, CaseIterable, Sendable {
        case displayName = "DISPLAY_NAME"
        case photoURL = "PHOTO_URL"
        case email = "EMAIL"
        case password = "PASSWORD"
    }

    let localID: String?
    private let profile: ProfileChange
    private let isDisabled: Bool?
    private let validSince: Int64?
    private let customAttributes: String?
    private let deletedAttributes: [Attribute]
    private let deletedProviders: [String]
    private let link: GoogleProviderLink?
    private let secondFactors: [JSON]?

    init(_ input: inout ControlInput) throws(ControlError) {
        localID = try input.string("localId")
        profile = try ProfileChange(&input)
        isDisabled = try input.bool("disableUser")
        validSince = try input.int64("validSince")
        customAttributes = try input.string("customAttributes")
        var attributes: [Attribute] = []
        for name in try input.strings("deleteAttribute") {
            guard let attribute = Attribute(rawValue: name) else {
                throw .invalid(
                    member: "deleteAttribute", expected: Attribute.allCases.map(\.rawValue).joined(separator: ", "))
            }
            attributes.append(attribute)
        }
        deletedAttributes = attributes
        deletedProviders = try input.strings("deleteProvider")
        if let identity = try input.input("linkProviderUserInfo") {
            link = try GoogleProviderLink(identity)
        } else {
            link = nil
        }
        if var factors = try input.input("mfa") {
            secondFactors = try SecondFactors.read(try factors.inputs("enrollments") ?? [])
            try factors.finish()
        } else {
            secondFactors = nil
        }
        input.ignore("returnSecureToken", "targetProjectId", "tenantId")
    }

    /// Sets values first, then deletes, then links.
    ///
    /// It does not check whether the federated identity belongs to another user: from now on a lookup finds this user.
    func apply(to user: inout GoogleUser, of pool: GoogleUserPool, now: Int64) throws(Refusal) {
        if let customAttributes { try CustomClaims.check(text: customAttributes) }
        if let link {
            guard !link.providerID.isEmpty else { throw GoogleError.identity("MISSING_PROVIDER_ID") }
            guard !link.rawID.isEmpty else { throw GoogleError.identity("MISSING_RAW_ID") }
        }
        try profile.apply(to: &user, of: pool, now: now)
        user.customAttributes = customAttributes ?? user.customAttributes
        user.isDisabled = isDisabled ?? user.isDisabled
        user.validSince = validSince ?? user.validSince
        user.secondFactors = secondFactors ?? user.secondFactors
        for attribute in deletedAttributes {
            switch attribute {
            case .displayName: user.displayName = nil
            case .photoURL: user.photoURL = nil
            case .email:
                user.email = nil
                user.isEmailVerified = false
            case .password: user.removePassword()
            }
        }
        for provider in deletedProviders { user.remove(provider: provider) }
        if let link { user.add(link) }
    }
}

/// The members that requests to create and to update a user share; `nil` means no change.
struct ProfileChange: Sendable {
    let displayName: String?
    let photoURL: String?
    /// The e-mail address in lower case.
    let email: String?
    let isEmailVerified: Bool?
    let phoneNumber: String?
    let password: String?

    init(_ input: inout ControlInput) throws(ControlError) {
        displayName = try input.string("displayName")
        photoURL = try input.string("photoUrl")
        email = try input.string("email")?.lowercased()
        isEmailVerified = try input.bool("emailVerified")
        phoneNumber = try input.string("phoneNumber")
        password = try input.string("password")
    }

    /// Applies the changes to a user.
    ///
    /// A new address is unverified unless the request sets that too. Like a new password it ends all sessions.
    ///
    /// - Throws: INVALID_EMAIL, EMAIL_EXISTS, INVALID_PHONE_NUMBER, PHONE_NUMBER_EXISTS, WEAK_PASSWORD,
    ///   INVALID_PROFILE_ATTRIBUTE.
    func apply(to user: inout GoogleUser, of pool: GoogleUserPool, now: Int64) throws(Refusal) {
        if let email, email != user.email {
            guard Self.isEmail(email) else { throw GoogleError.identity("INVALID_EMAIL") }
            guard pool.user(email: email) == nil else { throw GoogleError.identity("EMAIL_EXISTS") }
            user.email = email
            user.isEmailVerified = false
            user.validSince = now
        }
        if let isEmailVerified { user.isEmailVerified = isEmailVerified }
        if let phoneNumber, phoneNumber != user.phoneNumber {
            guard Self.isPhoneNumber(phoneNumber) else {
                throw GoogleError.identity("INVALID_PHONE_NUMBER : Invalid format.")
            }
            guard pool.user(phoneNumber: phoneNumber) == nil else {
                throw GoogleError.identity("PHONE_NUMBER_EXISTS")
            }
            user.phoneNumber = phoneNumber
        }
        if let password {
            guard password.count >= 6 else {
                throw GoogleError.identity("WEAK_PASSWORD : Password should be at least 6 characters")
            }
            user.setPassword(password, now: now)
        }
        guard (displayName ?? "").count <= 256 else {
            throw GoogleError.identity("INVALID_PROFILE_ATTRIBUTE : Display name too long.")
        }
        guard (photoURL ?? "").count <= 2048 else {
            throw GoogleError.identity("INVALID_PROFILE_ATTRIBUTE : Photo URL too long.")
        }
        user.displayName = displayName ?? user.displayName
        user.photoURL = photoURL ?? user.photoURL
    }

    /// Whether the text is one `@` with text on both sides.
    ///
    /// There is no common definition that is stricter.
    private static func isEmail(_ text: String) -> Bool {
        let sides = text.split(separator: "@", omittingEmptySubsequences: false)
        return sides.count == 2 && !sides.contains("") && text.utf8.count <= 256
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
    }

    /// Whether the text is an E.164 number: a plus sign and up to fifteen digits, of which the first is not 0.
    static func isPhoneNumber(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.hasPrefix("+") && (7...15).contains(digits.count) && digits.first != UInt8(ascii: "0")
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

/// Reads `enrollments` of `accounts:update` and `mfaInfo` of a new user.
enum SecondFactors {
    /// Returns the factors in their stored form: each with an id and a telephone number or `totpInfo`.
    static func read(_ inputs: [ControlInput]) throws(ControlError) -> [JSON] {
        var factors: [JSON] = []
        for (index, input) in inputs.enumerated() {
            var input = input
            var factor: [String: JSON] = [
                "mfaEnrollmentId": .string(try input.string("mfaEnrollmentId") ?? "factor-\(index + 1)")
            ]
            factor["displayName"] = try input.string("displayName").map { .string($0) }
            factor["enrolledAt"] = try input.string("enrolledAt").map { .string($0) }
            let number = try input.string("phoneInfo")
            let oneTimeCodes = try input.input("totpInfo")
            switch (number, oneTimeCodes) {
            case (let number?, nil) where ProfileChange.isPhoneNumber(number): factor["phoneInfo"] = .string(number)
            case (nil, .some): factor["totpInfo"] = .object([:])
            default: throw .invalid(member: "phoneInfo", expected: "a telephone number, or totpInfo")
            }
            try input.finish()
            factors.append(.object(factor))
        }
        return factors
    }
}

/// Developer claims: those of custom tokens, and `customAttributes`.
enum CustomClaims {
    static let maximumBytes = 1000

    /// The names that the admin SDKs refuse too.
    private static let reserved: Set = [
        "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat", "iss", "jti",
        "nbf", "nonce", "sub",
    ]

    /// - Throws: CLAIMS_TOO_LARGE, INVALID_CLAIMS, FORBIDDEN_CLAIM.
    static func check(_ claims: JSON?) throws(Refusal) -> [String: JSON] {
        guard let claims else { return [:] }
        guard let members = claims.object else { throw GoogleError.identity("INVALID_CLAIMS") }
        guard claims.serialized().count <= maximumBytes else { throw GoogleError.identity("CLAIMS_TOO_LARGE") }
        if let name = members.keys.filter(reserved.contains).min() {
            throw GoogleError.identity("FORBIDDEN_CLAIM : \(name)")
        }
        return members
    }

    /// Checks the claims in the text of a JSON object.
    static func check(text: String) throws(Refusal) {
        guard text.count <= maximumBytes else { throw GoogleError.identity("CLAIMS_TOO_LARGE") }
        guard let claims = try? JSON.parse(Array(text.utf8)) else { throw GoogleError.identity("INVALID_CLAIMS") }
        _ = try check(claims)
    }
}

/// The body of `accounts:lookup` for administrators.
struct AccountLookup: Sendable {
    private let localIDs: [String]
    private let emails: [String]
    private let phoneNumbers: [String]
    private let identities: [(providerID: String, rawID: String)]

    /// - Throws: ``ControlError`` if there are more than 100 identifiers.
    init(_ input: inout ControlInput) throws(ControlError) {
        localIDs = try input.strings("localId")
        emails = try input.strings("email").map { $0.lowercased() }
        phoneNumbers = try input.strings("phoneNumber")
        var identities: [(providerID: String, rawID: String)] = []
        for var identity in try input.inputs("federatedUserId") ?? [] {
            identities.append((try identity.requiredString("providerId"), try identity.requiredString("rawId")))
            try identity.finish()
        }
        self.identities = identities
        input.ignore("targetProjectId", "tenantId")
        guard localIDs.count + emails.count + phoneNumbers.count + identities.count <= 100 else {
            throw .invalid(member: "localId", expected: "100 identifiers at most")
        }
    }

    /// The users that were found, each once.
    func users(in pool: GoogleUserPool) -> [GoogleUser] {
        var found: [GoogleUser] = []
        found += localIDs.compactMap { pool[$0] }
        found += emails.compactMap { pool.user(email: $0) }
        found += phoneNumbers.compactMap { pool.user(phoneNumber: $0) }
        found += identities.compactMap { pool.user(providerID: $0.providerID, rawID: $0.rawID) }
        var seen: Set<[UInt8]> = []
        return found.filter { seen.insert(Array($0.localID.utf8)).inserted }
    }
}
