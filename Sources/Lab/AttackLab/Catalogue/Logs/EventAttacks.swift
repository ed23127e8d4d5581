internal import Jansson
internal import OpenSSL

/// Audit lines, metrics and redirects after attacks.
enum EventAttacks {
    static let all = Section(.logs, .medium, needs: [.standIns, .logs, .admin]).attacks(
        .attack(
            "LG-04", "Five replays are posted, and the audit and the metrics are read.",
            oracle:
                "The server counts each and writes an audit line with reason, application, provider and request id.",
            source: "goiabada #77"
        ) { context in
            let log = try context.lab.needed(context.lab.log, "log")
            let admin = try context.lab.needed(context.lab.admin, "admin listener")
            let genuine = try await context.genuine()
            try await context.honest(genuine.request)
            let (before, start) = (try await replays(admin), log.end)
            var ids: Set<String> = []
            for _ in 0..<5 {
                let reply = await context.fire(genuine.request, expecting: .refused("replayed"))
                ids.insert(reply.answer?["request_id"] ?? "")
            }
            let after = try await replays(admin)
            await context.expect(
                after - before == 5, .wrongAnswer, "The counter of replays increased by \(after - before).")
            try await Task.sleep(for: .milliseconds(100))
            let lines = log.text(since: start).split(separator: "\n").compactMap { line in
                try? JSON.parse(Array(line.drop { $0 != "{" }.utf8))
            }.filter { $0["audit"] == "refusal" && $0["reason"] == "replayed" }
            await context.expect(
                Set(lines.compactMap { $0["request_id"]?.string }) == ids && lines.count == 5, .wrongAnswer,
                "\(lines.count) audit lines report 5 blocked replays.")
            for line in lines {
                await context.expect(
                    line["client"]?.string == context.lab.application.clientID
                        && line["provider"]?.string == context.lab.application.provider
                        && line["endpoint"] == "/v1/exchange", .wrongAnswer,
                    "An audit line lacks the client or the endpoint."
                )
            }
        },
        .attack(
            "LG-05", "The URLs of a browser flow are read, with the headers that protect them.",
            severity: .high,
            oracle: "The server puts no token in a URL, and sends `no-referrer` and `no-store` at each step.",
            source: "RFC 9700 4.2-4.3", needs: [.standIns, .browserFlow], reveals: [.tokenInURL, .bareHeaders]
        ) { context in
            let verifier = Base64.urlEncode(try SecureRandom.bytes(32))
            let browser = Browser()
            let begun = try await context.honest(context.authorize(verifier: verifier, state: "s"), status: 303)
            await browser.take(begun)
            let url = try await context.standIns.decide(at: begun.field("location") ?? "")
            let back = try await context.honest(
                await context.callback(AttackContext.target(of: url), in: browser), status: 303)
            for answer in [begun, back] {
                await context.expect(
                    answer.field("referrer-policy") == "no-referrer" && answer.field("cache-control") == "no-store",
                    .unprotected, "A redirect sends a referrer, or may be cached.")
            }
            let location = back.field("location") ?? ""
            let names = PercentEncoding.query(of: location).map(\.name).sorted()
            await context.expect(
                names == ["code", "iss", "state"] && !location.contains("#"), .leaked,
                "The redirect to the application contains \(names).")
            await context.expect(
                !location.contains("eyJ"), .leaked, "The redirect to the application contains a token.")
        },
        .attack(
            "LG-09", "Thirty unknown paths, methods and providers each are sent.", severity: .low,
            oracle: "The server adds no lines to the metrics for them.", source: "cardinality; CWE-770",
            needs: [.standIns, .admin, .bulk]
        ) { context in
            let admin = try context.lab.needed(context.lab.admin, "admin listener")
            func send(_ number: Int) async {
                await context.fire(.get("/x\(number)"), expecting: .status(404))
                await context.fire(Request("M\(number)", "/v1/exchange"), expecting: .status(400, 405))
                await context.fire(.get("/callback/p\(number)?state=s"), expecting: .status(400, 404))
            }
            await send(0)
            let before = try await series(admin)
            for number in 1...30 { await send(number) }
            let added = try await series(admin).subtracting(before).sorted()
            // Other work of the server, such as the end of an earlier attack, may add a few meanwhile.
            await context.expect(
                !before.isEmpty && added.count < 30, .wrongAnswer,
                "The metrics have new series: \(added.joined(separator: ", ")).")
        },
    )

    /// Returns the names of the current metrics, with their labels.
    private static func series(_ admin: Wire) async throws -> Set<Substring> {
        Set(try await freshMetrics(admin).split(separator: "\n").compactMap { $0.split(separator: " ").first })
    }

    /// Returns current metrics.
    ///
    /// The server caches them for one second.
    static func freshMetrics(_ admin: Wire) async throws -> String {
        try await Task.sleep(for: .milliseconds(1100))
        return await admin.send(.get("/metrics")).answer?.text ?? ""
    }

    /// Returns the number of replays at `/v1/exchange` in the metrics.
    private static func replays(_ admin: Wire) async throws -> Int {
        let text = try await freshMetrics(admin)
        let line = text.split(separator: "\n").first {
            $0.contains("endpoint=\"/v1/exchange\"") && $0.contains("reason=\"replayed\"")
        }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
}
