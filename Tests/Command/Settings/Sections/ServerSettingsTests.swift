import Settings
import Support
import Testing

/// Tests of `server`, `store`, `accounts`, `limits` and `claims`, with one error at a time.
@Suite("Server and stores")
struct ServerSettingsTests {
    private static let originURL = "public_url: https://auth.example.com"
    private static let listen = "write an address and a port, such as 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080"
    private static let port = "set it to a number from 1 to 65535"
    private static let host =
        "has no valid host: write a name of letters, digits, hyphens and dots, without underscores, or an IP address (IPv6 in "
        + "brackets)"
    private static let character =
        "contains a character that is not allowed in a URL: if it belongs to a placeholder such as {name}, write the value; if it "
        + "is not in the host, percent-encode it"
    private static let percent =
        "has a percent sign that is not followed by two hexadecimal digits: write it as %25"
    private static func only(_ origin: String) -> String {
        "must be only scheme, host and port, in lower case and without the default port: write \(origin)"
    }
    private static let belowPath = ". A path is not possible: use a host name of its own"
    private static let block = "write a block of addresses, such as 10.0.0.0/8, fd00::/8 or 192.0.2.7/32"
    private static let proxyName =
        "is a name, which is not looked up: write the block of the addresses behind it, such as 10.0.0.0/8, or a preset: "
        + "cloud-run or google-load-balancer"
    private static let https = "write https:// at its beginning; http:// is only for loopback"

    @Test(
        "An invalid listener address is refused",
        arguments: [
            "8080", "0.0.0.0", ":8080", "example.com:8080", "127.0.0.1:65536", "127.0.0.1:08080", "127.1:8080",
            "::1:8080",
            "[::1]", "[127.0.0.1]:8080", "127.0.0.1:80 80", "256.0.0.1:8080",
        ])
    func listener(text: String) throws {
        try Change("listen: 127.0.0.1:8080", "listen: \"\(text)\"", "server.listen", Self.listen).expectRefusal()
    }

    @Test(
        "Every usual listener address is accepted",
        arguments: ["0.0.0.0:80", "[::]:8080", "[fd00::1:2]:8080", "localhost:0"])
    func goodListener(text: String) throws {
        let yaml = try Sample.changing("listen: 127.0.0.1:8080", to: "listen: \"\(text)\"").yaml
        #expect(try Sample.loader().parse(yaml: yaml).server.listen.description == text)
    }

    @Test(
        "The address, or only its port, may be in a variable, as platforms that choose the port pass it",
        arguments: [
            ("0.0.0.0:env:PORT", "10000", "0.0.0.0:10000"), ("[::]:env:PORT", "10001", "[::]:10001"),
            ("env:LISTEN_ADDRESS", "0.0.0.0:10002", "0.0.0.0:10002"), ("env:LISTEN_ADDRESS", "[::1]:0", "[::1]:0"),
        ])
    func listenerOfVariable(text: String, value: String, address: String) throws {
        let name = text.contains("PORT") ? "PORT" : "LISTEN_ADDRESS"
        for key in ["listen: 127.0.0.1:8080", "admin_listen: 127.0.0.1:9090"] {
            let changed = key.prefix { $0 != ":" } + ": \"\(text)\""
            let server = try Sample.loader(environment: Sample.environment.merging([name: value]) { $1 })
                .parse(yaml: try Sample.changing(key, to: String(changed)).yaml).server
            #expect((key.hasPrefix("admin") ? server.adminListen : server.listen)?.description == address)
        }
    }

    @Test(
        "A variable that does not make it an address and a port is refused by name",
        arguments: [
            (
                "0.0.0.0:env:PORT", nil,
                "the variable PORT is not set for this process (sudo, systemd and Docker pass none on): set it there, or write another value"
            ),
            ("0.0.0.0:env:PORT", "", "the variable PORT is empty: \(port)"),
            ("[::]:env:PORT", "http", "the variable PORT is not a port: \(port)"),
            ("0.0.0.0:env:PORT", "0", "the variable PORT is not a port: \(port)"),
            ("0.0.0.0:env:PORT", "70000", "the variable PORT is not a port: \(port)"),
            ("0.0.0.0:env:PORT", "-1", "the variable PORT is not a port: \(port)"),
            ("0.0.0.0:env:PORT", "08080", "the variable PORT is not a port: \(port)"),
            (
                "0.0.0.0:env:PORT", "tcp://10.43.161.118:8585",
                "the variable PORT has the address of a service and not a port, as Kubernetes sets it for a service of that "
                    + "name: write the port itself, name another variable, or set enableServiceLinks: false for the pod"
            ),
            (
                "0.0.0.0:env:PORT", "\"8080\"",
                "the variable PORT is in quotation marks, which are not part of the value: remove them"
            ),
            ("example.com:env:PORT", "80", "the variable PORT has only a port: write 0.0.0.0:env:NAME"),
            ("env:PORT", "8080", "the variable PORT has only a port: write 0.0.0.0:env:NAME"),
            ("env:", nil, "write the name of a variable after env:"),
            ("$PORT", nil, "has a variable of a shell: write 0.0.0.0:env:NAME for the port in the variable NAME"),
            (
                "0.0.0.0:$PORT", nil,
                "has a variable of a shell: write 0.0.0.0:env:NAME for the port in the variable NAME"
            ),
            (
                "0.0.0.0:${PORT}", nil,
                "has a variable of a shell: write 0.0.0.0:env:NAME for the port in the variable NAME"
            ),
        ] as [(String, String?, String)])
    func badVariable(text: String, value: String?, message: String) throws {
        var environment = Sample.environment
        environment["PORT"] = value
        try Change("listen: 127.0.0.1:8080", "listen: \"\(text)\"", "server.listen", message)
            .expectRefusal(environment: environment)
    }

