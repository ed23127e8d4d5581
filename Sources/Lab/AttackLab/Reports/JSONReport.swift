internal import Jansson

/// The run as JSON, for programs.
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
            "requests": .integer(Int64(outcome.shotCount)), "duration_seconds": .real(outcome.seconds),
            "shots": .array(outcome.shots.map { shot(ShotView($0, outcome.elision)) }),
        ]
    }

    private static func shot(_ view: ShotView) -> JSON {
        [
            "request": .string(view.request), "answer": .string(view.answer),
            "expected": view.expectation.map { .string($0) } ?? .null, "curl": view.curl.map { .string($0) } ?? .null,
            "findings": .array(view.findings.map { .string($0) }),
        ]
    }
}
