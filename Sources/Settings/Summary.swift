extension Settings {
    /// One line for each key, without secrets: `server.listen: 127.0.0.1:8080`.
    package var summary: [String] {
        var summary = Summary()
        summary.add(server)
        summary.add(firebase)
        for (name, keys) in [("seal_keys", sealKeys), ("store_keys", storeKeys)] {
            summary.add(name, keys.isEmpty ? "created beside the store" : keys.map(\.source.elided).inList)
        }
        summary.add("store", store.description)
        if case .postgres(_, let pooling) = store { summary.add("store_pooling", pooling.rawValue) }
        for (name, template) in claims.sorted(by: { $0.key < $1.key }) { summary.add("claims.\(name)", "\(template)") }
        for client in clients { summary.add(client) }
        for provider in providers.openIDConnect { summary.add(provider) }
        if let twitter = providers.twitter { summary.add(twitter) }
        summary.add(accounts)
        summary.add(hooks)
        summary.add(limits)
        summary.add("audit.output", String(audit.output))
        summary.add("audit.store", String(audit.store))
        summary.add("audit.retention", DurationText.write(audit.retention))
        summary.add("logging.level", logging.level.rawValue)
        summary.add("logging.format", logging.format.rawValue)
        summary.add("tracing.propagate_to", tracing.propagateTo.map(\.rawValue).inList)
        return summary.lines
    }

    package var redactedDescription: String { summary.joined(separator: "\n") }
}

extension Settings: CustomStringConvertible {
    package var description: String { redactedDescription }
}

extension Settings.Accounts.UIDRule: CustomStringConvertible {
    package var description: String {
        switch self {
        case .random: "random"
        case .template(let template): template.description
        }
    }
}

/// Collects the lines of a summary, `key: value`.
struct Summary {
    private(set) var lines: [String] = []

    mutating func add(_ key: String, _ value: String?) {
        if let value { lines.append("\(key): \(value)") }
    }
}

extension [String] {
    /// The list as YAML writes it on one line.
    var inList: String { "[\(joined(separator: ", "))]" }
}

extension SecretValue.Source {
    /// The text that replaces a secret in a summary.
    ///
    /// It names the source.
    var elided: String {
        switch self {
        case .environment(let variable): "[secret elided] from env:\(variable)"
        case .file(let path): "[secret elided] from file:\(path)"
        case .clear: "[secret elided] in plain text"
        }
    }
}

extension Summary {
    mutating func add(_ server: Settings.Server) {
        add("server.listen", server.listen.description)
        add("server.admin_listen", server.adminListen.description)
        add("server.public_url", server.publicURL)
        add("server.trusted_proxies", server.trustedProxies.map(\.description).inList)
        add("server.proxy_protocol", String(server.proxyProtocol))
        add("server.max_in_flight", String(server.maximumInFlight))
        add("server.drain_delay", DurationText.write(server.drainDelay))
        add("server.reload_interval", server.reloadInterval.map(DurationText.write) ?? "off")
        add("server.drain_timeout", DurationText.write(server.drainTimeout))
        guard let tls = server.tls else { return }
        add("server.tls.certificate", tls.certificatePath)
        add("server.tls.key", tls.key.source.elided)
        add(
            "server.tls.strict_transport_security",
            tls.strictTransportSecurity.map(DurationText.write) ?? "off")
    }

    mutating func add(_ accounts: Settings.Accounts) {
        add("accounts.uid", accounts.uid.description)
        add("accounts.one_account_per_email", String(accounts.oneAccountPerEmail))
        add("accounts.conflicts", accounts.conflicts.rawValue)
        add("accounts.recent_login", DurationText.write(accounts.recentLogin))
        add("accounts.anonymous_retention", accounts.anonymousRetention.map(DurationText.write) ?? "forever")
    }

    mutating func add(_ limits: Settings.Limits) {
        add("limits.exchange_per_address", limits.exchangePerAddress?.description ?? "off")
        add("limits.start_per_address", limits.startPerAddress?.description ?? "off")
        add("limits.page_per_address", limits.pagePerAddress?.description ?? "off")
        add("limits.anonymous_per_address", limits.anonymousPerAddress?.description ?? "off")
        add("limits.device_code_tries", String(limits.deviceCodeTries))
        add("limits.provider_failures", limits.providerFailures.map(String.init) ?? "off")
    }

    mutating func add(_ client: Settings.Client) {
        let path = "clients.\(client.id)"
        add("\(path).name", client.name)
        add("\(path).redirect_uris", client.redirectURIs.inList)
        add("\(path).provider_redirect_uris", client.providerRedirectURIs.inList)
        add("\(path).allow_unowned_schemes", String(client.allowsUnownedSchemes))
        add("\(path).providers", client.providers.inList)
        add("\(path).origins", client.origins.inList)
        add("\(path).grants", client.grants.map(\.rawValue).inList)
        add("\(path).return_provider_tokens", String(client.returnProviderTokens))
        add("\(path).return_provider_profile", String(client.returnProviderProfile))
        add("\(path).app_check", client.appCheck.rawValue)
        add("\(path).app_check_apps", client.appCheckApps.inList)
        add("\(path).anonymous", String(client.allowsAnonymous))
        add("\(path).redeem", String(client.redeems))
        add("\(path).token_lifetime", DurationText.write(client.tokenLifetime))
        add("\(path).tenant_id", client.tenantID)
        add("\(path).allowed_email_domains", client.allowedEmailDomains?.inList)
        add("\(path).pages.logo", client.pages.logo.map { "\($0.path) (\($0.format.rawValue))" })
        add("\(path).pages.accent_color", client.pages.accentColor)
        add("\(path).pages.privacy_url", client.pages.privacyURL)
        add("\(path).pages.terms_url", client.pages.termsURL)
        add("\(path).pages.support_url", client.pages.supportURL)
    }
}