    @Test(
        "Two listeners with overlapping addresses are refused",
        arguments: [
            "127.0.0.1:8080", "0.0.0.0:8080", "[::]:8080", "localhost:8080",
        ])
    func collision(text: String) throws {
        try Change(
            "admin_listen: 127.0.0.1:9090", "admin_listen: \"\(text)\"", "server.admin_listen",
            "is the address of the public listener: choose another port"
        ).expectRefusal()
    }

    @Test(
        "An invalid public URL is refused",
        arguments: [
            ("http://auth.example.com", https), ("ftp://auth.example.com", https), ("file:///etc/passwd", https),
            ("HTTPS://Auth.Example.com", "write its scheme in lower case"), ("http://127.0.0.1.example.com", https),
            ("http://128.0.0.1", https),
            ("auth.up.railway.app", https),
            ("auth.example.com:8443/a", https),
            ("${PUBLIC_URL}", "is a placeholder: write the URL itself"),
            ("$PUBLIC_URL", "is a placeholder: write the URL itself"),
            ("{$PUBLIC_URL}", "is a placeholder: write the URL itself"),
            ("$env:PUBLIC_URL", "is a placeholder: write the URL itself"),
            ("env:RAILWAY_PUBLIC_DOMAIN", "is a reference, which is not followed here: write the URL itself"),
            ("auth", https),
            ("//auth.example.com", https),
            ("https://auth.example.com/", only("https://auth.example.com")),
            ("https://auth.example.com?a=b", only("https://auth.example.com")),
            ("https://example.com/auth", only("https://example.com") + belowPath),
            ("https://Auth.Example.com:443/a?b", only("https://auth.example.com") + belowPath),
            ("https://[::A]:8443/", only("https://[::a]:8443")), ("http://127.0.0.1:80", only("http://127.0.0.1")),
            ("https://auth.example.com#a", "must not have a fragment: leave out # and what follows"),
            (
                "https://user:hunter2@auth.example.com",
                "must not have a user name or password: leave out the part before @"
            ),
            ("https://Auth.example.com", only("https://auth.example.com")),
            ("https://auth.example.com:443", only("https://auth.example.com")),
            ("https://auth.example.com:0", "has an invalid port: write a number from 1 to 65535"),
            ("https://auth.example.com:99999", "has an invalid port: write a number from 1 to 65535"),
            ("https://", host),
            ("https://auth..example.com", host),
            ("https://2130706433", host),
            ("https://0x7f.0.0.0x1", host),
            ("https://[::1", host),
            ("https://-auth.example.com", host),
            ("https://auth-.example.com", host),
            ("https://auth_1.example.com", host),
            ("https://auth.example.com.", host),
            ("https://\(String(repeating: "a", count: 64)).example.com", host),
            ("https://\(String(repeating: "a1.", count: 84))ab", host),
            ("https://127.1", host),
            ("https://127.0.0.01", host),
            ("https://auth%2eexample.com", host),
            ("https://auth.example.com/%zz", percent),
            (#"https://auth.example.com\\@evil.example"#, character),
            (
                "https://auth.exämple.com",
                "has a host with letters outside ASCII: write its form in ASCII, which contains xn--"
            ),
        ])
    func publicURL(url: String, message: String) throws {
        try Change(Self.originURL, "public_url: \"\(url)\"", "server.public_url", message).expectRefusal()
    }

    @Test(
        "An http URL is accepted only for loopback",
        arguments: [
            "http://127.0.0.1:8080", "http://127.255.0.1", "http://localhost:8080", "http://[::1]:8080",
        ])
    func loopback(url: String) throws {
        let yaml = try Sample.changing(Self.originURL, to: "public_url: \"\(url)\"").yaml
        #expect(try Sample.loader().parse(yaml: yaml).server.publicURL == url)
    }

    @Test(
        "An invalid block of proxies is refused, and reported at its list element",
        arguments: [
            ("10.0.0.5", "is a single address: write 10.0.0.5/32, or the block of the network"),
            ("fd00::7", "is a single address: write fd00:0:0:0:0:0:0:7/128, or the block of the network"),
            ("10.0.0.0/8, 172.16.0.0/12", "has several entries in one text: write [one, another]"),
            ("traefik", proxyName), ("private_ranges", proxyName),
            ("*", "would trust every address: write only those of the proxies"), ("10.0.0.0/33", block),
            ("10.0.0/8", block), ("fd00::/129", block), ("::1::/8", block),
            ("1:2:3:4:5:6:7:8::1/8", block), ("1:2:3:4:5:6:7:1.2.3.4/8", block),
            ("10.0.0.0/-1", block), ("localhost/8", block), ("010.0.0.0/8", block),
            ("fe80::1%lo/64", block),
            ("10.0.0.1/8", "has bits after its prefix: write 10.0.0.0/8"),
            ("fd00::1/8", "has bits after its prefix: write fd00:0:0:0:0:0:0:0/8"),
            ("0.0.0.0/0", "would trust every address: write only those of the proxies"),
        ])
    func proxies(block: String, message: String) throws {
        try Change(
            "trusted_proxies: [10.0.0.0/8]", "trusted_proxies: [192.0.2.7/32, \"\(block)\"]",
            "server.trusted_proxies[1]", message
        ).expectRefusal()
    }

    /// The server of a configuration with these lines, and the warnings about it, without their lines.
    private static func server(_ lines: String, _ variables: [String: String] = [:]) throws -> (
        server: Settings.Server, warnings: [String]
    ) {
        let yaml = try Sample.changing("trusted_proxies: [10.0.0.0/8]", to: lines).yaml
            .replacing("  drain_timeout: 20s\n", with: "")
        let settings = try Sample.loader(environment: Sample.environment.merging(variables) { $1 }).parse(yaml: yaml)
        return (settings.server, settings.warnings.map { "\($0.key) \($0.message)" })
    }

    private static let onCloudRun = ["K_SERVICE": "sign-in"]

    @Test(
        "On Cloud Run a listener that the platform cannot reach is a warning, and nowhere else",
        arguments: [
            ("127.0.0.1:8080", "8080", true), ("0.0.0.0:9000", "8080", true), ("0.0.0.0:8080", "8080", false),
            ("[::]:env:PORT", "8080", false), ("127.0.0.1:8080", nil, false),
        ] as [(String, String?, Bool)])
    func unreachableOnCloudRun(address: String, port: String?, warns: Bool) throws {
        let yaml = try Sample.changing("listen: 127.0.0.1:8080", to: "listen: \"\(address)\"").yaml
        for (variables, warns) in [(Self.onCloudRun, warns), ([:], false)] {
            var environment = Sample.environment.merging(variables) { $1 }
            environment["PORT"] = port
            let warnings = try Sample.loader(environment: environment).parse(yaml: yaml).warnings
            #expect(warnings.contains { $0.key == "server.listen" } == warns, "\(warnings)")
        }
    }

    @Test("A preset of proxies may be the whole value, or an element of the list")
    func proxyPresets() throws {
        for (text, proxies) in [
            ("cloud-run", "[cloud-run]"), ("google-load-balancer", "[google-load-balancer]"),
            ("[cloud-run]", "[cloud-run]"), ("[cloud-run, 203.0.113.7/32]", "[cloud-run, 203.0.113.7/32]"),
        ] {
            let (server, warnings) = try Self.server("trusted_proxies: \(text)")
            #expect("\(server.trustedProxies)" == proxies)
            #expect(warnings.isEmpty, "\(warnings)")
        }
        let balancer = try #require(
            try Self.server("trusted_proxies: google-load-balancer").server.trustedProxies.first)
        for (address, isIn) in [
            ([35, 191, 255, 1], true), ([130, 211, 3, 255], true), ([130, 211, 4, 0], false), ([35, 192, 0, 0], false),
        ] as [([UInt8], Bool)] { #expect(balancer.contains(address) == isIn) }
        for text in ["cloudrun", "Cloud-Run", "[cloud_run]", "google-loadbalancer"] {
            let word = text.contains("oogle") ? "google-load-balancer" : "cloud-run"
            try Change(
                "trusted_proxies: [10.0.0.0/8]", "trusted_proxies: \(text)",
                "server.trusted_proxies" + (text.hasPrefix("[") ? "[0]" : ""), "did you mean \(word)?"
            ).expectRefusal()
        }
    }

    @Test("A preset at a place where a client could choose its own address, or where it has no effect, is a warning")
    func misplacedPresets() throws {
        func warnings(_ text: String, _ variables: [String: String] = [:]) throws -> [String] {
            let yaml = try Sample.changing("listen: 127.0.0.1:8080", to: "listen: 0.0.0.0:8080").yaml
                .replacing("[10.0.0.0/8]", with: text).replacing("  drain_timeout: 20s\n", with: "")
            return try Sample.loader(environment: Sample.environment.merging(variables) { $1 }).parse(yaml: yaml)
                .warnings.map(\.message)
        }
        #expect(try warnings("cloud-run", Self.onCloudRun).isEmpty)
        #expect(try warnings("[cloud-run, 203.0.113.7/32]", Self.onCloudRun).isEmpty)
        #expect(try warnings("cloud-run", ["CLOUD_RUN_JOB": "doctor"]).isEmpty)
        #expect(try warnings("google-load-balancer").isEmpty)
        #expect(try warnings("cloud-run").map { $0.contains("K_SERVICE is not set") } == [true])
        #expect(try warnings("google-load-balancer", Self.onCloudRun).map { $0.contains("is ignored") } == [true])
        #expect(
            try warnings("[cloud-run, google-load-balancer]", Self.onCloudRun).map {
                $0.contains("--ingress=internal-and-cloud-load-balancing")
            } == [true])
    }

