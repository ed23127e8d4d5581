/// What became of a run, for all who want to know.
package struct Report: Sendable {
    /// `sandbox`, `target` or `naive`.
    package let mode: String
    /// Scheme, host and port of the server.
    package let target: String
    /// RFC 3339.
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

    /// The outcomes of each stage that has any, in the order of the pipeline.
    var stages: [(stage: Stage, outcomes: [Outcome])] {
        Stage.allCases.compactMap { stage in
            let outcomes = outcomes.filter { $0.attack.stage == stage }
            return outcomes.isEmpty ? nil : (stage, outcomes)
        }
    }
}
