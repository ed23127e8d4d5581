internal import AttackLab

/// The results of `--profile oidc-rp`, module by module.
enum RelyingPartyTable {
    static func text(_ report: Report) -> String {
        let verdicts = Dictionary(report.outcomes.map { ($0.attack.id, $0.verdict.word) }) { first, _ in first }
        let rows = RelyingPartyProfile.modules.compactMap { module, attack in
            verdicts[attack].map { [module, attack, $0 == "blocked" ? "passed" : $0] }
        }
        return TerminalReport.table([["module", "attack", "result"]] + rows)
    }
}
