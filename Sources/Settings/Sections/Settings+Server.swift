extension Settings {
    /// The section `server`: the two listeners.
    package struct Server: Sendable, Equatable {
        package let listen: ListenAddress
        package let adminListen: ListenAddress
        /// The issuer, and the base of every redirect URI; without a slash at the end.
        package let publicURL: String
        /// The proxies whose `X-Forwarded-For` and whose headers of the PROXY protocol are trusted.
        package let trustedProxies: [AddressRange]
        /// Whether each connection to the public listener begins with a header of the PROXY protocol, version 2.
        package let proxyProtocol: Bool
        package let maximumInFlight: Int
        /// How long the public listener accepts requests after SIGTERM, while `/readyz` fails.
        package let drainDelay: Duration
        package let drainTimeout: Duration
        /// How often the files of the configuration are compared with those that were read; `nil` for never.
        package let reloadInterval: Duration?
        /// The certificate of the public listener; `nil` if a proxy in front of the server terminates TLS.
        package let tls: TLS?
    }
}

extension Settings.Server {
    static let keys = [
        "listen", "admin_listen", "public_url", "trusted_proxies", "proxy_protocol", "max_in_flight", "drain_delay",
        "drain_timeout", "reload_interval", "tls",
    ]
    private static let reloadIntervals: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)

    static func read(_ section: Section) -> Self? {
        let listen = section["listen"].map { $0.listenAddress() } ?? ListenAddress(host: "127.0.0.1", port: 8080)
        let admin = section["admin_listen"].map { $0.listenAddress() } ?? ListenAddress(host: "127.0.0.1", port: 9090)
        if let listen, let admin, listen.collides(with: admin), !section.isRefused("listen") {
            section.refuse("admin_listen", "is the address of the public listener: choose another port")
        }
        if let admin, !admin.isLoopback {
            section.warn(
                "admin_listen",
                "is not a loopback address, so every machine that can reach it can read metrics and state: write "
                    + "127.0.0.1, or let a firewall allow only the monitoring system")
        }
        let publicURL = section.required("public_url", "write the URL at which browsers reach this server")?.origin()
        let proxies = section["trusted_proxies"].map { entry in entry.list { $0.addressRange() } } ?? []
        let proxyProtocol = section["proxy_protocol"]?.bool() ?? false
        if proxyProtocol, proxies == [], !section.isRefused("trusted_proxies") {
            section.refuse(
                "proxy_protocol",
                "would close every connection: write the addresses of the proxies in server.trusted_proxies")
        }
        let maximumInFlight = section["max_in_flight"].map { $0.integer(in: 1...1_000_000) } ?? 4096
        let drainDelay = section["drain_delay"].map { $0.duration(in: .zero ... .seconds(600)) } ?? .seconds(5)
        let drainTimeout = section["drain_timeout"].map { $0.duration(in: .zero ... .seconds(600)) } ?? .seconds(20)
        let tls = readTLS(section, publicURL: publicURL)
        guard let listen, let admin, let publicURL, let proxies, let maximumInFlight, let drainDelay, let drainTimeout
        else { return nil }
        return Self(
            listen: listen, adminListen: admin, publicURL: publicURL, trustedProxies: proxies,
            proxyProtocol: proxyProtocol, maximumInFlight: maximumInFlight, drainDelay: drainDelay,
            drainTimeout: drainTimeout, reloadInterval: reloadInterval(section["reload_interval"]), tls: tls)
    }

    private static func readTLS(_ section: Section, publicURL: String?) -> Settings.TLS? {
        guard let entry = section["tls"] else { return nil }
        if let publicURL, !publicURL.hasPrefix("https://") {
            entry.refuse("needs a server.public_url that begins with https://, because the listener accepts only TLS")
        }
        return Settings.TLS.read(Section(entry, keys: Settings.TLS.keys))
    }

    private static func reloadInterval(_ entry: Entry?) -> Duration? {
        guard let entry else { return .seconds(30) }
        return entry.isOff ? nil : entry.duration(in: reloadIntervals)
    }

    /// Whether only this machine can reach the server, by its listener and its public URL.
    var isLoopback: Bool {
        (try? WebURL.parse(publicURL)).map { WebURL.isLoopback($0.host) } == true && listen.isLoopback
    }
}

extension Settings {
    /// The section `limits`: rate limits per address.
    ///
    /// `nil` disables a limit.
    package struct Limits: Sendable, Equatable {
        /// Requests per address to `POST /v1/exchange`, `POST /token` and `/v1/account` with all paths below it.
        package let exchangePerAddress: Rate?
        /// Requests per address that start a sign-in.
        package let startPerAddress: Rate?
        /// Requests per address to `/device`, `GET /callback/{provider}` and documents, preflights, prefetches, and requests that
        /// no endpoint accepts.
        package let pagePerAddress: Rate?
        /// Requests per address to `POST /v1/anonymous`.
        package let anonymousPerAddress: Rate?
        /// Wrong user codes per address: this number at once, and the same number again over ten minutes.
        package let deviceCodeTries: Int
        /// Failures of a provider that stop further calls to it; `nil` for no limit.
        package let providerFailures: Int?
    }
}

extension Settings.Limits {
    static let keys = [
        "exchange_per_address", "start_per_address", "page_per_address", "anonymous_per_address", "device_code_tries",
        "provider_failures",
    ]

    static func read(_ section: Section) -> Self {
        Self(
            exchangePerAddress: rate(section, "exchange_per_address", 60),
            startPerAddress: rate(section, "start_per_address", 60),
            pagePerAddress: rate(section, "page_per_address", 120),
            anonymousPerAddress: rate(section, "anonymous_per_address", 10),
            deviceCodeTries: section["device_code_tries"]?.integer(in: 1...100) ?? 5,
            providerFailures: providerFailures(section["provider_failures"]))
    }

    private static func providerFailures(_ entry: Entry?) -> Int? {
        guard let entry else { return 5 }
        return entry.isOff ? nil : entry.integer(in: 1...1000)
    }

    private static func rate(_ section: Section, _ key: String, _ perMinute: Int) -> Rate? {
        section[key]?.rateOrOff() ?? Rate(count: perMinute, unit: .minute)
    }
}
