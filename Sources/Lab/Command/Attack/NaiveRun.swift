internal import ArgumentParser
internal import AttackLab
internal import CommandSupport
internal import Foundation

/// `attack --against naive`: whether the catalogue finds the mistakes that are made, and only these.
struct NaiveRun {
    let workspace: AttackWorkspace
    let attacks: [Attack]
    let mistakes: String
    /// A single mistake is tried with the attacks that name it alone.
    ///
    /// Without any mistake all attacks are tried in any case.
    let isQuick: Bool
    let reports: ReportOptions

    func run() async throws {
        let rounds = try rounds()
        // Its deadlines are not the contract's: what waits for them is tried where it finds a mistake.
        let attacks = attacks.filter { !$0.needs.contains(.patience) || !$0.reveals.isEmpty }
        // Two cores' worth: each lane has stand-ins and a backend of its own.
        let lanes = min(2, rounds.count)
        let beds = (0..<lanes).map { workspace.testBed("naive-\($0)") }
        let results: [NaiveRound.Result]
        do {
            results = try await withThrowingTaskGroup(of: [NaiveRound.Result].self) { group in
                for (lane, bed) in beds.enumerated() {
                    let mine = stride(from: lane, to: rounds.count, by: lanes).map { rounds[$0] }
                    group.addTask {
                        var results: [NaiveRound.Result] = []
                        for mistakes in mine {
                            let named = attacks.filter { !$0.reveals.isDisjoint(with: mistakes) }
                            let round = NaiveRound(
                                bed: bed, mistakes: mistakes,
                                attacks: isQuick && mistakes.count == 1 ? named : attacks, lane: lane)
                            results.append(try await round.run())
                            if rounds.count > 1 { print(results.last?.line ?? "") }
                        }
                        return results
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        } catch {
            for bed in beds { await bed.stopAll() }
            throw Exit.unlessAsked(error)
        }
        for bed in beds { await bed.stopAll() }
        if let only = results.first, results.count == 1 {
            try reports.write(only.report)
            print(TerminalReport(hasColours: false).summary(only.report))
            print(only.account)
        } else {
            print("\(results.count { $0.isRight }) of \(results.count) rounds found exactly what was switched on.")
        }
        guard results.allSatisfy(\.isRight) else { throw Exit.failure }
    }

    private func rounds() throws -> [Set<Mistake>] {
        mistakes == "each" ? [[]] + Mistake.allCases.map { [$0] } : [try MistakeList.read(mistakes)]
    }
}

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

/// Mistakes as they are written on the command line.
enum MistakeList {
    /// - Throws: Exit 64 for a name that means nothing.
    static func read(_ text: String) throws -> Set<Mistake> {
        switch text {
        case "all": return Set(Mistake.allCases)
        case "none": return []
        default:
            var mistakes: Set<Mistake> = []
            for name in text.split(separator: ",") {
                guard let mistake = Mistake(rawValue: String(name)) else {
                    throw ValidationError("There is no mistake \(name); token-exchange-lab naive --list names them.")
                }
                mistakes.insert(mistake)
            }
            return mistakes
        }
    }
}
