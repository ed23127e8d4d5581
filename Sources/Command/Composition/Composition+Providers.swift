internal import JOSE
internal import Logging
internal import Providers
internal import Settings
internal import Standards
internal import Transport

extension Composition {
    /// The providers of the previous configuration; none at the start.
    typealias KnownProviders = (settings: Settings.Providers?, providers: [ProviderID: Provider])

    /// The providers of a configuration.
    ///
    /// A provider with an unchanged configuration is kept, including its keys and metadata, so that a reload works while
    /// the provider is down.
    static func providers(
        _ settings: Settings, transport: HTTPTransport, time: TimeSource, logger: Logger, keeping old: KnownProviders
    ) -> [Provider] {
        let openIDConnect = settings.providers.openIDConnect.map { provider in
            if let known = old.providers[ProviderID(provider.id)],
                old.settings?.openIDConnect.contains(provider) == true
            {
                return known
            }
            // A template with the provider's id, if there is one, supplies values that the configuration leaves out.
            return (OpenIDConnectTemplate.named[provider.id] ?? .generic).provider(
                ProviderID(provider.id), registration: registration(provider),
                transport: transport.queueing(in: CallQueue(provider.id, "document")), time: time
            ) { error in
                logger.warning(
                    "metadata or keys not fetched",
                    metadata: ["provider": "\(provider.id)", "error": "\(error.sentence)"])
            }
        }
        return openIDConnect + [settings.providers.twitter.map(provider)].compactMap(\.self)
    }

    private static func registration(_ provider: Settings.OpenIDConnectProvider) -> OpenIDConnectRegistration {
        var registration = OpenIDConnectRegistration(
            clientID: provider.clientID, clientAuthentication: authentication(provider))
        registration.name = provider.name
        registration.furtherClientIDs = provider.clientIDs
        registration.scopes = provider.scopes
        registration.allowedScopes = Set(provider.allowedScopes)
        registration.allowedParameters = provider.allowedParameters.map(Set.init)
        registration.pkce = provider.pkce.map { $0 == .off ? .off : .s256 }
        registration.acceptedCredentials = credentials(provider.accept)
        registration.nonceRule =
            switch provider.nonce {
            case .server: .server
            case .client: .client
            case .clientPlain: .clientPlain
            }
        registration.maximumAge = provider.maximumAge
        registration.clockSkew = provider.clockSkew
        registration.maximumLifetime = provider.maximumLifetime
        registration.reauthentication =
            switch provider.reauthentication {
            case .authTime: .authenticationTime
            case .prompt: .prompt
            }
        registration.profileRule = rule(provider.profile)
        registration.maximumCalls = provider.maximumCalls
        registration.emailTrust = trust(provider.emailTrust)
        registration.timeout = provider.timeout
        registration.endpoints.issuers = provider.endpoints.issuers ?? provider.issuer.map { [$0] }
        registration.endpoints.authorization = provider.endpoints.authorization
        registration.endpoints.token = provider.endpoints.token
        registration.endpoints.userInfo = provider.endpoints.userinfo
        registration.endpoints.jwks = provider.endpoints.jwks
        registration.endpoints.introspection = provider.endpoints.introspection
        registration.endpoints.revocation = provider.endpoints.revocation
        return registration
    }

    private static func authentication(_ provider: Settings.OpenIDConnectProvider) -> ClientAuthentication {
        guard let secret = provider.clientSecret.map({ Secret($0.secretText) }) else { return .none }
        return switch provider.tokenEndpointAuthentication {
        case .clientSecretBasic: .clientSecretBasic(secret)
        case .clientSecretPost: .clientSecretPost(secret)
        case .none: .none
        }
    }

    private static func provider(_ twitter: Settings.Twitter) -> Provider {
        let template = TwitterTemplate(api: twitter.endpoints.api ?? TwitterTemplate.api)
        var protocols: [String: SignInProtocol] = [:]
        if let oauth1 = twitter.oauth1 {
            protocols[Settings.Twitter.Flow.oauth1.rawValue] = .oauth1(
                template.oauth1(
                    client: ClientCredentials(
                        identifier: oauth1.consumerKey, sharedSecret: Secret(oauth1.consumerSecret.secretText)),
                    requestsEmail: oauth1.requestEmail,
                    authenticationEndpoint: twitter.endpoints.oauth1Authenticate
                        ?? TwitterTemplate.authenticationEndpoint))
        }
        if let oauth2 = twitter.oauth2 {
            protocols[Settings.Twitter.Flow.oauth2.rawValue] = .oauth2(
                template.oauth2(
                    clientID: oauth2.clientID,
                    clientAuthentication: .clientSecretBasic(Secret(oauth2.clientSecret.secretText)),
                    scopes: oauth2.scopes ?? TwitterTemplate.scopes,
                    authorizationEndpoint: twitter.endpoints.authorize ?? TwitterTemplate.authorizationEndpoint))
        }
        return Provider(
            id: ProviderID(Settings.Twitter.id), name: TwitterTemplate.name, protocols: protocols,
            defaultFlow: twitter.flow.rawValue,
            acceptedCredentials: credentials(twitter.accept), allowedScopes: [],
            allowedParameters: twitter.allowedParameters.map(Set.init) ?? TwitterTemplate.allowedParameters,
            emailTrust: trust(twitter.emailTrust), timeout: twitter.timeout, profileRule: rule(twitter.profile),
            maximumCalls: twitter.maximumCalls)
    }

    private static func credentials(_ types: [Settings.CredentialType]) -> Set<CredentialType> {
        Set(types.compactMap { CredentialType(rawValue: $0.rawValue) })
    }

    private static func rule(_ rule: Settings.ProfileRule) -> ProfileRule {
        switch rule {
        case .always: .always
        case .firstSignIn: .firstSignIn
        }
    }

    private static func trust(_ trust: Settings.EmailTrust) -> EmailTrust {
        switch trust {
        case .claim: .claim
        case .always: .always
        case .never: .never
        }
    }
}
