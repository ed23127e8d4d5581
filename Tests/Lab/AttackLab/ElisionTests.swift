import Testing

@testable import AttackLab

@Suite("Secrets in reports")
struct ElisionTests {
    @Test("A known secret is shortened to its first letters in any position")
    func known() {
        let elide = Elision(secrets: ["hunter2-hunter2"])
        #expect(elide("a=hunter2-hunter2&b=1") == "a=hunt…&b=1")
    }

    @Test("A combining mark after the last letter of a secret does not prevent its elision")
    func combining() {
        #expect(Elision(secrets: ["hunter2-hunter2"])("hunter2-hunter2\u{301}") == "hunt…\u{301}")
    }

    @Test("The longer of two secrets is elided first, so that no part of it is left")
    func nested() {
        #expect(Elision(secrets: ["abcdefgh", "abcdefgh-ijklmnop"])("x abcdefgh-ijklmnop y") == "x abcd… y")
    }

    @Test("A text that has the length and form of a secret is elided too")
    func shapeless() {
        let token =
            "eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJhbGljZSIsImlzcyI6Imh0dHBzIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg12"
        #expect(Elision(secrets: [])("{\"id_token\":\"\(token)\"}") == "{\"id_token\":\"eyJh….eyJz….c2ln…\"}")
    }

    @Test("Ordinary words are not elided")
    func words() {
        let text = "Content-Type: application/json; no reason to cut anything"
        #expect(Elision(secrets: [])(text) == text)
    }

    @Test(
        "No report contains the secret of an attack",
        arguments: [Verdict.blocked, .broken([Finding(.minted, "It gave away s3cr3t-of-the-victim.")])])
    func reports(verdict: Verdict) {
        let report = Scripted.report(verdict)
        let texts = [
            HTMLReport.text(report), JSONReport.text(report), JUnitReport.text(report),
            SARIFReport.text(report, version: "1.0.0"), TerminalReport(hasColours: true).summary(report),
            TerminalReport(hasColours: false).alarm(report.outcomes[0]) ?? "",
        ]
        for text in texts { #expect(!text.contains("s3cr3t-of-the-victim")) }
    }
}
