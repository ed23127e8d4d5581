import Testing

@testable import AttackLab

@Suite("Expectations of responses")
struct ExpectationTests {
    private let refusal = Scripted.answer(
        400, ["Content-Type": "application/json"], #"{"error":"invalid_grant","reason":"replayed"}"#)

    @Test("The expected refusal is no finding")
    func right() {
        #expect(Expectation.refused("replayed").finding(refusal) == nil)
        #expect(Expectation.refused().finding(refusal) == nil)
        #expect(Expectation.refused("expired", "replayed").finding(refusal) == nil)
    }

    @Test("Another reason, another error and another status are each a wrong answer")
    func wrong() {
        #expect(Expectation.refused("expired").finding(refusal)?.kind == .wrongAnswer)
        #expect(Expectation.malformed("replayed").finding(refusal)?.kind == .wrongAnswer)
        #expect(Expectation.refused("replayed", status: 401).finding(refusal)?.kind == .wrongAnswer)
    }

    @Test("A refusal without a reason is a wrong answer")
    func noReason() {
        let bare = Scripted.answer(400, [:], #"{"error":"invalid_grant"}"#)
        #expect(Expectation.refused("replayed").finding(bare)?.kind == .wrongAnswer)
    }

    @Test(
        "A token in the response is a finding with any expected status",
        arguments: ["custom_token", "firebase_id_token", "access_token"])
    func minted(member: String) {
        let answer = Scripted.answer(200, [:], "{\"\(member)\":\"eyJ\"}")
        #expect(Expectation.refused().finding(answer)?.kind == .minted)
        #expect(Expectation.status(200).finding(answer)?.kind == .minted)
    }

    @Test("A handoff code in a redirect is a finding, and a redirect to the provider is not")
    func handoff() {
        let handoff = Scripted.answer(303, ["Location": "https://app.example/cb?state=s&code=c"], "")
        #expect(Expectation.status(303).finding(handoff)?.kind == .minted)
        let outward = Scripted.answer(303, ["Location": "https://op.example/auth?client_id=c&code=not"], "")
        #expect(Expectation.status(303).finding(outward) == nil)
    }

    @Test("An expected page is HTML and not a redirect")
    func page() {
        let page = Scripted.answer(400, ["Content-Type": "text/html; charset=utf-8"], "<p>No</p>")
        #expect(Expectation.page().finding(page) == nil)
        let redirect = Scripted.answer(400, ["Content-Type": "text/html", "Location": "https://evil.example"], "")
        #expect(Expectation.page().finding(redirect)?.kind == .wrongAnswer)
        #expect(Expectation.page().finding(refusal)?.kind == .wrongAnswer)
    }

    @Test("If two expectations are combined, one of them must be met")
    func either() {
        let both = Expectation.refused("expired").or(.malformed("missing_field"))
        #expect(
            both.finding(Scripted.answer(400, [:], #"{"error":"invalid_request","reason":"missing_field"}"#)) == nil)
        #expect(both.finding(refusal)?.kind == .wrongAnswer)
    }

    @Test("Only a verdict that the machine may have caused is tried again")
    func doubt() {
        #expect(Verdict.inconclusive("").isDoubtful)
        #expect(Verdict.broken([Finding(.slow, "")]).isDoubtful)
        #expect(!Verdict.broken([Finding(.slow, ""), Finding(.minted, "")]).isDoubtful)
        #expect(!Verdict.blocked.isDoubtful && !Verdict.notApplicable([]).isDoubtful)
    }

    @Test("A response that discloses internals of the server is recognised by its words")
    func disclosure() {
        #expect(Disclosure.sign(in: #"{"error":"server_error"}"#) == nil)
        #expect(Disclosure.sign(in: "Fatal error: Index out of range") != nil)
        #expect(Disclosure.sign(in: "near \"x\": syntax error, SQLITE_ERROR") != nil)
    }
}
