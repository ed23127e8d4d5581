import Firebase
import Flows
import Jansson
import Standards
import Stores
import Support
import Testing
import Transport

/// A way to sign in: a provider, and a credential that is good there.
enum Way: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case yahooCode
    case genericCode
    case xCode
    case yahooIDToken
    case xPair
    case genericAccessToken
    case yahooCallback
    case genericCallback
    case xOAuth2Callback
    case xOAuth1Callback

    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    var testDescription: String { rawValue }

    var provider: ProviderID {
        switch self {
        case .yahooCode, .yahooIDToken, .yahooCallback: Yahoo.id
        case .genericCode, .genericAccessToken, .genericCallback: Generic.id
        case .xCode, .xPair, .xOAuth2Callback, .xOAuth1Callback: X.id
        }
    }

    var uid: UID {
        switch provider {
        case Yahoo.id: "yahoo.com:\(Yahoo.subject)"
        case Generic.id: "oidc.example:\(Generic.subject)"
        default: "twitter.com:\(X.userID)"
        }
    }

    var proof: AudienceProof {
        switch self {
        case .yahooIDToken: .idTokenAudience
        case .xPair: .consumerSignature
        case .genericAccessToken: .introspection
        default: .authorizationCode
        }
    }

    /// What a sign-in asks of the store when all goes well.
    var storeCalls: [StoreCall] {
        switch self {
        case .yahooCode, .genericCode: [.spend([.authorizationCode]), .spend([.idToken]), .account]
        case .xCode: [.spend([.authorizationCode]), .account]
        case .yahooIDToken: [.spend([.idToken, .nonce]), .account]
        case .xPair, .genericAccessToken: [.spend([.nonce]), .account]
        case .yahooCallback, .genericCallback:
            [.spend([.session]), .spend([.authorizationCode]), .spend([.idToken]), .account]
        case .xOAuth2Callback, .xOAuth1Callback: [.spend([.session]), .spend([.authorizationCode]), .account]
        }
    }

    /// A credential that has not been used yet, with the provider's part in the script.
    func credential(
        in deployment: Deployment, client: ClientID = DeploymentPlan.app, code: String = "code",
        purpose: AccountIntent.Purpose? = nil, for user: FirebaseUser? = nil
    ) async throws -> Credential {
        switch self {
        case .yahooCode:
            try deployment.scriptYahoo(.yahoo(nonce: "app-nonce", at: deployment.clock.now))
            return .authorizationCode(
                code: Secret(code), redirectURI: DeploymentPlan.redirectURI, codeVerifier: nil,
                nonce: Secret("app-nonce"))
        case .genericCode:
            try deployment.scriptGeneric(.generic(nonce: "app-nonce", at: deployment.clock.now))
            return .authorizationCode(
                code: Secret(code), redirectURI: DeploymentPlan.redirectURI, codeVerifier: Secret(Self.verifier),
                nonce: Secret("app-nonce"))
        case .xCode:
            deployment.scriptX()
            return .authorizationCode(
                code: Secret(code), redirectURI: DeploymentPlan.redirectURI, codeVerifier: Secret(Self.verifier),
                nonce: nil)
        case .yahooIDToken:
            return try deployment.yahooIDToken(client: client)
        case .xPair:
            deployment.scriptX()
            return .oauth1Token(
                X.pair, nonce: try deployment.flows.direct.issueNonce(client: client, provider: X.id).verifier)
        case .genericAccessToken:
            deployment.scriptIntrospection()
            return .accessToken(
                AccessToken(Generic.accessToken),
                nonce: try deployment.flows.direct.issueNonce(client: client, provider: Generic.id).verifier)
        case .yahooCallback, .genericCallback, .xOAuth2Callback, .xOAuth1Callback:
            let flow = try await begin(
                in: deployment, client: client, requestToken: "request-token-" + code, purpose: purpose, for: user)
            return .callback(session: flow.session, callbackURL: callback(flow, code: code))
        }
    }

    /// Begins the flow of a callback, with the provider's part in the script.
    func begin(
        in deployment: Deployment, client: ClientID = DeploymentPlan.app,
        redirectURI: String = DeploymentPlan.redirectURI, requestToken: String = "request-token",
        purpose: AccountIntent.Purpose? = nil, for user: FirebaseUser? = nil
    ) async throws -> TestFlow {
        deployment.scriptX()
        deployment.peer.script(.post, X.requestToken, .form(X.temporary(requestToken)))
        let protocolName: String? =
            switch self {
            case .xOAuth2Callback: "oauth2"
            case .xOAuth1Callback: "oauth1"
            default: nil
            }
        let flow = try await deployment.begin(
            provider, client: client, redirectURI: redirectURI, flow: protocolName, purpose: purpose, for: user)
        let nonce = flow.parameters["nonce"] ?? ""
        if provider == Yahoo.id { try deployment.scriptYahoo(.yahoo(nonce: nonce, at: deployment.clock.now)) }
        if provider == Generic.id { try deployment.scriptGeneric(.generic(nonce: nonce, at: deployment.clock.now)) }
        return flow
    }

    func callback(_ flow: TestFlow, code: String = "code") -> Secret {
        self == .xOAuth1Callback ? flow.callback(verifier: code) : flow.callback(code: code)
    }

    /// Where the provider takes codes and verifiers.
    var tokenEndpoint: String {
        switch self {
        case .xOAuth1Callback: X.accessToken
        case .xCode, .xOAuth2Callback: X.token
        case .genericCode, .genericCallback: Generic.token
        default: Yahoo.token
        }
    }

    /// Credentials that an application obtained by itself.
    static let posted = allCases.filter { !callbacks.contains($0) }
    static let callbacks: [Way] = [.yahooCallback, .genericCallback, .xOAuth2Callback, .xOAuth1Callback]
    /// What shows that a person is at the provider now: neither a pair nor an access token does, nor X by OAuth 2.0.
    static let present = allCases.filter { ![.xPair, .genericAccessToken, .xCode, .xOAuth2Callback].contains($0) }
    static let codes: [Way] = [.yahooCode, .genericCode, .xCode]
}