    @Test("With cloud-run the PROXY protocol is refused, because every peer could name any client")
    func proxyProtocolOnCloudRun() throws {
        try Change(
            "trusted_proxies: [10.0.0.0/8]", "proxy_protocol: true\ntrusted_proxies: cloud-run",
            "server.proxy_protocol",
            "does not exist on Cloud Run, and with cloud-run in server.trusted_proxies every peer could name any client: "
                + "leave this key out, or write the blocks of the proxies there, such as 10.0.0.1/32"
        ).expectRefusal()
    }

    @Test("The admin listener may be off, unless probes could then reach nothing")
    func noAdminListener() throws {
        let yaml = try Sample.changing("admin_listen: 127.0.0.1:9090", to: "admin_listen: off").yaml
        let settings = try Sample.loader().parse(yaml: yaml)
        #expect(settings.server.adminListen == nil && settings.warnings.isEmpty)
        #expect(settings.summary.contains("server.admin_listen: off"))
        let message =
            "is off, so that probes call the public listener, without TLS and without a header of the PROXY protocol: write "
            + "an address, such as 127.0.0.1:9090, or leave out server.tls and server.proxy_protocol"
        for key in ["proxy_protocol: true", "tls: {certificate: /keys/chain.pem, key: /keys/key.pem}"] {
            try Change(
                "admin_listen: 127.0.0.1:9090", "admin_listen: off\n\(key)", "server.admin_listen", message
            ).expectRefusal()
        }
    }

