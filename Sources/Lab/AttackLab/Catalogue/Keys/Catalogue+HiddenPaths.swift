extension Catalogue {
    static let hiddenPaths = Section(.keys, .high, needs: []).attacks(
        .sweep(
            "KY-02a", "Files and pages that should not be there are asked for by their usual names.",
            oracle: "404 for all.", source: "practice", reveals: [.debugPage],
            over: [
                "/.env", "/config", "/config.yaml", "/token-exchange.yaml", "/serviceAccount.json",
                "/service-account.json", "/debug", "/debug/config", "/debug/pprof", "/debug/vars", "/actuator",
                "/actuator/env", "/metrics", "/swagger", "/swagger-ui.html", "/graphql", "/admin", "/.git/config",
                "/.git/HEAD", "/server-status", "/phpinfo.php", "/wp-login.php", "/backup.sql", "/server.db",
                "/console", "/trace", "/env", "/id_rsa", "/.aws/credentials", "/WEB-INF/web.xml", "/robots.txt",
                "/crossdomain.xml", "/test", "/status",
            ]
        ) { strike, path in
            await strike.fire(.get(path), expecting: .status(404))
        },
        .sweep(
            "KY-02b", "Files outside are reached for by paths with dots, encoded in all ways.",
            oracle: "404 or 400 for all.", source: "CWE-22",
            over: [
                "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/%252e%252e/etc/passwd",
                "/..;/..;/etc/passwd", "/....//....//etc/passwd", "/..\\..\\etc\\passwd", "/%c0%ae%c0%ae/etc/passwd",
                "/.well-known/../../service-account.json", "/.well-known/..%2f..%2fservice-account.json",
                "/callback/../../etc/passwd", "//etc/passwd", "/file:///etc/passwd", "/.//.env", "/static/../.env",
            ]
        ) { strike, path in
            await strike.fire(.get(path), expecting: .status(400, 404).orClosed)
        },
        .attack(
            "KY-02c", "Metadata and the description of the interface are read for what they give away.",
            severity: .medium, oracle: "No secret, no path, no internal host in them.", source: "CWE-200",
            needs: [.processes]
        ) { strike in
            let standIns = try strike.standIns.addresses
            for target in ["/.well-known/oauth-authorization-server", "/openapi.json"] {
                let text = try await strike.honest(.get(target)).text
                for sign in [standIns.google, standIns.yahoo, "secret-of-ours", "service-account", ".db", "seal_key"] {
                    await strike.expect(!text.contains(sign), .leaked, "\(target) tells of \(sign).")
                }
            }
        },
    )
}
