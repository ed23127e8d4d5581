/// What a step of a run is for.
enum StepKind: String, Sendable, CaseIterable {
    // The application, and the browser on its behalf.
    case metadata, authorize, codeCallback, redemption
    case signIn, signInCallback, exchange
    case nonce, library, tokenExchange
    case deviceAuthorization, devicePoll
    // The provider.
    case consent, decision, providerCallback
    case requestToken, providerRedemption, providerProfile
    // The attacker.
    case hostileNonce, harvest, attack

    var sender: Participant {
        switch self {
        case .metadata, .redemption, .signIn, .exchange, .nonce, .library, .tokenExchange, .deviceAuthorization,
            .devicePoll:
            .application
        case .authorize, .codeCallback, .signInCallback, .consent, .decision, .providerCallback: .browser
        case .requestToken, .providerRedemption, .providerProfile: .server
        case .hostileNonce, .harvest, .attack: .attacker
        }
    }

    var receiver: Participant {
        switch self {
        case .metadata, .authorize, .redemption, .signIn, .exchange, .nonce, .tokenExchange, .deviceAuthorization,
            .devicePoll, .providerCallback, .hostileNonce, .attack:
            .server
        case .codeCallback, .signInCallback: .application
        case .library, .consent, .decision, .requestToken, .providerRedemption, .providerProfile, .harvest: .provider
        }
    }

    var title: String {
        switch self {
        case .metadata: "The application reads where the server’s endpoints are"
        case .authorize: "The application sends the browser to the server"
        case .codeCallback: "The browser brings the server’s code to the application"
        case .redemption: "The application trades that code for a custom token"
        case .signIn: "The application asks the server to begin a sign-in"
        case .signInCallback: "The browser brings the provider’s answer to the application"
        case .exchange: "The application hands in what it got"
        case .nonce: "The application asks for a nonce"
        case .library: "The application’s own library signs in at the provider"
        case .tokenExchange: "The application trades the ID token at /token"
        case .deviceAuthorization: "The television asks for a code to show"
        case .devicePoll: "The television asks whether somebody has signed in"
        case .consent: "The provider asks the person"
        case .decision: "The person decides, and the provider sends the browser back"
        case .providerCallback: "The browser brings the provider’s answer to the server"
        case .requestToken: "The server asks the provider for a request token"
        case .providerRedemption: "The server redeems what the browser brought"
        case .providerProfile: "The server asks the provider who that is"
        case .hostileNonce: "The attacker asks for a nonce, as anybody may"
        case .harvest: "The attacker obtains something to hand in"
        case .attack: "The attacker hands it in"
        }
    }

    /// Why it is right that the step is accepted a second time; nil where it must not be.
    var replayExplanation: String? {
        switch self {
        case .metadata: "Nothing was spent: this is a public document."
        case .authorize, .signIn:
            "Nothing was spent: this only begins another flow, with secrets of its own. Nobody is signed in by it."
        case .nonce, .hostileNonce:
            "Nothing was spent: this only makes another nonce. A nonce alone proves nothing."
        case .deviceAuthorization:
            "Nothing was spent: this only makes another pair of codes, which wait for a person of their own."
        case .library, .harvest:
            "Nothing was spent: the stand-in only issues once more. What it issued before is no better for it."
        case .consent: "Nothing was spent: the provider only asks again."
        case .decision:
            """
            The stand-in asks nobody for a password, so it sends out another code. It goes where the first one went, and \
            only the flow that began it can use it.
            """
        case .providerProfile:
            """
            The provider answers: a bearer token works as often as you like, for whoever holds it, and does not say for \
            which application it was issued. That is why the server takes no bare access token as proof of who you are.
            """
        case .codeCallback, .redemption, .signInCallback, .exchange, .tokenExchange, .devicePoll, .providerCallback,
            .requestToken, .providerRedemption, .attack:
            nil
        }
    }

    /// The reason that a refusal has here where it names none: the server's pages are written for people.
    var defaultReason: String? {
        self == .providerCallback ? "state_mismatch" : nil
    }

    /// The step of a message at a stand-in; nil for the documents that belong to no sign-in.
    init?(_ endpoint: Endpoint) {
        switch endpoint {
        case .yahooAuthorize, .xAuthenticate, .xAuthorize, .xOAuth2Authorize: self = .consent
        case .yahooDecision, .xAuthenticateDecision, .xAuthorizeDecision, .xOAuth2Decision: self = .decision
        case .xRequestToken: self = .requestToken
        case .yahooToken, .xAccessToken, .xOAuth2Token: self = .providerRedemption
        case .yahooUserinfo, .xVerifyCredentials, .xUsersMe, .yahooIntrospect: self = .providerProfile
        default: return nil
        }
    }
}

/// Who sends a message of a run, or gets it.
enum Participant: Sendable {
    case application, browser, server, provider, attacker

    var title: String {
        switch self {
        case .application: "Application"
        case .browser: "Browser"
        case .server: "Server"
        case .provider: "Provider"
        case .attacker: "Attacker"
        }
    }
}
