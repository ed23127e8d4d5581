internal import Jansson

/// Tries attacks one after the other and judges each by all that "blocked" means.
package struct Runner: Sendable {
    private let lab: Lab
    private let control: Control
    private let lane: Int

    /// - `lane`: tells addresses of this run from those of another beside it.
    package init(lab: Lab, lane: Int = 0) {
        self.lab = lab
        self.lane = lane
        control = Control(lab: lab)
    }

    /// - `report`: hears of each outcome as soon as it is there.
    package func run(
        _ attacks: [Attack], report: @Sendable (Outcome) async -> Void = { _ in }
    ) async -> [Outcome] {
        var outcomes: [Outcome] = []
        for (number, attack) in attacks.enumerated() {
            var outcome = await run(attack, number: number)
            // A busy machine proves nothing: what could not be carried through, or was only slow, is tried once more.
            if outcome.verdict.isDoubtful { outcome = await run(attack, number: number) }
            outcomes.append(outcome)
            await report(outcome)
        }
        return outcomes
    }

    private func run(_ attack: Attack, number: Int) async -> Outcome {
        let begin = ContinuousClock.now
        let recorder = Recorder()
        func outcome(_ verdict: Verdict) async -> Outcome {
            Outcome(
                attack: attack, verdict: verdict, shots: await recorder.shots, shotCount: await recorder.shotCount,
                elision: Elision(secrets: await recorder.secrets), duration: begin.duration(to: .now))
        }
        let missing = attack.needs.subtracting(lab.offers)
        guard missing.isEmpty else { return await outcome(.notApplicable(missing)) }
        guard await lab.pace?.isExhausted != true else {
            return await outcome(.inconclusive("The number of requests that may be sent is used up."))
        }

        let strike = Strike(
            attack: attack, lab: lab, recorder: recorder,
            source: lab.offers.contains(.addresses)
                ? "127.\(10 + lane).\(number / 250 + 1).\(number % 250 + 2)" : nil)
        let logged = lab.log?.end ?? 0
        do {
            try await lab.standIns?.reset()
            try await attack.strike(strike)
            try await examineSurroundings(strike, logged: logged)
        } catch let error as Inconclusive {
            let findings = await recorder.findings
            return await outcome(findings.isEmpty ? .inconclusive(error.sentence) : .broken(findings))
        } catch {
            return await outcome(.inconclusive("\(error)"))
        }
        if await recorder.isLimited {
            return await outcome(
                .inconclusive("The server limits how often it is asked: lower requests_per_second."))
        }
        if let sentence = await control.failure() {
            await recorder.add(Finding(.dead, sentence))
        }
        let findings = await recorder.findings
        return await outcome(findings.isEmpty ? .blocked : .broken(findings))
    }

    /// What the attack left behind beside its answers.
    private func examineSurroundings(_ strike: Strike, logged: Int) async throws {
        if let standIns = lab.standIns {
            let reached = try await standIns.hostileRequests()
            if let first = reached.first {
                await strike.found(
                    .exfiltrated,
                    "\(reached.count) requests reached the hostile host: \(first["method"]?.string ?? "") "
                        + "\(first["path"]?.string ?? "").")
            }
            // Before the control: the attack's faults are not to spoil it.
            try await standIns.reset()
        }
        guard lab.watchesLog, let text = lab.log?.text(since: logged), !text.isEmpty else { return }
        if await strike.recorder.secrets.contains(where: { text.contains($0) }) {
            await strike.found(.leaked, "The log holds a secret.")
        }
        if await strike.recorder.canaries.contains(where: { text.contains($0) }) {
            await strike.found(.leaked, "The log repeats what was sent.")
        }
    }
}
