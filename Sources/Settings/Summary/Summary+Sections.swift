extension Summary {
    mutating func add(_ server: Settings.Server) {
        add("server.listen", server.listen.description)
        add("server.admin_listen", server.adminListen.description)
        add("server.public_url", server.publicURL)
        add("server.trusted_proxies", server.trustedProxies.map(\.description).inList)
        add("server.max_in_flight", String(server.maximumInFlight))
        add("server.drain_delay", DurationText.write(server.drainDelay))
        add("server.drain_timeout", DurationText.write(server.drainTimeout))
    }

    mutating func add(_ accounts: Settings.Accounts) {
        add("accounts.uid", accounts.uid.description)
        add("accounts.one_account_per_email", String(accounts.oneAccountPerEmail))
        add("accounts.recent_login", DurationText.write(accounts.recentLogin))
        add("accounts.anonymous_retention", accounts.anonymousRetention.map(DurationText.write) ?? "for good")
    }

    mutating func add(_ limits: Settings.Limits) {
        add("limits.exchange_per_address", limits.exchangePerAddress?.description ?? "off")
        add("limits.start_per_address", limits.startPerAddress?.description ?? "off")
        add("limits.page_per_address", limits.pagePerAddress?.description ?? "off")
        add("limits.anonymous_per_address", limits.anonymousPerAddress?.description ?? "off")
        add("limits.device_code_tries", String(limits.deviceCodeTries))
    }

    mutating func add(_ client: Settings.Client) {
        let path = "clients.\(client.id)"
        add("\(path).name", client.name)
        add("\(path).redirect_uris", client.redirectURIs.inList)
        add("\(path).provider_redirect_uris", client.providerRedirectURIs.inList)
        add("\(path).providers", client.providers.inList)
        add("\(path).origins", client.origins.inList)
        add("\(path).grants", client.grants.map(\.rawValue).inList)
        add("\(path).return_provider_tokens", String(client.returnProviderTokens))
        add("\(path).app_check", client.appCheck.rawValue)
        add("\(path).app_check_apps", client.appCheckApps.inList)
        add("\(path).anonymous", String(client.allowsAnonymous))
        add("\(path).redeem", String(client.redeems))
        add("\(path).token_lifetime", DurationText.write(client.tokenLifetime))
        add("\(path).tenant_id", client.tenantID)
    }
}