    @Test("The warning of an exposed admin listener names the address to write, with the port")
    func exposedAdminListener() throws {
        let yaml = try Sample.changing("admin_listen: 127.0.0.1:9090", to: "admin_listen: 0.0.0.0:9091").yaml
        let warnings = try Sample.loader().parse(yaml: yaml).warnings
        #expect(warnings.map(\.key) == ["server.admin_listen"])
        #expect(warnings.allSatisfy { $0.message.contains("write 127.0.0.1:9091, or let a firewall") })
    }

    @Test("On Cloud Run the times of a shutdown fit into ten seconds, and longer ones are a warning")
    func drainOnCloudRun() throws {
        for (lines, delay, timeout, warns) in [
            ("max_in_flight: 9", 0, 9, []), ("drain_delay: 2s", 2, 7, []), ("drain_timeout: 10s", 0, 10, []),
            ("drain_delay: 5s\ndrain_timeout: 21s", 5, 21, ["server.drain_timeout"]),
            ("drain_delay: 11s", 11, 0, ["server.drain_delay"]),
            ("drain_timeout: 11s", 0, 11, ["server.drain_timeout"]),
        ] as [(String, Int64, Int64, [String])] {
            let lines = lines.hasPrefix("max") ? "trusted_proxies: []" : lines
            let (server, warnings) = try Self.server(lines, Self.onCloudRun)
            #expect(server.drainDelay == .seconds(delay) && server.drainTimeout == .seconds(timeout), "\(lines)")
            #expect(warnings.map { String($0.prefix { $0 != " " }) } == warns, "\(warnings)")
            #expect(warnings.allSatisfy { $0.contains("write drain_delay: 0s and drain_timeout: 9s") })
        }
        let elsewhere = try Self.server("trusted_proxies: []", ["K_SERVICE": ""])
        #expect(elsewhere.server.drainDelay == .seconds(5) && elsewhere.server.drainTimeout == .seconds(20))
    }

    @Test("Expired records are swept each minute, at each configured time, or only by the command")
    func sweepInterval() throws {
        for (text, interval) in [("60s", Duration.seconds(60)), ("1h", .seconds(3600)), ("off", nil)] {
            #expect(try Self.server("sweep_interval: \(text)").server.sweepInterval == interval)
        }
        #expect(try Self.server("trusted_proxies: []").server.sweepInterval == .seconds(60))
        for text in ["59s", "61m"] {
            try Change(
                "max_in_flight: 100", "sweep_interval: \(text)", "server.sweep_interval",
                "must be from 1m to 1h, or off"
            ).expectRefusal()
        }
    }

    @Test("The PROXY protocol without trusted proxies is refused, because every connection would be closed")
    func proxyProtocol() throws {
        let message =
            "would close every connection: write the blocks of the proxies in server.trusted_proxies, such as [10.0.0.1/32]"
        for proxies in ["proxy_protocol: true", "proxy_protocol: true\ntrusted_proxies: []"] {
            try Change("trusted_proxies: [10.0.0.0/8]", proxies, "server.proxy_protocol", message).expectRefusal()
        }
        let yaml = try Sample.changing("max_in_flight: 100", to: "proxy_protocol: true").yaml
        #expect(try Sample.loader().parse(yaml: yaml).server.proxyProtocol)
        #expect(try !Sample.loader().parse(yaml: Sample.yaml).server.proxyProtocol)
    }

