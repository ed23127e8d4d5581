internal import AttackLab
internal import Settings

/// `attack --sandbox`: distributes the attacks over several servers, each with its own stand-ins.
struct SandboxRun {
    let workspace: AttackWorkspace
    let attacks: [Attack]
    let store: TestBed.Store?
    let profile: AttackSelection.Profile?
    let reports: ReportOptions

    func run() async throws {
        let session = AttackSession(mode: "sandbox", reports: reports)
        let shares = shares()
        let beds = shares.indices.map { workspace.testBed("bed-\($0)", store: store) }
        do {
            var lanes: [(lab: Lab, attacks: [Attack])] = []
            for (bed, share) in zip(beds, shares) { lanes.append((try await bed.start(), share)) }
            let report = try await session.run(lanes)
            await stop(beds)
            if profile != nil { print(RelyingPartyTable.text(report), terminator: "") }
            try session.finish(report)
        } catch {
            await stop(beds)
            throw Exit.unlessAsked(error)
        }
    }

    /// The attacks of each server.
    ///
    /// Attacks that wait for deadlines have a separate server, so that the others need not wait; the rest is
    /// distributed over two servers, for two cores.
    ///
    /// With a given store there is only one server, because servers with different seal keys cannot share a store.
    private func shares() -> [[Attack]] {
        guard store == nil else { return [attacks] }
        var shares: [[Attack]] = [[], [], []]
        for (number, attack) in attacks.enumerated() {
            shares[attack.needs.contains(.patience) ? 2 : number % 2].append(attack)
        }
        return shares.filter { !$0.isEmpty }
    }

    private func stop(_ beds: [TestBed]) async {
        for bed in beds { await bed.stopAll() }
    }
}

/// The results of `--profile oidc-rp` by module.
enum RelyingPartyTable {
    static func text(_ report: Report) -> String {
        let verdicts = Dictionary(report.outcomes.map { ($0.attack.id, $0.verdict.word) }) { first, _ in first }
        let rows = RelyingPartyProfile.modules.compactMap { module, attack in
            verdicts[attack].map { [module, attack, $0 == "blocked" ? "passed" : $0] }
        }
        return TerminalReport.table([["module", "attack", "result"]] + rows)
    }
}
