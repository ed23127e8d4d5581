internal import Jansson

package enum JSONReport {
    package static func text(_ report: Report) -> String {
        let tally = Tally(report.outcomes)
        let json: JSON = [
            "tool": "token-exchange-lab attack", "mode": .string(report.mode), "target": .string(report.target),
            "started_at": .string(report.startedAt), "duration_seconds": .real(report.duration / .seconds(1)),
            "summary": [
                "blocked": .integer(Int64(tally.blocked)), "broken": .integer(Int64(tally.broken)),
                "inconclusive": .integer(Int64(tally.inconclusive)),
                "not_applicable": .integer(Int64(tally.notApplicable)),
            ],
            "attacks": .array(report.outcomes.map(attack)),
        ]
        return String(decoding: json.serialized(), as: UTF8.self) + "\n"
    }

    private static func attack(_ outcome: Outcome) -> JSON {
        let attack = outcome.attack
        return [
            "id": .string(attack.id), "stage": .string(attack.stage.rawValue),
            "severity": .string(attack.severity.rawValue), "sentence": .string(attack.sentence),
            "oracle": .string(attack.oracle), "source": .string(attack.source),
            "verdict": .string(outcome.verdict.word), "remarks": .array(outcome.remarks.map { .string($0) }),
            "reveals": .array(attack.reveals.sorted().map { .string($0.rawValue) }),
            "requests": .integer(Int64(outcome.exchangeCount)), "duration_seconds": .real(outcome.seconds),
            "shots": .array(outcome.exchanges.map { exchange(ExchangeView($0, outcome.elision)) }),
        ]
    }

    private static func exchange(_ view: ExchangeView) -> JSON {
        [
            "request": .string(view.request), "answer": .string(view.answer),
            "expected": view.expectation.map { .string($0) } ?? .null, "curl": view.curl.map { .string($0) } ?? .null,
            "findings": .array(view.findings.map { .string($0) }),
        ]
    }
}

/// The report in JUnit's XML, for continuous integration: a suite for each stage, a case for each attack.
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

/// The report as SARIF 2.1.0, for code-scanning services: a rule for each attack, a result for each that was not blocked.
package enum SARIFReport {
    /// Returns the report; `version` is that of `token-exchange`.
    package static func text(_ report: Report, version: String) -> String {
        let json: JSON = [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
            "runs": [
                [
                    "tool": [
                        "driver": [
                            "name": "token-exchange-lab attack", "semanticVersion": .string(version),
                            "rules": .array(report.outcomes.map(rule)),
                        ]
                    ],
                    "results": .array(
                        report.outcomes.enumerated().compactMap { result($1, number: $0, target: report.target) }),
                    "invocations": [
                        ["executionSuccessful": true, "startTimeUtc": .string(report.startedAt)]
                    ],
                ]
            ],
        ]
        return String(decoding: json.serialized(), as: UTF8.self) + "\n"
    }

    private static func rule(_ outcome: Outcome) -> JSON {
        let attack = outcome.attack
        return [
            "id": .string(attack.id), "shortDescription": ["text": .string(attack.sentence)],
            "fullDescription": ["text": .string("A correct server: " + attack.oracle)],
            "help": ["text": .string("Source: " + attack.source)],
            "defaultConfiguration": ["level": .string(level(attack.severity))],
            "properties": [
                "tags": ["security", .string(attack.stage.rawValue)],
                "security-severity": .string(score(attack.severity)),
            ],
        ]
    }

    /// Returns the result; `nil` if the attack was blocked or does not apply.
    private static func result(_ outcome: Outcome, number: Int, target: String) -> JSON? {
        let isBroken: Bool
        switch outcome.verdict {
        case .broken: isBroken = true
        case .inconclusive: isBroken = false
        case .blocked, .notApplicable: return nil
        }
        let text = ([outcome.attack.sentence] + outcome.remarks).joined(separator: " ")
        let endpoint = outcome.exchanges.last { $0.expectation != nil }.map {
            "\($0.request.method) \($0.request.target.prefix { $0 != "?" })"
        }
        return [
            "ruleId": .string(outcome.attack.id), "ruleIndex": .integer(Int64(number)),
            "level": .string(isBroken ? level(outcome.attack.severity) : "note"),
            "kind": .string(isBroken ? "fail" : "open"), "message": ["text": .string(text)],
            "locations": [
                [
                    "physicalLocation": ["artifactLocation": ["uri": .string(target)]],
                    "logicalLocations": [
                        ["fullyQualifiedName": .string(endpoint ?? target), "kind": "function"]
                    ],
                ]
            ],
            "partialFingerprints": ["attack/v1": .string(outcome.attack.id)],
        ]
    }

    private static func level(_ severity: Severity) -> String { severity >= .high ? "error" : "warning" }

    private static func score(_ severity: Severity) -> String {
        switch severity {
        case .low: "3.0"
        case .medium: "5.5"
        case .high: "8.0"
        case .critical: "9.5"
        }
    }
}