    /// A configuration with a proxy, which is written in plain text.
    private static func settings(_ proxy: String, _ exemptions: String = "[]") throws -> Settings {
        try Sample.loader().parse(
            yaml: Sample.changing(
                "max_in_flight: 100", to: "outbound_proxy: \"\(proxy)\"\nno_proxy: \(exemptions)"
            ).yaml)
    }

    @Test(
        "The outbound proxy has a host and a port, and may have a user name and a password, which are decoded",
        arguments: [
            ("http://proxy.corp.example:3128", "proxy.corp.example:3128", nil, nil),
            ("http://Proxy.Corp.Example:3128/", "proxy.corp.example:3128", nil, nil),
            ("http://10.0.0.8:8080", "10.0.0.8:8080", nil, nil), ("http://[fd00::8]:8080", "[fd00::8]:8080", nil, nil),
            ("http://127.0.0.1:3128", "127.0.0.1:3128", nil, nil),
            ("http://user:password@proxy.example:3128", "proxy.example:3128", "user", "password"),
            ("http://corp%5Cann:p%405%25%3A%C3%BC@proxy.example:3128", "proxy.example:3128", "corp\\ann", "p@5%:ü"),
            ("http://ann:a:b@proxy.example:3128", "proxy.example:3128", "ann", "a:b"),
            ("http://token@proxy.example:3128", "proxy.example:3128", "token", ""),
        ] as [(String, String, String?, String?)])
    func outboundProxy(text: String, address: String, user: String?, password: String?) throws {
        let settings = try Self.settings(text)
        #expect(settings.server.outboundProxy?.address == address)
        #expect(settings.server.outboundProxy?.user?.secretText == user)
        #expect(settings.server.outboundProxy?.password?.secretText == password)
        let warning = "is in plain text: write env:NAME or file:/path"
        #expect(settings.warnings.map(\.message) == (user == nil ? [] : [warning]))
    }

    private static let proxyForm = "write http://host:port, or http://user:password@host:port"
    private static let more =
        "has more than a host and a port after the scheme: leave out the path, and percent-encode all characters of user "
        + "name and password except letters and digits"
    private static let proxyTLS =
        "is a proxy with TLS, which is not supported: write http://host:port of a proxy without TLS. Calls through it are "
        + "encrypted from end to end"
    private static let socks =
        "is a SOCKS proxy, which is not supported: write http://host:port of an HTTP proxy"

    @Test(
        "An invalid outbound proxy is refused, without a part of it in the message",
        arguments: [
            ("proxy.corp.example:3128", proxyForm), ("ftp://proxy.example:3128", proxyForm), ("*", proxyForm),
            ("https://proxy.example:3128", proxyTLS), ("socks5://proxy.example:1080", socks),
            ("socks5h://ann:hunter2@proxy.example:1080", socks), ("SOCKS4://proxy.example:1080", socks),
            ("http://proxy.corp.example", "has no port: write it, as in http://proxy.example:3128"),
            ("http://ann:hunter2@proxy.example", "has no port: write it, as in http://proxy.example:3128"),
            ("http://proxy.example:0", "has an invalid port: write a number from 1 to 65535"),
            ("http://proxy.example:65536", "has an invalid port: write a number from 1 to 65535"),
            ("http://:3128", host),
            ("http://", more), ("http://proxy.example:3128/path", more), ("http://proxy.example:3128?a=b", more),
            ("http://ann:hunt@er2@proxy.example:3128", more), ("http://ann:hunt/er2@proxy.example:3128", more),
            ("http://ann:hunt#er2@proxy.example:3128", "contains #: write it as %23"),
            ("http://ann:hunt%er2@proxy.example:3128", percent), ("http://ann:hünter2@proxy.example:3128", character),
            (
                "http://a%3Ann:hunter2@proxy.example:3128",
                "has a colon in the user name, which RFC 7617 does not allow"
            ),
            (
                "http://ann:hunter%0A2@proxy.example:3128",
                "has a user name or password with a control character, or not in UTF-8"
            ),
            (
                "http://ann:hunter%FC@proxy.example:3128",
                "has a user name or password with a control character, or not in UTF-8"
            ),
        ])
    func badOutboundProxy(text: String, message: String) throws {
        try Change("max_in_flight: 100", "outbound_proxy: \"\(text)\"", "server.outbound_proxy", message)
            .expectRefusal()
        #expect(!message.contains("hunter2"))
    }

    @Test("An outbound proxy from a variable or a file causes no warning, and no output contains its password")
    func secretOutboundProxy() throws {
        let yaml = try Sample.changing("max_in_flight: 100", to: "outbound_proxy: env:PROXY").yaml
        let environment = Sample.environment.merging(["PROXY": "http://ann:hunter2@proxy.example:3128"]) { $1 }
        let settings = try Sample.loader(environment: environment).parse(yaml: yaml)
        #expect(settings.warnings.isEmpty)
        #expect(
            settings.summary.contains(
                "server.outbound_proxy: http://proxy.example:3128 with [secret elided] from env:PROXY"))
        var dumped = ""
        dump(settings.server, to: &dumped)
        for text in ["\(settings)", String(reflecting: settings), dumped] { #expect(!text.contains("hunter2")) }
        let other = Sample.environment.merging(["PROXY": "http://ann:hunter3@proxy.example:3128"]) { $1 }
        #expect(try settings.server != Sample.loader(environment: other).parse(yaml: yaml).server)
        try Change(
            "max_in_flight: 100", "outbound_proxy: env:NO_SUCH_PROXY", "server.outbound_proxy",
            "the variable NO_SUCH_PROXY is not set for this process (sudo, systemd and Docker pass none on): set it there, or write another value"
        ).expectRefusal()
    }

