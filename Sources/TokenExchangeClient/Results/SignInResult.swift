public import Foundation

/// A successful sign-in, link or reauthentication.
public struct SignInResult: Sendable {
    /// The custom token or the session.
    public let tokens: FirebaseTokens
    /// The Firebase user.
    public let uid: String
    /// Whether the account was created by this sign-in.
    public let isNewUser: Bool
    /// Whether the user settled a conflict on a page, so that a new identity joined an older account.
    public let isLinked: Bool
    /// The provider; ``Provider/anonymous`` for an account without identity.
    public let provider: Provider
    /// The id of the user at the provider.
    public let providerUID: String?
    /// How the server knows that the credential was issued to it, such as `id_token_aud`.
    public let audienceProof: String?
    /// The profile of the user at the provider.
    public let profile: Profile
    /// The tokens of the provider, if the server is configured to return them.
    public let providerTokens: ProviderTokens?
    /// The provider's own answer as a JSON object, if the server is configured to return it.
    public let providerProfile: Data?
    /// The account after a link; otherwise `nil`.
    public let account: Account?

    init(_ answer: SignInAnswer, providerProfile: Data?) throws(TokenExchangeError) {
        tokens = try FirebaseTokens(answer.tokens)
        uid = answer.uid
        isNewUser = answer.isNewUser ?? false
        isLinked = answer.linked ?? false
        provider = Provider(answer.provider)
        providerUID = answer.providerUid
        audienceProof = answer.audienceProof
        profile = Profile(answer.profile)
        providerTokens = answer.oauth.map(ProviderTokens.init)
        self.providerProfile = providerProfile
        account = answer.account.map(Account.init)
    }
}

/// The profile of a user, in the words of OpenID Connect Core §5.1 for every provider.
public struct Profile: Sendable, Equatable {
    /// The full name.
    public let name: String?
    /// The given name.
    public let givenName: String?
    /// The family name.
    public let familyName: String?
    /// The e-mail address.
    public let email: String?
    /// A picture of the user.
    public let picture: URL?
    /// The locale, such as `en-US`.
    public let locale: String?
    /// The name at X.
    public let screenName: String?
    /// Whether the provider has verified the e-mail address.
    public let isEmailVerified: Bool

    init(_ answer: ProfileAnswer?) {
        name = answer?.name
        givenName = answer?.givenName
        familyName = answer?.familyName
        email = answer?.email
        picture = answer?.picture.flatMap(URL.init(string:))
        locale = answer?.locale
        screenName = answer?.screenName
        isEmailVerified = answer?.emailVerified ?? false
    }
}

/// The tokens of a Firebase session, for an application without the Firebase SDK.
public struct FirebaseSession: Sendable {
    private let tokens: Hidden<(idToken: String, refreshToken: String)>

    /// The Firebase ID token, for ``TokenExchangeClient/TokenSource``.
    public var idToken: String { tokens.value.idToken }
    /// The refresh token, for `securetoken.googleapis.com`.
    public var refreshToken: String { tokens.value.refreshToken }
    /// The lifetime of the ID token in seconds.
    public let expiresIn: TimeInterval

    init(idToken: String, refreshToken: String, expiresIn: TimeInterval) {
        tokens = Hidden((idToken, refreshToken))
        self.expiresIn = expiresIn
    }
}

/// The tokens of a provider, with which the application calls the provider.
public struct ProviderTokens: Sendable {
    private let answer: Hidden<ProviderTokensAnswer>

    /// The access token, or the token of OAuth 1.0a.
    public var accessToken: String? { answer.value.accessToken }
    /// The token secret of OAuth 1.0a.
    public var tokenSecret: String? { answer.value.oauthTokenSecret }
    /// The ID token.
    public var idToken: String? { answer.value.idToken }
    /// The refresh token, for ``TokenExchangeClient/refreshProviderTokens(of:refreshToken:)``.
    public var refreshToken: String? { answer.value.refreshToken }
    /// The scope of the access token.
    public var scope: String? { answer.value.scope }
    /// The lifetime of the access token in seconds.
    public var expiresIn: TimeInterval? { answer.value.expiresIn }

    init(_ answer: ProviderTokensAnswer) {
        self.answer = Hidden(answer)
    }
}

/// What an application receives for Firebase, which neither `print` nor `dump` shows.
public enum FirebaseTokens: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The token for `signIn(withCustomToken:)` of the Firebase SDK.
    case customToken(String)
    /// The session that a client with `redeem` in the configuration of the server has in place of a custom token.
    case session(FirebaseSession)

    /// The custom token.
    ///
    /// - Throws: ``TokenExchangeError`` with ``TokenExchangeError/Reason/tokenUnavailable`` if a session came.
    public var customToken: String {
        get throws(TokenExchangeError) {
            guard case .customToken(let token) = self else {
                throw TokenExchangeError(
                    .tokenUnavailable, code: "auth/argument-error",
                    "The server redeems the custom tokens of this client. Read the session, or remove redeem there.")
            }
            return token
        }
    }

    /// Three asterisks.
    public var description: String { Hidden(self).description }
    /// Three asterisks.
    public var debugDescription: String { Hidden(self).debugDescription }
    /// A mirror without children.
    public var customMirror: Mirror { Hidden(self).customMirror }

    init(_ answer: TokensAnswer) throws(TokenExchangeError) {
        // At /token the Firebase ID token is the access token.
        if let refreshToken = answer.firebaseRefreshToken, let idToken = answer.firebaseIdToken ?? answer.accessToken {
            self = .session(
                FirebaseSession(
                    idToken: idToken, refreshToken: refreshToken, expiresIn: answer.firebaseExpiresIn ?? 0))
        } else if let token = answer.customToken ?? answer.accessToken {
            self = .customToken(token)
        } else {
            throw .unexpectedResponse("The response contains no token.")
        }
    }
}
