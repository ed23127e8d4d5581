internal import AttackLab
internal import CommandSupport

/// `attack --sandbox`: servers with stand-ins of their own, between which the attacks are shared out.
struct SandboxRun {
    let bench: AttackBench
    let attacks: [Attack]
    let store: String?
    let profile: AttackSelection.Profile?
    let reports: ReportOptions

    func run() async throws {
        let session = AttackSession(mode: "sandbox", reports: reports)
        let lots = lots()
        let beds = lots.indices.map { bench.testBed("bed-\($0)", store: store) }
        do {
            var lanes: [(lab: Lab, attacks: [Attack])] = []
            for (bed, lot) in zip(beds, lots) { lanes.append((try await bed.start(), lot)) }
            let report = try await session.run(lanes)
            await stop(beds)
            if profile != nil { print(RelyingPartyTable.text(report), terminator: "") }
            try session.finish(report)
        } catch {
            await stop(beds)
            throw Exit.unlessAsked(error)
        }
    }

    /// What waits for deadlines has a server of its own, so that nothing waits for it; the others are two, for two cores.
    ///
    /// On a store that was named there is one server: several would meet there, each with seals of its own.
    private func lots() -> [[Attack]] {
        guard store == nil else { return [attacks] }
        var lots: [[Attack]] = [[], [], []]
        for (number, attack) in attacks.enumerated() {
            lots[attack.needs.contains(.patience) ? 2 : number % 2].append(attack)
        }
        return lots.filter { !$0.isEmpty }
    }

    private func stop(_ beds: [TestBed]) async {
        for bed in beds { await bed.stopAll() }
    }
}
