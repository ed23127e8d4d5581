internal import Foundation
internal import Jansson

extension Catalogue {
    static let dumps = Section(.keys, .critical, needs: [.processes, .standIns, .browserFlow]).attacks(
        .attack(
            "KY-05a", "The attacker reads the bytes of the store during sign-ins and after them.",
            oracle: "The store contains no code, nonce, session, cookie, verifier or provider token, encoded or raw.",
            source: "RFC 6819 4.4.1.2, 5.1.4.1"
        ) { context in
            try await context.onOwnServer("dump") { target, server, _ in
                let (request, issued) = try await target.genuine()
                let signedIn = try await target.honest(request)
                let (code, flow) = try await target.handoff(user: "carol")
                let waiting = try await target.handoff(user: "kobayashi")
                let device = try await target.honest(
                    .form("/device_authorization", [("client_id", target.lab.application.clientID)]))
                var secrets = [
                    "ID token": issued["id_token"]?.string, "access token": issued["access_token"]?.string,
                    "handoff code": waiting.code, "code verifier": waiting.flow.codeVerifier,
                    "state": waiting.flow.providerState, "device code": device["device_code"],
                    "user code": device["user_code"],
                    "user code without hyphen": device["user_code"]?.replacing("-", with: ""),
                    "cookie": try await target.flowCookie(waiting.flow).value,
                ]
                var during = try target.database(of: server)
                let redeemed = try await target.honest(target.redeem(code, flow))
                secrets["spent code"] = code
                secrets["custom token"] = redeemed["access_token"]
                for name in ["access_token", "refresh_token", "id_token"] {
                    secrets["provider's \(name)"] = redeemed.json?["oauth"]?[name]?.string
                }
                during += try target.database(of: server)
                // If the store lacks these public values too, nothing was read.
                guard let uid = signedIn["uid"], during.range(of: Data(uid.utf8)) != nil else {
                    throw Inconclusive("The store could not be read.")
                }
                for (name, secret) in secrets.sorted(by: { $0.key < $1.key }) {
                    guard let secret, secret.utf8.count >= 8 else { throw Inconclusive("There was no \(name).") }
                    await target.expectAbsent(secret, name, in: during)
                }
            }
        },
        .attack(
            "KY-05b",
            "A copy of the store is used with another store key, and with the seal key as store key.",
            oracle: "The contents of the store are useless without the store keys.", source: "RFC 6819 5.1.4.1",
            needs: [.processes, .browserFlow]
        ) { context in
            try await context.onOwnServer("first") { target, server, bed in
                let (code, flow) = try await target.handoff()
                let other: JSON = ["c2Vjb25kLXNlYWwta2V5LW9mLWFub3RoZXItc2VydmU"]
                // The seal key must not open stored values.
                let own: JSON = [.string(BaseConfiguration.sealKey)]
                for (number, keys) in [(other, own), (own, other)].enumerated() {
                    var plan = ServerPlan("ky-05b-\(number)")
                    plan.set("server/public_url", .string(context.lab.server.base))
                    plan.set("store", .string("sqlite://\(bed.folder)/\(server.name).db"))
                    plan.set("store_keys", keys.0)
                    plan.set("seal_keys", keys.1)
                    try await context.withServer(plan) { other in
                        await context.fire(
                            target.redeem(code, flow),
                            expecting: .refused(), at: other.wire)
                    }
                }
            }
        },
        .attack(
            "KY-13", "`config check` is run, which prints the configuration.", severity: .high,
            oracle: "The output contains no secret.", source: "CWE-532", needs: [.processes]
        ) { context in
            try await context.onOwnServer("shown") { _, server, bed in
                guard let path = server.arguments.last else { throw Inconclusive("There is no configuration.") }
                let (code, output) = try await bed.run(["config", "check", "--config", path])
                await context.expect(
                    code == 0, .wrongAnswer, "config check exited with \(code.map(String.init) ?? "nothing").")
                let key = try context.serviceAccount["private_key"]?.string?.split(separator: "\n").dropFirst().first
                for secret in [
                    "sandbox-yahoo-secret-of-ours", "sandbox-x-client-secret-of-ours",
                    "sandbox-x-consumer-secret-of-ours",
                    BaseConfiguration.sealKey, BaseConfiguration.storeKey, "sandbox-api-key",
                    key.map(String.init) ?? "-----BEGIN",
                ] {
                    await context.expect(!output.contains(secret), .leaked, "config check prints \(secret.prefix(8))….")
                    await context.expect(
                        !server.log.text(since: 0).contains(secret), .leaked, "The log contains \(secret.prefix(8))….")
                }
            }
        },
    )
}

