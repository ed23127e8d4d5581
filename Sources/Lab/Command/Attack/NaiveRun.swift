internal import ArgumentParser
internal import AttackLab
internal import Foundation
internal import Settings

/// `attack --against naive`: checks that the catalogue finds exactly the mistakes that the backend makes.
struct NaiveRun {
    let workspace: AttackWorkspace
    let attacks: [Attack]
    let mistakes: String
    /// Whether a single mistake is tried only with the attacks that are meant to find it.
    ///
    /// Without a mistake all attacks are tried in any case.
    let isQuick: Bool
    let reports: ReportOptions

    func run() async throws {
        let rounds = try rounds()
        // The backend has other deadlines than the server. Attacks that wait for deadlines are tried only if they find
        // a mistake.
        let attacks = attacks.filter { !$0.needs.contains(.patience) || !$0.reveals.isEmpty }
        // Two lanes keep two cores busy. Each lane has its own stand-ins and backend.
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
            print(
                "Rounds that found exactly the mistakes that were made: \(results.count { $0.isRight }) of \(results.count)."
            )
        }
        guard results.allSatisfy(\.isRight) else { throw Exit.failure }
    }

    private func rounds() throws -> [Set<Mistake>] {
        mistakes == "each" ? [[]] + Mistake.allCases.map { [$0] } : [try MistakeList.read(mistakes)]
    }
}

/// One round of attacks against the naive backend with one set of mistakes.
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

        /// The attacks that should have succeeded and did not.
        var missed: [String] {
            tried.filter { !$0.reveals.isDisjoint(with: mistakes) }.map(\.id).filter { !broken.contains($0) }
        }

        /// The attacks that succeeded although none of the mistakes that they find was made.
        var unexpected: [String] {
            tried.filter { $0.reveals.isDisjoint(with: mistakes) }.map(\.id).filter { broken.contains($0) }
        }

        /// The mistakes that no attack found.
        var unfound: [Mistake] {
            mistakes.filter { mistake in
                !tried.contains { $0.reveals.contains(mistake) && broken.contains($0.id) }
            }.sorted()
        }

        /// Whether the round has the expected result.
        ///
        /// One of several mistakes may hide another. With several, it is enough if some attack finds each mistake.
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

/// Parses the mistakes on the command line.
enum MistakeList {
    /// - Throws: Exit 64 if a name is unknown.
    static func read(_ text: String) throws -> Set<Mistake> {
        switch text {
        case "all": return Set(Mistake.allCases)
        case "none": return []
        default:
            var mistakes: Set<Mistake> = []
            for name in text.split(separator: ",") {
                guard let mistake = Mistake(rawValue: String(name)) else {
                    throw ValidationError(
                        "There is no mistake \(name). token-exchange-lab naive --list shows all mistakes.")
                }
                mistakes.insert(mistake)
            }
            return mistakes
        }
    }
}
