extension Settings {
    /// The section `server`: the two listeners.
    package struct Server: SettingsSection {
        package var listen = ListenAddress(host: "127.0.0.1", port: 8080)
        /// The admin listener; `nil` if there is none, so that the public listener responds to probes.
        package var adminListen: ListenAddress? = ListenAddress(host: "127.0.0.1", port: 9090)
        /// The issuer, and the base of every redirect URI; without a slash at the end.
        package var publicURL = ""
        /// The proxies whose `X-Forwarded-For` and whose headers of the PROXY protocol are trusted.
        package var trustedProxies: [TrustedProxy] = []
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
        /// How often expired records and anonymous accounts are deleted; `nil` for only by `token-exchange sweep`.
        package var sweepInterval: Duration? = .seconds(60)
        /// The certificate of the public listener; `nil` if a proxy in front of the server terminates TLS.
        package var tls: TLS?

        static let keys: [Key<Self>] = [
            .key("listen", \.listen, .value { $0.listenAddress() }),
            .key("admin_listen", \.adminListen, .off(or: .value { $0.listenAddress() })),
            .key(
                "public_url", \.publicURL,
                .value { $0.origin(adviceOnPath: ". A path is not possible: use a host name of its own") },
                required: "write the URL at which browsers reach this server"),
            .key("trusted_proxies", \.trustedProxies, .trustedProxies),
            .key("proxy_protocol", \.proxyProtocol, .flag),
            .optional("outbound_proxy", \.outboundProxy, .value { $0.outboundProxy() }),
            .key("no_proxy", \.proxyExemptions, .list { $0.proxyExemption() }),
            .key("max_in_flight", \.maximumInFlight, .integer(in: 1...1_000_000)),
            .key("drain_delay", \.drainDelay, .duration(in: .zero ... .seconds(600))),
            .key("reload_interval", \.reloadInterval, .off(or: .duration(in: .seconds(1) ... .seconds(3600)))),
            .key("drain_timeout", \.drainTimeout, .duration(in: .zero ... .seconds(600))),
            .key("sweep_interval", \.sweepInterval, .off(or: .duration(in: .seconds(60) ... .seconds(3600)))),
            .optionalSection("tls", \.tls),
        ]
    }
}

extension Settings.Server {
    mutating func check(_ section: Section) {
        checkListener(section)
        checkAdminListener(section)
        checkProxies(section)
        checkDrain(section)
        if outboundProxy == nil, !proxyExemptions.isEmpty, !section.isRefused("outbound_proxy") {
            section.refuse(
                "no_proxy", "has no effect without server.outbound_proxy: write that key, or leave this one out")
        }
        if !publicURL.hasPrefix("https://"), !section.isRefused("public_url") {
            section["tls"]?.refuse(
                "needs a server.public_url that begins with https://, because the listener accepts only TLS")
        }
    }

    /// Cloud Run ends a container unless it accepts connections at the port `PORT` of every address.
    private func checkListener(_ section: Section) {
        guard section.isOnCloudRun, let port = section.reader.loader.environment["PORT"], !section.isRefused("listen"),
            listen.isLoopback || "\(listen.port)" != port
        else { return }
        section.warn(
            "listen", "is not 0.0.0.0 with the port \(port), at which Cloud Run connects: write 0.0.0.0:env:PORT")
    }

    private func checkAdminListener(_ section: Section) {
        guard let adminListen else {
            guard tls != nil || proxyProtocol else { return }
            return section.refuse(
                "admin_listen",
                "is off, so that probes call the public listener, without TLS and without a header of the PROXY protocol: "
                    + "write an address, such as 127.0.0.1:9090, or leave out server.tls and server.proxy_protocol")
        }
        if listen.collides(with: adminListen), !section.isRefused("listen"), !section.isRefused("admin_listen") {
            section.refuse("admin_listen", "is the address of the public listener: choose another port")
        }
        if !adminListen.isLoopback {
            section.warn(
                "admin_listen",
                "is not a loopback address, so every machine that can reach it can read metrics and state: write "
                    + "127.0.0.1:\(adminListen.port), or let a firewall allow only the monitoring system")
        }
    }

    private func checkProxies(_ section: Section) {
        if proxyProtocol, trustedProxies.contains(.cloudRun) {
            section.refuse(
                "proxy_protocol",
                "does not exist on Cloud Run, and with cloud-run in server.trusted_proxies every peer could name any client: "
                    + "leave this key out, or write the blocks of the proxies there, such as 10.0.0.1/32")
        }
        if proxyProtocol, trustedProxies.isEmpty, !section.isRefused("trusted_proxies") {
            section.refuse(
                "proxy_protocol",
                "would close every connection: write the blocks of the proxies in server.trusted_proxies, such as "
                    + "[10.0.0.1/32]")
        }
        let (isCloudRun, isBalanced) = (
            trustedProxies.contains(.cloudRun), trustedProxies.contains(.googleLoadBalancer)
        )
        if isCloudRun, !section.isOnCloudRun, !listen.isLoopback {
            section.warn(
                "trusted_proxies",
                "cloud-run believes the X-Forwarded-For of every peer, and this is not Cloud Run (the variable K_SERVICE is "
                    + "not set): a client that reaches server.listen directly chooses the address that counts. Elsewhere write the "
                    + "blocks of the proxies")
        }
        if isBalanced, !isCloudRun, section.isOnCloudRun {
            section.warn(
                "trusted_proxies",
                "the peers on Cloud Run are not those of google-load-balancer, so that X-Forwarded-For is ignored: write "
                    + "[cloud-run, ADDRESS/32] with the address of the load balancer")
        }
        if isBalanced, isCloudRun {
            section.warn(
                "trusted_proxies",
                "a client that calls the service without the load balancer, at its run.app address, chooses the address "
                    + "that counts: write [cloud-run, ADDRESS/32] with the address of the load balancer, or deploy with "
                    + "--ingress=internal-and-cloud-load-balancing")
        }
    }

    /// Fits the two times of a shutdown to the ten seconds that Cloud Run gives, unless the file has them.
    private mutating func checkDrain(_ section: Section) {
        guard section.isOnCloudRun, !section.isRefused("drain_delay"), !section.isRefused("drain_timeout") else {
            return
        }
        // Cloud Run sends no requests after SIGTERM.
        if section["drain_delay"] == nil { drainDelay = .zero }
        if section["drain_timeout"] == nil { drainTimeout = max(.zero, .seconds(9) - drainDelay) }
        guard drainDelay + drainTimeout > .seconds(10) else { return }
        section.warn(
            section["drain_timeout"] == nil ? "drain_delay" : "drain_timeout",
            "drain_delay and drain_timeout are \(DurationText.write(drainDelay + drainTimeout)) together, and Cloud Run ends "
                + "a process 10s after SIGTERM, with its requests: leave both out, or write drain_delay: 0s and "
                + "drain_timeout: 9s")
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
        let emulator = file.section("firebase", Settings.Firebase.self)["emulator_host"]
        // Any other value, such as off, names no emulator, and is refused where it is read.
        guard !isLoopback || !listen.isLoopback,
            emulator?.writtenText.flatMap({ ListenAddress.parse($0) }) != nil
        else { return }
        emulator?.refuse(
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
