internal import Accounts
internal import Exchange
internal import Firebase
internal import Flows
internal import JOSE
internal import Logging
internal import Minting
internal import Providers
internal import SecondFactors
internal import Server
internal import Settings
internal import Standards
internal import Stores
internal import Transport
internal import Verification

/// Creates the components of the program and connects them.
///
/// Nothing else does.
enum Composition {
    static func flows(
        _ settings: Settings, issuer: String, firebase: FirebaseParts, transport: HTTPTransport,
        hookTransport: HTTPTransport, store: any Store,
        seal: Seal, storeSeal: StoreSeal, time: TimeSource, logger: Logger, profileRefusals: ProfileRefusals,
        keeping old: KnownProviders
    ) -> FlowSet {
        let random = RandomSource.system
        let rules = rules(settings)
        let singleUse = SingleUse(store: store, time: time)
        return FlowSet(
            issuer: issuer,
            clients: settings.clients.map(client),
            providers: providers(settings, transport: transport, time: time, logger: logger, keeping: old),
            seal: seal, storeSeal: storeSeal,
            exchanger: Exchanger(transport: transport, singleUse: singleUse, time: time, random: random),
            verifier: Verifier(
                transport: transport, singleUse: singleUse, findsAccounts: settings.firebase.directory == .local,
                time: time,
                random: random),
            accounts: AccountResolver(
                directory: firebase.directory, rule: settings.accounts.uid.map(UIDRule.template) ?? .random,
                emails: settings.accounts.oneAccountPerEmail ? .oneAccountEach : .shared, time: time, random: random),
            linker: AccountLinker(directory: firebase.directory, time: time),
            secondFactors: SecondFactors(
                store: store, seal: storeSeal, isPerTenant: settings.firebase.directory == .firebase,
                ownTenantID: settings.firebase.tenantID, time: time, random: random),
            authenticator: FirebaseCallerAuthenticator(
                verifier: firebase.idTokens, toolkit: firebase.toolkit, rules: rules, time: time),
            appCheck: firebase.appCheck, toolkit: firebase.toolkit, firebaseSessions: firebase.firebaseSessions,
            minter: Minter(
                signer: firebase.signer,
                templates: ClaimTemplates(settings.claims), time: time),
            hooks: hooks(
                settings.hooks, signer: firebase.signer, transport: hookTransport, time: time, random: random,
                logger: logger),
            rules: rules, store: store, time: time, random: random
        ) { provider, failure in
            guard profileRefusals.record(provider, failure, at: time.now()) else { return }
            var metadata: Logger.Metadata = ["provider": "\(provider)", "failure": "\(failure.sentence)"]
            // X is asked again for less, so that the last call may be one that succeeded.
            let call = LastCall.current?.text
            if !failure.isTolerated, !(failure.isOfCall && call?.hasSuffix(": status 200") == true) {
                metadata["provider_call"] = call.map { "\($0)" }
            }
            metadata["advice"] = failure.advice.map { "\($0)" }
            // The ID token, or another answer, may already have each part of the profile.
            logger.warning(
                failure.isTolerated
                    ? "a provider deviates from the standard; users are signed in"
                    : failure.isOfCall
                        ? "a call for profiles failed; users are signed in with what other answers have"
                        : "a part of profiles is missing; users are signed in without it", metadata: metadata)
        }
    }

    private static func hooks(
        _ hooks: Settings.Hooks, signer: CustomTokenSigner, transport: HTTPTransport, time: TimeSource,
        random: RandomSource, logger: Logger
    ) -> Hooks {
        let configured = [
            (HookPoint.beforeCreate, hooks.beforeCreate), (.beforeLink, hooks.beforeLink),
            (.beforeSignIn, hooks.beforeSignIn),
        ]
        return Hooks(
            configured.reduce(into: [:]) { all, entry in
                all[entry.0] = entry.1.map {
                    Hook(url: $0.url, timeout: $0.timeout, allowsOnFailure: $0.onFailure == .allow)
                }
            }, signer: signer, transport: transport, time: time, random: random
        ) { point, failure in
            let metadata: Logger.Metadata = ["hook": "\(point.rawValue)", "failure": "\(failure.sentence)"]
            logger.warning(
                "a hook gave no usable answer; the call continued, because its on_failure is allow",
                metadata: metadata)
        }
    }

    private static func rules(_ settings: Settings) -> AccountRules {
        var rules = AccountRules()
        rules.recentLogin = settings.accounts.recentLogin
        rules.settlesConflicts = settings.accounts.oneAccountPerEmail && settings.accounts.conflicts == .page
        rules.anonymousRetention = settings.accounts.anonymousRetention
        rules.checksRevocation = settings.firebase.checksRevocation
        rules.directoryIsFirebase = settings.firebase.directory == .firebase
        rules.tenantID = settings.firebase.tenantID
        return rules
    }

    private static func client(_ client: Settings.Client) -> RegisteredClient {
        RegisteredClient(
            id: client.id, name: client.name, redirectURIs: client.redirectURIs,
            providerRedirectURIs: client.providerRedirectURIs,
            providers: client.providers, origins: Set(client.origins),
            grants: Set(client.grants), returnsProviderTokens: client.returnProviderTokens,
            returnsProviderProfile: client.returnProviderProfile,
            tokenLifetime: client.tokenLifetime, allowsAnonymous: client.allowsAnonymous,
            returnsFirebaseSession: client.returnsFirebaseSession,
            tenantID: client.tenantID, appCheck: appCheck(client),
            allowedEmailDomains: client.allowedEmailDomains.map { Set($0.map { EmailDomain($0) }) },
            branding: branding(client.pages))
    }

    private static func branding(_ pages: Settings.ClientPages) -> Branding {
        Branding(
            logo: pages.logo.map { Branding.Logo(mediaType: $0.format.rawValue, bytes: $0.bytes) },
            accentColor: pages.accentColor, privacyURL: pages.privacyURL, termsURL: pages.termsURL,
            supportURL: pages.supportURL)
    }

    private static func appCheck(_ client: Settings.Client) -> AppCheckRule {
        switch client.appCheck {
        case .off: .off
        case .log: .log(apps: Set(client.appCheckApps))
        case .required: .required(apps: Set(client.appCheckApps))
        }
    }
}
