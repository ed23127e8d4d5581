internal import Jansson

extension Catalogue {
    static let evasions = Section(.exhaustion, .high, needs: [.processes, .bulk]).attacks(
        .attack(
            "RX-06a", "Each request claims another address in the header fields that proxies set.",
            oracle: "The server counts them against the address of the connection.",
            source: "CVE-2026-45364; Abblix #165"
        ) { context in
            try await context.onOwnServer("spoofed", fewStarts) { target, _, _ in
                let requests = (0..<60).map { number in
                    forwarding.reduce(target.nonceRequest) { $0.with($1, "198.51.100.\(number)") }
                }
                await target.expectLimited(requests, to: 5, "requests with forged addresses")
            }
        },
        .attack(
            "RX-06b", "A client behind a trusted proxy forges addresses to the left of its own.",
            oracle: "The server counts the rightmost address that is not a trusted proxy.", source: "CVE-2026-45364"
        ) { context in
            try await context.onOwnServer("left", fewStartsBehindProxy) { target, _, _ in
                let requests = (0..<60).map { number in
                    target.nonceRequest.with("X-Forwarded-For", "192.0.2.\(number), 10.0.0.\(number), 198.51.100.9")
                }
                await target.expectLimited(requests, to: 5, "requests of one address")
            }
        },
        .attack(
            "RX-06h", "On Cloud Run, a client forges addresses to the left of the one that Google's front end appends.",
            oracle: "The server counts the last address, also if the forged ones are those of trusted proxies.",
            source: "CVE-2026-45364"
        ) { context in
            try await context.onOwnServer("front", fewStartsOnCloudRun) { target, _, _ in
                let requests = (0..<60).map { number in
                    target.nonceRequest.with("X-Forwarded-For", "192.0.2.\(number), 198.51.100.9")
                }
                await target.expectLimited(requests, to: 5, "requests of one address")
            }
        },
        .attack(
            "RX-06c", "A client uses many addresses of one IPv6 /64, each spelled differently.",
            oracle: "The server counts a /64 network as one source, whatever the spelling.",
            source: "CVE-2026-45364; RFC 5952"
        ) { context in
            try await context.onOwnServer("network", fewStartsBehindProxy) { target, _, _ in
                var requests: [Request] = []
                for number in 1...15 {
                    let low = String(number, radix: 16)
                    for address in [
                        "2001:db8:7:1::\(low)", "2001:DB8:7:1::\(low)", "2001:0db8:0007:0001:0:0:0:\(low)",
                        "2001:db8:7:1:\(low)::1",
                    ] {
                        requests.append(target.nonceRequest.with("X-Forwarded-For", address))
                    }
                }
                await target.expectLimited(requests, to: 5, "requests of one network")
            }
        },
        .attack(
            "RX-06g", "A client with an IPv6 /48 uses one /64 of it after the other.",
            oracle: "The server limits the /48 to sixteen times the limit of one /64.",
            source: "RFC 6177; CVE-2026-45364"
        ) { context in
            try await context.onOwnServer("site", fewStartsBehindProxy) { target, _, _ in
                let requests = (0..<300).map { number in
                    target.nonceRequest.with("X-Forwarded-For", "2001:db8:9:\(String(number, radix: 16))::1")
                }
                await target.expectLimited(requests, to: 80, "requests of one /48")
            }
        },
        .attack(
            "RX-06d",
            "One IPv4 address is spelled as IPv6, with blanks and with ports; other requests name no valid address.",
            oracle: "The server counts it as one source, and counts invalid addresses against the proxy.",
            source: "RFC 4291 2.5.5.2"
        ) { context in
            try await context.onOwnServer("mapped", fewStartsBehindProxy) { target, _, _ in
                let mapped = (0..<60).map {
                    target.nonceRequest.with(
                        "X-Forwarded-For",
                        [
                            "198.51.100.9", "::ffff:198.51.100.9", " 198.51.100.9 ", "::FFFF:c633:6409",
                            "198.51.100.9:\(40_000 + $0)", "[::ffff:198.51.100.9]:\(40_000 + $0)",
                        ][$0 % 6])
                }
                await target.expectLimited(mapped, to: 5, "requests of one address")
                let odd = (0..<60).map { target.nonceRequest.with("X-Forwarded-For", "invalid-\($0), unknown") }
                await target.expectLimited(odd, to: 5, "requests without an address")
            }
        },
        .attack(
            "RX-06e", "The client alternates applications, providers, paths and methods to avoid the limit.",
            oracle: "All requests that begin a sign-in share one limit per address.", source: "CVE-2026-45364",
            needs: [.processes, .bulk, .sessions]
        ) { context in
            try await context.onOwnServer("turns", fewStarts) { target, _, _ in
                let requests = (0..<60).map { number in
                    number % 2 == 0
                        ? Request.json(
                            "/v1/nonce",
                            [
                                "client_id": .string(number % 4 == 0 ? "my-app" : "other-app"),
                                "provider": .string(number % 8 < 4 ? "yahoo.com" : "op.example"),
                            ])
                        : .json(
                            "/v1/signin",
                            [
                                "client_id": "my-app", "provider": number % 4 == 1 ? "yahoo.com" : "twitter.com",
                                "redirect_uri": number % 4 == 1 ? "com.example.app:/yahoo" : "com.example.app:/x",
                            ])
                }
                await target.expectLimited(requests, to: 5, "requests in turns")
            }
        },
        .attack(
            "RX-06f", "The client alternates /v1/exchange and /token to try more credentials.",
            oracle: "Both endpoints share one limit per address.", source: "token-exchange API",
            needs: [.processes, .bulk, .tokenExchange]
        ) { context in
            try await context.onOwnServer("doors") {
                $0.set("limits/exchange_per_address", "5/min")
            } _: { target, _, _ in
                let requests = (0..<60).map { number in
                    number % 2 == 0
                        ? target.exchange(idToken: "a.b.c\(number)", nonce: "made-up-nonce")
                        : Request.form(
                            "/token",
                            [
                                ("grant_type", "authorization_code"), ("client_id", "my-app"),
                                ("code", "made-up-\(number)"),
                                ("redirect_uri", "https://app.example/cb"),
                                ("code_verifier", String(repeating: "v", count: 43)),
                            ])
                }
                await target.expectLimited(requests, to: 5, "credentials")
            }
        },
        .attack(
            "RX-08", "A thousand addresses send requests, so that the server has to track each of them.",
            severity: .medium,
            oracle: "The memory of the server stays bounded.", source: "catalogue RX-08"
        ) { context in
            try await context.onOwnServer("addresses", fewStartsBehindProxy) { target, server, bed in
                let limits = try await ProcessLimits(of: server, in: bed)
                func requests(_ network: Int) -> [Request] {
                    (0..<500).map {
                        target.nonceRequest.with("X-Forwarded-For", "172.16.\(network * 4 + $0 / 250).\($0 % 250)")
                    }
                }
                _ = await target.count(requests(1))
                let before = try limits.memory
                let counts = await target.count(requests(2))
                await context.expect(
                    counts["200"] == 500, .wrongAnswer, "The server refused some of 500 addresses: \(counts)")
                let grown = try limits.memory - before
                await context.expect(grown < 24 << 20, .slow, "The server grew by \(grown >> 20) MB.")
            }
        },
    )

    private static func fewStarts(_ plan: inout ServerPlan) { plan.set("limits/start_per_address", "5/min") }

    private static func fewStartsOnCloudRun(_ plan: inout ServerPlan) {
        fewStarts(&plan)
        plan.set("server/trusted_proxies", "cloud-run")
    }

    private static func fewStartsBehindProxy(_ plan: inout ServerPlan) {
        fewStarts(&plan)
        plan.set("server/trusted_proxies", ["127.0.0.0/8", "10.0.0.0/24"])
    }
}
