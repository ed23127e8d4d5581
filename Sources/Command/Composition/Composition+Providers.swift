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
    /// A provider with an unchanged configuration is kept, including its metadata, and its keys for the case that they cannot be
    /// fetched again, so that a reload works while the provider is down.
    static func providers(
        _ settings: Settings, transport: HTTPTransport, time: TimeSource, logger: Logger, keeping old: KnownProviders
    ) -> [Provider] {
        let openIDConnect = settings.providers.openIDConnect.map { provider in
            if let known = old.providers[provider.id],
                old.settings?.openIDConnect.contains(provider) == true
            {
                return known
            }
            var registration = provider.registration
            // With Firebase's directory a person has the identity that Firebase's own sign-in has written.
            if settings.firebase.directory == .firebase, let claims = registration.firebaseSubjectClaims {
                registration.subjectClaims = claims
            }
            return registration.provider(
                provider.id, transport: transport.queueing(in: CallQueue(provider.id.text, "document")), time: time
            ) { error in
                var metadata: Logger.Metadata = ["provider": "\(provider.id)", "error": "\(error.sentence)"]
                metadata["provider_call"] = LastCall.current?.text.map { "\($0)" }
                metadata["advice"] = error.advice.map { "\($0)" }
                logger.warning("metadata or keys not fetched", metadata: metadata)
            }
        }
        let oauth2 = settings.providers.oauth2.map { $0.registration.provider($0.id) }
        return openIDConnect + oauth2 + [settings.providers.twitter.map(provider)].compactMap(\.self)
    }

    private static func provider(_ twitter: Settings.Twitter) -> Provider {
        let template = TwitterTemplate(api: twitter.endpoints.api ?? TwitterTemplate.api)
        var protocols: [String: SignInProtocol] = [:]
        if let oauth1 = twitter.oauth1 {
            protocols[Settings.Twitter.Flow.oauth1.rawValue] = .oauth1(
                template.oauth1(
                    client: ClientCredentials(
                        identifier: oauth1.consumerKey, sharedSecret: oauth1.consumerSecret.secret),
                    requestsEmail: oauth1.requestEmail,
                    authenticationEndpoint: twitter.endpoints.oauth1Authenticate
                        ?? TwitterTemplate.authenticationEndpoint))
        }
        if let oauth2 = twitter.oauth2 {
            protocols[Settings.Twitter.Flow.oauth2.rawValue] = .oauth2(
                template.oauth2(
                    clientID: oauth2.clientID,
                    clientAuthentication: .clientSecretBasic(oauth2.clientSecret.secret),
                    scopes: oauth2.scopes ?? TwitterTemplate.scopes,
                    authorizationEndpoint: twitter.endpoints.authorize ?? TwitterTemplate.authorizationEndpoint))
        }
        return Provider(
            id: Settings.Twitter.id, name: TwitterTemplate.name, protocols: protocols,
            defaultFlow: twitter.flow.rawValue,
            acceptedCredentials: Set(twitter.accept), allowedScopes: [],
            allowedParameters: twitter.allowedParameters.map(Set.init) ?? TwitterTemplate.allowedParameters,
            emailTrust: twitter.emailTrust, timeout: twitter.timeout, profileRule: twitter.profile,
            maximumCalls: twitter.maximumCalls)
    }
}
