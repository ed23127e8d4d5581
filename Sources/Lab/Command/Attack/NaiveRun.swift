internal import ArgumentParser
internal import AttackLab
internal import CommandSupport
internal import Foundation

/// `attack --against naive`: whether the catalogue finds the mistakes that are made, and only these.
struct NaiveRun {
    let bench: AttackBench
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
        let beds = (0..<lanes).map { bench.testBed("naive-\($0)") }
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