extension AttackContext {
    /// Expects that the store does not contain the secret as text, in hexadecimal, or as decoded base64url.
    fileprivate func expectAbsent(_ secret: String, _ name: String, in bytes: Data) async {
        await expect(bytes.range(of: Data(secret.utf8)) == nil, .leaked, "The store contains the \(name).")
        let last = secret.split(separator: ".").last.map(String.init) ?? secret
        if let raw = Base64.urlDecode(last), raw.count >= 12 {
            await expect(bytes.range(of: Data(raw)) == nil, .leaked, "The store contains the bytes of the \(name).")
            await expect(
                bytes.range(of: Data(Base16.encode(raw).utf8)) == nil, .leaked,
                "The store contains the \(name) in hexadecimal.")
        }
    }
}

extension Catalogue {
    static let hiddenPaths = Section(.keys, .high, needs: []).attacks(
        .sweep(
            "KY-02a", "Common names of secret files and debug pages are requested.",
            oracle: "The server responds with 404 to all.", source: "practice", reveals: [.debugPage],
            over: [
                "/.env", "/config", "/config.yaml", "/token-exchange.yaml", "/serviceAccount.json",
                "/service-account.json", "/debug", "/debug/config", "/debug/pprof", "/debug/vars", "/actuator",
                "/actuator/env", "/metrics", "/swagger", "/swagger-ui.html", "/graphql", "/admin", "/.git/config",
                "/.git/HEAD", "/server-status", "/phpinfo.php", "/wp-login.php", "/backup.sql", "/server.db",
                "/console", "/trace", "/env", "/id_rsa", "/.aws/credentials", "/WEB-INF/web.xml", "/robots.txt",
                "/crossdomain.xml", "/test", "/status",
            ]
        ) { context, path in
            await context.fire(.get(path), expecting: .status(404))
        },
        .sweep(
            "KY-02b", "Files outside the server's paths are requested with dot segments in many encodings.",
            oracle: "The server responds with 404 or 400 to all.", source: "CWE-22",
            over: [
                "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/%252e%252e/etc/passwd",
                "/..;/..;/etc/passwd", "/....//....//etc/passwd", "/..\\..\\etc\\passwd", "/%c0%ae%c0%ae/etc/passwd",
                "/.well-known/../../service-account.json", "/.well-known/..%2f..%2fservice-account.json",
                "/callback/../../etc/passwd", "//etc/passwd", "/file:///etc/passwd", "/.//.env", "/static/../.env",
            ]
        ) { context, path in
            await context.fire(.get(path), expecting: .status(400, 404).orClosed)
        },
        .attack(
            "KY-02c", "The metadata and the API description are searched for internal details.",
            severity: .medium, oracle: "They contain no secret, no path and no internal host.", source: "CWE-200",
            needs: [.processes]
        ) { context in
            let standIns = try context.standIns.addresses
            for target in ["/.well-known/oauth-authorization-server", "/openapi.json"] {
                let text = try await context.honest(.get(target)).text
                for sign in [standIns.google, standIns.yahoo, "secret-of-ours", "service-account", ".db", "seal_key"] {
                    await context.expect(!text.contains(sign), .leaked, "\(target) contains \(sign).")
                }
            }
        },
    )
}
