internal import Foundation

// The responses of the server. Unknown members are ignored, so that a newer server does not break this client.

struct TokensAnswer: Decodable, Sendable {
    let customToken: String?
    /// The token of a response of `/token`.
    let accessToken: String?
    let firebaseIdToken: String?
    let firebaseRefreshToken: String?
    let firebaseExpiresIn: TimeInterval?
}

struct SignInAnswer: Decodable, Sendable {
    let tokens: TokensAnswer
    let uid: String
    let isNewUser: Bool?
    let linked: Bool?
    let provider: String
    let providerUid: String?
    let audienceProof: String?
    let profile: ProfileAnswer?
    let oauth: ProviderTokensAnswer?
    let account: AccountAnswer?

    private enum CodingKeys: CodingKey {
        case uid, isNewUser, linked, provider, providerUid, audienceProof, profile, oauth, account
    }

    init(from decoder: any Decoder) throws {
        tokens = try TokensAnswer(from: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        uid = try members.decode(String.self, forKey: .uid)
        isNewUser = try members.decodeIfPresent(Bool.self, forKey: .isNewUser)
        linked = try members.decodeIfPresent(Bool.self, forKey: .linked)
        provider = try members.decode(String.self, forKey: .provider)
        providerUid = try members.decodeIfPresent(String.self, forKey: .providerUid)
        audienceProof = try members.decodeIfPresent(String.self, forKey: .audienceProof)
        profile = try members.decodeIfPresent(ProfileAnswer.self, forKey: .profile)
        oauth = try members.decodeIfPresent(ProviderTokensAnswer.self, forKey: .oauth)
        account = try members.decodeIfPresent(AccountAnswer.self, forKey: .account)
    }
}

struct ProfileAnswer: Decodable, Sendable {
    let name, givenName, familyName, email, picture, locale, screenName: String?
    let emailVerified: Bool?
}

struct ProviderTokensAnswer: Decodable, Sendable {
    let accessToken, oauthTokenSecret, idToken, refreshToken, scope: String?
    let expiresIn: TimeInterval?
}

struct RefreshAnswer: Decodable, Sendable {
    let oauth: ProviderTokensAnswer
}

struct AccountAnswer: Decodable, Sendable {
    struct Identity: Decodable, Sendable {
        let provider: String
        let providerUid, email, name, picture, managedBy: String?
        let linkedAt, lastUsedAt: TimeInterval?
    }

    let uid: String
    let anonymous: Bool?
    let createdAt: TimeInterval?
    let identities: [Identity]?
}

struct UnlinkAnswer: Decodable, Sendable {
    let account: AccountAnswer
}

struct MergeAnswer: Decodable, Sendable {
    let tokens: TokensAnswer
    let account: AccountAnswer
    let mergedUid, firebaseUser: String?

    private enum CodingKeys: CodingKey { case account, mergedUid, firebaseUser }

    init(from decoder: any Decoder) throws {
        tokens = try TokensAnswer(from: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        account = try members.decode(AccountAnswer.self, forKey: .account)
        mergedUid = try members.decodeIfPresent(String.self, forKey: .mergedUid)
        firebaseUser = try members.decodeIfPresent(String.self, forKey: .firebaseUser)
    }
}

struct DeletionAnswer: Decodable, Sendable {
    let firebaseUser: String?
}

struct SignOutAnswer: Decodable, Sendable {
    let sessionsRevoked: Bool?
}

struct FactorsAnswer: Decodable, Sendable {
    struct Factor: Decodable, Sendable {
        let factorId: String
        let name: String?
        let createdAt, lastUsedAt: TimeInterval?
    }

    let factors: [Factor]
    let recoveryCodesLeft: Int?
}

struct EnrollmentAnswer: Decodable, Sendable {
    let factorId, secret, otpauthUri: String
    let expiresIn: TimeInterval?
}

struct ConfirmationAnswer: Decodable, Sendable {
    let recoveryCodes: [String]
}

struct NonceAnswer: Decodable, Sendable {
    let nonce, nonceVerifier: String
}

struct PushedRequestAnswer: Decodable, Sendable {
    let requestUri: String
}

struct DeviceAnswer: Decodable, Sendable {
    let deviceCode, userCode, verificationUri: String
    let verificationUriComplete: String?
    let expiresIn: TimeInterval
    let interval: TimeInterval?
}

/// An error response (RFC 6749 §5.2) with the further members of the server.
struct ErrorAnswer: Decodable, Sendable {
    let error, errorDescription, reason, code, retry, parameter, message, requestId: String?
    let pendingCredential, existingUid, email: String?
    let providers, factors: [String]?
}

/// A response without members that matter.
struct EmptyAnswer: Decodable, Sendable {}
