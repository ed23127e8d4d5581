import Foundation
import Jansson
import Testing

@testable import AttackLab

@Suite("Reports")
struct ReportTests {
    private let mixed = Scripted.report(
        .blocked, .broken([Finding(.minted, "A token was had.")]), .inconclusive("The stand-ins slept."),
        .notApplicable([.clock]))

    @Test("A report is clean only if every attack that could be tried was blocked")
    func clean() {
        #expect(Scripted.report(.blocked, .notApplicable([.clock])).isClean)
        #expect(!Scripted.report(.blocked, .broken([])).isClean)
        #expect(!Scripted.report(.blocked, .inconclusive("")).isClean)
        #expect(!Scripted.report(.notApplicable([.clock])).isClean)
        #expect(!Scripted.report().isClean)
    }

    @Test("JSON contains each attack with its verdict, and the totals")
    func json() throws {
        let json = try JSON.parse(Array(JSONReport.text(mixed).utf8), maximumBytes: 1 << 20)
        #expect(json["summary"]?["broken"]?.integer == 1)
        #expect(
            json["attacks"]?.array?.compactMap { $0["verdict"]?.string } == [
                "blocked", "broken", "inconclusive", "not applicable",
            ])
        #expect(json["attacks"]?.array?.first?["shots"]?.array?.first?["curl"]?.string?.hasPrefix("curl -si") == true)
    }

    @Test("JUnit counts failures, errors and skipped attacks, and escapes the sentences of attacks")
    func junit() throws {
        let text = JUnitReport.text(mixed)
        #expect(text.contains("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""))
        #expect(text.contains("A &lt;b&gt;token&lt;/b&gt; &amp; &quot;more&quot; is posted."))
        #expect(text.contains("time=\"1.250\""))
        #expect(!text.contains("<b>"))
    }

    @Test("SARIF has a rule for each attack, and a result for each that was not blocked")
    func sarif() throws {
        let json = try JSON.parse(Array(SARIFReport.text(mixed, version: "1.2.3").utf8), maximumBytes: 1 << 20)
        let run = try #require(json["runs"]?.array?.first)
        #expect(json["version"]?.string == "2.1.0")
        #expect(run["tool"]?["driver"]?["rules"]?.array?.count == 4)
        #expect(run["results"]?.array?.compactMap { $0["level"]?.string } == ["error", "note"])
    }

    @Test("The HTML page loads nothing and escapes the texts of attacks")
    func html() {
        let text = HTMLReport.text(mixed)
        #expect(!text.contains("<script") && !text.contains("src=") && !text.contains("@import"))
        #expect(!text.contains("<b>token"))
        #expect(text.contains("What was not blocked"))
        #expect(!HTMLReport.text(Scripted.report(.blocked)).contains("What was not blocked"))
    }

    @Test("The table has a line for each stage, and the last line states the result")
    func terminal() {
        let plain = TerminalReport(hasColours: false)
        #expect(plain.summary(mixed).contains("ID tokens"))
        #expect(plain.summary(mixed).hasSuffix("One attack succeeded.\n"))
        #expect(plain.summary(Scripted.report(.blocked)).hasSuffix("Every attack that could be tried was blocked.\n"))
        #expect(!plain.summary(mixed).contains("\u{1B}"))
        #expect(plain.alarm(Scripted.outcome(.blocked)) == nil)
    }

    @Test("The curl command of a request is quoted for a shell")
    func curl() {
        var request = Request("POST", "/v1/exchange?x='", fields: [("X-A", "it's")], body: Array("{'}".utf8))
        #expect(
            CurlCommand.text(request, base: "http://h")
                == #"curl -si --path-as-is -H 'X-A: it'\''s' --data-binary '{'\''}' 'http://h/v1/exchange?x='\'''"#)
        request.raw = [0]
        #expect(CurlCommand.text(request, base: "http://h") == nil)
    }
}
