internal import Jansson

/// The run as SARIF 2.1.0, for code-scanning services: a rule for each attack, a result for each that was not blocked.
package enum SARIFReport {
    /// - `version`: of `token-exchange`.
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

    /// Nil for what was blocked and what does not apply.
    private static func result(_ outcome: Outcome, number: Int, target: String) -> JSON? {
        let isBroken: Bool
        switch outcome.verdict {
        case .broken: isBroken = true
        case .inconclusive: isBroken = false
        case .blocked, .notApplicable: return nil
        }
        let text = ([outcome.attack.sentence] + outcome.remarks).joined(separator: " ")
        let endpoint = outcome.shots.last { $0.expectation != nil }.map {
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
