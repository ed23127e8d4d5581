internal import Jansson

/// Runs attacks one after the other and judges whether each was blocked.
package struct Runner: Sendable {
    private let lab: Lab
    private let control: Control
    private let lane: Int

    /// - Parameter lane: A number that distinguishes the addresses of concurrent runs.
    package init(lab: Lab, lane: Int) {
        self.lab = lab
        self.lane = lane
        control = Control(lab: lab)
    }

    /// Runs the attacks and passes each outcome to `report` as soon as it is known.
    package func run(
        _ attacks: [Attack], report: @Sendable (Outcome) async -> Void = { _ in }
    ) async -> [Outcome] {
        var outcomes: [Outcome] = []
        for (number, attack) in attacks.enumerated() {
            var outcome = await run(attack, number: number)
            // A busy machine can make an attack inconclusive or slow. Such an attack is repeated once.
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
                attack: attack, verdict: verdict, exchanges: await recorder.exchanges,
                exchangeCount: await recorder.exchangeCount,
                elision: Elision(secrets: await recorder.secrets), duration: begin.duration(to: .now))
        }
        let missing = attack.needs.subtracting(lab.offers)
        guard missing.isEmpty else { return await outcome(.notApplicable(missing)) }
        guard await lab.pace?.isExhausted != true else {
            return await outcome(.inconclusive("The number of requests that may be sent is used up."))
        }

        let context = AttackContext(
            attack: attack, lab: lab, recorder: recorder,
            source: lab.offers.contains(.addresses)
                ? "127.\(10 + lane).\(number / 250 + 1).\(number % 250 + 2)" : nil)
        let logged = lab.log?.end ?? 0
        do {
            try await lab.standIns?.reset()
            try await attack.run(context)
            try await examineSurroundings(context, logged: logged)
        } catch let error as Inconclusive {
            let findings = await recorder.findings
            return await outcome(findings.isEmpty ? .inconclusive(error.sentence) : .broken(findings))
        } catch {
            return await outcome(.inconclusive("\(error)"))
        }
        if await recorder.isLimited {
            return await outcome(
                .inconclusive("The server limits the request rate: lower requests_per_second."))
        }
        if let sentence = await control.failure() {
            await recorder.add(Finding(.dead, sentence))
        }
        let findings = await recorder.findings
        return await outcome(findings.isEmpty ? .blocked : .broken(findings))
    }

    /// Examines the effects of an attack besides the responses: calls to providers and lines of the log.
    private func examineSurroundings(_ context: AttackContext, logged: Int) async throws {
        if let standIns = lab.standIns {
            let reached = try await standIns.hostileRequests()
            if let first = reached.first {
                await context.found(
                    .exfiltrated,
                    "\(reached.count) requests reached the hostile host: \(first["method"]?.string ?? "") "
                        + "\(first["path"]?.string ?? "").")
            }
            // The faults of the attack must not affect the control.
            try await standIns.reset()
        }
        guard lab.watchesLog, let text = lab.log?.text(since: logged), !text.isEmpty else { return }
        if await context.recorder.secrets.contains(where: { text.contains($0) }) {
            await context.found(.leaked, "The log contains a secret.")
        }
        if await context.recorder.canaries.contains(where: { text.contains($0) }) {
            await context.found(.leaked, "The log repeats what was sent.")
        }
    }
}

/// The outcome of one attack.
package struct Outcome: Sendable {
    package let attack: Attack
    package let verdict: Verdict
    let exchanges: [Exchange]
    let exchangeCount: Int
    let elision: Elision
    package let duration: Duration
}

extension Outcome {
    /// The recorded requests and responses, without secrets.
    package var transcript: String {
        exchanges.map { exchange in
            let request = String(decoding: exchange.request.bytes(host: "server").prefix(2000), as: UTF8.self)
            let reply =
                switch exchange.reply {
                case .answer(let answer):
                    "\(answer.status)\n" + answer.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
                        + "\n\n" + answer.text.prefix(2000)
                case .closed: "(the connection ended)"
                case .timedOut: "(no answer in time)"
                }
            return elision("> \(request)\n< \(reply)")
        }.joined(separator: "\n\n")
    }
}

/// The correct sign-in after each attack.
///
/// A server that refuses every request would otherwise count as one that blocks every attack.
struct Control: Sendable {
    let lab: Lab

    /// Returns why the sign-in failed; `nil` if it succeeded.
    func failure() async -> String? {
        let body: JSON = [
            "client_id": .string(lab.application.clientID), "provider": .string(lab.application.provider),
        ]
        await lab.pace?.wait()
        let first = await lab.server.send(.json("/v1/nonce", body), within: .seconds(15)).answer
        if let first { await lab.pace?.heed(first) }
        // With a limited rate, a 429 is not a failure: the server responds.
        if lab.pace != nil, first?.status == 429 { return nil }
        guard let begun = first, begun.status == 200, let nonce = begun["nonce"], let verifier = begun["nonce_verifier"]
        else { return "POST /v1/nonce no longer answers." }
        guard let standIns = lab.standIns else { return nil }
        guard
            let issued = try? await standIns.issue(["provider": "yahoo.com", "user": "bjorn", "nonce": .string(nonce)]),
            let token = issued["id_token"]?.string
        else { return "The stand-ins no longer issue tokens." }
        let request = Request.json(
            "/v1/exchange", body.setting(["credential"], to: .idToken(token, nonce: verifier)))
        let answer = await lab.server.send(request, within: .seconds(15)).answer
        guard answer?.status == 200, answer?["custom_token"] != nil else {
            return "A correct sign-in got \(answer.map { "\($0.status) \($0["reason"] ?? "")" } ?? "no response")."
        }
        return nil
    }
}
