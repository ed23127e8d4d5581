/// The results of a run, from which all reports are written.
package struct Report: Sendable {
    /// The kind of target: `sandbox`, `target` or `naive`.
    package let mode: String
    /// The scheme, host and port of the server.
    package let target: String
    /// The start of the run (RFC 3339).
    package let startedAt: String
    package let duration: Duration
    package let outcomes: [Outcome]

    package init(mode: String, target: String, startedAt: String, duration: Duration, outcomes: [Outcome]) {
        self.mode = mode
        self.target = target
        self.startedAt = startedAt
        self.duration = duration
        self.outcomes = outcomes
    }

    /// Whether every attack that could be tried was blocked, and at least one was.
    package var isClean: Bool {
        let tally = Tally(outcomes)
        return tally.blocked > 0 && tally.broken == 0 && tally.inconclusive == 0
    }

    /// The outcomes by stage, in the order of the pipeline, without empty stages.
    var stages: [(stage: Stage, outcomes: [Outcome])] {
        Stage.allCases.compactMap { stage in
            let outcomes = outcomes.filter { $0.attack.stage == stage }
            return outcomes.isEmpty ? nil : (stage, outcomes)
        }
    }
}

/// The numbers of attacks by verdict.
package struct Tally: Sendable, Equatable {
    package private(set) var blocked = 0
    package private(set) var broken = 0
    package private(set) var inconclusive = 0
    package private(set) var notApplicable = 0

    package init(_ outcomes: [Outcome]) {
        for outcome in outcomes {
            switch outcome.verdict {
            case .blocked: blocked += 1
            case .broken: broken += 1
            case .inconclusive: inconclusive += 1
            case .notApplicable: notApplicable += 1
            }
        }
    }

    package var sentence: String {
        [
            "\(blocked) blocked", "\(broken) broken", "\(inconclusive) inconclusive",
            "\(notApplicable) not applicable here",
        ].joined(separator: ", ")
    }
}

/// The output of `--list` and `--explain`.
package enum Explanation {
    /// Returns one line for each attack.
    package static func list(_ attacks: [Attack]) -> String {
        let width = attacks.map(\.id.count).max() ?? 0
        return attacks.map { attack in
            let padding = String(repeating: " ", count: width - attack.id.count)
            return "\(attack.id)\(padding)  \(attack.severity.rawValue)  \(attack.sentence)\n"
        }.joined()
    }

    package static func text(_ attack: Attack) -> String {
        var parts = [
            ("attack", attack.id), ("stage", attack.stage.title), ("severity", attack.severity.rawValue),
            ("the attacker", attack.sentence), ("a correct server", attack.oracle), ("source", attack.source),
            ("needs", attack.needs.isEmpty ? "nothing" : attack.needs.map(\.rawValue).sorted().joined(separator: ", ")),
        ]
        parts += attack.reveals.sorted().map { ("finds", "\($0.rawValue): \($0.sentence)") }
        let width = parts.map(\.0.count).max() ?? 0
        return parts.map { name, value in
            name + String(repeating: " ", count: width - name.count) + "  " + value + "\n"
        }.joined()
    }
}

extension Outcome {
    /// The findings, or the reason why the attack was inconclusive; empty if it was blocked.
    var remarks: [String] {
        switch verdict {
        case .blocked: []
        case .broken(let findings): findings.map { elision("\($0.kind.rawValue): \($0.sentence)") }
        case .inconclusive(let sentence): [elision(sentence)]
        case .notApplicable(let needs): ["It needs " + needs.map(\.rawValue).sorted().joined(separator: ", ") + "."]
        }
    }

    var seconds: Double { duration / .seconds(1) }
}
