import Flows
import Jansson
import Testing
import Transport

@Suite("Secrets of account calls", .serialized, .timeLimit(.minutes(5)))
struct AccountLogTests {
    @Test("LG-01: no token, code, address or credential is in a log line, an audit line or a metric")
    func secrets() async throws {
        let trail = Trail()
        let plan = Plan.with {
            $0.audit = trail.audit
            $0.returnsProviderTokens = true
            $0.appCheck = .log(apps: [])
        }
        try await Street.open(plan) { street in
            let (alice, bjorn) = (try await street.atYahoo(), try await street.atX())
            let appCheck = try await street.standIns.appCheckToken("1:1:web:secret")
            var secrets = [alice.idToken, bjorn.idToken, appCheck]
            var visitor = Visitor(street)
            let handoff = try await LinkFlowTests.go(
                &visitor, try await LinkFlowTests.push(alice), as: "carol")
            let bodies: [(String, JSON)] = [
                ("link", try await street.xCodeBody(user: "bjorn")), ("link", try await street.tokenPairBody()),
                ("link", LinkFlowTests.handoff(handoff)), ("reauthenticate", try await street.idTokenBody()),
                ("reauthenticate", try await street.callbackBody()),
                ("unlink", ["provider": "nobody@example.com"]), ("unlink", ["provider": "twitter.com"]),
                ("merge", ["client_id": "my-app", "from_id_token": .string(bjorn.idToken)]),
                ("merge", ["client_id": "my-app", "pending_credential": "pending-hush"]),
                ("signout", ["provider": "yahoo.com", "token": "token-hush"]),
                ("signout", ["client_id": "client-hush"]),
            ]
            for (name, body) in bodies {
                let answer = try await alice.post(
                    "/v1/account/\(name)", body, header: [HeaderField("X-Firebase-AppCheck", appCheck)])
                let sent = (body["credential"]?.object ?? [:]).filter { !["type", "redirect_uri"].contains($0.key) }
                secrets += sent.values.compactMap(\.string)
                for member in ["custom_token", "pending_credential"] {
                    secrets += [answer.json?[member]?.string].compactMap(\.self)
                }
                secrets += (answer.json?["oauth"]?.object ?? [:]).filter { !["scope"].contains($0.key) }
                    .values.compactMap(\.string)
            }
            _ = try await alice.ask("GET", "/v1/account?client_id=query-hush")
            _ = try await alice.ask("DELETE", "/v1/account")
            #expect(secrets.count > 15)
            let metrics = try await street.get("/metrics", admin: true).text
            for text in [street.log.text, trail.text, metrics] {
                #expect(text.contains("/v1/account/link"))
                for secret in secrets + ["hush", "@", "Alice", "Example", "com.example.app:"] {
                    #expect(!text.contains(secret), "\(secret)")
                }
            }
        }
    }
}