    @Test(
        "A host in no_proxy stands for its subdomains, an address or a block for URLs with an address",
        arguments: [
            ("example.com", "example.com", true), ("example.com", "a.b.example.com", true),
            ("example.com", "example.com.", true), ("Example.com", "a.example.com", true),
            ("example.com", "notexample.com", false), ("example.com", "example.com.evil.example", false),
            (".corp.example", "idp.corp.example", true), (".corp.example", "corp.example", true),
            (".corp.example", "idp.notcorp.example", false), ("keycloak", "keycloak", true),
            ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.1.2.3", false),
            ("10.0.0.0/8", "10.example.com", false), ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.8", false), ("fd00::/8", "[fd12::1]", true), ("fd00::/8", "[fe80::1]", false),
            ("2001:db8::7", "[2001:db8::7]", true), ("[2001:db8::7]", "[2001:db8::8]", false),
        ])
    func exemption(entry: String, host: String, isCovered: Bool) throws {
        let settings = try Self.settings("http://proxy.example:3128", "[\"\(entry)\"]")
        #expect(settings.server.proxyExemptions.map { $0.covers(host) } == [isCovered])
    }

    private static let exemptionForm =
        "write a host without scheme and port, such as example.com, an address, or a block such as 10.0.0.0/8"

    @Test(
        "An invalid entry of no_proxy is refused",
        arguments: [
            ("*", "would exempt every host: leave out server.outbound_proxy and server.no_proxy"),
            ("*.example.com", "has a wildcard: write the domain without *, which stands for its subdomains too"),
            ("0.0.0.0/0", "would exempt every address: leave out server.outbound_proxy and server.no_proxy"),
            ("::/0", "would exempt every address: leave out server.outbound_proxy and server.no_proxy"),
            ("10.1.0.0/8", "has bits after its prefix: write 10.0.0.0/8"), ("10.0.0.0/33", block),
            ("example.com/8", block), ("example.com:443", exemptionForm), ("https://example.com", exemptionForm),
            ("10.*", exemptionForm), (".", exemptionForm), ("..example.com", exemptionForm),
            ("localhost,.corp.example", "has several entries in one text: write [one, another]"),
            ("exa mple.com", exemptionForm), ("10.0.0.256", exemptionForm),
        ])
    func badExemption(entry: String, message: String) throws {
        try Change(
            "max_in_flight: 100", "outbound_proxy: http://proxy.example:3128\nno_proxy: [\"\(entry)\"]",
            "server.no_proxy[0]", message, offset: 1
        ).expectRefusal()
    }

    @Test("Exemptions without a proxy are refused, once")
    func exemptionsOnly() throws {
        try Change(
            "max_in_flight: 100", "no_proxy: [example.com]", "server.no_proxy",
            "has no effect without server.outbound_proxy: write that key, or leave this one out"
        ).expectRefusal()
        try Change(
            "max_in_flight: 100", "outbound_proxy: proxy:3128\nno_proxy: [example.com]", "server.outbound_proxy",
            Self.proxyForm
        ).expectRefusal()
    }

    @Test("A client cannot append to an address what C does not read, or write it in another form")
    func addresses() {
        #expect(IPAddress.parse("10.0.0.1") == [10, 0, 0, 1])
        for text in [
            "10.0.0.1\0", "10.0.0.1\0x", "::1\0", "10.0.0.01", "0xa.0.0.1", "10.1", "::1%lo", "::1::", "00001::",
        ] {
            #expect(IPAddress.parse(text) == nil)
        }
    }

    @Test("A block of IPv4-mapped addresses is the block of IPv4")
    func mappedBlock() throws {
        let yaml = try Sample.changing(
            "trusted_proxies: [10.0.0.0/8]", to: "trusted_proxies: [\"::ffff:192.0.2.0/120\"]"
        ).yaml
        let block = try #require(try Sample.loader().parse(yaml: yaml).server.trustedProxies.first)
        #expect("\(block)" == "192.0.2.0/24")
        #expect(block.contains([192, 0, 2, 1]) && !block.contains([192, 0, 3, 1]))
    }

