/// The run as JUnit's XML, for continuous integration: a suite for each stage, a case for each attack.
package enum JUnitReport {
    package static func text(_ report: Report) -> String {
        let tally = Tally(report.outcomes)
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
        lines.append(
            "<testsuites name=\"token-exchange-lab attack\" \(counts(tally, report.outcomes.count)) "
                + "time=\"\(seconds(report.duration))\">")
        for (stage, outcomes) in report.stages {
            let duration = outcomes.reduce(Duration.zero) { $0 + $1.duration }
            lines.append(
                "  <testsuite name=\"\(Markup.escape(stage.title))\" \(counts(Tally(outcomes), outcomes.count)) "
                    + "time=\"\(seconds(duration))\" timestamp=\"\(Markup.escape(report.startedAt))\">")
            lines += outcomes.map { testCase($0, in: stage) }
            lines.append("  </testsuite>")
        }
        return (lines + ["</testsuites>"]).joined(separator: "\n") + "\n"
    }

    private static func counts(_ tally: Tally, _ count: Int) -> String {
        "tests=\"\(count)\" failures=\"\(tally.broken)\" errors=\"\(tally.inconclusive)\" skipped=\"\(tally.notApplicable)\""
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = Int(duration / .milliseconds(1))
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    private static func testCase(_ outcome: Outcome, in stage: Stage) -> String {
        let attack = outcome.attack
        let name = Markup.escape("\(attack.id) \(attack.sentence)")
        let head =
            "    <testcase classname=\"attack.\(stage.rawValue)\" name=\"\(name)\" time=\"\(seconds(outcome.duration))\""
        let remarks = Markup.escape(outcome.remarks.joined(separator: "\n"))
        switch outcome.verdict {
        case .blocked: return head + "/>"
        case .broken:
            return head
                + "><failure type=\"\(attack.severity.rawValue)\" message=\"\(remarks)\">\(remarks)\n\(Markup.escape(outcome.transcript))</failure></testcase>"
        case .inconclusive: return head + "><error type=\"inconclusive\" message=\"\(remarks)\"/></testcase>"
        case .notApplicable: return head + "><skipped message=\"\(remarks)\"/></testcase>"
        }
    }
}
