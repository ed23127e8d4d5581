internal import Foundation
internal import Jansson

extension Catalogue {
    /// Environment variables and files that must not influence the server's outgoing calls.
    static let providerEnvironment = Section(.provider, .critical, needs: [.standIns, .processes]).attacks(
        .attack(
            "UP-17a", "Environment variables in every spelling name the attacker's host as proxy.",
            oracle: "The server ignores them: the sign-in succeeds without a request to that host.",
            source: "CURLOPT_PROXY; KY-06; CVE-2026-3783"
        ) { context in
            let hostile = try context.standIns.addresses.hostile
            var plan = ServerPlan("proxied-\(context.attack.id)")
            plan.sharesStore = true
            for name in ["http_proxy", "https_proxy", "all_proxy", "ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY"] {
                plan.environment[name] = hostile
            }
            plan.environment["no_proxy"] = ""
            plan.environment["NO_PROXY"] = ""
            try await context.signsIn(plan)
        },
        .attack(
            "UP-17b", "Environment variables name a key log, another CA bundle and a home with `.netrc` and `.curlrc`.",
            severity: .high,
            oracle: "The server ignores them: it writes no key log and sends no credential of `.netrc`.",
            source: "CURLOPT_NETRC; KY-06; CVE-2024-11053; CVE-2025-0167"
        ) { context in
            let home = try context.testBed.folder + "/home-of-\(context.attack.id)"
            try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
            let netrc = "machine 127.0.0.1 login attacker password attackers-password\n"
            for name in ["/.netrc", "/_netrc"] {
                try Data(netrc.utf8).write(to: URL(fileURLWithPath: home + name))
            }
            let curlrc = "proxy = \(try context.standIns.addresses.hostile)\nlocation\nnetrc\n"
            try Data(curlrc.utf8).write(to: URL(fileURLWithPath: home + "/.curlrc"))
            var plan = ServerPlan("homed-\(context.attack.id)")
            plan.sharesStore = true
            plan.environment = [
                "HOME": home, "CURL_HOME": home, "NETRC": home + "/.netrc", "SSLKEYLOGFILE": home + "/keys.log",
                "CURL_CA_BUNDLE": "/dev/null", "SSL_CERT_FILE": "/dev/null", "SSL_CERT_DIR": home,
                "OPENSSL_CONF": "/dev/null",
            ]
            let mark = try await context.mark()
            try await context.signsIn(plan)
            for request in try await context.standIns.requests(since: mark) {
                let endpoint = request["endpoint"]?.string ?? ""
                if endpoint == "yahoo.certs" || endpoint == "yahoo.discovery" {
                    await context.expect(
                        request["authorization"] == .null, .leaked, "\(endpoint) received a credential.")
                }
            }
            await context.expect(
                !FileManager.default.fileExists(atPath: home + "/keys.log"), .leaked, "A key log was written.")
        },
        .attack(
            "UP-17c", "Environment variables name Firebase's emulator.",
            oracle: "The server ignores them and signs custom tokens.", source: "CVE-2022-31105 (class); firebase-admin"
        ) { context in
            let hostile = try context.standIns.addresses.hostile
            var plan = ServerPlan("emulated-\(context.attack.id)")
            plan.sharesStore = true
            for name in [
                "FIREBASE_AUTH_EMULATOR_HOST", "GCE_METADATA_HOST", "METADATA_SERVER_DETECTION",
                "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "FIREBASE_CONFIG",
            ] { plan.environment[name] = String(hostile.dropFirst("http://".count)) }
            let answer = try await context.signsIn(plan)
            let header = (answer["custom_token"] ?? "").split(separator: ".").first
                .flatMap { Base64.urlDecode($0) }.flatMap { try? JSON.parse($0, maximumBytes: 4096) }
            await context.expect(header?["alg"]?.string == "RS256", .minted, "The custom token is not signed.")
        },
        .attack(
            "UP-19", "The request to the token endpoint is read byte by byte.", severity: .medium,
            oracle: "HTTP/1.1, one length, no cookie, no compression, no Referer; the secret only in its field.",
            source: "RFC 9110; RFC 9700 4.2.4; UP-04, UP-05"
        ) { context in
            let nonce = "nonce-for-\(context.attack.id)-0001"
            let good = try await context.goodTokens(nonce: nonce)
            let answer = String.head(
                length: good.utf8.count, "Set-Cookie: session=1; Path=/", "Set-Cookie: b=2",
                "Alt-Svc: h3=\":443\"; ma=9999", "Strict-Transport-Security: max-age=31536000", "Connection: keep-alive"
            )
            try await context.withTokenPeer({ _, _ in [.send(answer + good), .listen] }) { server, peer in
                let request = try context.crudeExchange(nonce: nonce)
                    .with("Cookie", "browser=1").with("Referer", "https://app.example/secret")
                    .with("Accept-Encoding", "gzip, br").with("X-Forwarded-For", "203.0.113.9")
                    .with("Traceparent", "00-canary").with("Origin", context.lab.application.origin)
                try await context.honest(request, at: server.wire)
                // The ID token is the same; only the second request to the peer matters.
                await context.fire(
                    try context.crudeExchange(nonce: nonce), expecting: .refused("replayed"), at: server.wire)
                await context.expect(peer.requests.count == 2, .sideEffect, "The peer did not receive two requests.")
                for request in peer.requests {
                    let head = request.lowercased().components("\r\n\r\n")[0]
                    let names = head.components("\r\n").dropFirst().map { String($0.prefix { $0 != ":" }) }
                    await context.expect(
                        head.hasPrefix("post /token http/1.1")
                            && names.sorted() == [
                                "accept", "accept-encoding", "authorization", "content-length", "content-type", "host",
                                "user-agent",
                            ], .leaked, "The peer receives \(names.sorted().joined(separator: ", ")).")
                    await context.expect(
                        head.contains("accept-encoding: identity\r\n"), .wrongAnswer,
                        "The server asks for a compressed answer.")
                    await context.expect(
                        !request.contains("client_secret=") && !head.contains("secret-of-ours"), .leaked,
                        "The secret is outside its field.")
                }
            }
        },
    )
}

extension AttackContext {
    /// Starts a server with this plan and signs a user in.
    @discardableResult fileprivate func signsIn(_ plan: ServerPlan) async throws -> Answer {
        let (token, _) = try await genuine(user: "carol")
        let yahoo = exchange(try await yahooCode(user: "carol"))
        let x = exchange(try await xCode(user: "carol"))
        var answer: Answer?
        try await withServer(plan) { server in
            try await honest(yahoo, at: server.wire)
            try await honest(x, at: server.wire)
            answer = try await honest(token, at: server.wire)
        }
        guard let answer else { throw Inconclusive("No user was signed in.") }
        return answer
    }
}
