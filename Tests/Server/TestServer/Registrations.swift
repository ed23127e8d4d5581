import Fixtures
import Flows
import JOSE
import Providers
import Sandbox
import Standards
import Transport

/// The clients of the test server, and its registrations at the providers.
enum Registrations {
    static let origin = "https://app.example.com"
    static let otherOrigin = "https://other.example.com"

    /// No client has a grant that the plan does not list.
    static func clients(_ plan: Plan) -> [RegisteredClient] {
        [
            RegisteredClient(
                id: ClientID("my-app"), name: "My App",
                redirectURIs: ["https://app.example.com/cb", "com.example.app:/oauth", "http://127.0.0.1/callback"],
                providerRedirectURIs: ["com.example.app:/yahoo", "com.example.app:/x"], providers: nil,
                origins: [origin], grants: plan.grants, returnsProviderTokens: plan.returnsProviderTokens,
                returnsProviderProfile: plan.returnsProviderProfile, tokenLifetime: .seconds(300),
                allowsAnonymous: true, returnsFirebaseSession: plan.returnsFirebaseSession, appCheck: plan.appCheck,
                allowedEmailDomains: plan.allowedEmailDomains, branding: plan.branding),
            RegisteredClient(
                id: ClientID("x-only"), name: "X only", redirectURIs: ["https://other.example.com/cb"],
                providerRedirectURIs: ["com.example.app:/x"], providers: [ProviderID("twitter.com")],
                origins: [otherOrigin], grants: plan.grants.intersection([.authorizationCode, .tokenExchange]),
                returnsProviderTokens: false, tokenLifetime: .seconds(300), tenantID: plan.tenantID,
                appCheck: plan.appCheck),
            RegisteredClient(
                id: ClientID("living-room-tv"), name: "Living Room TV", redirectURIs: [], providerRedirectURIs: [],
                providers: nil, origins: [], grants: plan.grants.intersection([.deviceCode]),
                returnsProviderTokens: false, returnsProviderProfile: plan.returnsProviderProfile,
                tokenLifetime: .seconds(300), appCheck: plan.appCheck, allowedEmailDomains: plan.allowedEmailDomains,
                branding: plan.branding),
        ].filter { plan.clients?.contains($0.id.text) ?? true }
    }

    /// Yahoo and X; `asking.example`, which knows `prompt=none`, whose access tokens are introspected, and which sends events; `gone.example`, which is
    /// unreachable; `dark.example`, whose keys are unreachable.
    static func providers(
        _ addresses: SandboxAddresses, transport: HTTPTransport, time: TimeSource, responseMode: ProviderResponseMode
    ) -> [Provider] {
        var asking = yahoo(addresses)
        asking.endpoints.introspection = addresses.yahoo + "/oauth2/introspect"
        asking.acceptedCredentials = [.accessToken]
        var gone = yahoo(addresses)
        gone.endpoints.token = nowhere + "/token"
        var dark = yahoo(addresses)
        dark.endpoints.jwks = nowhere + "/keys"
        let openIDConnect = [
            ("yahoo.com", yahoo(addresses)), ("asking.example", asking), ("gone.example", gone), ("dark.example", dark),
        ].map { id, registration in
            var registration = registration
            registration.responseMode = responseMode
            registration.supportsPromptNone = id == "asking.example"
            registration.sentEvents = ProviderEvents(
                ProviderEvents.standard.sources.merging(ProviderEvents.apple.sources) { $1 })
            if id == "asking.example" { registration.events = EventMessage.allCases }
            return registration.provider(ProviderID(id), transport: transport, time: time)
        }
        return openIDConnect + [x(addresses)]
    }

    /// A port on which no server listens.
    private static let nowhere = "http://127.0.0.1:1"

    private static func yahoo(_ addresses: SandboxAddresses) -> OpenIDConnectRegistration {
        let ours = SandboxApplication.ours.yahoo
        var registration = OpenIDConnectRegistration(
            .yahoo, clientID: ours.clientID, clientAuthentication: .clientSecretBasic(Secret(ours.clientSecret)))
        registration.allowedScopes = ["mail-r"]
        registration.endpoints.issuers = [addresses.yahoo]
        registration.endpoints.authorization = addresses.yahoo + "/oauth2/request_auth"
        registration.endpoints.token = addresses.yahoo + "/oauth2/get_token"
        registration.endpoints.userInfo = addresses.yahoo + "/openid/v1/userinfo"
        registration.endpoints.jwks = addresses.yahoo + "/openid/v1/certs"
        // The stand-in has no revocation endpoint, and a test must not contact the real one.
        registration.endpoints.revocation = nowhere + "/revoke"
        return registration
    }

    private static func x(_ addresses: SandboxAddresses) -> Provider {
        let ours = SandboxApplication.ours.x
        let template = TwitterTemplate(api: addresses.x)
        return Provider(
            id: ProviderID("twitter.com"), name: "X",
            protocols: [
                "oauth1": .oauth1(
                    template.oauth1(
                        client: ClientCredentials(
                            identifier: ours.consumerKey, sharedSecret: Secret(ours.consumerSecret)),
                        requestsEmail: true, authenticationEndpoint: addresses.x + "/oauth/authenticate")),
                "oauth2": .oauth2(
                    template.oauth2(
                        clientID: ours.clientID,
                        clientAuthentication: .clientSecretBasic(Secret(ours.clientSecret ?? "")),
                        scopes: TwitterTemplate.scopes, authorizationEndpoint: addresses.x + "/i/oauth2/authorize")),
            ],
            defaultFlow: "oauth2", acceptedCredentials: [.authorizationCode, .oauth1Token], allowedScopes: [],
            allowedParameters: TwitterTemplate.allowedParameters, emailTrust: .always, timeout: .seconds(10))
    }
}
