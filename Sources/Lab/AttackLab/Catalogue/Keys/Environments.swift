internal import Foundation
internal import Jansson

extension Catalogue {
    static let environments = Section(.keys, .critical, needs: [.processes]).attacks(
        .attack(
            "KY-06a", "Environment variables name the attacker's proxy for all outgoing calls.",
            oracle: "The server ignores them: the sign-in reaches the provider, and the proxy receives nothing.",
            source: "libcurl; CVE-2016-5385"
        ) { context in
            let hostile = try context.standIns.addresses.hostile
            try await context.onOwnServer("proxy") { plan in
                for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
                    plan.environment[name] = hostile
                }
                plan.environment["no_proxy"] = ""
                plan.environment["NO_PROXY"] = ""
            } _: { target, _, _ in
                let mark = try await target.mark()
                let (code, flow) = try await target.handoff()
                try await target.honest(target.redeem(code, flow))
                try await target.expectCalls(["yahoo.token": 1], since: mark)
            }
        },
        .attack(
            "KY-06b",
            "Environment variables name a CA that vouches for an impostor of the provider's key server.",
            oracle: "The server does not trust the impostor or its keys, and writes no TLS secrets to a file.",
            source: "CURL_CA_BUNDLE, SSL_CERT_FILE, SSLKEYLOGFILE"
        ) { context in
            let impostor = try await Impostor(context)
            let keyLog = impostor.folder + "/key.log"
            try? FileManager.default.removeItem(atPath: keyLog)
            var plan = ServerPlan("ky-06b")
            plan.set("providers/yahoo.com/endpoints/jwks", .string(impostor.address + "/certs.json"))
            plan.environment = [
                "SSLKEYLOGFILE": keyLog, "CURL_CA_BUNDLE": impostor.certificate, "SSL_CERT_FILE": impostor.certificate,
                "SSL_CERT_DIR": impostor.folder, "CURL_SSL_BACKEND": "none", "OPENSSL_CONF": "/no/such/file",
            ]
            // The server is ready for the other providers.
            try await impostor.serve {
                try await context.withServer(plan) { server in
                    let target = context.on(server)
                    let request = try await target.genuine().request
                    await target.fire(
                        request,
                        expecting: Expectation(statuses: [502, 504], errors: ["temporarily_unavailable"]),
                        within: .seconds(15))
                    let readiness = await target.expectReadiness(200, of: server)
                    await target.expect(
                        readiness?.text.contains("yahoo.com") == true, .wrongAnswer,
                        "/readyz does not name the provider whose keys are unavailable.")
                }
            }
            await context.expect(
                !FileManager.default.fileExists(atPath: keyLog), .leaked, "SSLKEYLOGFILE was written.")
        },
        .attack(
            "KY-06c", "A .netrc in the home folder contains a password for the provider's host.", severity: .high,
            oracle: "The server ignores it and sends only its own Authorization fields.",
            source: "CVE-2024-11053; CVE-2025-0167; CVE-2026-3783"
        ) { context in
            let bed = try context.testBed
            let home = bed.folder + "/home"
            try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
            let canary = try await context.canary()
            for name in [".netrc", "_netrc", ".curlrc"] {
                let text =
                    name == ".curlrc" ? "user = \(canary):\(canary)\n" : "default login \(canary) password \(canary)\n"
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(home)/\(name)"))
            }
            let standIns = try context.standIns
            guard let keys = await Wire(base: standIns.addresses.yahoo).send(.get("/openid/v1/certs")).answer else {
                throw Inconclusive("Yahoo's stand-in has no keys.")
            }
            try await standIns.hostileAnswer("/certs", body: keys.text)
            try await context.onOwnServer("netrc") { plan in
                plan.environment = ["HOME": home, "NETRC": home + "/.netrc", "CURL_HOME": home]
                plan.set("providers/yahoo.com/endpoints/jwks", .string(standIns.addresses.hostile + "/certs"))
            } _: { target, _, _ in
                try await target.honest(try await target.genuine().request)
            }
            let seen = try await standIns.hostileRequests()
            guard !seen.isEmpty else { throw Inconclusive("The keys were not fetched.") }
            let fields = seen.map { String(decoding: $0.serialized(), as: UTF8.self).lowercased() }.joined()
            await context.expect(
                !fields.contains("authorization") && !fields.contains(canary), .leaked, "The password was sent.")
            // Here the configuration names this host.
            try await standIns.reset()
        },
    )
}

/// A TLS server with a self-signed certificate, which serves files.
private struct Impostor {
    let folder: String
    let address: String
    var certificate: String { folder + "/certificate.pem" }
    private let port: Int

    init(_ context: AttackContext) async throws {
        let bed = try context.testBed
        folder = bed.folder + "/impostor"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        port = try await bed.freePort()
        address = "https://localhost:\(port)"
        _ = try await context.openssl([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder + "/key.pem", "-out",
            folder + "/certificate.pem", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days",
            "2",
        ])
        guard let keys = await Wire(base: try context.standIns.addresses.yahoo).send(.get("/openid/v1/certs")).answer
        else { throw Inconclusive("Yahoo's stand-in has no keys.") }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(keys.body.count)\r\n\r\n"
        try Data(Array(head.utf8) + keys.body).write(to: URL(fileURLWithPath: folder + "/certs.json"))
    }

    func serve(_ work: () async throws -> Void) async throws {
        let child = try ChildProcess(
            "/bin/sh",
            [
                "-c",
                "cd \"$0\" && exec openssl s_server -accept \"$1\" -cert certificate.pem -key key.pem -HTTP -quiet",
                folder, "\(port)",
            ], log: folder + "/server.log")
        try await Task.sleep(for: .milliseconds(300))
        do {
            // A client that trusts its certificate must accept the connection, or the attack would show nothing.
            let reply = await Wire(base: address, caBundle: certificate).send(.get("/certs.json"), within: .seconds(5))
            guard reply.answer?.status == 200 else { throw Inconclusive("The impostor does not respond.") }
            try await work()
        } catch {
            child.send(9)
            throw error
        }
        child.send(9)
    }
}
