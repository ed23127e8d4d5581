@testable import AttackLab

/// Responses and outcomes that are made without a server.
enum Scripted {
    static func answer(_ status: Int, _ fields: [String: String], _ body: String) -> Answer {
        Answer(
            status: status, fields: fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) },
            body: Array(body.utf8), duration: .milliseconds(3))
    }

    static let attack = Attack(
        "XX-01", .idToken, .critical, "A <b>token</b> & \"more\" is posted.", oracle: "It is refused.",
        source: "RFC 0", reveals: [.audienceUnchecked]
    ) { _ in }

    /// An outcome with the given verdict, of one hostile request that contains the secret.
    static func outcome(_ verdict: Verdict) -> Outcome {
        let secret = "s3cr3t-of-the-victim"
        let finding = Finding(.minted, "The server gave away a token for \(secret).")
        let exchange = Exchange(
            request: .json("/v1/exchange", text: "{\"id_token\":\"\(secret)\"}"), base: "http://127.0.0.1:1",
            reply: .answer(answer(200, ["Content-Type": "application/json"], "{\"custom_token\":\"\(secret)\"}")),
            expectation: "400 invalid_grant", findings: verdict.isBroken ? [finding] : [])
        return Outcome(
            attack: attack, verdict: verdict, exchanges: [exchange], exchangeCount: 1,
            elision: Elision(secrets: [secret]),
            duration: .milliseconds(1250))
    }

    static func report(_ verdicts: Verdict...) -> Report {
        Report(
            mode: "sandbox", target: "http://127.0.0.1:1", startedAt: "2026-01-01T00:00:00Z", duration: .seconds(2),
            outcomes: verdicts.map { outcome($0) })
    }
}
