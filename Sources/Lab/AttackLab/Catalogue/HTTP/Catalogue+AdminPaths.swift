extension Catalogue {
    static let adminPaths = Section(.http, .medium, needs: [.admin]).attacks(
        .attack(
            "HT-21a", "The admin listener is asked for other paths, with other methods and large bodies.",
            oracle: "404 and 405; healthy answers tell no version and no host.", source: "CVE-2026-34457"
        ) { strike in
            let admin = try strike.lab.needed(strike.lab.admin, "admin listeners")
            for path in ["/", "/livez", "/health", "/readyz/", "/readyz?a=b", "/debug/pprof", "/metrics/", "/v1/nonce"]
            {
                await strike.fire(.get(path), expecting: .status(404), at: admin)
            }
            for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"] {
                await strike.fire(Request(method, "/readyz"), expecting: .status(405), at: admin)
            }
            let large = Request("GET", "/healthz", body: Array(repeating: 0x61, count: 100_000))
            await strike.fire(
                large.with("Content-Length", "100000"), expecting: .status(200, 400, 413).orClosed, at: admin)
            for (path, text) in [("/healthz", #"{"status":"ok"}"#), ("/readyz", #"{"status":"ready"}"#)] {
                let answer = await strike.fire(.get(path), expecting: .status(200), at: admin).answer
                await strike.expect(answer?.text == text, .leaked, "\(path) tells more than it must.")
            }
        },
        .sweep(
            "HT-21b", "What is for the admin listener is asked of the public one, as a known prober.",
            oracle: "404: no agent and no field opens a door.", source: "CVE-2026-34457",
            over: ["kube-probe/1.30", "ELB-HealthChecker/2.0", "GoogleHC/1.0", "Prometheus/2.0"]
        ) { strike, agent in
            for path in ["/healthz", "/readyz", "/metrics"] {
                await strike.fire(.get(path).with("User-Agent", agent), expecting: .status(404))
            }
            await strike.fire(
                .json("/v1/exchange", text: "{}").with("User-Agent", agent), expecting: .malformed("missing_field"))
        },
    )
}
