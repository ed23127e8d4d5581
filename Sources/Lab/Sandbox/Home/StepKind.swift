/// The purpose of a step.
enum StepKind: String, Sendable, CaseIterable {
    // Messages of the application, and of the browser on its behalf.
    case metadata, authorize, codeCallback, redemption
    case signIn, signInCallback, exchange
    case nonce, library, tokenExchange
    case deviceAuthorization, devicePoll
    case factor, confirmation
    case anonymous, firebaseSignIn, refresh, link, conflict, merge, unlink, deletion, signOut
    /// Any other call, which the console sends.
    case call
    // Messages to the provider.
    case consent, decision, providerCallback
    case requestToken, providerRedemption, providerProfile
    // Messages of the attacker.
    case hostileNonce, harvest, attack

    var sender: Participant {
        switch self {
        case .metadata, .redemption, .signIn, .exchange, .nonce, .library, .tokenExchange, .deviceAuthorization,
            .devicePoll, .factor, .confirmation, .anonymous, .firebaseSignIn, .refresh, .link, .conflict, .merge,
            .unlink, .deletion, .signOut, .call:
            .application
        case .authorize, .codeCallback, .signInCallback, .consent, .decision, .providerCallback: .browser
        case .requestToken, .providerRedemption, .providerProfile: .server
        case .hostileNonce, .harvest, .attack: .attacker
        }
    }

    var receiver: Participant {
        switch self {
        case .metadata, .authorize, .redemption, .signIn, .exchange, .nonce, .tokenExchange, .deviceAuthorization,
            .devicePoll, .factor, .confirmation, .anonymous, .link, .conflict, .merge, .unlink, .deletion, .signOut,
            .providerCallback, .hostileNonce, .attack, .call:
            .server
        case .codeCallback, .signInCallback: .application
        case .firebaseSignIn, .refresh: .firebase
        case .library, .consent, .decision, .requestToken, .providerRedemption, .providerProfile, .harvest: .provider
        }
    }

    var title: String {
        switch self {
        case .metadata: "The application reads the server’s metadata"
        case .authorize: "The application sends the browser to the server"
        case .codeCallback: "The browser brings the server’s code to the application"
        case .redemption: "The application exchanges the code for a custom token"
        case .signIn: "The application asks the server to start a sign-in"
        case .signInCallback: "The browser brings the provider’s answer to the application"
        case .exchange: "The application sends the credential to the server"
        case .nonce: "The application asks for a nonce"
        case .library: "The application’s library signs in at the provider"
        case .tokenExchange: "The application exchanges the ID token at /token"
        case .deviceAuthorization: "The television asks for a code to show"
        case .devicePoll: "The television asks whether the user has signed in"
        case .factor: "The application adds an authenticator application to the account"
        case .confirmation: "The application confirms it by its first code"
        case .anonymous: "The application asks for an account without a sign-in"
        case .firebaseSignIn: "The application signs in to Firebase with the custom token"
        case .refresh: "The application asks Firebase for another ID token"
        case .link: "The application links an identity to the account"
        case .conflict: "The application links an identity that belongs to another account"
        case .merge: "The application merges the other account into this one"
        case .unlink: "The application unlinks an identity"
        case .deletion: "The application deletes the account"
        case .signOut: "The application signs the user out on every device"
        case .call: "The application calls the server"
        case .consent: "The provider asks the user for consent"
        case .decision: "The user decides, and the provider sends the browser back"
        case .providerCallback: "The browser brings the provider’s answer to the server"
        case .requestToken: "The server asks the provider for a request token"
        case .providerRedemption: "The server redeems the code at the provider"
        case .providerProfile: "The server asks the provider for the profile"
        case .hostileNonce: "The attacker asks for a nonce, as any client may"
        case .harvest: "The attacker obtains a credential"
        case .attack: "The attacker sends the credential to the server"
        }
    }

    /// The reason why the step may be accepted a second time; `nil` if it must not be.
    var replayExplanation: String? {
        switch self {
        case .metadata: "Nothing was spent: this is a public document."
        case .authorize, .signIn:
            "Nothing was spent: this only starts another flow with new secrets. It signs no one in."
        case .nonce, .hostileNonce:
            "Nothing was spent: this only creates another nonce. A nonce proves nothing by itself."
        case .deviceAuthorization:
            "Nothing was spent: this only creates another pair of codes, which another user would have to confirm."
        case .factor:
            "Nothing was changed: the new authenticator application counts only after its first code."
        case .anonymous:
            "Nothing was spent: this only creates another guest, of which the number per address is limited."
        case .firebaseSignIn:
            """
            Firebase accepts a custom token any number of times until it expires. This is why it expires after a few \
            minutes, and why an application must keep it secret.
            """
        case .refresh:
            "Firebase accepts a refresh token any number of times, until the session is ended or the user is deleted."
        case .signOut: "Nothing was spent: the sessions that have begun since have ended, too."
        case .library, .harvest:
            "Nothing was spent: the stand-in only issues new credentials. The earlier ones are not renewed."
        case .call: "Nothing was spent: the user of the Firebase ID token may make this call again."
        case .consent: "Nothing was spent: the provider only shows the consent page again."
        case .decision:
            """
            The stand-in asks for no password, so it issues another code. The code is sent to the same address, and only \
            the flow that started it can use it.
            """
        case .providerProfile:
            """
            A bearer token works any number of times for anyone who has it, and does not say for which application it was \
            issued. This is why the server does not accept an access token as proof of identity.
            """
        case .codeCallback, .redemption, .signInCallback, .exchange, .tokenExchange, .devicePoll, .confirmation,
            .link, .conflict, .merge, .unlink, .deletion, .providerCallback, .requestToken, .providerRedemption,
            .attack:
            nil
        }
    }

    /// The reason of a refusal that names none.
    ///
    /// The server's HTML pages contain no reason.
    var defaultReason: String? {
        self == .providerCallback ? "state_mismatch" : nil
    }

    /// Returns the step for a message at a stand-in, or `nil` for a document that belongs to no sign-in.
    init?(_ endpoint: Endpoint) {
        switch endpoint {
        case .yahooAuthorize, .xAuthenticate, .xAuthorize, .xOAuth2Authorize, .providersAuthorize: self = .consent
        case .yahooDecision, .xAuthenticateDecision, .xAuthorizeDecision, .xOAuth2Decision, .providersDecision:
            self = .decision
        case .xRequestToken: self = .requestToken
        case .yahooToken, .xAccessToken, .xOAuth2Token, .providersToken: self = .providerRedemption
        case .yahooUserinfo, .xVerifyCredentials, .xUsersMe, .yahooIntrospect, .providersUser, .providersEmails,
            .providersIntrospect:
            self = .providerProfile
        default: return nil
        }
    }
}

/// The sender or receiver of a message.
enum Participant: Sendable, CaseIterable {
    case attacker, application, browser, server, provider, firebase

    var title: String {
        switch self {
        case .application: "Application"
        case .browser: "Browser"
        case .server: "Server"
        case .provider: "Provider"
        case .firebase: "Firebase"
        case .attacker: "Attacker"
        }
    }
}
