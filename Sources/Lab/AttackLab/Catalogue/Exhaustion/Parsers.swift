extension Catalogue {
    static let parsers = Section(.exhaustion, .medium, needs: [.processes, .bulk]).attacks(
        .attack(
            "RX-09", "Requests flood the log with long values, line feeds and terminal escapes.",
            oracle: "The server writes one line of bounded length per event, without the input.",
            source: "CWE-117; log injection"
        ) { context in
            try await context.onOwnServer("flooded") { target, server, _ in
                let canary = try await target.canary()
                let start = server.log.end
                let long = String(repeating: "A", count: 4000)
                for number in 0..<60 {
                    let text = ["\\n2030-01-01 critical \(canary)", "\\u001b[31m\(canary)", "\(canary)\(long)"][
                        number % 3]
                    _ = await target.lab.server.send(
                        .json("/v1/nonce", text: #"{"client_id":"\#(text)","provider":"\#(text)"}"#),
                        from: target.source
                    )
                    _ = await target.lab.server.send(
                        .get("/\(canary)%0a%0d%1b[31m").with("User-Agent", "\(canary)\u{1B}[31m"), from: target.source)
                }
                let text = server.log.text(since: start)
                let lines = text.split(separator: "\n")
                await context.expect(
                    !text.contains("\u{1B}") && !text.contains(canary), .leaked,
                    "The log contains text from the requests.")
                await context.expect(
                    lines.count <= 360, .slow, "120 requests wrote \(lines.count) lines into the log.")
                await context.expect(
                    lines.allSatisfy { $0.utf8.count < 1000 }, .slow, "A line of the log is longer than 1000 bytes.")
            }
        },
        .attack(
            "RX-11", "A hundred and fifty connections send cookies of 60 KB each.", severity: .high,
            oracle: "The server responds with 431 or 400, and its memory stays bounded.",
            source: "swift-nio's default of 80 KB"
        ) { context in
            try await context.onOwnServer("cookies") { target, server, bed in
                let limits = try await ProcessLimits(of: server, in: bed)
                let request = Request.get("/authorize").with("Cookie", "a=" + String(repeating: "b", count: 60_000))
                _ = await target.count(Array(repeating: request, count: 50))
                let before = try limits.memory
                let counts = await target.count(Array(repeating: request, count: 300), atOnce: 150)
                await context.expect(
                    counts.keys.allSatisfy { $0.hasPrefix("4") || $0 == "nothing" }, .wrongAnswer,
                    "The responses were \(counts).")
                let grown = try limits.memory - before
                await context.expect(grown < 48 << 20, .slow, "The server grew by \(grown >> 20) MB.")
            }
        },
        .attack(
            "RX-12", "Bodies with thousands of members with similar names are posted.",
            oracle: "The server refuses each within seconds: it hashes names with a random seed.",
            source: "CVE-2013-6401",
            needs: [.bulk]
        ) { context in
            let members = (0..<5500).map { "\"\(String(10_000 + $0))\":0" }.joined(separator: ",")
            let form = (0..<5500).map { "\(10_000 + $0)=" }.joined(separator: "&")
            for _ in 0..<5 {
                await context.fire(
                    .json("/v1/nonce", text: "{\(members)}"), expecting: .malformed("unknown_field", "malformed_body"),
                    within: .seconds(4))
                var request = Request.form("/token", [])
                request.body = Array(form.utf8)
                await context.fire(
                    request, expecting: .malformed("malformed_body", "missing_field"), within: .seconds(4))
            }
        },
        .attack(
            "RX-13", "Scopes, redirect URIs, user codes and tokens are built to make matching slow.",
            oracle: "The server refuses each within seconds.", source: "CVE-2022-36087; CWE-1333",
            needs: [.bulk, .browserFlow]
        ) { context in
            let texts = [
                String(repeating: "a ", count: 1500), String(repeating: "a", count: 3000) + "!",
                String(repeating: "%61", count: 1500), "https://" + String(repeating: "a.", count: 1500) + "example/cb",
                "https://" + String(repeating: "@", count: 2000), String(repeating: "-", count: 3000),
                "http://[" + String(repeating: ":", count: 2000) + "]/cb", String(repeating: ".", count: 3000),
            ]
            for text in texts {
                for name in ["scope", "redirect_uri", "login_hint", "state"] {
                    let query = PercentEncoding.form([
                        ("response_type", "code"), ("client_id", "unknown-client"), (name, text),
                    ])
                    await context.fire(
                        .get("/authorize?" + query), expecting: .page(400).or(.page(414)), within: .seconds(4))
                }
                await context.fire(
                    context.exchange(idToken: text, nonce: "a-nonce-of-mine"), expecting: .status(400),
                    within: .seconds(4))
            }
        },
    )
}
