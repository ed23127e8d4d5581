internal import AttackLab
internal import Foundation

/// One round against the naive backend, with one set of mistakes.
struct NaiveRound {
    let bed: TestBed
    let mistakes: Set<Mistake>
    let attacks: [Attack]
    let lane: Int

    func run() async throws -> Result {
        let lab = try await bed.startNaive(mistakes: mistakes)
        let begin = ContinuousClock.now
        let startedAt = Date().formatted(.iso8601)
        let outcomes = await Runner(lab: lab, lane: lane).run(attacks)
        await bed.stopUsual()
        return Result(
            mistakes: mistakes,
            report: Report(
                mode: "naive", target: lab.server.base, startedAt: startedAt, duration: begin.duration(to: .now),
                outcomes: outcomes))
    }

    struct Result: Sendable {
        let mistakes: Set<Mistake>
        let report: Report

        private var broken: Set<String> {
            Set(report.outcomes.filter { $0.verdict.isBroken }.map(\.attack.id))
        }

        private var tried: [Attack] {
            report.outcomes.filter { !$0.verdict.isNotApplicable }.map(\.attack)
        }

        /// Attacks that should have broken the backend and did not.
        var missed: [String] {
            tried.filter { !$0.reveals.isDisjoint(with: mistakes) }.map(\.id).filter { !broken.contains($0) }
        }

        /// Attacks that broke it without any mistake that they find being made.
        var unexpected: [String] {
            tried.filter { $0.reveals.isDisjoint(with: mistakes) }.map(\.id).filter { broken.contains($0) }
        }

        /// Mistakes that no attack found.
        var unfound: [Mistake] {
            mistakes.filter { mistake in
                !tried.contains { $0.reveals.contains(mistake) && broken.contains($0.id) }
            }.sorted()
        }

        /// With many mistakes at once one may hide another: then each must be found, whatever finds it.
        var isRight: Bool {
            let isCertain = report.outcomes.allSatisfy { !$0.verdict.isInconclusive } || mistakes.count > 1
            return unfound.isEmpty && isCertain && (mistakes.count > 1 || missed.isEmpty && unexpected.isEmpty)
        }

        var line: String {
            let name = mistakes.isEmpty ? "no mistake" : mistakes.sorted().map(\.rawValue).joined(separator: ", ")
            return "\(isRight ? "found" : "WRONG")  \(name): "
                + (broken.isEmpty ? "nothing broke" : broken.sorted().joined(separator: " "))
                + (isRight ? "" : "\n" + account)
        }

        var account: String {
            var lines: [String] = []
            if !unfound.isEmpty { lines.append("Not found: " + unfound.map(\.rawValue).joined(separator: ", ")) }
            if !missed.isEmpty, mistakes.count <= 1 {
                lines.append("Should have broken: " + missed.joined(separator: " "))
            }
            if !unexpected.isEmpty, mistakes.count <= 1 {
                lines.append("Broke for no reason: " + unexpected.joined(separator: " "))
            }
            let unknown = report.outcomes.filter { $0.verdict.isInconclusive }.map(\.attack.id)
            if !unknown.isEmpty { lines.append("Inconclusive: " + unknown.joined(separator: " ")) }
            if lines.isEmpty { lines.append("Every mistake was found.") }
            return lines.joined(separator: "\n")
        }
    }
}