    @Test("A block contains its addresses and no others")
    func blockMembership() throws {
        let yaml = try Sample.changing(
            "trusted_proxies: [10.0.0.0/8]", to: "trusted_proxies: [10.128.0.0/9, \"2001:db8::/33\"]"
        ).yaml
        let blocks = try Sample.loader().parse(yaml: yaml).server.trustedProxies
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 200, 1, 1]
        let inside: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0x7F] + [UInt8](repeating: 9, count: 11)
        let outside: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0x80] + [UInt8](repeating: 9, count: 11)
        #expect(blocks[0].contains([10, 128, 0, 1]))
        #expect(blocks[0].contains(mapped))
        #expect(!blocks[0].contains([10, 127, 255, 255]))
        #expect(!blocks[0].contains(inside))
        #expect(blocks[1].contains(inside))
        #expect(!blocks[1].contains(outside))
    }

    private static let durationForm = "write a number and its unit (ms, s, m, h or d), from 0s to 10m"

    @Test(
        "An invalid duration is refused",
        arguments: [
            ("20", durationForm),
            ("20 s", durationForm),
            ("1h30m", durationForm),
            ("-5s", durationForm),
            ("1.5s", durationForm),
            ("1w", durationForm),
            ("9999999999s", durationForm),
            ("11m", "must be from 0s to 10m"), ("30d", "must be from 0s to 10m"),
        ])
    func duration(text: String, message: String) throws {
        try Change("drain_timeout: 20s", "drain_timeout: \(text)", "server.drain_timeout", message).expectRefusal()
    }

    @Test(
        "Every unit of a duration is accepted",
        arguments: [
            ("500ms", Duration.milliseconds(500)), ("10s", .seconds(10)), ("5m", .seconds(300)), ("0s", .zero),
        ])
    func units(text: String, duration: Duration) throws {
        let yaml = try Sample.changing("drain_timeout: 20s", to: "drain_timeout: \(text)").yaml
        #expect(try Sample.loader().parse(yaml: yaml).server.drainTimeout == duration)
        let delay = try Sample.changing("drain_timeout: 20s", to: "drain_delay: \(text)\ndrain_timeout: 20s").yaml
        #expect(try Sample.loader().parse(yaml: delay).server.drainDelay == duration)
    }

    @Test("The files are compared every 30 seconds, every configured time, or never")
    func reloadInterval() throws {
        #expect(
            try Sample.loader().parse(yaml: Sample.changing("drain_timeout: 20s", to: "drain_timeout: 20s").yaml)
                .server.reloadInterval == .seconds(30))
        for (text, interval) in [("1s", Duration.seconds(1)), ("off", nil)] {
            let yaml = try Sample.changing("drain_timeout: 20s", to: "reload_interval: \(text)\ndrain_timeout: 20s")
                .yaml
            #expect(try Sample.loader().parse(yaml: yaml).server.reloadInterval == interval)
        }
        try Change(
            "drain_timeout: 20s", "reload_interval: 0s\ndrain_timeout: 20s", "server.reload_interval",
            "must be from 1s to 1h, or off"
        ).expectRefusal()
    }

    @Test("An invalid rate is refused", arguments: ["60", "60/m", "0/min", "-1/min", "60/day", "sixty/min", "on"])
    func rate(text: String) throws {
        try Change(
            "exchange_per_address: 60/min", "exchange_per_address: \(text)", "limits.exchange_per_address",
            "write a rate such as 60/min (s, min or h), or off"
        ).expectRefusal()
    }

    private static let sqliteForm =
        "write sqlite:// and the absolute path of a file, without #, % and ?: "
        + "sqlite:///var/lib/token-exchange/token-exchange.db"
    private static let otherStore =
        "write sqlite:///path; or, with seal_keys and store_keys, postgresql://user@host/database or "
        + "firestore://project/database"

    @Test(
        "An invalid store is refused",
        arguments: [
            ("sqlite://accounts.db", sqliteForm), ("sqlite:///data/", sqliteForm),
            ("sqlite:///data/a%20b.db", sqliteForm), ("sqlite:///data/a#b.db", sqliteForm),
            (
                "sqlite:///data/a.db?mode=rwc",
                "has options after ?, which do not exist for SQLite: leave ? and what follows out"
            ),
            (
                "\"sqlite:///:memory:\"",
                "is in memory, where it would forget which credentials were used: write the path of a file"
            ),
            (
                "/data/accounts.db",
                otherStore
            ),
            (
                "mysql://user@host/db",
                otherStore
            ),
            (
                "env:UNSET",
                "the variable UNSET is not set for this process (sudo, systemd and Docker pass none on): set it there, or write another value"
            ),
            ("file:/keys/none", "the file /keys/none does not exist"),
        ])
    func store(text: String, message: String) throws {
        try Change("store: sqlite:///data/accounts.db", "store: \(text)", "store", message).expectRefusal()
    }

    @Test(
        "A claim with a name that is reserved, by Firebase or by this server, is refused",
        arguments: [
            "acr", "amr", "anonymous", "at_hash", "aud", "auth_time", "azp", "cnf", "c_hash", "exp", "firebase", "iat",
            "iss", "jti",
            "nbf",
            "nonce", "sub", "email", "email_verified", "phone_number", "user_id", "provider_id", "uid", "claims",
            "reauth_time", "reauth_method",
        ])
    func reservedClaim(name: String) throws {
        try Change(
            "idp: \"{provider}\"", "\(name): \"{provider}\"", "claims.\(name)",
            "is a reserved name: choose another"
        ).expectRefusal()
    }

    @Test(
        "An invalid template of a claim is refused",
        arguments: [
            ("\"{provider\"", "has an unpaired brace: write placeholders as {name}"),
            ("\"provider}\"", "has an unpaired brace: write placeholders as {name}"),
            ("\"{{provider}}\"", "has an unpaired brace: write placeholders as {name}"),
            ("\"}{\"", "has an unpaired brace: write placeholders as {name}"),
            (
                "\"{name}\"",
                "has an unknown placeholder: write {provider}, {subject}, {client_id}, {email}, {email_verified} or "
                    + "{audience_proof}"
            ),
            (
                "\"{}\"",
                "has an unknown placeholder: write {provider}, {subject}, {client_id}, {email}, {email_verified} or "
                    + "{audience_proof}"
            ),
            ("5", "must be a text: write it in quotes"), ("true", "must be a text: write it in quotes"),
            ("null", "must be a text: write it in quotes"), ("{provider}", "must be a text: write it in quotes"),
            ("{{ provider }}", "is a placeholder of a template, which has to be replaced before: write the value"),
            ("[a]", "must be a single text: do not write a list or a section"),
        ])
    func claimTemplate(text: String, message: String) throws {
        try Change("idp: \"{provider}\"", "idp: \(text)", "claims.idp", message).expectRefusal()
    }

    @Test("Claims of 1000 bytes without placeholders are accepted, and one more byte is refused")
    func claimBytes() throws {
        // {"idp":"","level":"gold "} is 26 bytes.
        let most = try Sample.changing(
            "idp: \"{provider}\"", to: "idp: \"\(String(repeating: "a", count: 974)){provider}\"")
        #expect(throws: Never.self) { try Sample.loader().parse(yaml: most.yaml) }
        let (yaml, line) = try Sample.changing(
            "idp: \"{provider}\"", to: "idp: \"\(String(repeating: "a", count: 975)){provider}\"")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: line - 1, key: "claims",
                    message: "are longer than 1000 bytes, not counting the values of placeholders: shorten them")
            ])
        ) { try Sample.loader().parse(yaml: yaml) }
    }

    @Test("Characters that JSON escapes count twice in the size of claims")
    func escapedClaimBytes() throws {
        for character in ["\"", "\\"] {
            let text = String(repeating: character, count: 487)
            let (yaml, line) = try Sample.changing("idp: \"{provider}\"", to: "idp: 'x\(text){provider}'")
            let problem = SettingsProblem(
                line: line - 1, key: "claims",
                message: "are longer than 1000 bytes, not counting the values of placeholders: shorten them")
            #expect(throws: SettingsProblems([problem])) { try Sample.loader().parse(yaml: yaml) }
        }
    }

    @Test("Two listeners whose ports the system chooses are accepted")
    func chosenPorts() throws {
        let yaml = try Sample.changing("listen: 127.0.0.1:8080", to: "listen: 127.0.0.1:0").yaml
            .replacing("admin_listen: 127.0.0.1:9090", with: "admin_listen: 127.0.0.1:0")
        #expect(try Sample.loader().parse(yaml: yaml).server.adminListen?.port == 0)
    }

    @Test(
        "A uid rule that is not unique for each user is refused",
        arguments: [
            ("\"{provider}\"", "write {provider} and {subject} once each, or random"),
            ("\"{subject}\"", "write {provider} and {subject} once each, or random"),
            ("\"{subject}:{subject}\"", "write {provider} and {subject} once each, or random"),
            ("\"{provider}:{subject}:{subject}\"", "write {provider} and {subject} once each, or random"),
            ("Random", "write {provider} and {subject} once each, or random"),
            ("\"{provider}:{email}\"", "has an unknown placeholder: write {provider} or {subject}"),
            (
                "\"\(String(repeating: "a", count: 65)){provider}:{subject}\"",
                "is longer than 64 characters without its placeholders: shorten it"
            ),
        ])
    func uid(text: String, message: String) throws {
        try Change("uid: \"{provider}:{subject}\"", "uid: \(text)", "accounts.uid", message).expectRefusal()
    }

    @Test(
        "A uid rule with which two providers could make the same uid is refused",
        arguments: ["{provider}{subject}", "{provider}-{subject}"])
    func ambiguousUID(template: String) throws {
        let (yaml, line) = try Sample.changing("uid: \"{provider}:{subject}\"", to: "uid: \"\(template)\"")
        let second =
            "  line-\(template.contains("-") ? "works" : ""):\n    issuer: https://issuer.example\n    client_id: works"
            + "\n    client_secret: env:LINE_SECRET\naccounts:"
        let again = yaml.replacing("\naccounts:", with: "\n" + second).replacing("line-:", with: "line2:")
        let other = template.contains("-") ? "line-works" : "line2"
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: line + 4, key: "accounts.uid",
                    message:
                        "can give users of line and of \(other) the same uid: write a colon between the placeholders"
                )
            ])
        ) { try Sample.loader().parse(yaml: again) }
    }

    @Test("The rule random for uids is accepted")
    func randomUID() throws {
        let yaml = try Sample.changing("uid: \"{provider}:{subject}\"", to: "uid: random").yaml
        #expect(try Sample.loader().parse(yaml: yaml).accounts.uid == nil)
    }
}
