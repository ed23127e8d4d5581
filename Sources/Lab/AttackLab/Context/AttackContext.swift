internal import Jansson
internal import OpenSSL

/// The means of an attack while it runs.
///
/// ``fire(_:expecting:at:from:within:)`` sends a request of the attacker and judges the response. ``honest(_:status:at:)``
/// sends a request that is not an attack, and makes the attack inconclusive if it fails.
package struct AttackContext: Sendable {
    let attack: Attack
    let lab: Lab
    let recorder: Recorder
    /// The address of the attacker; each attack has its own, if the machine allows it.
    let source: String?

    /// Sends a request of the attacker and judges the response.
    ///
    /// If `wire` is `nil`, the request goes to the attacked server. If `source` is `nil`, it comes from the address of
    /// the attack.
    @discardableResult func fire(
        _ request: Request, expecting expectation: Expectation, at wire: Wire? = nil, from source: String? = nil,
        within timeout: Duration = .seconds(20)
    ) async -> Reply {
        let wire = wire ?? lab.server
        await remember(request)
        let reply = await send(
            request, at: wire, from: source ?? self.source, within: timeout,
            isLimitExpected: expectation.statuses.contains(429))
        await judge(reply, to: request, expectation, at: wire)
        return reply
    }

    /// Sends a request that is not an attack and that must succeed; otherwise the attack is inconclusive.
    ///
    /// `other` is another status that counts as success.
    @discardableResult func honest(
        _ request: Request, status: Int = 200, or other: Int? = nil, at wire: Wire? = nil
    ) async throws -> Answer {
        let wire = wire ?? lab.server
        await remember(request)
        let reply = await send(request, at: wire, from: source)
        await recorder.record(
            Exchange(request: request, base: wire.base, reply: reply, expectation: nil, findings: []))
        guard let answer = reply.answer, answer.status == status || answer.status == other else {
            let got = reply.answer.map { answer in
                let code = answer["reason"] ?? answer["error"]
                return "the answer \(answer.status)" + (code.map { " " + $0 } ?? "")
            }
            throw Inconclusive(
                "\(request.method) \(request.target.prefix { $0 != "?" }) has \(got ?? "no answer"), not \(status).")
        }
        await remember(answer)
        return answer
    }

    /// Opens a connection for raw octets, which the pace counts as a request.
    ///
    /// If `wire` is `nil`, the connection goes to the attacked server.
    func connect(to wire: Wire? = nil, within timeout: Duration) async throws -> WireConnection {
        await lab.pace?.wait()
        return try await WireConnection(to: wire ?? lab.server, from: source, within: timeout)
    }

    /// Sends at the measured pace for a foreign server.
    ///
    /// A request that gets 429 was not examined, and is sent again after the
    /// time that the response names.
    private func send(
        _ request: Request, at wire: Wire, from source: String?, within timeout: Duration = .seconds(20),
        isLimitExpected: Bool = false
    ) async -> Reply {
        guard let pace = lab.pace else { return await wire.send(request, from: source, within: timeout) }
        var reply = Reply.timedOut
        for _ in 0..<5 {
            await pace.wait()
            reply = await wire.send(request, from: source, within: timeout)
            guard let answer = reply.answer, answer.status == 429, !isLimitExpected else { break }
            await pace.heed(answer)
        }
        return reply
    }

    /// Sends a valid request to check that the attack has not used up its credential.
    @discardableResult func mustStillWork(
        _ request: Request, status: Int = 200, at wire: Wire? = nil
    ) async throws -> Answer? {
        do {
            return try await honest(request, status: status, at: wire)
        } catch let error as Inconclusive {
            await found(.consumed, "A refused attempt used it up: \(error.sentence)")
            return nil
        }
    }

    /// Sends requests concurrently, and checks the number that succeed and the refusals of the others.
    ///
    /// The last byte of each request is withheld until all others are sent. The requests use `wires`
    /// in turn, or only the attacked server for `nil`. `succeeds` decides whether a response is a success; by default,
    /// one with a credential.
    @discardableResult func volley(
        _ requests: [Request], winners: ClosedRange<Int> = 1...1, losers: Expectation, at wires: [Wire]? = nil,
        succeeds: @Sendable (Answer) -> Bool = { IssuedCredential.of($0) != nil }
    ) async -> [Reply] {
        let wires = wires ?? [lab.server]
        for request in requests.prefix(4) { await remember(request) }
        // The requests are sent concurrently, but the pace counts each.
        for _ in requests { await lab.pace?.wait() }
        let replies = await Wire.volley(
            requests.enumerated().map { (wires[$0.offset % wires.count], $0.element) }, from: source)
        var won = 0
        for (index, reply) in replies.enumerated() {
            if let answer = reply.answer, succeeds(answer) {
                won += 1
                await remember(answer)
                await recorder.record(
                    Exchange(
                        request: requests[index], base: wires[index % wires.count].base, reply: reply,
                        expectation: nil, findings: []))
            } else {
                await judge(reply, to: requests[index], losers, at: wires[index % wires.count])
            }
        }
        if !winners.contains(won) {
            await found(.raced, "\(won) of \(requests.count) at once succeeded, where \(winners.sentence) may.")
        }
        return replies
    }

    /// Records a finding that ``fire(_:expecting:at:from:within:)`` cannot detect.
    func found(_ kind: Finding.Kind, _ sentence: String) async { await recorder.add(Finding(kind, sentence)) }

    func expect(_ condition: Bool, _ kind: Finding.Kind, _ sentence: String) async {
        if !condition { await found(kind, sentence) }
    }

    /// Returns a text that must not occur in a response or in the log.
    func canary() async throws -> String {
        let text = "canary" + Base16.encode(try SecureRandom.bytes(8))
        await recorder.addCanary(text)
        return text
    }

    /// Records a text that refusals and the log must not contain.
    func secret(_ text: String?) async { if let text { await recorder.addSecret(text) } }

    private func judge(_ reply: Reply, to request: Request, _ expectation: Expectation, at wire: Wire) async {
        var findings: [Finding] = []
        switch reply {
        case .answer(let answer) where lab.pace != nil && answer.status == 429:
            if !expectation.statuses.contains(429) { await recorder.limit() }
        case .answer(let answer):
            if let finding = expectation.finding(answer) { findings.append(finding) }
            if (200..<300).contains(answer.status), IssuedCredential.of(answer) != nil {
                await remember(answer)
            } else {
                findings += await leaks(in: answer)
            }
        case .closed where expectation.mayClose: break
        case .closed: findings.append(Finding(.wrongAnswer, "The connection ended without an answer."))
        case .timedOut: findings.append(Finding(.slow, "No answer came in time."))
        }
        await recorder.record(
            Exchange(
                request: request, base: wire.base, reply: reply, expectation: expectation.sentence, findings: findings))
    }

    /// Returns findings if a refusal contains internal details, secrets, or text of the request.
    private func leaks(in answer: Answer) async -> [Finding] {
        let text = answer.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n") + "\n" + answer.text
        var findings: [Finding] = []
        if let sign = Disclosure.sign(in: text) {
            findings.append(Finding(.leaked, "The response reveals internals: \(sign)"))
        }
        if await recorder.canaries.contains(where: { text.contains($0) }) {
            findings.append(Finding(.echoed, "The answer repeats what was sent."))
        }
        // A redirect to a provider contains values that the provider needs.
        if answer.status >= 400, await recorder.secrets.contains(where: { text.contains($0) }) {
            findings.append(Finding(.leaked, "The response contains a secret of the request."))
        }
        return findings
    }

    private func remember(_ request: Request) async {
        if let json = try? JSON.parse(request.body, maximumBytes: 1 << 20) { await remember(json) }
        if request.field("content-type")?.contains("form") == true {
            for (name, value) in PercentEncoding.parameters(String(decoding: request.body, as: UTF8.self))
            where SecretNames.all.contains(name) {
                await recorder.addSecret(value)
            }
        }
    }

    private func remember(_ answer: Answer) async {
        if let json = answer.json { await remember(json) }
        if let code = answer.redirected("code") { await recorder.addSecret(code) }
    }

    private func remember(_ json: JSON) async {
        for (name, value) in json.object ?? [:] {
            // In an error response, `code` is an error code of Firebase.
            if SecretNames.all.contains(name), let text = value.string, !text.hasPrefix("auth/") {
                await recorder.addSecret(text)
            } else {
                await remember(value)
            }
        }
    }
}

extension ClosedRange<Int> {
    fileprivate var sentence: String {
        lowerBound == upperBound ? "exactly \(lowerBound)" : "\(lowerBound) to \(upperBound)"
    }
}
