extension Settings {
    /// The section `server`: the two listeners.
    package struct Server: SettingsSection {
        package var listen = ListenAddress(host: "127.0.0.1", port: 8080)
        package var adminListen = ListenAddress(host: "127.0.0.1", port: 9090)
        /// The issuer, and the base of every redirect URI; without a slash at the end.
        package var publicURL = ""
        /// The proxies whose `X-Forwarded-For` and whose headers of the PROXY protocol are trusted.
        package var trustedProxies: [AddressRange] = []
        /// Whether each connection to the public listener begins with a header of the PROXY protocol, version 2.
        package var proxyProtocol = false
        /// The proxy through which other servers are reached; `nil` for direct connections.
        package var outboundProxy: OutboundProxy?
        /// The hosts that are reached without it.
        package var proxyExemptions: [ProxyExemption] = []
        package var maximumInFlight = 4096
        /// How long the public listener accepts requests after SIGTERM, while `/readyz` fails.
        package var drainDelay = Duration.seconds(5)
        /// How often the files of the configuration are compared with those that were read; `nil` for never.
        package var reloadInterval: Duration? = .seconds(30)
        package var drainTimeout = Duration.seconds(20)
        /// The certificate of the public listener; `nil` if a proxy in front of the server terminates TLS.
        package var tls: TLS?

        static let keys: [Key<Self>] = [
            .key("listen", \.listen, .value { $0.listenAddress() }),
            .key("admin_listen", \.adminListen, .value { $0.listenAddress() }),
            .key(
                "public_url", \.publicURL, .value { $0.origin() },
                required: "write the URL at which browsers reach this server"),
            .key("trusted_proxies", \.trustedProxies, .list { $0.addressRange() }),
            .key("proxy_protocol", \.proxyProtocol, .flag),
            .optional("outbound_proxy", \.outboundProxy, .value { $0.outboundProxy() }),
            .key("no_proxy", \.proxyExemptions, .list { $0.proxyExemption() }),
            .key("max_in_flight", \.maximumInFlight, .integer(in: 1...1_000_000)),
            .key("drain_delay", \.drainDelay, .duration(in: .zero ... .seconds(600))),
            .key("reload_interval", \.reloadInterval, .off(or: .duration(in: .seconds(1) ... .seconds(3600)))),
            .key("drain_timeout", \.drainTimeout, .duration(in: .zero ... .seconds(600))),
            .optionalSection("tls", \.tls),
        ]
    }
}

extension Settings.Server {
    func check(_ section: Section) {
        if listen.collides(with: adminListen), !section.isRefused("listen"), !section.isRefused("admin_listen") {
            section.refuse("admin_listen", "is the address of the public listener: choose another port")
        }
        if !adminListen.isLoopback {
            section.warn(
                "admin_listen",
                "is not a loopback address, so every machine that can reach it can read metrics and state: write "
                    + "127.0.0.1, or let a firewall allow only the monitoring system")
        }
        if proxyProtocol, trustedProxies.isEmpty, !section.isRefused("trusted_proxies") {
            section.refuse(
                "proxy_protocol",
                "would close every connection: write the addresses of the proxies in server.trusted_proxies")
        }
        if outboundProxy == nil, !proxyExemptions.isEmpty, !section.isRefused("outbound_proxy") {
            section.refuse(
                "no_proxy", "has no effect without server.outbound_proxy: write that key, or leave this one out")
        }
        if !publicURL.hasPrefix("https://"), !section.isRefused("public_url") {
            section["tls"]?.refuse(
                "needs a server.public_url that begins with https://, because the listener accepts only TLS")
        }
    }

    /// Refuses the emulators for a server that other machines can reach, by its listener or its public URL.
    func checkEmulator(_ file: Section) {
        let section = file.section("server", Self.self)
        guard !["public_url", "listen"].contains(where: section.isRefused) else { return }
        let isLoopback = (try? WebURL.parse(publicURL)).map { WebURL.isLoopback($0.host) } == true
        // In a container, the listener is on all addresses also for tests.
        if !isLoopback {
            file["store_emulator_host"]?.refuse(
                "is allowed only with a public URL on loopback, because the emulator forgets which credentials were used: "
                    + "change server.public_url, or leave this key out")
        }
        guard !isLoopback || !listen.isLoopback else { return }
        file.section("firebase", Settings.Firebase.self)["emulator_host"]?.refuse(
            "is allowed only on loopback, because its tokens are unsigned: change server.public_url and server.listen")
    }
}

extension Settings {
    /// The section `limits`: rate limits per address.
    ///
    /// `nil` disables a limit.
    package struct Limits: SettingsSection {
        /// Requests per address to `POST /v1/exchange`, `POST /token` and `/v1/account` with all paths below it.
        package var exchangePerAddress: Rate? = Rate(count: 60, unit: .minute)
        /// Requests per address that start a sign-in.
        package var startPerAddress: Rate? = Rate(count: 60, unit: .minute)
        /// Requests per address to `/device`, `GET /callback/{provider}` and documents, preflights, prefetches, and requests that
        /// no endpoint accepts.
        package var pagePerAddress: Rate? = Rate(count: 120, unit: .minute)
        /// Requests per address to `POST /v1/anonymous`.
        package var anonymousPerAddress: Rate? = Rate(count: 10, unit: .minute)
        /// Wrong user codes per address: this number at once, and the same number again over ten minutes.
        package var deviceCodeTries = 5
        /// Failures of a provider that stop further calls to it; `nil` for no limit.
        package var providerFailures: Int? = 5

        static let keys: [Key<Self>] = [
            .key("exchange_per_address", \.exchangePerAddress, .off(or: .rate)),
            .key("start_per_address", \.startPerAddress, .off(or: .rate)),
            .key("page_per_address", \.pagePerAddress, .off(or: .rate)),
            .key("anonymous_per_address", \.anonymousPerAddress, .off(or: .rate)),
            .key("device_code_tries", \.deviceCodeTries, .integer(in: 1...100)),
            .key("provider_failures", \.providerFailures, .off(or: .integer(in: 1...1000))),
        ]
    }
}

extension Rule<Rate> {
    fileprivate static var rate: Self { .value { $0.rate("write a rate such as 60/min (s, min or h), or off") } }
}
