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

    /// Sets first, takes away then, and links last.
    ///
    /// Whether the federated identity belongs to somebody else is not looked at: it is linked, and found at this user
    /// from now on.
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