extension Summary {
    mutating func add(_ provider: Settings.OpenIDConnectProvider) {
        let path = "providers.\(provider.id)"
        add("\(path).name", provider.name)
        add("\(path).issuer", provider.issuer)
        add("\(path).client_id", provider.clientID)
        add("\(path).client_secret", provider.clientSecret.map(\.source.elided))
        add("\(path).token_endpoint_auth", provider.tokenEndpointAuthentication.rawValue)
        add("\(path).client_ids", provider.clientIDs.inList)
        add("\(path).scopes", provider.scopes?.inList ?? "provider's default")
        add("\(path).allowed_scopes", provider.allowedScopes.inList)
        add("\(path).allowed_parameters", provider.allowedParameters?.inList ?? "provider's default")
        add("\(path).pkce", provider.pkce?.rawValue ?? "provider's default")
        add("\(path).accept", provider.accept.map(\.rawValue).inList)
        add("\(path).nonce", provider.nonce.rawValue)
        add("\(path).max_age", DurationText.write(provider.maximumAge))
        add("\(path).clock_skew", DurationText.write(provider.clockSkew))
        add("\(path).trust_email", provider.emailTrust.rawValue)
        add("\(path).endpoints.issuer", provider.endpoints.issuers?.inList)
        add("\(path).endpoints.authorization", provider.endpoints.authorization)
        add("\(path).endpoints.token", provider.endpoints.token)
        add("\(path).endpoints.userinfo", provider.endpoints.userinfo)
        add("\(path).endpoints.jwks", provider.endpoints.jwks)
        add("\(path).endpoints.introspection", provider.endpoints.introspection)
        add("\(path).endpoints.revocation", provider.endpoints.revocation)
        add("\(path).timeout", DurationText.write(provider.timeout))
        add("\(path).max_lifetime", DurationText.write(provider.maximumLifetime))
        add("\(path).reauthentication", provider.reauthentication.rawValue)
        add("\(path).profile", provider.profile.rawValue)
        add("\(path).max_calls", String(provider.maximumCalls))
    }

    mutating func add(_ twitter: Settings.Twitter) {
        let path = "providers.\(Settings.Twitter.id)"
        add("\(path).flow", twitter.flow.rawValue)
        add("\(path).oauth1.consumer_key", twitter.oauth1?.consumerKey)
        add("\(path).oauth1.consumer_secret", twitter.oauth1.map { $0.consumerSecret.source.elided })
        add("\(path).oauth1.request_email", twitter.oauth1.map { String($0.requestEmail) })
        add("\(path).oauth2.client_id", twitter.oauth2?.clientID)
        add("\(path).oauth2.client_secret", twitter.oauth2.map { $0.clientSecret.source.elided })
        add("\(path).oauth2.scopes", twitter.oauth2.map { $0.scopes?.inList ?? "provider's default" })
        add("\(path).allowed_parameters", twitter.allowedParameters?.inList ?? "provider's default")
        add("\(path).accept", twitter.accept.map(\.rawValue).inList)
        add("\(path).trust_email", twitter.emailTrust.rawValue)
        add("\(path).endpoints.api", twitter.endpoints.api)
        add("\(path).endpoints.authorize", twitter.endpoints.authorize)
        add("\(path).endpoints.oauth1_authenticate", twitter.endpoints.oauth1Authenticate)
        add("\(path).timeout", DurationText.write(twitter.timeout))
        add("\(path).profile", twitter.profile.rawValue)
        add("\(path).max_calls", String(twitter.maximumCalls))
    }
}

extension Summary {
    mutating func add(_ firebase: Settings.Firebase) {
        switch firebase.signing {
        case .serviceAccounts(let files): add("firebase.service_account", files.map(\.path).inList)
        case .emulator(let host): add("firebase.emulator_host", "\(host) (tokens are unsigned)")
        case .process(let socket):
            add("firebase.signer", "process")
            add("firebase.signer_socket", socket)
        case .iam(let serviceAccount, let credentials):
            add("firebase.signer", "iam")
            if let credentials { add("firebase.google_credentials", credentials.path) }
            let source = credentials == nil ? "from the metadata server" : "from the credentials"
            add("firebase.iam_service_account", serviceAccount ?? source)
        }
        add("firebase.token_lifetime", DurationText.write(firebase.tokenLifetime))
        add("firebase.project_id", firebase.projectID ?? "from the service account")
        add("firebase.tenant_id", firebase.tenantID)
        add("firebase.check_revoked", String(firebase.checksRevocation))
        add("firebase.directory", firebase.directory.rawValue)
        add("firebase.sync_profile", String(firebase.syncsProfile))
        add("firebase.api_key", firebase.apiKey.map(\.source.elided))
        add("firebase.endpoints.identity_toolkit", firebase.endpoints.identityToolkit)
        add("firebase.endpoints.oauth_token", firebase.endpoints.oauthToken)
        add("firebase.endpoints.id_token_keys", firebase.endpoints.idTokenKeys)
        add("firebase.endpoints.service_account_keys", firebase.endpoints.serviceAccountKeys)
        add("firebase.endpoints.app_check_keys", firebase.endpoints.appCheckKeys)
        add("firebase.endpoints.iam_credentials", firebase.endpoints.iamCredentials)
        add("firebase.endpoints.metadata", firebase.endpoints.metadata)
    }
}
